/* Performance monitor registers by code that the core executes, in remote protocol with the server of the virtual board
 * e500, while its demo runs in between: counts are the model's own, exactly; every register and byte is as it was. */
#include "probes/virtual/chip/e500.h"
#include "rsp_rig.h"
#include "targets/e500/perfmon/scratch.h"

enum { SCRATCH = 0x800000, STARTED_NS = 10000000, FCM1 = 0x10000000, G_DIGITS = 2 * 292, ROUNDS = 40 };

static struct pt_params *settings;
static struct pt_vboard *board;
static struct pt_e500 *chip;
static unsigned n_packets;

/* --- the port, packet by packet. Offsets in g: as GDB 13 takes it without a description */

static const unsigned offset[] = { 3 * 4, 4 * 4, 5 * 4, 256, 260 };	/* r3, r4, r5, pc, msr */
static char g[G_DIGITS + 2];

static int get(void *state, struct pt_e500_frame *f, struct pt_err *err)
{
	unsigned v[PT_LEN(offset)];
	const char *text;

	(void)state;
	(void)err;
	n_packets++;
	g[0] = 'G';
	text = payload("g");
	ck_assert_uint_eq(strlen(text), G_DIGITS);
	memcpy(g + 1, text, G_DIGITS);
	for (size_t i = 0; i < PT_LEN(offset); i++)
		ck_assert_int_eq(sscanf(g + 1 + 2 * offset[i], "%8x", &v[i]), 1);
	*f = (struct pt_e500_frame){ v[0], v[1], v[2], v[3], v[4] };
	return 0;
}

static int set(void *state, const struct pt_e500_frame *f, struct pt_err *err)
{
	const uint32_t v[] = { f->r3, f->r4, f->r5, f->pc, f->msr };

	(void)state;
	(void)err;
	n_packets++;
	for (size_t i = 0; i < PT_LEN(offset); i++) {
		char digits[9];

		snprintf(digits, sizeof(digits), "%08x", v[i]);
		memcpy(g + 1 + 2 * offset[i], digits, 8);
	}
	ck_assert_str_eq(payload(g), "OK");
	return 0;
}

static int run(void *state, bool step, uint64_t end, struct pt_err *err)
{
	(void)state;
	(void)end;
	(void)err;
	n_packets++;
	ck_assert_str_eq(payload(step ? "s" : "c"), "T05thread:1;");
	return 0;
}

static int mem_run(void *state, struct pt_mem_op *ops, size_t n_ops, uint32_t timeout_ms, size_t *n_done,
		   uint64_t *fault_addr, struct pt_err *err)
{
	char packet[2 * PT_E500_SCRATCH_BYTES + 40];

	(void)state;
	(void)timeout_ms;
	(void)fault_addr;
	(void)err;
	for (*n_done = 0; *n_done < n_ops; ++*n_done) {
		const struct pt_mem_op *op = &ops[*n_done];
		bool read = op->what == PT_MEM_READ;
		int n = snprintf(packet, sizeof(packet), "%c%x,%zx%s", read ? 'm' : 'M', (unsigned)op->addr,
				 op->len_bytes, read ? "" : ":");
		uint8_t *bytes = op->bytes;
		const char *text;

		n_packets++;
		for (size_t i = 0; !read && i < op->len_bytes; i++)
			n += snprintf(packet + n, sizeof(packet) - (size_t)n, "%02x", bytes[i]);
		text = payload(packet);
		ck_assert(read || strcmp(text, "OK") == 0);
		ck_assert(!read || strlen(text) == 2 * op->len_bytes);
		for (size_t i = 0; read && i < op->len_bytes; i++) {
			unsigned byte;

			ck_assert_int_eq(sscanf(text + 2 * i, "%2x", &byte), 1);
			bytes[i] = (uint8_t)byte;
		}
	}
	return 0;
}

/* --- the core */

static uint8_t ram_before[PT_E500_RAM_BYTES];
static uint64_t regs_before[PT_VE500_REGS];

