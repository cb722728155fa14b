/* The lines about the recorded data: branches, samples, values, hits of bins, readings of counters. */
#include <inttypes.h>
#include <string.h>

#include "profile/analyses/code/bins.h"
#include "profile/analyses/counters/counters.h"
#include "profile/analyses/code/sampled.h"
#include "profile/analyses/signals/exceptions.h"
#include "report/table/facts.h"
#include "report/table/halts.h"
#include "report/text/details.h"
#include "report/views/rest_rows.h"
#include "trace/formats.h"

/* The samples of all events but the first, whose line is printed before. */
static void other_events(const struct pt_profile *p, struct pt_text *out)
{
	for (size_t i = 1; p->sampled != NULL && i < p->sampled->n_events; i++) {
		const struct pt_sampled_event *e = &p->sampled->event[i];

		if (e->core != p->sampled->event[0].core)
			continue;
		pt_text_add(out, "\n");
		pt_details_label(out, "");
		pt_text_add(out, "%" PRIu64 " samples", e->samples);
		if (e->every != 0)
			pt_text_add(out, ", one per %" PRIu64 " %s", e->every, e->name);
		else
			pt_text_add(out, " by %s", e->name);
		if (e->effective > 0)
			pt_text_add(out, "; worth %.0f independent ones", e->effective);
	}
}

static void samples_line(const struct pt_profile *p, struct pt_text *out)
{
	pt_details_label(out, "data");
	pt_text_add(out, "%" PRIu64 " samples in %" PRIu64 " batches", p->samples, p->batches);
	if (!p->sleep_counted)
		pt_text_add(out, ", %" PRIu64 " of them asleep", p->samples_asleep);
	if (p->sampled_every != 0)
		pt_text_add(out, ", one per %" PRIu64 " %s", p->sampled_every, p->sampled_by);
	if (p->samples_effective > 0)
		pt_text_add(out, "; worth %.0f independent ones", p->samples_effective);
	if (p->samples_refused != 0)
		pt_text_add(out, "; %" PRIu64 " refused (halted, or not permitted)", p->samples_refused);
	other_events(p, out);
	pt_text_add(out, "\n");
	if (pt_entries_are_elsewhere(p)) {
		pt_details_label(out, "");
		pt_text_add(out,
			    "a sample taken while the core enters an exception shows the interrupted code, though that "
			    "time is the handler's: intervals allow for it, and bursts beside samples measure it\n");
	}
}

uint64_t pt_details_values(const struct pt_profile *p)
{
	uint64_t values = 0;

	for (size_t i = 0; i < p->n_sources; i++)
		values += p->sources[i].values;
	return values;
}

uint64_t pt_details_looks(const struct pt_profile *p)
{
	uint64_t looks = 0;

	for (size_t i = 0; i < p->n_sources; i++)
		looks += p->sources[i].looks;
	return looks;
}

static void values_line(const struct pt_profile *p, struct pt_text *out)
{
	pt_details_label(out, "data");
	pt_text_add(out, "%" PRIu64 " values\n", pt_details_values(p));
}

uint64_t pt_details_exceptions(const struct pt_profile *p)
{
	uint64_t n = 0;

	for (size_t i = 0; p->exceptions != NULL && i < p->exceptions->spans.n_spans; i++)
		n += p->exceptions->spans.span[i].run.count;
	return n;
}

static void exceptions_line(const struct pt_profile *p, struct pt_text *out)
{
	pt_details_label(out, "data");
	pt_text_add(out, "%" PRIu64 " exceptions, as the chip reported them\n", pt_details_exceptions(p));
}

/* The looks at all variables. */
static void looks_line(const struct pt_profile *p, struct pt_text *out)
{
	pt_details_label(out, "data");
	pt_text_add(out,
		    "%" PRIu64
		    " looks at variables, each a read while the program ran; what they were in between is not known\n",
		    pt_details_looks(p));
}

