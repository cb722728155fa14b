/* Lines of the S12Z's code profiling, byte for byte as the manual has them, and of its other trace modes; and what
 * becomes of damage. Source: S12ZVHY/S12ZVHL Reference Manual Rev. 1.05, 6.4.5 and 6.4.6. */
#define _GNU_SOURCE	/* memmem */
#include <stdio.h>
#include <string.h>

#include "config_text.h"
#include "decode/decoder.h"
#include "golden.h"
#include "harness.h"

#define BUFFER "stream=buffer\n"
#define PDO "stream=pdo\n"
#define NORMAL "format=s12z-trace\ntrace=normal\n"
#define STAMPED NORMAL "stamp=1\n"
#define DETAIL "format=s12z-trace\ntrace=detail\n"
#define PURE_PC "format=s12z-trace\ntrace=pure-pc\n"

/* in: bytes in hex; "|" the trace is armed anew, "!" a loss, "R" the core was reset, "P" its pc was written,
 * "H" it halts at 0x100. */
static const struct { const char *name, *config, *in, *events; } rows[] = {
	/* the worked lines */
	{ "PTS", BUFFER, "00 00 80 ff ee ee ee ee", "start 0x00ff8000" },
	{ "PTIB", BUFFER, "01 0d 00 00 00 23 81 ff", "atoms 3 0x5, indirect -> 0x00ff8123" },
	{ "PTVB", BUFFER, "03 01 00 00 00 ea a4 01", "since 420 exception 10, vector 10 from unknown" },
	{ "PTHF, 31 taken", BUFFER, "02 ff ff ff ff 00 ee ee", "atoms 31 0x7fffffff" },
	{ "PTHF, 30 not taken, then taken", BUFFER, "02 01 00 00 80 00 ee ee", "atoms 31 0x1" },
	{ "PTW, TERM", BUFFER, "17 01 00 00 00 00 10 00", "since 16, stop unknown" },
	{ "PTW, TSOVF", BUFFER, "47 01 00 00 00 00 00 00", "since >= 65536 so far" },
	{ "PTW, TBOVF and TERM", BUFFER, "37 01 00 00 00 00 05 00", "since 5, stop unknown" },
	{ "PTW, TBOVF alone", BUFFER, "27 03 00 00 00 00 05 00", "atoms 1 0x1, since 5, stop unknown" },
	/* vectors */
	{ "every named vector", BUFFER,
	  "03 01 00 00 00 fc 00 00 03 01 00 00 00 f8 00 00 03 01 00 00 00 ec 00 00 03 01 00 00 00 e8 00 00",
	  "since 0 exception 1, vector 1 from unknown, since 0 exception 3, vector 3 from unknown, "
	  "since 0 exception 9, vector 9 from unknown, since 0 exception 11, vector 11 from unknown" },
	{ "the last vector", BUFFER, "03 01 00 00 00 08 ff ff", "since 65535 exception 123, vector 123 from unknown" },
	/* time */
	{ "the stamp rolled over before an interrupt", BUFFER,
	  "47 01 00 00 00 00 00 00 47 01 00 00 00 00 00 00 03 01 00 00 00 ea 02 00",
	  "since >= 65536 so far, since >= 131072 so far, since 131074 exception 10, vector 10 from unknown" },
	{ "rolled over and interrupted at once", BUFFER, "43 01 00 00 00 ea 02 00",
	  "since 65538 exception 10, vector 10 from unknown" },
	{ "rolled over before a branch", BUFFER, "47 01 00 00 00 00 00 00 01 01 00 00 00 23 81 ff",
	  "since >= 65536 so far, since >= 65536, indirect -> 0x00ff8123" },
	{ "rolled over with a branch", BUFFER, "41 01 00 00 00 23 81 ff", "since >= 65536, indirect -> 0x00ff8123" },
	{ "a direct branch behind the roll-over", BUFFER, "47 01 00 00 00 00 00 00 03 02 00 00 00 ea 02 00",
	  "since >= 65536 so far, atoms 1 0x0, since 2 exception 10, vector 10 from unknown" },
	{ "a direct branch before the roll-over", BUFFER, "47 02 00 00 00 00 00 00 17 01 00 00 00 00 02 00",
	  "atoms 1 0x0, since >= 65536 so far, since 65538, stop unknown" },
	{ "rolled over before a full line", BUFFER, "47 01 00 00 00 00 00 00 02 00 00 00 80 00 00 00",
	  "since >= 65536 so far, atoms 31 0x0" },
	/* ends */
	{ "an indirect branch ends it", BUFFER, "11 01 00 00 00 23 81 ff", "indirect -> 0x00ff8123, stop unknown" },
	{ "an interrupt ends it, the buffer being full", BUFFER, "23 01 00 00 00 ea 02 00",
	  "since 2 exception 10, vector 10 from unknown, stop unknown" },
	{ "disarmed while halted", BUFFER, "17 01 00 00 00 00 10 00 H", "since 16, stop 0x00000100" },
	{ "disarmed, and halted later", BUFFER, "17 01 00 00 00 00 10 00 | H", "since 16, stop unknown, gap restart" },
	{ "halted in the middle", BUFFER, "01 01 00 00 00 23 81 ff H 01 01 00 00 00 25 81 ff",
	  "indirect -> 0x00ff8123, indirect -> 0x00ff8125" },
	{ "a session behind the other", BUFFER,
	  "00 00 80 ff 00 00 00 00 17 01 00 00 00 00 10 00 00 02 80 ff 00 00 00 00",
	  "start 0x00ff8000, since 16, stop unknown, start 0x00ff8002" },
	{ "a session whose end is missing", BUFFER,
	  "00 00 80 ff 00 00 00 00 01 01 00 00 00 23 81 ff 00 02 80 ff 00 00 00 00",
	  "start 0x00ff8000, indirect -> 0x00ff8123, gap damaged, start 0x00ff8002" },
	{ "armed anew", BUFFER, "00 00 80 ff 00 00 00 00 17 01 00 00 00 00 10 00 | 01 01 00 00 00 23 81 ff",
	  "start 0x00ff8000, since 16, stop unknown, gap restart, indirect -> 0x00ff8123" },
	{ "cut in a line", BUFFER, "00 00 80 ff 00 00 | 00 02 80 ff 00 00 00 00",
	  "gap damaged, gap restart, start 0x00ff8002" },
	{ "cut at the end", BUFFER, "00 00 80 ff 00 00 00 00 01 01", "start 0x00ff8000, gap damaged" },
	{ "lost in between", BUFFER, "00 00 80 ff 00 00 00 00 ! 01 01 00 00 00 23 81 ff",
	  "start 0x00ff8000, gap loss, indirect -> 0x00ff8123" },
	{ "reset", BUFFER, "00 00 80 ff 00 00 00 00 R 00 02 80 ff 00 00 00 00",
	  "start 0x00ff8000, gap restart, start 0x00ff8002" },
	/* damage in the buffer */
	{ "a reserved format", BUFFER, "04 01 00 00 00 23 81 ff 01 01 00 00 00 23 81 ff",
	  "gap damaged, indirect -> 0x00ff8123" },
	{ "bit 7", BUFFER, "81 01 00 00 00 23 81 ff 01 01 00 00 00 23 81 ff", "gap damaged, indirect -> 0x00ff8123" },
	{ "an empty direct field", BUFFER, "01 00 00 00 00 23 81 ff 01 01 00 00 00 23 81 ff",
	  "gap damaged, indirect -> 0x00ff8123" },
	{ "a vector between vectors", BUFFER, "03 01 00 00 00 eb 00 00", "gap damaged" },
	{ "PTW with a vector", BUFFER, "07 01 00 00 00 ea 00 00", "gap damaged" },
	/* options */
	{ "a branch begins the count of stamps anew", BUFFER, "47 01 00 00 00 00 00 00 03 03 00 00 00 ea 05 00",
	  "since >= 65536 so far, atoms 1 0x1, since 5 exception 10, vector 10 from unknown" },
	{ "or does not", BUFFER "stamp_from=line\n", "47 01 00 00 00 00 00 00 03 03 00 00 00 ea 05 00",
	  "since >= 65536 so far, atoms 1 0x1, since 65541 exception 10, vector 10 from unknown" },
	{ "bytes the other way round", BUFFER "swap24=1\n",
	  "00 ff 80 00 00 00 00 00 01 01 00 00 00 ff 81 23 03 01 00 00 00 ea 01 a4",
	  "start 0x00ff8000, indirect -> 0x00ff8123, since 420 exception 10, vector 10 from unknown" },
	/* PDO */
	{ "all lines on PDO", PDO,
	  "00 00 80 ff 01 0d 00 00 00 23 81 ff 02 ff ff ff ff 00 03 01 00 00 00 ea a4 01 17 01 00 00 00 00 10 00",
	  "start 0x00ff8000, atoms 3 0x5, indirect -> 0x00ff8123, atoms 31 0x7fffffff, since 420 exception 10, "
	  "vector 10 from unknown, since 16, stop unknown" },
	{ "PTHF of five bytes", PDO, "00 00 80 ff 02 ff ff ff ff 02 01 00 00 80 01 0d 00 00 00 23 81 ff",
	  "start 0x00ff8000, atoms 31 0x7fffffff, atoms 31 0x1, atoms 3 0x5, indirect -> 0x00ff8123" },
	{ "the last PTHF has six, then a session", PDO, "00 00 80 ff 12 ff ff ff ff 00 00 02 80 ff",
	  "start 0x00ff8000, atoms 31 0x7fffffff, stop unknown, start 0x00ff8002" },
	{ "the last PTHF has five, then a session", PDO "pthf_bytes=5\n", "00 00 80 ff 12 ff ff ff ff 00 02 80 ff",
	  "start 0x00ff8000, atoms 31 0x7fffffff, stop unknown, start 0x00ff8002" },
	{ "overflow, and armed anew", PDO, "00 00 80 ff 27 01 00 00 00 00 05 00 | 00 00 80 ff",
	  "start 0x00ff8000, since 5, gap overflow, gap restart, start 0x00ff8000" },
	{ "pc written in the middle", PDO, "00 00 80 ff 01 01 00 P 00 00 23 81 ff 01 01 00 00 00 25 81 ff",
	  "start 0x00ff8000, gap restart, indirect -> 0x00ff8123, indirect -> 0x00ff8125" },
	/* damage on PDO: found again behind four lines */
	{ "a byte too much", PDO,
	  "00 00 80 ff 55 01 0d 00 00 00 23 81 ff 01 0d 00 00 00 23 81 ff 01 0d 00 00 00 23 81 ff "
	  "02 ff ff ff ff 00 03 01 00 00 00 ea a4 01",
	  "start 0x00ff8000, gap damaged, since 420 exception 10, vector 10 from unknown" },
	{ "a byte too few", PDO,
	  "00 00 80 ff 01 0d 00 00 00 23 81 01 0d 00 00 00 23 81 ff 01 0d 00 00 00 23 81 ff 01 0d 00 00 00 25 81 ff "
	  "01 0d 00 00 00 25 81 ff 01 0d 00 00 00 25 81 ff 01 0d 00 00 00 27 81 ff",
	  "start 0x00ff8000, atoms 3 0x5, indirect -> 0x00018123, gap damaged, atoms 3 0x5, indirect -> 0x00ff8125, "
	  "atoms 3 0x5, indirect -> 0x00ff8127" },
	{ "captured from the middle of a session", PDO,
	  "81 ff 02 ff ff ff ff 00 02 ff ff ff ff 00 02 ff ff ff ff 00 02 ff ff ff ff 00 01 0d 00 00 00 25 81 ff",
	  "gap damaged, atoms 3 0x5, indirect -> 0x00ff8125" },
	{ "found behind a PTHF of five", PDO,
	  "ff 02 ff ff ff ff 02 ff ff ff ff 02 ff ff ff ff 02 ff ff ff ff 01 0d 00 00 00 25 81 ff",
	  "gap damaged, atoms 3 0x5, indirect -> 0x00ff8125" },
	{ "found at an end", PDO,
	  "ff 01 0d 00 00 00 23 81 ff 01 0d 00 00 00 23 81 ff 01 0d 00 00 00 23 81 ff 17 01 00 00 00 00 10 00 00 00 80 ff",
	  "gap damaged, start 0x00ff8000" },
	/* the other modes; byte 0 first, so what the manual draws is to be read from the right */
	{ "a branch that was taken, and a return", NORMAL, "0e 80 ff 80 09 80 ff c0",
	  "branch 0x00ff800e -> unknown instruction, indirect -> 0x00ff8009" },
	{ "an interrupt by its handler", NORMAL, "60 80 ff 40 00 00 00 00", "branch unknown -> 0x00ff8060 exception" },
	{ "an interrupt by its vector", NORMAL, "d4 ff ff 40 00 00 00 00", "vector 10 from unknown" },
	{ "its vector where IVBR has it", NORMAL "ivbr=0x1e\n", "d4 1f 00 40 d4 ff ff 40",
	  "vector 10 from unknown, branch unknown -> 0x00ffffd4 exception" },
	{ "an external event is no branch", NORMAL, "0e 80 ff 04 09 80 ff c0", "indirect -> 0x00ff8009" },
	{ "bits that are always 0", NORMAL, "0e 80 ff a0 09 80 ff c0", "gap damaged, indirect -> 0x00ff8009" },
	{ "stamped", STAMPED, "09 80 ff c0 00 00 34 12 d4 ff ff 41 00 00 05 00",
	  "since 4660, indirect -> 0x00ff8009, since >= 5 exception 10, vector 10 from unknown" },
	{ "accesses: bytes, words and longs, written and read", DETAIL,
	  "04 10 00 00 00 00 00 5a 05 10 00 60 00 34 12 00 04 10 00 c0 44 33 22 11",
	  "memory write 0x1004 = 0x5a (1 bytes), memory read 0x1005 = 0x1234 (2 bytes), "
	  "memory write 0x1004 = 0x11223344 (4 bytes)" },
	{ "an access that wraps in its columns", DETAIL, "07 10 00 40 12 00 00 34", "memory write 0x1007 = 0x1234 (2 bytes)" },
	{ "three bytes", DETAIL, "05 10 00 80 33 22 11 00", "memory write 0x1005 = 0x112233 (3 bytes)" },
	{ "an access and who made it", DETAIL "stamp=1\n", "04 10 00 00 00 00 00 5a 0e 80 ff 06 00 00 05 00",
	  "pc 0x00ff800e, memory write 0x1004 = 0x5a (1 bytes)" },
	{ "back to back: of the first nobody knows", DETAIL "stamp=1\n",
	  "04 10 00 00 00 00 00 5a 05 10 00 00 00 00 5b 00 0e 80 ff 02 00 00 05 00",
	  "memory write 0x1004 = 0x5a (1 bytes), memory write 0x1005 = 0x5b (1 bytes)" },
	{ "the last access", DETAIL "stamp=1\n", "04 10 00 00 00 00 00 5a", "memory write 0x1004 = 0x5a (1 bytes)" },
	{ "an access that cannot be", DETAIL, "04 10 00 11 00 00 00 5a", "gap damaged" },
	{ "four instructions and a base", PURE_PC, "00 02 04 05 09 80 ff 70",
	  "executed 0x00ff8000, executed 0x00ff8002, executed 0x00ff8004, executed 0x00ff8005, executed 0x00ff8009" },
	{ "a base alone", PURE_PC, "09 80 ff 00 00 00 00 30", "executed 0x00ff8009" },
	{ "two bases, by the NB bits", PURE_PC "nb=1\n", "00 40 80 ff 09 81 ff 72",
	  "executed 0x00ff8000, executed 0x00ff8040, executed 0x00ff8109" },
	{ "the NB bits, not believed", PURE_PC, "00 40 80 ff 09 81 ff 72",
	  "executed 0x00ff8100, executed 0x00ff8140, executed 0x00ff8180, executed 0x00ff81ff, executed 0x00ff8109" },
	{ "a line without a base", PURE_PC, "09 80 00 00 00 00 00 20", "gap damaged" },
	{ "nothing was written", NORMAL, "00 00 00 00 00 00 00 00", "" },
	{ "nothing executed", PURE_PC, "00 00 00 00 00 00 00 00", "" },
	{ "never found", PDO, "00 00 80 ff ff ff ff ff ff", "start 0x00ff8000, gap damaged" },
};

