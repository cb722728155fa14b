/* For people at a terminal: what was measured and how good it is, then the table. A column that knows nothing in any
 * row is left out; "file" and "line" are one column. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/bins.h"
#include "profile/counters.h"
#include "report/facts.h"
#include "report/jumps.h"
#include "report/report.h"
#include "report/units.h"
#include "util.h"

extern const struct pt_format pt_format_text, pt_format_summary;

enum { NAME_COLUMNS = 22, FILE_COLUMNS = 20, LABEL_COLUMNS = 11, LINE_COLUMNS = 120, JUMPS = 3 };

/* --- the lines before the table */

static void label(struct pt_text *out, const char *what)
{
	pt_text_add(out, "%-*s", LABEL_COLUMNS, what);
}

static void title(const struct pt_profile *p, struct pt_text *out)
{
	const char *path = p->program != NULL ? pt_program_path(p->program) : NULL;

	pt_text_add(out, "%sprofile of %s%s\n", p->from_virtual ? "VIRTUAL board, no hardware: " : "",
		    path != NULL ? path : "a program without symbols", p->ended ? "" : " (still running)");
}

/* Where names and lines are from, when that is not the ELF alone. */
static void symbols_lines(const struct pt_program *program, struct pt_text *out)
{
	if (pt_program_debug_path(program) != NULL) {
		label(out, "symbols");
		pt_text_add(out, "what the ELF lacks is from %s\n", pt_program_debug_path(program));
	}
	if (pt_program_warning(program) != NULL) {
		label(out, "symbols");
		pt_text_add(out, "%s\n", pt_program_warning(program));
	}
}

static void source_lines(const struct pt_profile *p, struct pt_text *out)
{
	char hz[32], name[40];

	label(out, "source");
	pt_text_add(out, "%s, mode %s%s%s; probe %s\n",
		    p->n_sources > 1 ? pt_name_source(p, 0, name, sizeof(name)) : p->source, p->mode,
		    p->target[0] != '\0' ? "; target " : "", p->target, p->probe);
	for (size_t i = 1; i < p->n_sources; i++) {
		label(out, "");
		pt_text_add(out, "%s%s%s\n", pt_name_source(p, i, name, sizeof(name)),
			    p->sources[i].mode[0] != '\0' ? ", mode " : "", p->sources[i].mode);
	}
	label(out, "clock");
	if (p->no_code) {
		pt_text_add(out, "the sources' own stamps; no code is traced\n");
		return;
	}
	if (p->by_instructions)
		pt_text_add(out, "instructions");
	else if (p->by_bins)
		pt_text_add(out, "clock cycles, as the core counted them");
	else
		pt_text_add(out, "modelled cycles, awake only (%s)", p->timing);
	pt_print_scaled(hz, sizeof(hz), (double)p->core_hz, " ", "Hz");
	if (p->core_hz != 0)
		pt_text_add(out, ", core at %s\n", hz);
	else
		pt_text_add(out, "; core clock not known (core-clock=HZ gives seconds)\n");
}

/* One source's account of time, or the only one's. bound: why what it observed is at most so much; NULL: it is just that.
 * who: "mtb: ", or "". */
static void time_line(const struct pt_loss_sum *loss, const char *bound, uint64_t mismatch_ns, const char *who,
		      struct pt_text *out)
{
	char total[32], observed[32], unobserved[32], lost[32], mismatch[32];

	pt_print_ns(total, sizeof(total), loss->total_ns, " ");
	pt_print_ns(observed, sizeof(observed), loss->observed_ns, " ");
	pt_print_ns(unobserved, sizeof(unobserved), loss->unobserved_ns, " ");
	pt_print_ns(lost, sizeof(lost), loss->lost_ns, " ");
	pt_text_add(out, "%s%s = %s%s observed", who, total, bound != NULL ? "at most " : "", observed);
	if (loss->total_ns != 0)
		pt_text_add(out, " (%.2f %%)", 100.0 * (double)loss->observed_ns / (double)loss->total_ns);
	pt_text_add(out, " + %s unobserved + %s lost\n", unobserved, lost);
	if (bound != NULL) {
		label(out, "");
		pt_text_add(out, "at most: %s\n", bound);
	}
	if (mismatch_ns != 0) {
		pt_print_ns(mismatch, sizeof(mismatch), mismatch_ns, " ");
		label(out, "");
		pt_text_add(out, "the source's account has %s too few or too many\n", mismatch);
	}
}