static void flow_of_core(const struct pt_profile_core *c, struct pt_text *out)
{
	pt_text_add(out, "%" PRIu64 " branches, %" PRIu64 " instructions", c->branches, c->instructions);
	if (c->bursts != 0)
		pt_text_add(out, " in %" PRIu64 " burst%s", c->bursts, c->bursts == 1 ? "" : "s");
}

/* Whether a trigger of the hardware started and stopped recording. */
static bool triggered(const struct pt_profile *p)
{
	return p->loss.by[PT_LOSS_OUTSIDE].events > 0;
}

static void bursts_of_core(const struct pt_profile *p, const struct pt_profile_core *c, struct pt_text *out)
{
	if (triggered(p) && !c->windowed) {
		pt_text_add(
			out,
			"none: the program chose what was recorded, by the trigger, and how much of the time that was is not "
			"known");
		return;
	}
	if (c->windowed)
		pt_text_add(out,
			    "from the first %" PRIu64 " cycles of each of %" PRIu64
			    " bursts that began at random times",
			    c->burst_cycles, c->bursts_used);
	else
		pt_text_add(out,
			    "none: too few bursts that began at random times while the core was awake (%" PRIu64 ")",
			    c->bursts_used);
	if (c->bursts_unchosen != 0 && pt_halts_began_bursts(p))
		pt_text_add(
			out,
			"; %" PRIu64 " of %" PRIu64
			" bursts may have begun where the core went on behind a halt, at no random time: they widen all "
			"intervals, and there are no rates; fewer breakpoints leave more that are random",
			c->bursts_unchosen, c->bursts);
	else if (c->bursts_unchosen != 0)
		pt_text_add(
			out,
			"; %" PRIu64 " of %" PRIu64
			" bursts neither began nor ended at a random time (the buffer had sent their beginning, and was "
			"full before their end): they widen all intervals, and there are no rates; pc samples "
			"(source=sync-pc) give narrow shares",
			c->bursts_unchosen, c->bursts);
	if (c->bursts_asleep != 0)
		pt_text_add(out, "; %" PRIu64 " that began on wake-up are left out: they would bias the shares",
			    c->bursts_asleep);
}

static void core_label(const struct pt_profile *p, const struct pt_profile_core *c, const char *label,
		       struct pt_text *out)
{
	pt_details_label(out, label);
	if (p->n_cores > 1)
		pt_text_add(out, "core %u: ", c->core);
}

/* The bursts, or samples, from which the shares are computed. */
static void windows_of_core(const struct pt_profile *p, const struct pt_profile_core *c, struct pt_text *out)
{
	bool estimates = c->windowed || p->shares == PT_BASIS_ESTIMATED || p->shares == PT_BASIS_NONE;

	if (c->calibration != NULL) {
		core_label(p, c, "shares", out);
		pt_text_add(out, "from %" PRIu64 " batches of samples that found the core awake\n", c->batches.n);
	}
	if (c->bursts == 0 || (!estimates && c->bursts_asleep == 0))
		return;
	core_label(p, c, c->calibration != NULL ? "calls" : "shares", out);
	if (estimates)
		bursts_of_core(p, c, out);
	pt_text_add(out, "\n");
}

static void flow_line(const struct pt_profile *p, struct pt_text *out)
{
	const struct pt_profile_core only = {
		.branches = p->branches, .instructions = p->instructions, .bursts = p->bursts,
	};

	pt_details_label(out, "data");
	if (p->n_cores < 2)
		flow_of_core(&only, out);
	for (size_t i = 0, n = 0; p->n_cores > 1 && i < p->n_cores; i++) {
		if (p->core[i].branches == 0)
			continue;
		if (n++ > 0) {
			pt_text_add(out, "\n");
			pt_details_label(out, "");
		}
		pt_text_add(out, "core %u: ", p->core[i].core);
		flow_of_core(&p->core[i], out);
	}
	if (p->doubtful_silent + p->doubtful_recorded > 0)	/* isa.h */
		pt_text_add(out, "; %" PRIu64 " jumps to fixed operands were in the trace, %" PRIu64 " not",
			    p->doubtful_recorded, p->doubtful_silent);
	if (p->turns_uncounted)
		pt_text_add(out,
			    "; instructions are at least so many: a loop that records no branch counts as one turn "
			    "for each time stamp");
	pt_text_add(out, "\n");
	for (size_t i = 0; i < p->n_cores; i++)
		windows_of_core(p, &p->core[i], out);
}