static const struct pt_decoder *decoder_of(const char *config)
{
	return strstr(config, "s12z-trace") != NULL ? &pt_decoder_s12z_trace : &pt_decoder_s12z_profile;
}

static void run(const struct pt_decoder *d, void *state, const char *in, struct pt_batch *out)
{
	for (; *in != '\0'; in++) {
		uint8_t byte;

		if (*in == '|')
			d->gap(state, PT_GAP_RESTART, 0, 0, out);
		else if (*in == '!')
			d->gap(state, PT_GAP_LOSS, 10, 20, out);
		else if (strchr("RPH", *in) != NULL)
			d->state(state,
				 *in == 'R'   ? PT_STATE_RESET
				 : *in == 'P' ? PT_STATE_PC_WRITTEN
					      : PT_STATE_HALT,
				 0x100, out);
		if (strchr("|!RPH ", *in) != NULL)
			continue;
		byte = (uint8_t)strtoul((const char[]){ in[0], in[1], '\0' }, NULL, 16);
		in++;
		ck_assert_uint_eq(d->feed(state, &byte, 1, out), 1);
	}
}

static void print_events(const struct pt_batch *batch, const char *between, FILE *out)
{
	char line[160];

	for (size_t i = 0; i < batch->n_events; i++)
		fprintf(out, "%s%s", i > 0 ? between : "", pt_event_print(&batch->event[i], line, sizeof(line)));
}

