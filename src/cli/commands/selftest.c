/* proftap selftest: what works with each probe and the chip behind it, as a report that can be sent to us. Each step
 * that touches a chip is another run of proftap (child.h), so that whatever goes wrong is a row of the report. Only
 * with --intrusive is anything halted, reset or altered. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/params.h"
#include "base/util.h"
#include "cli/app.h"
#include "cli/child.h"
#include "cli/output.h"
#include "cli/subcommands.h"
#include "config.h"
#include "host/log.h"
#include "probes/registry.h"
#include "targets/registry.h"

enum { MOST_FOUND = 32, MOST_STEP_WORDS = 90, STEP_MS = 60000 };

struct selftest {
	const struct pt_options *options;
	const char *const *probes;	/* of the board that is tested, NULL at the end */
	struct pt_text report;
	unsigned n_ok, n_failed, n_skipped;
};

enum result { OK, FAILED, SKIPPED };

static void add_row(struct selftest *t, enum result result, const char *what, const char *text, size_t len)
{
	static const char *const names[] = { "ok", "FAILED", "skipped" };
	unsigned *counts[] = { &t->n_ok, &t->n_failed, &t->n_skipped };

	(*counts[result])++;
	pt_text_add(&t->report, "- %s: %s: %.*s\n", names[result], what, (int)len, text);
	pt_info("%s: %s: %.*s", names[result], what, (int)len, text);
}

static void add_lines(struct selftest *t, const char *lines, size_t len)
{
	pt_text_add(&t->report, "\n```text\n");
	for (size_t at = 0, n; at < len; at += n + 1) {
		n = strcspn(lines + at, "\n");
		pt_text_add(&t->report, "  %.*s\n", (int)n, lines + at);
	}
	pt_text_add(&t->report, "```\n\n");
}

/* --- one step ----------------------------------------------------------------------------------------------------- */

struct step { struct pt_text out, said; int status; struct pt_err err; };

static void add_word(const char **words, size_t *n, const char *word)
{
	if (*n < MOST_STEP_WORDS)
		words[(*n)++] = word;
}

/* own: the words of the step; the settings of the user that it needs are added. */
static void run_step(struct selftest *t, const char *const *own, struct step *step)
{
	const struct pt_options *o = t->options;
	const char *words[MOST_STEP_WORDS + 1];
	size_t n = 0;

	while (own[n] != NULL)
		n++;
	memcpy(words, own, n * sizeof(own[0]));
	for (size_t i = 0; t->probes[i] != NULL; i++) {
		add_word(words, &n, "--probe");
		add_word(words, &n, t->probes[i]);
	}
	if (o->elf != NULL) {
		add_word(words, &n, "--elf");
		add_word(words, &n, o->elf);
	}
	if (o->target != NULL) {
		add_word(words, &n, "--target");
		add_word(words, &n, o->target);
	}
	for (size_t i = 0; i < o->n_words; i++) {
		add_word(words, &n, "--set");
		add_word(words, &n, o->words[i]);
	}
	words[n] = NULL;
	*step = (struct step){ .status = 0 };
	step->status = pt_child_run(words, STEP_MS, &step->out, &step->said, &step->err);
}

static void end_step(struct step *step)
{
	pt_text_free(&step->out);
	pt_text_free(&step->said);
}

/* The rest of the first line that begins so; NULL: there is none. */
static const char *line_behind(const struct pt_text *text, const char *beginning, size_t *len)
{
	const char *end = text->bytes + text->len_bytes;

	for (const char *at = text->bytes; at != NULL && at < end; at += strcspn(at, "\n") + 1)
		if (strncmp(at, beginning, strlen(beginning)) == 0) {
			*len = strcspn(at, "\n") - strlen(beginning);
			return at + strlen(beginning);
		}
	return NULL;
}

/* An error in the settings is not an error of probe or chip: the step needs a setting that only the user knows. */
static void add_failure(struct selftest *t, const char *what, const struct step *step)
{
	enum result result = step->status == PT_EXIT_USAGE ? SKIPPED : FAILED;
	size_t len = 0;
	const char *why = step->status >= 0 ? line_behind(&step->said, "error: ", &len) : NULL;

	if (why != NULL)
		add_row(t, result, what, why, len);
	else if (step->status < 0)
		add_row(t, result, what, step->err.msg, strlen(step->err.msg));
	else
		add_row(t, result, what, "without a reason", strlen("without a reason"));
}

/* --- the probe ---------------------------------------------------------------------------------------------------- */

static void add_probe(struct selftest *t, struct pt_probe *probe)
{
	struct pt_probe_info info;
	char text[300];

	pt_probe_info(probe, &info);
	snprintf(text, sizeof(text), "firmware %s, %u packets of %zu bytes%s%s%s%s%s",
		 info.firmware[0] != '\0' ? info.firmware : "not known", info.packet_count, info.packet_bytes,
		 info.swd ? ", SWD" : "", info.jtag ? ", JTAG" : "", info.bdc ? ", BDC" : "", info.swo ? ", SWO " : "",
		 info.swo ? info.swo_codings : "");
	add_row(t, OK, "probe", text, strlen(text));
}

