/* Recordings of the pins PDO and PDOCLK as files: what decode says of one is what the live source says of the same
 * run, and what the board did. The files are written here, from what the board put on its pins, by nothing that the
 * importer or the virtual probe has a part in. */
#include <unistd.h>
#include <zip.h>

#include "import/importers.h"
#include "s12z_exact_rig.h"

enum { PDO = 1, PDOCLK = 2 };

struct edge { uint64_t cycle; uint8_t levels; };

/* What is on the pins, overheard. */
static struct pins {
	struct pt_vpdo_listener own;
	const struct pt_vpdo_listener *probe;
	struct edge *edge;
	size_t n_edges, room;
	uint64_t end;
	uint32_t bus_hz;
	uint8_t levels;
} pins;

static struct bench b;
static struct pt_err err;
static char path[64], notes[2048];
/* What the board had done when the recording ended: it runs on until it halts. */
static struct { uint64_t instructions, calls[256]; } done;

static void add_edge(uint64_t cycle, uint8_t levels)
{
	if (levels == pins.levels)
		return;
	if (pins.n_edges == pins.room) {
		pins.room = pins.room * 2 + 4096;
		pins.edge = realloc(pins.edge, pins.room * sizeof(*pins.edge));
		ck_assert_ptr_nonnull(pins.edge);
	}
	pins.edge[pins.n_edges++] = (struct edge){ cycle, levels };
	pins.levels = levels;
}

/* A bit has two bus cycles: PDO from the first on, an edge of PDOCLK at the second. */
static void on_bits(void *arg, uint64_t cycle, uint8_t byte, unsigned n_bits)
{
	(void)arg;
	for (unsigned i = 0; i < n_bits; i++) {
		uint8_t bit = byte >> i & 1;

		add_edge(cycle + 2 * i, (uint8_t)((pins.levels & PDOCLK) | (bit ? PDO : 0)));
		add_edge(cycle + 2 * i + 1, pins.levels ^ PDOCLK);
	}
	if (pins.probe != NULL)
		pins.probe->bits(pins.probe->arg, cycle, byte, n_bits);
}

static void overhear(void)
{
	const struct pt_vboard_ops *ops;
	struct pt_vboard *board = pt_model_link_board(b.link, &ops);
	struct pt_vpdo *pdo = ops->pdo(board);

	free(pins.edge);
	pins = (struct pins){ .own.bits = on_bits, .probe = pdo->listener, .bus_hz = pdo->bus_hz };
	pdo->listener = &pins.own;
}

/* --- files -------------------------------------------------------------------------------------------------------- */

/* from, to: the edges that are in it. */
static void write_vcd(size_t from, size_t to)
{
	static const char ids[] = { '!', '"' };
	FILE *file = fopen(path, "w");
	uint8_t levels = from > 0 ? pins.edge[from - 1].levels : 0;

	ck_assert_ptr_nonnull(file);
	fprintf(file,
		"$timescale 1 ps $end $scope module board $end $var wire 1 ! data $end $var wire 1 \" clock $end "
		"$upscope $end $enddefinitions $end\n#%llu %d! %d\"\n",
		(unsigned long long)(from > 0 ? pins.edge[from].cycle * (PT_NS_PER_S * 1000 / pins.bus_hz) - 1 : 0),
		(levels & PDO) != 0, (levels & PDOCLK) != 0);
	for (size_t i = from; i < to; i++) {
		fprintf(file, "#%llu", (unsigned long long)(pins.edge[i].cycle * (PT_NS_PER_S * 1000 / pins.bus_hz)));
		for (unsigned line = 0; line < 2; line++)
			if (((pins.edge[i].levels ^ levels) >> line & 1) != 0)
				fprintf(file, " %d%c", pins.edge[i].levels >> line & 1, ids[line]);
		fputc('\n', file);
		levels = pins.edge[i].levels;
	}
	fclose(file);
}