START_TEST(decodes_row)
{
	const struct pt_decoder *d = decoder_of(rows[_i].config);
	static struct pt_batch batch;
	uint64_t state[64];
	char *got;
	size_t len;
	FILE *out = open_memstream(&got, &len);

	decoder_init(d, state, 0, 0, rows[_i].config, strlen(rows[_i].config));
	batch.n_events = 0;
	run(d, state, rows[_i].in, &batch);
	d->flush(state, &batch);
	print_events(&batch, ", ", out);
	fclose(out);
	ck_assert_msg(strcmp(got, rows[_i].events) == 0, "%s:\n%s, not\n%s", rows[_i].name, got, rows[_i].events);
	for (size_t i = 0; i < batch.n_events; i++)	/* flow has to follow what leaves no bit */
		if (batch.event[i].kind <= PT_EV_STOP && batch.event[i].kind != PT_EV_BRANCH)
			ck_assert_uint_ne(batch.event[i].cause, PT_ATOMS_ALL);
	free(got);
}
END_TEST

/* What is lost is counted, to the byte: all but the lines that came out. */
START_TEST(damage_is_counted)
{
	static const struct { const char *config, *in; uint64_t bytes; } cases[] = {
		{ BUFFER, "04 01 00 00 00 23 81 ff", 8 },
		{ BUFFER, "00 00 80 ff 00 00 00 00 01 01 02", 3 },
		{ PDO, "00 00 80 ff 55 01 0d 00 00 00 23 81 ff 01 0d 00 00 00 23 81 ff 01 0d 00 00 00 23 81 ff 02 ff ff ff ff 00", 31 },
		{ PDO, "00 00 80 ff ff ff ff ff ff", 5 },
		{ PDO, "00 00 80 ff 01 02 03", 3 },
	};
	static struct pt_batch batch;
	uint64_t state[64], bytes = 0;

	decoder_init(&pt_decoder_s12z_profile, state, 0, 0, cases[_i].config, strlen(cases[_i].config));
	batch.n_events = 0;
	run(&pt_decoder_s12z_profile, state, cases[_i].in, &batch);
	pt_decoder_s12z_profile.flush(state, &batch);
	for (size_t i = 0; i < batch.n_events; i++)
		bytes += batch.event[i].kind == PT_EV_GAP ? batch.event[i].gap.bytes : 0;
	ck_assert_uint_eq(bytes, cases[_i].bytes);
}
END_TEST