static void causes(const struct pt_loss_sum *loss, bool faults, const char *who, struct pt_text *out)
{
	bool any = false;
	char ns[32];

	pt_text_add(out, "%s", who);
	for (unsigned cause = 1; cause < PT_N_LOSSES; cause++) {
		if (pt_loss_is_fault((enum pt_loss)cause) != faults ||
		    (loss->by[cause].events == 0 && loss->by[cause].ns == 0))
			continue;
		pt_print_ns(ns, sizeof(ns), loss->by[cause].ns, " ");
		pt_text_add(out, "%s%s %s", any ? "; " : "", pt_loss_name((enum pt_loss)cause), ns);
		if (loss->by[cause].events != 0)
			pt_text_add(out, " in %" PRIu64, loss->by[cause].events);
		if (loss->by[cause].bytes != 0)
			pt_text_add(out, ", %" PRIu64 " bytes", loss->by[cause].bytes);
		any = true;
	}
	pt_text_add(out, "%s\n", any ? "" : "nothing");
}

/* What can be done about what was lost, a line for each cause. */
static void advise(const struct pt_profile *p, struct pt_text *out)
{
	for (unsigned cause = 1; cause < PT_N_LOSSES; cause++) {
		const char *advice = pt_loss_advice((enum pt_loss)cause);

		if (advice == NULL || p->loss.by[cause].events == 0)
			continue;
		label(out, "advice");
		pt_text_add(out, "%s: %s\n", pt_loss_name((enum pt_loss)cause), advice);
	}
}

/* Each source has its own account of the same session: adding them up would say nothing that anybody asked. */
static void accounts(const struct pt_profile *p, struct pt_text *out)
{
	static const char *const labels[] = { "time", "unobserved", "lost" };
	char name[40], who[44];

	for (int what = 0; what < 3; what++)
		for (size_t i = 0; i < p->n_sources; i++) {
			const struct pt_profile_source *s = &p->sources[i];

			label(out, i == 0 ? labels[what] : "");
			snprintf(who, sizeof(who), "%s: ", pt_name_source(p, i, name, sizeof(name)));
			if (what == 0)
				time_line(&s->loss, s->observed_is_bound ? pt_bound_reason(s->mode) : NULL,
					  s->mismatch_ns, who, out);
			else
				causes(&s->loss, what == 2, who, out);
		}
}

static void time_lines(const struct pt_profile *p, struct pt_text *out)
{
	if (p->n_sources > 1) {
		accounts(p, out);
	} else {
		label(out, "time");
		time_line(&p->loss, p->observed_is_bound ? pt_bound_reason(p->mode) : NULL, p->mismatch_ns, "", out);
		label(out, "unobserved");
		causes(&p->loss, false, "", out);
		label(out, "lost");
		causes(&p->loss, true, "", out);
	}
	advise(p, out);
}

static void samples_line(const struct pt_profile *p, struct pt_text *out)
{
	label(out, "data");
	pt_text_add(out, "%" PRIu64 " samples in %" PRIu64 " batches", p->samples, p->batches);
	if (!p->sleep_counted)
		pt_text_add(out, ", %" PRIu64 " of them asleep", p->samples_asleep);
	if (p->sampled_every != 0)
		pt_text_add(out, ", one per %" PRIu64 " %s", p->sampled_every, p->sampled_by);
	if (p->samples_effective > 0)
		pt_text_add(out, "; worth %.0f independent ones", p->samples_effective);
	if (p->samples_refused != 0)
		pt_text_add(out, "; %" PRIu64 " refused (halted, or not permitted)", p->samples_refused);
	pt_text_add(out, "\n");
}

static uint64_t n_values(const struct pt_profile *p)
{
	uint64_t values = 0;

	for (size_t i = 0; i < p->n_sources; i++)
		values += p->sources[i].values;
	return values;
}

static void values_line(const struct pt_profile *p, struct pt_text *out)
{
	label(out, "data");
	pt_text_add(out, "%" PRIu64 " values\n", n_values(p));
}

