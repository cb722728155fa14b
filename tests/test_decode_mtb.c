/* MTB packets: what the bits mean, exception returns in two packets, and what the core's state adds. */
#include <string.h>

#include "config_text.h"
#include "decode/decoder.h"
#include "golden.h"
#include "harness.h"

#pragma GCC diagnostic ignored "-Wmissing-field-initializers"	/* a row leaves out what is 0 */

enum { PACKETS = 8 };
#define A 1
#define S 1
#define EXC 0xfffffff8u

/* A step is a packet, or what happened to the core between packets. */
struct step { uint32_t from, to; enum pt_state state; };
#define STATE(what, pc) { .state = PT_STATE_##what, .to = pc }
#define RESTART { .state = 99 }

static const struct {
	const char *name;
	struct step step[PACKETS];
	const char *events;	/* as printed, separated by ", " */
} rows[] = {
	{ "a branch", { { 0x104, 0x180 | S } }, "branch 0x00000104 -> 0x00000180 instruction" },
	{ "an exception", { { 0x104, 0x180 | S }, { 0x186 | A, 0xc0 } },
	  "branch 0x00000104 -> 0x00000180 instruction, branch 0x00000186 -> 0x000000c0 exception" },
	{ "tracing starts again",
	  { { 0x104, 0x180 | S }, { 0x186, 0x200 }, { 0x300, 0x400 | S } },
	  "branch 0x00000104 -> 0x00000180 instruction, branch 0x00000186 -> 0x00000200 instruction, gap restart, "
	  "branch 0x00000300 -> 0x00000400 instruction" },
	{ "exception return", { { 0xc4, EXC | S }, { EXC | A, 0x186 } },
	  "branch 0x000000c4 -> 0x00000186 exception-return" },
	{ "exception return, all values",
	  { { 0xc4, 0xfffffff0 }, { 0xfffffff0 | A, 0x186 }, { 0xc4, 0xfffffffc }, { 0xfffffffc | A, 0x188 } },
	  "branch 0x000000c4 -> 0x00000186 exception-return, branch 0x000000c4 -> 0x00000188 exception-return" },
	{ "tail-chained, with the interrupted address", { { 0xc4, EXC | S }, { 0x186 | A, 0xd0 } },
	  "branch 0x000000c4 -> 0x000000d0 tail-chain" },
	{ "return cut by a new start", { { 0xc4, EXC | S }, { 0x104, 0x180 | S } },
	  "branch 0x000000c4 -> unknown exception-return, gap restart, branch 0x00000104 -> 0x00000180 instruction" },
	{ "return cut by the end", { { 0xc4, EXC | S } }, "branch 0x000000c4 -> unknown exception-return" },
	{ "return cut by a restart", { { 0xc4, EXC | S }, RESTART, { 0x104, 0x180 | S } },
	  "branch 0x000000c4 -> unknown exception-return, gap restart, branch 0x00000104 -> 0x00000180 instruction" },
	{ "only the second half", { { EXC | A, 0x186 | S } }, "branch unknown -> 0x00000186 exception-return" },
	{ "second half without a first", { { 0x104, 0x180 | S }, { EXC | A, 0x186 } },
	  "branch 0x00000104 -> 0x00000180 instruction, gap damaged, branch unknown -> 0x00000186 exception-return" },
	{ "first half without a second", { { 0xc4, EXC | S }, { 0x104, 0x180 } },
	  "branch 0x000000c4 -> unknown exception-return, gap damaged, branch 0x00000104 -> 0x00000180 instruction" },
	{ "an exception to nowhere", { { 0x104, 0x180 | S }, { 0x104 | A, EXC } },
	  "branch 0x00000104 -> 0x00000180 instruction, gap damaged" },
	{ "halt and resume", { { 0x104, 0x180 | S }, STATE(HALT, 0x182), STATE(RUN, 0x182), { 0x186, 0x200 | S } },
	  "branch 0x00000104 -> 0x00000180 instruction, stop 0x00000182, start 0x00000182, "
	  "branch 0x00000186 -> 0x00000200 instruction" },
	{ "a packet of the resumption itself", { STATE(RUN, 0x182), { 0x182 | A, 0x182 | S }, { 0x186, 0x200 } },
	  "start 0x00000182, branch 0x00000186 -> 0x00000200 instruction" },
	{ "interrupted right behind the resumption", { STATE(RUN, 0x182), { 0x182 | A, 0xc0 | S } },
	  "start 0x00000182, branch 0x00000182 -> 0x000000c0 exception" },
	{ "pc written, traced when it was", { STATE(HALT, 0x182), { 0x182 | A, 0x300 }, STATE(RUN, 0x300) },
	  "stop 0x00000182, branch 0x00000182 -> 0x00000300 debug, start 0x00000300" },
	{ "pc written, traced when resumed", { STATE(PC_WRITTEN, 0x300), STATE(RUN, 0x300), { 0x182 | A, 0x300 } },
	  "start 0x00000300, start 0x00000300" },
	{ "pc written twice",
	  { STATE(HALT, 0x182), STATE(PC_WRITTEN, 0x200), STATE(PC_WRITTEN, 0x300), STATE(RUN, 0x300), { 0x182 | A, 0x200 },
	    { 0x200 | A, 0x300 }, { 0x302 | A, 0xc0 } },
	  "stop 0x00000182, start 0x00000200, start 0x00000300, start 0x00000300, branch 0x00000302 -> 0x000000c0 "
	  "exception" },
	{ "pc written, in a burst that is read later",
	  { STATE(HALT, 0x182), STATE(PC_WRITTEN, 0x300), STATE(RUN, 0x300), { 0x104, 0x180 | S }, { 0x182 | A, 0x300 },
	    { 0x182 | A, 0x300 } },
	  "stop 0x00000182, start 0x00000300, start 0x00000300, branch 0x00000104 -> 0x00000180 instruction, "
	  "branch 0x00000182 -> 0x00000300 debug, branch 0x00000182 -> 0x00000300 exception" },
	{ "reset", { { 0x104, 0x180 | S }, STATE(RESET, 0x100), { 0x104, 0x180 | S } },
	  "branch 0x00000104 -> 0x00000180 instruction, gap restart, start 0x00000100, "
	  "branch 0x00000104 -> 0x00000180 instruction" },
	{ "asleep: it went on to a wait", { { 0x104, 0x180 | S }, STATE(SLEEP, 0), { 0x186, 0x200 } },
	  "branch 0x00000104 -> 0x00000180 instruction, stop asleep, "
	  "branch 0x00000186 -> 0x00000200 instruction" },
	{ "asleep, and nothing is known", { STATE(SLEEP, 0), { 0x186, 0x200 | S } },
	  "branch 0x00000186 -> 0x00000200 instruction" },
};