/* Lines are found again, and what is left of the search behind them begins none. Every byte is lost, and counted. */
START_TEST(rest_of_a_search_begins_no_line)
{
	static const char text[] = "stream=pdo\n";
	static struct pt_batch out;
	uint8_t bytes[94] = { 0x80 };	/* begins no line */
	uint64_t decoder[64], lost = 0;

	for (size_t i = 1; i < sizeof(bytes); i++)
		bytes[i] = i < 30 ? 1 : 0x08;	/* three PTIB, a PTHF of five bytes, what is reserved */
	bytes[25] = 2;
	decoder_init(&pt_decoder_s12z_profile, decoder, 0, 0, text, sizeof(text) - 1);
	out.n_events = 0;
	ck_assert_uint_eq(pt_decoder_s12z_profile.feed(decoder, bytes, sizeof(bytes), &out), sizeof(bytes));
	pt_decoder_s12z_profile.flush(decoder, &out);
	for (size_t i = 0; i < out.n_events; i++) {
		ck_assert_uint_eq(out.event[i].kind, PT_EV_GAP);
		lost += out.event[i].gap.bytes;
	}
	ck_assert_uint_eq(lost, sizeof(bytes));
}
END_TEST

/* --- streams of the virtual board: the lines of CONFIG that matter, an empty one, then what was collected --------- */