static void flow_of_core(const struct pt_profile *p, const struct pt_profile_core *c, struct pt_text *out)
{
	pt_text_add(out, "%" PRIu64 " branches, %" PRIu64 " instructions", c->branches, c->instructions);
	if (c->bursts != 0 && c->burst_cycles != 0)
		pt_text_add(out, "; shares from %" PRIu64 " of %" PRIu64 " bursts, cut to %" PRIu64 " %s",
			    c->bursts_used, c->bursts, c->burst_cycles, p->timing != NULL ? "cycles" : "instructions");
	else if (c->bursts_by_wakeups)
		pt_text_add(out, "; shares from %" PRIu64 " waking periods in %" PRIu64 " bursts", c->bursts_used,
			    c->bursts);
	else if (c->bursts != 0)
		pt_text_add(out, " in %" PRIu64 " burst%s: too few for intervals", c->bursts,
			    c->bursts == 1 ? "" : "s");
	if (c->bursts_asleep != 0 && !c->bursts_by_wakeups)
		pt_text_add(out, " (%" PRIu64 " began asleep)", c->bursts_asleep);
}

static void flow_line(const struct pt_profile *p, struct pt_text *out)
{
	const struct pt_profile_core only = {
		.branches = p->branches, .instructions = p->instructions, .bursts = p->bursts,
		.bursts_used = p->bursts_used, .bursts_asleep = p->bursts_asleep, .burst_cycles = p->burst_cycles,
		.bursts_by_wakeups = p->bursts_by_wakeups,
	};

	label(out, "data");
	if (p->n_cores < 2)
		flow_of_core(p, &only, out);
	for (size_t i = 0, n = 0; p->n_cores > 1 && i < p->n_cores; i++) {
		if (p->core[i].branches == 0)
			continue;
		if (n++ > 0) {
			pt_text_add(out, "\n");
			label(out, "");
		}
		pt_text_add(out, "core %u: ", p->core[i].core);
		flow_of_core(p, &p->core[i], out);
	}
	if (p->doubtful_silent + p->doubtful_recorded > 0)	/* isa.h */
		pt_text_add(out, "; %" PRIu64 " jumps to fixed operands were in the trace, %" PRIu64 " not",
			    p->doubtful_recorded, p->doubtful_silent);
	pt_text_add(out, "\n");
}

static void bins_line(const struct pt_profile *p, struct pt_text *out)
{
	const struct pt_bins *bins = p->bins;

	label(out, "data");
	for (size_t i = 0; i < bins->n_cores; i++) {
		const struct pt_bins_core *core = &bins->core[i];

		if (bins->n_cores > 1)
			pt_text_add(out, "%score %u: ", i > 0 ? "; " : "", core->core);
		pt_text_add(out, "%" PRIu64 " %s in %zu bins", core->hits,
			    bins->by_cycles ? "clock cycles" : bins->by_instructions ? "instructions" : "hits",
			    core->n_addresses);
	}
	if (bins->n_cores > 1)
		pt_text_add(out, "; shares are of each core's own");
	if (bins->exact && !bins->whole)
		pt_text_add(out, "; a bin that lies in several functions is split in proportion to its bytes in each");
	pt_text_add(out, "\n");
}

static uint64_t n_readings(const struct pt_profile *p)
{
	uint64_t readings = 0;

	for (size_t i = 0; p->counters != NULL && i < p->counters->n_counters; i++)
		readings += p->counters->counter[i].readings;
	return readings;
}

static void counters_line(const struct pt_profile *p, struct pt_text *out)
{
	uint64_t unknown = 0;

	for (size_t i = 0; i < p->counters->n_counters; i++)
		unknown += p->counters->counter[i].unknown;
	label(out, "data");
	pt_text_add(out, "%" PRIu64 " readings of %zu counters", n_readings(p), p->counters->n_counters);
	if (unknown > 0)
		pt_text_add(out, ", %" PRIu64 " of them ambiguous: so late that their counter may have wrapped twice, and in no "
			    "count", unknown);
	pt_text_add(out, "\n");
}

static void nothing_line(const struct pt_profile *p, struct pt_text *out)
{
	label(out, "data");
	pt_text_add(out, "nothing%s\n", p->ended ? "" : " yet");
}

static void data_lines(const struct pt_profile *p, struct pt_text *out)
{
	bool samples = p->samples != 0 || p->batches != 0, values = n_values(p) != 0, readings = n_readings(p) != 0;

	if (samples)
		samples_line(p, out);
	if (p->by_bins)
		bins_line(p, out);
	else if (p->branches != 0 || p->bursts != 0)
		flow_line(p, out);
	else if (!samples && !values && !readings)
		nothing_line(p, out);
	if (readings)
		counters_line(p, out);
	if (values)
		values_line(p, out);
}