/* Two samples a bus cycle; PDO is probe 3, PDOCLK probe 1. */
static void write_sr(void)
{
	char metadata[200];
	size_t n = (size_t)(pins.edge[pins.n_edges - 1].cycle + 100) * 2, at = 0;
	uint8_t *samples = calloc(n, 1), level = 0;
	zip_t *zip = zip_open(path, ZIP_CREATE | ZIP_TRUNCATE, NULL);

	ck_assert_ptr_nonnull(samples);
	ck_assert_ptr_nonnull(zip);
	for (size_t i = 0; i < n; i++) {
		while (at < pins.n_edges && pins.edge[at].cycle * 2 == i) {
			uint8_t levels = pins.edge[at++].levels;

			level = (uint8_t)(((levels & PDO) != 0) << 2 | ((levels & PDOCLK) != 0));
		}
		samples[i] = level;
	}
	snprintf(
		metadata, sizeof(metadata),
		"[global]\n[device 1]\ncapturefile=logic-1\ntotal probes=3\nsamplerate=%u Hz\nprobe1=clock\nprobe2=other\nprobe3=data\nunitsize=1\n",
		2 * pins.bus_hz);
	zip_file_add(zip, "version", zip_source_buffer(zip, "2", 1, 0), 0);
	zip_file_add(zip, "metadata", zip_source_buffer(zip, metadata, strlen(metadata), 0), 0);
	zip_file_add(zip, "logic-1-1", zip_source_buffer(zip, samples, n, 0), 0);
	ck_assert_int_eq(zip_close(zip), 0);
	free(samples);
}

/* As Logic 2 exports it: a row for each change. */
static void write_csv(void)
{
	FILE *file = fopen(path, "w");

	ck_assert_ptr_nonnull(file);
	fprintf(file, "Time [s],data,spare,clock\n0.000000000000,0,1,0\n");
	for (size_t i = 0; i < pins.n_edges; i++)
		fprintf(file, "%.12f,%d,1,%d\n", (double)pins.edge[i].cycle / pins.bus_hz,
			(pins.edge[i].levels & PDO) != 0, (pins.edge[i].levels & PDOCLK) != 0);
	fclose(file);
}

static void on_note(void *arg, const char *text)
{
	size_t len = strlen(notes);

	(void)arg;
	snprintf(notes + len, sizeof(notes) - len, "%s\n", text);
}

/* The profile of the file; the caller's. NULL: refused. */
static struct pt_pipeline *decode(const char *word)
{
	const char *const words[] = { "input=pdo", "pdo=data", "pdoclk=clock", word };
	struct pt_inputs_set *set = pt_inputs_new(on_note, NULL);
	struct pt_pipeline *pipeline = pt_pipeline_new(b.program, NULL, &err);
	const struct pt_chunk *chunk;
	int item;

	notes[0] = '\0';
	item = pt_inputs_add(set, path, words, word != NULL ? 4 : 3, &err);

	while (item >= 0 && (item = pt_inputs_next(set, &chunk, &err)) == PT_INPUT_CHUNK)
		pt_pipeline_feed(pipeline, chunk);
	pt_inputs_free(set);
	if (item < 0) {
		pt_pipeline_free(pipeline);
		return NULL;
	}
	pt_pipeline_over(pipeline);
	return pipeline;
}

/* --- the same as live --------------------------------------------------------------------------------------------- */

static const struct pt_execution_function *run_of(const struct pt_profile *p, size_t id)
{
	static const struct pt_execution_function none;

	return p->by_id[id] != NULL && p->by_id[id]->run != NULL ? p->by_id[id]->run : &none;
}