static void access_pmrs(struct pt_e500_scratch *s, struct pt_e500_op *ops, size_t n, unsigned most_packets)
{
	const uint8_t *ram = pt_e500_bytes(chip, 0, PT_E500_RAM_BYTES);
	struct pt_err err = { .msg = "" };

	memcpy(ram_before, ram, PT_E500_RAM_BYTES);
	for (unsigned reg = 0; reg < PT_VE500_REGS; reg++)
		regs_before[reg] = pt_ve500_reg(chip->cpu, reg);
	n_packets = 0;
	ck_assert_msg(pt_e500_scratch_run(s, ops, n, &err) == 0, "%s", err.msg);
	ck_assert_uint_le(n_packets, most_packets);
	for (unsigned reg = 0; reg < PT_VE500_REGS; reg++)
		ck_assert_uint_eq(pt_ve500_reg(chip->cpu, reg), regs_before[reg]);
	ck_assert_int_eq(memcmp(ram, ram_before, PT_E500_RAM_BYTES), 0);
}

static void make(void)
{
	struct pt_err err = { .msg = "" };

	settings = pt_params_new();
	board = pt_vboard_e500.make(settings, NULL, 0, &err);
	ck_assert_msg(board != NULL, "%s", err.msg);
	chip = pt_e500_of(board);
	pt_vboard_e500.advance(board, STARTED_NS);
	begin_serving(&pt_vboard_e500, board, "modern");
	now_ns = STARTED_NS;
	ck_assert_str_eq(payload("?"), "T02thread:1;");
}

static void done(void)
{
	end_serving();
	pt_vboard_e500.free(board);
	pt_params_free(settings);
}

START_TEST(counts_are_the_programs_alone)
{
	static const uint8_t events[] = { 2, 8, 9, 41 };	/* instructions, branches, loads, L1 D reloads */
	static const struct pt_mem_ops mem_ops = { .run = mem_run };
	struct pt_mem mem = { &mem_ops, NULL };
	struct pt_e500_port port = { .mem = &mem, .get = get, .set = set, .run = run };
	struct pt_e500_scratch s = { .port = &port, .addr = SCRATCH, .size_bytes = PT_E500_SCRATCH_BYTES };
	struct pt_e500_op set_up[9] = { { .pmr = PT_E500_PMGC0, .write = true } }, read[4];
	uint64_t want[4] = { 0 };

	make();
	for (unsigned n = 0; n < 4; n++) {
		set_up[1 + n] = (struct pt_e500_op){ .pmr = (uint16_t)(PT_E500_PMC0 + n), .write = true };
		set_up[5 + n] = (struct pt_e500_op){ .pmr = (uint16_t)(PT_E500_PMLCA0 + n), .write = true,
						     .value = FCM1 | (uint32_t)events[n] << 16 };
		read[n] = (struct pt_e500_op){ .pmr = (uint16_t)(PT_E500_PMC0 + n) };
	}
	access_pmrs(&s, set_up, PT_LEN(set_up), 11);
	for (unsigned round = 0; round < ROUNDS; round++) {
		for (unsigned n = 0; n < 4; n++)
			want[n] -= pt_ve500_events(chip->cpu)[events[n]];
		ck_assert_str_eq(ask("c"), "+");
		now_ns += 20000 + round * 1237;		/* wherever the demo is then */
		ask_raw("\x03", 1);
		for (unsigned n = 0; n < 4; n++)
			want[n] += pt_ve500_events(chip->cpu)[events[n]];
		access_pmrs(&s, read, PT_LEN(read), 8);
		for (unsigned n = 0; n < 4; n++)
			ck_assert_msg(read[n].value == want[n], "round %u, event %u: %u, not %llu", round, events[n],
				      read[n].value, (unsigned long long)want[n]);
	}
	ck_assert_uint_gt(want[0], 1000);
	done();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("e500_scratch_rsp");
	TCase *tc = tcase_create("board");

	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, counts_are_the_programs_alone);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