static void task_lines(const struct pt_profile *p, struct pt_text *out)
{
	for (size_t i = 0; p->task_note != NULL && p->task_note[i][0] != '\0'; i++) {
		label(out, "tasks");
		pt_text_add(out, "%s\n", p->task_note[i]);
	}
}

/* What did not fit, or not together. */
static void bounds_lines(const struct pt_profile *p, struct pt_text *out)
{
	const struct { uint64_t n; const char *what; } rows[] = {
		{ p->sources_refused, "sources found no room" },
		{ p->events_dropped, "events were dropped for want of memory" },
		{ p->out_of_order, "events came too late to be put in order with those of other sources" },
		{ p->values_incomplete, "parts of values that never became whole" },
		{ p->values_unplaced, "accesses to places that found no room (variables= names those to follow)" },
		{ p->counters != NULL ? p->counters->refused : 0, "readings of counters that found no room" },
		{ p->bins != NULL ? p->bins->dropped : 0, "hits at addresses that found no room" },
		{ p->bins != NULL ? p->bins->full : 0, "readings of bins that were full: their hits are at least what is shown" },
	};

	for (size_t i = 0; i < PT_LEN(rows); i++)
		if (rows[i].n != 0) {
			label(out, "trouble");
			pt_text_add(out, "%" PRIu64 " %s\n", rows[i].n, rows[i].what);
		}
}

static void ignored_lines(const struct pt_profile *p, struct pt_text *out)
{
	char text[200];

	for (size_t i = 0; i < p->n_sources; i++) {
		if (!pt_ignored_reason(p, &p->sources[i], text, sizeof(text)))
			continue;
		label(out, "ignored");
		pt_text_add(out, "%s\n", text);
	}
}

static void trouble_lines(const struct pt_profile *p, struct pt_text *out)
{
	const char *between = "";

	if (p->elf_check == PT_ELF_DIFFERS) {
		label(out, "warning");
		pt_text_add(out, "the chip does not hold this ELF: first difference at 0x%08" PRIx64
			    "; names and times may be wrong\n", p->elf_differs_at);
	} else if (p->elf_check == PT_ELF_UNKNOWN && p->program != NULL) {
		label(out, "warning");
		pt_text_add(out, "whether the chip holds this ELF is not known: they could not be compared\n");
	}
	if (p->not_code != 0) {
		label(out, "trouble");
		pt_text_add(out, "%" PRIu64 " packets that the code does not allow", p->not_code);
		if (p->not_code_from != PT_UNKNOWN)
			pt_text_add(out,
				    ", the last 0x%08" PRIx64 " to 0x%08" PRIx64 ": is this the program in the chip?",
				    p->not_code_from, p->not_code_to);
		pt_text_add(out, "\n");
	}
	bounds_lines(p, out);
	ignored_lines(p, out);
	task_lines(p, out);
	for (unsigned i = 0; i < PT_N_EXECUTION_ERRORS; i++) {
		if (p->errors.n[i] == 0)
			continue;
		if (*between == '\0')
			label(out, "irregular");
		pt_text_add(out, "%s%s: %" PRIu64, between, pt_execution_error_name((enum pt_execution_error)i),
			    p->errors.n[i]);
		between = "; ";
	}
	if (*between != '\0' && p->errors.address != PT_UNKNOWN)
		pt_text_add(out, "; the last before 0x%08" PRIx64, p->errors.address);
	if (*between != '\0')
		pt_text_add(out, "\n");
}

/* Shares are there; their intervals only where enough was seen. */
static bool has_intervals(const struct pt_profile *p)
{
	return p->samples_effective > 0 || p->burst_cycles != 0 || p->bursts_by_wakeups;
}

static bool counters_take_turns(const struct pt_profile *p)
{
	for (size_t i = 0; i < p->counters->n_counters; i++)
		if (p->counters->counter[i].shared)
			return true;
	return false;
}