static void expect_same(const struct pt_profile *live, const struct pt_profile *file, const char *name)
{
	ck_assert_msg(file->instructions == live->instructions, "%s: %llu instructions, live %llu", name,
		      (unsigned long long)file->instructions, (unsigned long long)live->instructions);
	ck_assert_uint_eq(file->n_ids, live->n_ids);
	for (uint16_t id = 1; id < live->n_ids; id++) {
		const struct pt_execution_function *x = run_of(live, id), *y = run_of(file, id);

		ck_assert_msg(x->count == y->count && x->cycles == y->cycles && x->gross_total == y->gross_total,
			      "%s: function %u: %llu times, live %llu; %llu cycles, live %llu", name, id,
			      (unsigned long long)y->count, (unsigned long long)x->count, (unsigned long long)y->cycles,
			      (unsigned long long)x->cycles);
	}
	for (unsigned cause = PT_LOSS_FIRST_FAULT; cause < PT_N_LOSSES; cause++)
		ck_assert_msg(file->loss.by[cause].events == live->loss.by[cause].events, "%s: %s: %llu, live %llu",
			      name, pt_loss_name(cause), (unsigned long long)file->loss.by[cause].events,
			      (unsigned long long)live->loss.by[cause].events);
}

/* What the board did: the file ends where the module was disarmed, between two looks at the board. */
static void expect_board(const struct pt_profile *file, const char *name, bool busy)
{
	size_t n, n_counted = 0;
	const struct pt_function *functions = pt_program_functions(b.program, &n);
	uint64_t calls;

	ck_assert_uint_le(file->instructions, pt_vtruth_total(&b.truth).instructions);
	if (busy) {
		ck_assert_uint_gt(file->loss.by[PT_LOSS_FIFO].events, 3);
		return;
	}
	ck_assert_uint_ge(file->instructions, done.instructions);
	for (size_t i = 0; i < n; i++) {
		uint64_t count = run_of(file, i + 1)->count;

		if (!counter_of(&b, &functions[i], PT_UNKNOWN, &calls))
			continue;
		n_counted += calls > 0;
		ck_assert_msg(done.calls[i] <= count && count <= calls + 1,
			      "%s: %s was called %llu to %llu times, the file says %llu", name, functions[i].name,
			      (unsigned long long)done.calls[i], (unsigned long long)calls, (unsigned long long)count);
	}
	ck_assert_uint_gt(n_counted, 15);
}

enum kind { VCD, SR, CSV };
static const struct {
	const char *name, *board;
	const char *words[3];
	const char *word;
	enum kind kind;
	bool busy;			/* more than the pins carry */
} rows[] = {
	{ "a VCD", "", { "mode=pdo" }, NULL, VCD, false },
	{ "a sigrok session", "", { "mode=pdo" }, NULL, SR, false },
	{ "a CSV of the changes", "", { "mode=pdo" }, NULL, CSV, false },
	{ "a PTHF of five bytes", "pthf=5", { "mode=pdo", "pthf-bytes=5" }, "pthf-bytes=5", VCD, false },
	{ "addresses high byte first", "swap24=on", { "mode=pdo", "swap24=on" }, "swap24=on", VCD, false },
	{ "overflows", "", { "mode=pdo" }, NULL, VCD, true },
};

static void note_done(void)
{
	size_t n;
	const struct pt_function *functions = pt_program_functions(b.program, &n);

	ck_assert_uint_le(n, PT_LEN(done.calls));
	done.instructions = pt_vtruth_total(&b.truth).instructions;
	for (size_t i = 0; i < n; i++)
		if (!counter_of(&b, &functions[i], PT_UNKNOWN, &done.calls[i]))
			done.calls[i] = 0;
}

static void record(size_t row)
{
	uint64_t pace, size;

	begin(&b, rows[row].board, rows[row].words);
	overhear();
	resume(&b);
	drain(&b, 5 * PT_NS_PER_MS);
	if (rows[row].busy) {
		ck_assert(pt_program_symbol(b.program, "pace", &pace, &size));
		memset(pt_s12zvm_bytes(b.chip, (uint32_t)pace, 2), 0, 2);
	}
	drain(&b, 15 * PT_NS_PER_MS);
	note_done();
	stop(&b);		/* the program runs: live knows no more of its end than the pins do */
	halt(&b);
}

