/* BTF (Best Trace Format), of a tool of AUTOSAR timing or of another tracer: tasks, ISRs and runnables as lines that are high while
 * they run, signals as lines with a value. So there are counts, times and periods of each, rules, and latencies between them.
 *
 *	time,source,sourceInstance,targetType,target,targetInstance,event[,note]
 *
 * Source: the specification 2.1.3; Eclipse AUTOSAR tool examples. Times are whole, in the header's timescale, and do not go back.
 * Types that have no run time (semaphores, stimuli, OS events, cores) are left out. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "import/named_lines.h"
#include "import/text_lines.h"

enum { LINE_BYTES = 512, COLUMNS = 8, NEEDED = 7 };
enum { TIME, SOURCE, SOURCE_INSTANCE, TYPE, TARGET, TARGET_INSTANCE, EVENT, NOTE };

struct btf {
	struct pt_named_lines named;
	struct pt_infile *file;
	uint64_t line, last, tick_hz, left_out;
};

static uint64_t scale_of(const char *text)
{
	static const struct { const char *name; uint64_t hz; } scales[] = {
		{ "ps", UINT64_C(1000000000000) }, { "ns", 1000000000 }, { "us", 1000000 }, { "ms", 1000 }, { "s", 1 },
	};
	size_t len = strcspn(text, " \t\r");

	for (size_t i = 0; i < PT_LEN(scales); i++)
		if (strlen(scales[i].name) == len && memcmp(text, scales[i].name, len) == 0)
			return scales[i].hz;
	return 0;
}

/* "#timeScale ns" */
static void take_header(struct btf *b, const char *text)
{
	static const char key[] = "#timescale";
	bool same = true;

	for (size_t i = 0; i < strlen(key) && same; i++)
		same = (text[i] | 0x20) == (key[i] | 0x20);
	if (same)
		b->tick_hz = scale_of(text + strlen(key) + strspn(text + strlen(key), " \t"));
}

static size_t split(char *text, char **column)
{
	size_t n = 1;

	column[0] = text;
	for (char *comma; n < COLUMNS && (comma = strchr(column[n - 1], ',')) != NULL; n++) {
		*comma = '\0';
		column[n] = comma + 1;
	}
	return n;
}

static bool is_one_of(const char *word, const char *const *list)
{
	for (; *list != NULL; list++)
		if (strcmp(word, *list) == 0)
			return true;
	return false;
}

static const char *kind_of(const char *type)
{
	return strcmp(type, "T") == 0	? "task"
	       : strcmp(type, "I") == 0 ? "isr"
	       : strcmp(type, "R") == 0 ? "runnable"
					: NULL;
}

static bool take_signal(struct btf *b, uint64_t time, char *const *column, size_t n)
{
	char name[PT_LINES_NAME_BYTES], *end;
	int64_t value = n > NOTE ? strtoll(column[NOTE], &end, 0) : 0;

	if (strcmp(column[EVENT], "write") != 0 || n <= NOTE || end == column[NOTE])
		return false;
	snprintf(name, sizeof(name), "signal %.100s", column[TARGET]);
	pt_named_value(&b->named, time, pt_named_line(&b->named, name, true), (uint64_t)value);
	return true;
}

/* False: it says nothing of what ran. */
static bool take_event(struct btf *b, uint64_t time, char *const *column, size_t n)
{
	static const char *const begins[] = { "start", "resume", "run", NULL };
	static const char *const ends[] = { "preempt", "terminate", "wait", "suspend", "park", "poll", NULL };
	const char *kind = kind_of(column[TYPE]);
	char name[PT_LINES_NAME_BYTES];
	bool begin = is_one_of(column[EVENT], begins);

	if (strcmp(column[TYPE], "SIG") == 0)
		return take_signal(b, time, column, n);
	if (kind == NULL || (!begin && !is_one_of(column[EVENT], ends)))
		return false;
	snprintf(name, sizeof(name), "%s %.100s", kind, column[TARGET]);
	pt_named_level(&b->named, time, pt_named_line(&b->named, name, false), begin);
	return true;
}

static void take_line(struct btf *b, char *text)
{
	size_t len = strlen(text), n;
	char *column[COLUMNS], *end;
	uint64_t time;

	text[strcspn(text, "\r")] = '\0';
	if (text[0] == '#') {
		take_header(b, text);
		return;
	}
	if (text[strspn(text, " \t")] == '\0')
		return;
	n = split(text, column);
	time = strtoull(column[TIME], &end, 10);
	if (n < NEEDED || *end != '\0' || end == column[TIME] || column[TIME][0] == '-' || time > INT64_MAX ||
	    time < b->last) {
		pt_notes_add(&b->named.notes, "line %" PRIu64 ": %s; left out", b->line,
			     n < NEEDED ? "not TIME,SOURCE,INSTANCE,TYPE,TARGET,INSTANCE,EVENT"
					: "its time is no number, or before that of the line before");
		pt_stream_lose(&b->named.stream, len);
		return;
	}
	b->last = time;
	b->left_out += !take_event(b, time, column, n);
}

/* A header, or the first line of events. */
static bool recognise(const uint8_t *bytes, size_t len_bytes)
{
	static const char version[] = "#version ";

	return len_bytes > strlen(version) && memcmp(bytes, version, strlen(version)) == 0;
}

static void close_btf(void *state)
{
	struct btf *b = state;

	pt_infile_close(b->file);
	pt_named_fini(&b->named);
}

static int open_btf(void *state, struct pt_infile *file, const struct pt_input_setup *setup, struct pt_err *err)
{
	struct btf *b = state;
	char text[LINE_BYTES];

	b->file = file;
	b->tick_hz = PT_NS_PER_S;
	pt_notes_init(&b->named.notes, setup);
	pt_stream_config(&b->named.stream.config, PT_FORMAT_LINES, "btf", "file", setup);
	while (pt_text_line(file, &b->named.stream, &b->named.notes, text, sizeof(text), &b->line))
		take_line(b, text);
	if (b->left_out > 0)
		pt_notes_add(&b->named.notes,
			     "%" PRIu64
			     " events are left out: not of a task, ISR, runnable or signal that runs or is written",
			     b->left_out);
	b->named.end = b->last;
	if (b->tick_hz == 0)
		pt_fail(err, PT_EARG, "#timeScale is not one of ps, ns, us, ms, s");
	else if (pt_infile_failed(file, err) == 0 &&
		 pt_named_begin(&b->named, b->tick_hz, "tasks, ISRs, runnables or signals", err) == 0)
		return 0;
	close_btf(b);
	return err->code;
}

static int next(void *state, struct pt_chunk *chunk, struct pt_err *err)
{
	return pt_stream_next(&((struct btf *)state)->named.stream, chunk, err);
}

const struct pt_input_ops pt_input_btf = {
	.name = "btf",
	.help = "Best Trace Format: tasks, ISRs, runnables, signals",
	.state_bytes = sizeof(struct btf),
	.recognise = recognise,
	.open = open_btf,
	.next = next,
	.close = close_btf,
};