static void print_events(const struct pt_batch *batch, const char *between, FILE *out)
{
	char line[160];

	for (size_t i = 0; i < batch->n_events; i++)
		fprintf(out, "%s%s", i > 0 ? between : "", pt_event_print(&batch->event[i], line, sizeof(line)));
}

static void run_step(void *state, const struct step *step, struct pt_batch *out)
{
	uint8_t bytes[8];

	if (step->state == 99) {
		pt_decoder_mtb.gap(state, PT_GAP_RESTART, 0, 0, out);
	} else if (step->state != 0) {
		pt_decoder_mtb.state(state, step->state, step->to, out);
	} else if (step->to != 0) {
		pt_put_le32(bytes, step->from);
		pt_put_le32(bytes + 4, step->to);
		ck_assert_uint_eq(pt_decoder_mtb.feed(state, bytes, sizeof(bytes), out), sizeof(bytes));
	}
}

START_TEST(decodes_row)
{
	static struct pt_batch batch;
	uint64_t state[64];
	char *got;
	size_t len;
	FILE *out = open_memstream(&got, &len);

	decoder_init(&pt_decoder_mtb, state, 0, 0, "", 0);
	batch.n_events = 0;
	for (size_t i = 0; i < PACKETS; i++)
		run_step(state, &rows[_i].step[i], &batch);
	pt_decoder_mtb.flush(state, &batch);
	print_events(&batch, ", ", out);
	fclose(out);
	ck_assert_msg(strcmp(got, rows[_i].events) == 0, "%s:\n%s, not\n%s", rows[_i].name, got, rows[_i].events);
	free(got);
}
END_TEST

static void print_mtb_events(const uint8_t *bytes, size_t len_bytes, FILE *out)
{
	static struct pt_batch batch;
	uint64_t state[64];

	decoder_init(&pt_decoder_mtb, state, 0, 0, "", 0);
	for (size_t at = 0; at < len_bytes;) {
		batch.n_events = 0;
		at += pt_decoder_mtb.feed(state, bytes + at, len_bytes - at, &batch);
		print_events(&batch, "\n", out);
		fputs("\n", out);
	}
	batch.n_events = 0;
	pt_decoder_mtb.flush(state, &batch);
	print_events(&batch, "\n", out);
}

static const char *const golden[] = { "interrupts", "bursts", "noise" };

START_TEST(golden_trace)
{
	expect_golden(golden[_i], ".mtb", ".events", print_mtb_events);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("decode_mtb");
	TCase *tc = tcase_create("packets");

	tcase_add_loop_test(tc, decodes_row, 0, PT_LEN(rows));
	tcase_add_loop_test(tc, golden_trace, 0, PT_LEN(golden));
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