/* Reads only the debug port's identification: core and memory are not affected. */
static void measure_at(struct selftest *t, const char *speed)
{
	struct pt_params *settings = pt_params_new();
	struct pt_err err = { 0 };
	struct pt_probe_speed measured;
	struct pt_probe *probe = NULL;
	const struct pt_dap_ops *dap;
	char what[40], text[160];
	void *wire;
	int rc = pt_params_add(settings, pt_probe_params, pt_n_probe_params, speed, &err);

	snprintf(what, sizeof(what), "speed %s", speed + strlen("speed="));
	if (rc == 0)
		probe = pt_probe_open(t->probes[0], settings, &err);
	dap = probe != NULL ? pt_probe_dap(probe, &wire) : NULL;
	if (probe != NULL && dap == NULL)
		add_row(t, SKIPPED, what, "it has no debug port to measure by",
			strlen("it has no debug port to measure by"));
	else if (probe == NULL || dap->connect(wire, PT_DAP_SWD, &err) < 0 ||
		 pt_probe_measure(probe, &measured, &err) < 0)
		add_row(t, FAILED, what, err.msg, strlen(err.msg));
	else {
		snprintf(text, sizeof(text), "round trip %.3f ms, %" PRIu32 " words a second, clock %s%.3f MHz",
			 (double)measured.round_trip_ns / 1e6, measured.words_per_s,
			 measured.at_least ? "at least " : "", measured.swclk_hz / 1e6);
		add_row(t, OK, what, text, strlen(text));
	}
	pt_probe_close(probe);
	pt_params_free(settings);
}

/* False: the probe cannot be opened, so the other steps are left out. */
static bool try_probe(struct selftest *t)
{
	static const char *const speeds[] = { "speed=1M", "speed=4M", "speed=10M" };
	struct pt_err err = { 0 };
	struct pt_probe *probe = pt_probe_open(t->probes[0], NULL, &err);

	if (probe == NULL) {
		add_row(t, FAILED, "probe", err.msg, strlen(err.msg));
		return false;
	}
	add_probe(t, probe);
	pt_probe_close(probe);
	for (size_t i = 0; i < PT_LEN(speeds) && !pt_probe_is_gdb_server(t->probes[0]); i++)
		measure_at(t, speeds[i]);
	return true;
}

/* --- the chip ----------------------------------------------------------------------------------------------------- */

/* At this point the counters of packets and round trips are those of attaching. */
static bool try_attach(struct selftest *t)
{
	static const char *const words[] = { "monitor", "status", NULL };
	struct step step;
	size_t len = 0;
	const char *chip, *why;
	bool attached;

	run_step(t, words, &step);
	chip = line_behind(&step.said, "attached: ", &len);
	attached = step.status == PT_EXIT_DONE && chip != NULL;
	if (attached) {
		add_row(t, OK, "attach", chip, len);
		add_lines(t, step.out.bytes, step.out.len_bytes);
	} else if (step.status == PT_EXIT_DONE && (why = line_behind(&step.out, "no target: ", &len)) != NULL) {
		add_row(t, FAILED, "attach", why, len);
	} else {
		add_failure(t, "attach", &step);
	}
	end_step(&step);
	return attached;
}

/* Two targets may have sources of the same name: the help text in the line of monitor sources tells which one it is. */
static bool is_intrusive(const char *name, const char *line)
{
	for (size_t i = 0; i < pt_n_targets; i++) {
		size_t n;
		const struct pt_source_ops *const *sources = pt_targets[i]->sources(NULL, &n);

		for (size_t k = 0; k < n; k++)
			if (strcmp(sources[k]->name, name) == 0 && strstr(line, sources[k]->help) != NULL)
				return sources[k]->only_by_name;
	}
	return false;
}

/* The lines before the table: what was observed, what was lost, and warnings. */
static void try_source(struct selftest *t, const char *name)
{
	const char *const words[] = { "profile", "--source", name, "--for", "1s", "top=1", NULL };
	char what[60];
	struct step step;
	const char *head;

	snprintf(what, sizeof(what), "source %s", name);
	run_step(t, words, &step);
	head = step.out.bytes != NULL ? step.out.bytes : "";
	if (step.status == PT_EXIT_DONE && head[0] != '\0') {
		const char *end = strstr(head, "\n\n");

		add_row(t, OK, what, "1 s", strlen("1 s"));
		add_lines(t, head, end != NULL ? (size_t)(end - head) : step.out.len_bytes);
	} else {
		add_failure(t, what, &step);
	}
	end_step(&step);
}