START_TEST(says_what_live_says)
{
	struct pt_pipeline *pipeline;
	const struct pt_profile *live, *file;

	record((size_t)_i);
	if (rows[_i].kind == SR)
		write_sr();
	else if (rows[_i].kind == CSV)
		write_csv();
	else
		write_vcd(0, pins.n_edges);
	pipeline = decode(rows[_i].word);
	ck_assert_msg(pipeline != NULL, "%s: %s", rows[_i].name, err.msg);
	ck_assert_str_eq(notes, "");
	live = pt_pipeline_profile(b.pipeline);
	file = pt_pipeline_profile(pipeline);
	expect_same(live, file, rows[_i].name);
	expect_board(file, rows[_i].name, rows[_i].busy);
	pt_pipeline_free(pipeline);
	unlink(path);
	finish(&b);
}
END_TEST

/* --- damaged files ------------------------------------------------------------------------------------------------ */

static void cut_edges(size_t at, size_t n)
{
	memmove(pins.edge + at, pins.edge + at + n, (pins.n_edges - at - n) * sizeof(*pins.edge));
	pins.n_edges -= n;
}

/* The profile of what is on the pins from this edge on is less than what ran, and says that something is lost. */
static void expect_less(size_t from, const char *note)
{
	struct pt_pipeline *pipeline;
	const struct pt_profile *file;

	write_vcd(from, pins.n_edges);
	pipeline = decode(NULL);
	ck_assert_msg(pipeline != NULL, "%s", err.msg);
	file = pt_pipeline_profile(pipeline);
	ck_assert_uint_ge(file->loss.by[PT_LOSS_DAMAGED].events, 1);
	ck_assert_uint_lt(file->instructions, done.instructions);
	ck_assert_uint_gt(file->instructions, done.instructions / 3);
	ck_assert_msg(strstr(notes, note) != NULL, "%s", notes);
	pt_pipeline_free(pipeline);
}

START_TEST(what_is_missing_is_lost)
{
	record(0);
	expect_less(pins.n_edges / 4 | 1, "");
	cut_edges(pins.n_edges / 2, 5);
	expect_less(0, "the clock rests within a byte");
	unlink(path);
	finish(&b);
}
END_TEST

static const struct { const char *name, *text, *word, *said; } bad[] = {
	{ "no such line", "$var wire 1 ! a $end $var wire 1 \" clock $end $enddefinitions $end #0 0! 0\" #9 1\"", NULL,
	  "there is no line 'data'; there are: a, clock" },
	{ "one line for both", "$var wire 1 ! data $end $enddefinitions $end #0 0! #9 1!", "pdoclk=data",
	  "pdo= and pdoclk= name the same line, data" },
	{ "a clock that rests", "$var wire 1 ! data $end $var wire 1 \" clock $end $enddefinitions $end #0 0! 0\" #9 1!", NULL,
	  "PDOCLK does not change in it" },
	{ "no file of lines", "1000 memory:0x100 4 1", NULL, "are read from a VCD, a sigrok session or a CSV" },
	{ "levels that are not known", "$var wire 1 ! data $end $var wire 1 \" clock $end $enddefinitions $end "
	  "#0 0! 0\" #100 1\" #110 0\" #115 x\" #120 1\" #130 0\"", NULL, "no line of the trace can be read" },
};

START_TEST(says_what_is_wrong)
{
	FILE *file = fopen(path, "w");
	struct pt_pipeline *pipeline;

	ck_assert_ptr_nonnull(file);
	fputs(bad[_i].text, file);
	fclose(file);
	b.program = NULL;
	pipeline = decode(bad[_i].word);
	ck_assert_msg(strstr(pipeline != NULL ? notes : err.msg, bad[_i].said) != NULL, "%s: %s%s", bad[_i].name, notes,
		      pipeline != NULL ? "" : err.msg);
	pt_pipeline_free(pipeline);
	unlink(path);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("pdo_files");
	TCase *tc = tcase_create("pdo_files");

	snprintf(path, sizeof(path), "/tmp/proftap-test-pdo-%ld", (long)getpid());
	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, says_what_live_says, 0, PT_LEN(rows));
	tcase_add_test(tc, what_is_missing_is_lost);
	tcase_add_loop_test(tc, says_what_is_wrong, 0, PT_LEN(bad));
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