static void figures_lines(const struct pt_profile *p, struct pt_text *out)
{
	bool flow = p->branches != 0 || p->samples != 0 || n_values(p) != 0 || p->by_bins;

	label(out, "figures");
	if (!flow && n_readings(p) != 0) {
		pt_text_add(out, "counts exact%s\n",
			    counters_take_turns(p) ? "; of those that take turns estimated (95 % error)" : "");
		return;
	}
	if (!flow) {
		pt_text_add(out, "none: nothing was seen%s\n", p->ended ? "" : " yet");
		return;
	}
	pt_text_add(out, "counts %s%s, times %s%s, shares %s%s", pt_basis_name(p->counts),
		    p->counts == PT_BASIS_ESTIMATED ? " (as seen)" : "", pt_basis_name(p->times),
		    p->bursts != 0 ? " (of what a burst saw whole)" : "", pt_basis_name(p->shares),
		    p->by_bins ? " of what was counted" : "");
	if (!p->by_bins && p->shares == PT_BASIS_ESTIMATED)
		pt_text_add(out, "%s of %s%s", has_intervals(p) ? " (95 % interval)" : "",
			    p->sampled_by[0] != '\0' ? p->sampled_by
			    : p->sleep_counted ? "all time, sleep with it" : "time awake",
			    has_intervals(p) ? "" : ", no interval");
	if (p->unseen.hi != 0)
		pt_text_add(out, "; a function that was never seen may have taken %.1f %% of it", p->unseen.hi * 100);
	pt_text_add(out, "\n");
}

static void buffer_line(const struct pt_profile *p, struct pt_text *out)
{
	if (p->buffer_bytes == 0)
		return;
	label(out, "buffer");
	pt_text_add(out, "%" PRIu64 " bytes of the target's RAM at 0x%08" PRIx64 "%s\n", p->buffer_bytes,
		    p->buffer_addr, p->buffer_in_use ? ", where the program may have data of its own" : "");
}

/* Lines that a terminal would break anywhere are broken between words, under the words of the first. */
static void wrapped(const char *line, size_t len, struct pt_text *out)
{
	size_t room = LINE_COLUMNS;

	while (len > room) {
		size_t at = room;

		while (at > 0 && line[at] != ' ')
			at--;
		if (at <= (room == LINE_COLUMNS ? (size_t)LABEL_COLUMNS : 0))
			break;		/* one long word, such as a path */
		pt_text_add(out, "%.*s\n%*s", (int)at, line, LABEL_COLUMNS, "");
		line += at + 1;
		len -= at + 1;
		room = LINE_COLUMNS - LABEL_COLUMNS;
	}
	pt_text_add(out, "%.*s\n", (int)len, line);
}

static void plain_header(const struct pt_profile *p, struct pt_text *out)
{
	title(p, out);
	if (p->program != NULL)
		symbols_lines(p->program, out);
	source_lines(p, out);
	time_lines(p, out);
	data_lines(p, out);
	figures_lines(p, out);
	trouble_lines(p, out);
	buffer_line(p, out);
	label(out, "cost");
	pt_text_add(out, "%s\n", p->cost[0] != '\0' ? p->cost : "not stated");
}

static void header(const struct pt_profile *p, struct pt_text *out)
{
	struct pt_text plain = { 0 };

	plain_header(p, &plain);
	for (const char *line = plain.bytes, *end; line != NULL && *line != '\0'; line = end + 1) {
		end = strchr(line, '\n');
		if (end == NULL)
			break;
		wrapped(line, (size_t)(end - line), out);
	}
	pt_text_free(&plain);
}

/* --- the table */

struct table {
	const struct pt_profile *profile;
	const struct pt_view *view;
	size_t *rows, n_rows;
	size_t *column, n_columns, n_left_out;	/* those shown; others for which there was no room */
	size_t *width;
	bool *shown;			/* by the view's columns */
	struct pt_value *values;
};

static bool is_line_of_file(const struct table *t, size_t c)	/* view's column c is printed with the one before */
{
	return c > 0 && strcmp(t->view->columns[c].key, "line") == 0 &&
	       strcmp(t->view->columns[c - 1].key, "file") == 0;
}

/* Columns of a terminal, UTF-8 as far as we write it. */
static size_t columns_of(const char *text)
{
	size_t n = 0;

	for (; *text != '\0'; text++)
		n += ((unsigned char)*text & 0xc0) != 0x80;
	return n;
}

static void shorten(char *cell, size_t columns)
{
	if (strlen(cell) > columns)
		strcpy(cell + columns - 1, "~");
}

static void indent(char *cell, size_t levels)
{
	size_t len = strlen(cell), blanks = 2 * levels;

	if (blanks == 0 || len + blanks >= PT_CELL_BYTES)
		return;
	memmove(cell + blanks, cell, len + 1);
	memset(cell, ' ', blanks);
}