static void print_stream(const uint8_t *bytes, size_t len_bytes, FILE *out)
{
	const char *config = (const char *)bytes, *end = memmem(bytes, len_bytes, "\n\n", 2);
	const struct pt_decoder *d =
		strstr(config, "s12z-trace") != NULL ? &pt_decoder_s12z_trace : &pt_decoder_s12z_profile;
	static struct pt_batch batch;
	uint64_t state[64];

	ck_assert_ptr_nonnull(end);
	decoder_init(d, state, 0, 0, config, (size_t)(end + 1 - config));
	for (size_t at = (size_t)(end + 2 - config); at < len_bytes;) {
		batch.n_events = 0;
		at += d->feed(state, bytes + at, len_bytes - at, &batch);
		print_events(&batch, "\n", out);
		fputs("\n", out);
	}
	batch.n_events = 0;
	d->flush(state, &batch);
	print_events(&batch, "\n", out);
}

static const char *const golden[] = {
	"s12z_snapshots", "s12z_pdo", "s12z_pdo_overflow", "s12z_normal", "s12z_normal_stamped", "s12z_loop1", "s12z_detail",
	"s12z_detail_stamped", "s12z_pure_pc",
};

START_TEST(golden_stream)
{
	expect_golden(golden[_i], ".s12z", ".events", print_stream);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("decode_s12z");
	TCase *tc = tcase_create("lines");

	tcase_add_loop_test(tc, decodes_row, 0, PT_LEN(rows));
	tcase_add_loop_test(tc, damage_is_counted, 0, 5);
	tcase_add_loop_test(tc, golden_stream, 0, PT_LEN(golden));
	tcase_add_test(tc, rest_of_a_search_begins_no_line);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