/* "mtb   modes ...: not here: MKL27Z256 has no MTB", or how it works */
static void take_source(struct selftest *t, const char *line, size_t len)
{
	static const char not_here[] = "not here: ", intrusive[] = "it disturbs the program: --intrusive tries it";
	char name[40], what[60], text[400];
	const char *why;

	snprintf(text, sizeof(text), "%.*s", (int)len, line);
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(text, " "), text);
	snprintf(what, sizeof(what), "source %s", name);
	why = strstr(text, not_here);
	if (why != NULL)
		add_row(t, SKIPPED, what, why + strlen(not_here), strlen(why + strlen(not_here)));
	else if (is_intrusive(name, text) && !t->options->intrusive)
		add_row(t, SKIPPED, what, intrusive, strlen(intrusive));
	else
		try_source(t, name);
}

static void try_sources(struct selftest *t)
{
	static const char *const words[] = { "monitor", "sources", NULL };
	struct step step;

	run_step(t, words, &step);
	if (step.status != PT_EXIT_DONE)
		add_failure(t, "sources", &step);
	for (size_t at = 0, len; step.status == PT_EXIT_DONE && at < step.out.len_bytes; at += len + 1) {
		len = strcspn(step.out.bytes + at, "\n");
		if (len > 0 && step.out.bytes[at] >= 'a' && step.out.bytes[at] <= 'z')	/* settings are indented */
			take_source(t, step.out.bytes + at, len);
	}
	end_step(&step);
}

/* --- all of it ---------------------------------------------------------------------------------------------------- */

static void try_board(struct selftest *t, const char *title, const char *const *probes)
{
	t->probes = probes;
	pt_text_add(&t->report, "\n## %s\n\n", title);
	pt_info("%s", title);
	if (try_probe(t) && try_attach(t))
		try_sources(t);
}

/* Returns the number of probes. Devices that are opened only by their address are listed, but not tested. */
static int try_plugged_in(struct selftest *t, struct pt_err *err)
{
	static struct pt_probe_found found[MOST_FOUND];
	int n = pt_probe_list(found, MOST_FOUND, err);

	for (int i = 0; i < n && i < MOST_FOUND; i++) {
		const char *const one[] = { found[i].uri, NULL };
		char title[300];

		snprintf(title, sizeof(title), "%.127s: %.63s, %.63s, %.31s", found[i].uri, found[i].product,
			 found[i].where, found[i].transports);
		if (found[i].left_alone == NULL) {
			try_board(t, title, one);
			continue;
		}
		pt_text_add(&t->report, "\n## %s\n\n", title);
		add_row(t, SKIPPED, "probe", found[i].left_alone, strlen(found[i].left_alone));
	}
	return n;
}

static void begin_report(struct selftest *t)
{
	struct utsname host;

	pt_text_add(&t->report, "# proftap selftest\n\nproftap " PACKAGE_VERSION);
	if (uname(&host) == 0)
		pt_text_add(&t->report, " on %s %s, %s", host.sysname, host.release, host.machine);
	pt_text_add(&t->report, "%s\n", t->options->intrusive ? ", with sources that disturb the program" : "");
}

/* Checks before the first step that the file can be written. */
static int try_output(const struct pt_options *options)
{
	const struct pt_query text = { .format = "text" };
	struct pt_options to_report = *options;

	to_report.output = options->report;
	return pt_output_try(&text, &to_report);
}

static int write_report(const struct selftest *t)
{
	const struct pt_query text = { .format = "text" };

	return pt_output_write(&text, t->options->report, t->report.bytes, t->report.len_bytes);
}

static int run_selftest(const struct pt_options *options)
{
	struct selftest t = { .options = options };
	struct pt_err err = { 0 };
	int n = 1, status = try_output(options);

	if (status != PT_EXIT_DONE)
		return status;
	begin_report(&t);
	if (options->probe[0] != NULL)
		try_board(&t, options->probe[0], options->probe);
	else
		n = try_plugged_in(&t, &err);
	if (n <= 0)
		pt_error("%s",
			 n < 0 ? err.msg
			       : "no probe is plugged in; proftap selftest --probe virtual:kl27 tries this command");
	pt_text_add(&t.report, "\n## Sum\n\n%u ok, %u failed, %u skipped\n", t.n_ok, t.n_failed, t.n_skipped);
	status = write_report(&t);
	pt_text_free(&t.report);
	if (status != PT_EXIT_DONE)
		return status;
	return n <= 0 ? PT_EXIT_DEVICE : t.n_failed > 0 ? PT_EXIT_CHECK_FAILED : PT_EXIT_DONE;
}

const struct pt_subcommand pt_subcommand_selftest = {
	"selftest", "[--report FILE] [--intrusive]", "try each probe, its chip and the sources; write what works",
	"proftap selftest --report selftest.md\n"
	"    all probes that are plugged in; nothing is halted, reset or altered\n"
	"proftap selftest --probe virtual:kl27 --report selftest.md\n"
	"    one of them; here a board without hardware\n",
	run_selftest,
};