static void cell_of(const struct table *t, size_t c, char *cell)
{
	const struct pt_column *column = &t->view->columns[c];
	const char *slash;
	size_t len;

	pt_print_cell(cell, PT_CELL_BYTES, t->profile, column, &t->values[c]);
	if (strcmp(column->key, "file") == 0 && cell[0] != '\0') {
		slash = strrchr(cell, '/');
		if (slash != NULL)
			memmove(cell, slash + 1, strlen(slash));
		shorten(cell, FILE_COLUMNS);
		len = strlen(cell);
		if (c + 1 < t->view->n_columns && is_line_of_file(t, c + 1) && t->values[c + 1].u != PT_UNKNOWN)
			snprintf(cell + len, PT_CELL_BYTES - len, ":%" PRIu64, t->values[c + 1].u);
	} else if (column->unit == PT_UNIT_NONE) {
		if (!t->view->wide)
			shorten(cell, NAME_COLUMNS);
		indent(cell, t->values[c].indent);
	}
}

static void measure(struct table *t)
{
	char cell[PT_CELL_BYTES];

	for (size_t r = 0; r < t->n_rows; r++) {
		t->view->row(t->profile, t->rows[r], t->values);
		for (size_t c = 0; c < t->view->n_columns; c++) {
			if (!t->view->columns[c].brief || is_line_of_file(t, c))
				continue;
			cell_of(t, c, cell);
			if (columns_of(cell) > t->width[c])
				t->width[c] = columns_of(cell);
		}
	}
	for (size_t c = 0; c < t->view->n_columns; c++)
		if (t->width[c] > 0 && strlen(t->view->columns[c].heading) > t->width[c])
			t->width[c] = strlen(t->view->columns[c].heading);
}

/* One blank between figures of a kind ("gross.min", "gross.avg"), else two. */
static const char *space_before(const struct table *t, size_t i)
{
	const char *key = t->view->columns[t->column[i]].key, *before;
	size_t len = strcspn(key, ".");

	if (i == 0)
		return "";
	before = t->view->columns[t->column[i - 1]].key;
	return key[len] == '.' && strncmp(key, before, len + 1) == 0 ? " " : "  ";
}

/* Columns of a line, of the n_columns that are shown. */
static size_t line_width(const struct table *t)
{
	size_t columns = 0;

	for (size_t i = 0; i < t->n_columns; i++)
		columns += strlen(space_before(t, i)) + t->width[t->column[i]];
	return columns;
}

/* The last one that is there only if there is room goes. False: there is none. */
static bool leave_one_out(struct table *t)
{
	for (size_t i = t->n_columns; i-- > 0;) {
		if (t->view->columns[t->column[i]].brief != PT_IF_ROOM)
			continue;
		t->shown[t->column[i]] = false;
		t->n_left_out++;
		memmove(t->column + i, t->column + i + 1, (--t->n_columns - i) * sizeof(*t->column));
		return true;
	}
	return false;
}

/* Those that have something to show, as far as they fit. */
static void choose(struct table *t)
{
	for (size_t c = 0; c < t->view->n_columns; c++) {
		t->shown[c] = t->width[c] > 0;
		if (t->shown[c])
			t->column[t->n_columns++] = c;
	}
	while (line_width(t) > LINE_COLUMNS && leave_one_out(t))
		;
}

static void put(const struct table *t, size_t i, const char *cell, struct pt_text *out)
{
	size_t c = t->column[i], pad = t->width[c] - columns_of(cell);
	bool left = t->view->columns[c].unit == PT_UNIT_NONE;

	pt_text_add(out, "%s", space_before(t, i));
	if (left && i + 1 == t->n_columns)
		pad = 0;		/* no blanks at the end of a line */
	pt_text_add(out, "%*s%s%*s", left ? 0 : (int)pad, "", cell, left ? (int)pad : 0, "");
}

static void print_rows(struct table *t, struct pt_text *out)
{
	char cell[PT_CELL_BYTES];

	for (size_t i = 0; i < t->n_columns; i++)
		put(t, i, t->view->columns[t->column[i]].heading, out);
	pt_text_add(out, "\n");
	for (size_t r = 0; r < t->n_rows; r++) {
		t->view->row(t->profile, t->rows[r], t->values);
		for (size_t i = 0; i < t->n_columns; i++) {
			cell_of(t, t->column[i], cell);
			put(t, i, cell, out);
		}
		pt_text_add(out, "\n");
	}
}