/* The observed time that no bin counted. */
static void rests(const struct pt_profile *p, struct pt_text *out)
{
	for (size_t i = 0; i < p->n_cores; i++) {
		const struct pt_profile_core *core = &p->core[i];
		double all = (double)core->cycles + (double)core->rest_cycles;

		if (core->rest_cycles == PT_UNKNOWN || core->rest_cycles == 0)
			continue;
		if (p->n_cores > 1)
			pt_text_add(out, "; core %u", core->core);
		pt_text_add(out,
			    "; in none, asleep or outside 0x%" PRIx64 " to 0x%" PRIx64 ": %" PRIu64 " (%.1f %% of the "
			    "clock)",
			    p->bins->low, p->bins->high, core->rest_cycles, 100 * (double)core->rest_cycles / all);
		if (!pt_rest_is_sleep(p))
			pt_text_add(out, ". The hardware counts neither, and cannot tell which of the two it was: "
					 "source=pc-sampling can, but halts the core for each sample");
	}
}

static void bins_line(const struct pt_profile *p, struct pt_text *out)
{
	const struct pt_bins *bins = p->bins;

	pt_details_label(out, "data");
	for (size_t i = 0; i < bins->n_cores; i++) {
		const struct pt_bins_core *core = &bins->core[i];

		if (bins->n_cores > 1)
			pt_text_add(out, "%score %u: ", i > 0 ? "; " : "", core->core);
		pt_text_add(out, "%" PRIu64 " %s in %zu bins", core->hits,
			    bins->by_cycles	    ? "clock cycles"
			    : bins->by_instructions ? "instructions"
						    : "hits",
			    core->n_addresses);
	}
	rests(p, out);
	if (bins->older)
		pt_text_add(out, "; with what the buffer had before (cumulate=on)");
	if (bins->n_cores > 1)
		pt_text_add(out, "; shares are of each core's own");
	if (bins->exact && !bins->whole)
		pt_text_add(out, "; a bin that lies in several functions is split in proportion to its bytes in each");
	if (bins->apart)
		pt_text_add(out,
			    "; bins were not read at one instant, so that shares are bounded by what may have been "
			    "counted from the first one's reading to the last one's (mode=snapshot stops counting "
			    "for a reading, and the end of a profile does)");
	pt_text_add(out, "\n");
}

uint64_t pt_details_readings(const struct pt_profile *p)
{
	uint64_t readings = 0;

	for (size_t i = 0; p->counters != NULL && i < p->counters->n_counters; i++)
		readings += p->counters->counter[i].readings;
	return readings;
}

static void counters_line(const struct pt_profile *p, struct pt_text *out)
{
	pt_details_label(out, "data");
	pt_text_add(out, "%" PRIu64 " readings of %zu counters\n", pt_details_readings(p), p->counters->n_counters);
}

static void nothing_line(const struct pt_profile *p, struct pt_text *out)
{
	pt_details_label(out, "data");
	pt_text_add(out, "nothing%s\n", p->ended || p->no_end ? "" : " yet");
}

void pt_details_data(const struct pt_profile *p, struct pt_text *out)
{
	bool samples = p->samples != 0 || p->batches != 0, values = pt_details_values(p) != 0,
	     readings = pt_details_readings(p) != 0, looks = pt_details_looks(p) != 0,
	     exceptions = pt_details_exceptions(p) != 0;

	if (samples)
		samples_line(p, out);
	if (p->by_bins)
		bins_line(p, out);
	else if (p->branches != 0 || p->bursts != 0)
		flow_line(p, out);
	else if (!samples && !values && !readings && !looks && !exceptions)
		nothing_line(p, out);
	if (readings)
		counters_line(p, out);
	if (values)
		values_line(p, out);
	if (looks)
		looks_line(p, out);
	if (exceptions)
		exceptions_line(p, out);
}