/* What stands in the table, and in what times are, where the cells do not say it themselves. */
static void caption(const struct table *t, struct pt_text *out)
{
	bool ticks = false;
	char groups[64];

	for (size_t i = 0; i < t->n_columns; i++)
		ticks |= t->view->columns[t->column[i]].unit == PT_UNIT_TICKS;
	pt_text_add(out, "%s", t->view->name);
	if (ticks && t->profile->by_instructions)
		pt_text_add(out, ", times in instructions");
	else if (ticks && t->profile->core_hz == 0)
		pt_text_add(out, ", times in cycles");
	pt_text_add(out, "\n");
	if (t->view->note != NULL)
		pt_text_add(out, "(%s)\n", t->view->note);
	if (t->n_left_out > 0)
		pt_text_add(out, "(no room for %zu more column%s: csv, json and html have them)\n", t->n_left_out,
			    t->n_left_out == 1 ? "" : "s");
	if (pt_awake_only(t->profile, t->view, t->shown, groups, sizeof(groups)))
		pt_text_add(out, "(%s: time awake only, what the core slept in between is not in it)\n", groups);
}

static int table(const struct pt_profile *p, const struct pt_view *view, const struct pt_query *query,
		 struct pt_text *out, struct pt_err *err)
{
	struct table t = { .profile = p, .view = view };
	size_t all = view->n_rows(p);

	if (pt_report_order(p, view, query, &t.rows, &t.n_rows, err) < 0)
		return err != NULL ? err->code : PT_EARG;
	t.column = calloc(view->n_columns, sizeof(*t.column));
	t.width = calloc(view->n_columns, sizeof(*t.width));
	t.shown = calloc(view->n_columns, sizeof(*t.shown));
	t.values = calloc(view->n_columns, sizeof(*t.values));
	if (t.n_rows == 0) {
		pt_text_add(out, "%s: nothing to show%s%s\n", view->name, all == 0 && view->empty != NULL ? "; " : "",
			    all == 0 && view->empty != NULL ? view->empty : "");
	} else if (t.column != NULL && t.width != NULL && t.shown != NULL && t.values != NULL) {
		measure(&t);
		choose(&t);
		caption(&t, out);
		print_rows(&t, out);
		pt_jumps_words(p, view, t.rows, t.n_rows, JUMPS, out);
	}
	if (t.n_rows < all && all != (size_t)PT_NOT_MADE && pt_query_zooms(query) && query->top == 0)
		pt_text_add(out, "(%zu of %zu)\n", t.n_rows, all);
	else if (t.n_rows < all && all != (size_t)PT_NOT_MADE)
		pt_text_add(out, "... and %zu more (top=0 shows all)\n", all - t.n_rows);
	free(t.rows);
	free(t.column);
	free(t.width);
	free(t.shown);
	free(t.values);
	return 0;
}

static int tables(const struct pt_profile *p, const struct pt_view *view, const struct pt_query *query,
		  struct pt_text *out, struct pt_err *err)
{
	const struct pt_view *also = view->also != NULL ? pt_view_find(view->also) : NULL;
	const struct pt_query brief = { .top = 20 };
	int rc = table(p, view, query, out, err);

	if (rc < 0 || also == NULL || also->n_rows(p) == 0)
		return rc;
	pt_text_add(out, "\n");
	return table(p, also, &brief, out, err);
}

static int write_text(const struct pt_profile *profile, const struct pt_view *view, const struct pt_query *query,
		      struct pt_text *out, struct pt_err *err)
{
	header(profile, out);
	pt_text_add(out, "\n");
	return tables(profile, view, query, out, err);
}

const struct pt_format pt_format_text = { .name = "text", .help = "a table for a terminal", .write = write_text };

static int write_summary(const struct pt_profile *profile, const struct pt_view *view, const struct pt_query *query,
			 struct pt_text *out, struct pt_err *err)
{
	(void)view;
	(void)query;
	(void)err;
	if (profile->from_virtual)
		title(profile, out);
	time_lines(profile, out);
	data_lines(profile, out);
	trouble_lines(profile, out);
	return 0;
}

const struct pt_format pt_format_summary = {
	.name = "summary", .help = "how much was seen and lost; no table", .write = write_summary
};
