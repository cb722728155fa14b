/* The target cortexm end to end: through the CMSIS-DAP driver and the model link to the virtual board kl27 with its
 * demo firmware, on its virtual clock. */
#include <stdio.h>
#include <string.h>

#include "harness.h"
#include "probes/registry.h"
#include "probes/virtual/boards.h"
#include "targets/cortexm/vendor/loader.h"
#include "targets/cortexm/vendor/flash_checksum.h"
#include "targets/registry.h"
#include "tests/array_sink.h"
#include "trace/loss.h"

enum { RAM = 0x1fffe000, RAM_BYTES = 0x8000, FREE_RAM = 0x20000000, FLASH_BYTES = 0x40000 };
enum { ROW_SP = 13, ROW_PC = 15, ROW_PRIMASK = 19, ROW_CONTROL };

static struct pt_probe *probe;
static struct pt_target *target;
static struct pt_err err;

static uint64_t round_trips(void)
{
	struct pt_link_traffic traffic;

	pt_link_traffic(pt_probe_link(probe), &traffic);
	return traffic.round_trips;
}

#define OK(call)                                                                                                      \
	do {                                                                                                          \
		int ok_rc = (call);                                                                                   \
		ck_assert_msg(ok_rc == 0, "%s: %d: %s", #call, ok_rc, err.msg);                                       \
	} while (0)

/* --- a link on top of the model's: somebody interrupts whatever blocks, so that nothing but a shield gets through - */

static struct pt_link *outer;
static bool nagging;
static unsigned nagged;

static void nag(void)
{
	if (!nagging)
		return;
	pt_link_interrupt(outer);
	nagged++;
}

static int nag_submit(void *inner, const uint8_t *packet, size_t len_bytes, uint64_t deadline_ns, struct pt_err *why)
{
	return pt_link_submit(inner, packet, len_bytes, deadline_ns, why);
}

static int nag_receive(void *inner, uint8_t *buf, size_t buf_bytes, uint64_t deadline_ns, struct pt_err *why)
{
	nag();
	return pt_link_receive(inner, buf, buf_bytes, deadline_ns, why);
}

static int nag_wait(void *inner, uint64_t until_ns, struct pt_err *why)
{
	nag();
	return pt_link_wait(inner, until_ns, why);
}

static void nag_close(void *inner)
{
	pt_link_close(inner);
}

static void nag_info(void *inner, struct pt_link_info *out)
{
	pt_link_info(inner, out);
}

static uint64_t nag_now_ns(void *inner)
{
	return pt_link_now_ns(inner);
}

static void nag_interrupt(void *inner)
{
	pt_link_interrupt(inner);
}

static void nag_set_packet_bytes(void *inner, size_t packet_bytes)
{
	pt_link_set_packet_bytes(inner, packet_bytes);
}

static const struct pt_link_ops nag_ops = {
	.name = "nag", .close = nag_close, .info = nag_info, .submit = nag_submit, .receive = nag_receive,
	.now_ns = nag_now_ns, .wait = nag_wait, .interrupt = nag_interrupt, .set_packet_bytes = nag_set_packet_bytes,
};

/* Opens the board as words of its URI have it; err has what attach says. */
static void attach_by(const struct pt_probe_ops *driver, const char *words)
{
	struct pt_link *link;
	char name[120];

	snprintf(name, sizeof(name), "kl27?clock=virtual%s", words);
	link = pt_model_link_open(name, &err);
	ck_assert_msg(link != NULL, "%s", err.msg);
	outer = pt_link_new(&nag_ops, link);
	probe = pt_probe_open_link(driver, outer, NULL, &err);
	ck_assert_msg(probe != NULL, "%s", err.msg);
	target = pt_target_attach(probe, "cortexm", NULL, &err);
	ck_assert_msg(target != NULL, "%s", err.msg);
}

static void attach_to(const char *words)
{
	attach_by(&pt_cmsis_dap_ops, words);
}

static void setup(void)
{
	attach_to("");
	ck_assert_msg(err.code == 0, "%s", err.msg);
}

static void teardown(void)
{
	if (target != NULL)
		pt_target_detach(target, true, &err);
	pt_probe_close(probe);
	target = NULL;
	probe = NULL;
}

static struct pt_core_status status(void)
{
	struct pt_core_status now;

	OK(target->ops->status(target->state, 0, &now, &err));
	return now;
}

static uint64_t read_row(uint16_t row)
{
	uint64_t value = 0;

	OK(target->ops->read_registers(target->state, 0, &row, 1, &value, &err));
	return value;
}

static void write_row(uint16_t row, uint64_t value)
{
	OK(target->ops->write_registers(target->state, 0, &row, 1, &value, &err));
}

static struct pt_mem *mem(void)
{
	return target->ops->mem(target->state, 0);
}

static uint32_t read32(uint64_t addr)
{
	uint32_t value = 0;

	OK(pt_mem_read32(mem(), addr, &value, &err));
	return value;
}

static void pass_ms(uint64_t ms)
{
	OK(pt_mem_wait(mem(), pt_mem_now_ns(mem()) + ms * PT_NS_PER_MS, &err));
}

static void wait_halted(void)
{
	for (int i = 0; i < 1000 && status().state != PT_HALTED; i++)
		pass_ms(1);
	ck_assert_int_eq(status().state, PT_HALTED);
}

static void halt(void)
{
	OK(target->ops->halt(target->state, 0, &err));
	ck_assert_int_eq(status().state, PT_HALTED);
}

static void resume(void)
{
	OK(target->ops->resume(target->state, 0, &err));
}

/* --- attach ------------------------------------------------------------------------------------------------------- */

START_TEST(attaches_without_halting)
{
	uint64_t trips = round_trips();
	enum pt_run_state state = status().state;

	ck_assert_str_eq(target->ops->chip(target->state), "MKL27Z256 (Cortex-M0+ r0p1)");
	ck_assert(state == PT_RUNNING || state == PT_SLEEPING);
	ck_assert_uint_eq(read32(0xe000edf0) & 1, 0);	/* C_DEBUGEN is off */
	ck_assert_uint_eq(read32(0xe000edfc), 0);	/* DEMCR as found */
	ck_assert_msg(trips <= 40, "%u round trips", (unsigned)trips);
	halt();
	ck_assert_uint_ne(read_row(ROW_PC), 0);
	ck_assert_msg(round_trips() <= 40, "%u round trips to the first register", (unsigned)round_trips());
}
END_TEST

static void count_line(void *arg, const char *line)
{
	ck_assert_uint_gt(strlen(line), 0);
	++*(int *)arg;
}

START_TEST(describes_what_it_found)
{
	int n_lines = 0;
	size_t n_regions;
	const struct pt_region *region = target->ops->regions(target->state, &n_regions);

	target->ops->describe(target->state, count_line, &n_lines);
	ck_assert_int_ge(n_lines, 5);
	ck_assert_uint_eq(n_regions, 4);
	ck_assert_int_eq(region[0].kind, PT_REGION_FLASH);
	ck_assert_uint_eq(region[0].size, FLASH_BYTES);
	ck_assert_int_eq(region[2].kind, PT_REGION_RAM);
	ck_assert_uint_eq(region[2].addr, RAM);
	ck_assert_uint_eq(region[2].size, RAM_BYTES);
}
END_TEST

/* --- run control -------------------------------------------------------------------------------------------------- */

START_TEST(halts_steps_and_resumes)
{
	uint64_t pc, trips;
	bool moved = false;

	halt();
	ck_assert_int_eq(status().reason, PT_HALT_REQUEST);
	pc = read_row(ROW_PC);
	pass_ms(5);
	ck_assert_uint_eq(read_row(ROW_PC), pc);
	for (int i = 0; i < 20; i++) {
		trips = round_trips();
		OK(target->ops->step(target->state, 0, &err));
		ck_assert_uint_le(round_trips() - trips, 4);
		ck_assert_int_eq(status().reason, PT_HALT_STEP);
		moved |= read_row(ROW_PC) != pc;	/* a loop may come back to it */
	}
	ck_assert(moved);
	resume();
	ck_assert_int_ne(status().state, PT_HALTED);
}
END_TEST

START_TEST(registers_need_a_halted_core)
{
	uint16_t row = ROW_PC;
	uint64_t value;

	ck_assert_int_eq(target->ops->read_registers(target->state, 0, &row, 1, &value, &err), PT_ESTATE);
	row = 99;
	ck_assert_int_eq(target->ops->read_registers(target->state, 0, &row, 1, &value, &err), PT_EARG);
}
END_TEST

START_TEST(all_registers_in_one_batch)
{
	size_t n;
	uint16_t rows[32];
	uint64_t values[32], trips;

	target->ops->registers(target->state, &n);
	for (uint16_t i = 0; i < n; i++)
		rows[i] = i;
	halt();
	trips = round_trips();
	OK(target->ops->read_registers(target->state, 0, rows, n, values, &err));
	ck_assert_uint_eq(round_trips() - trips, 1);
	for (uint16_t i = 0; i < 13; i++)
		write_row(i, 0x1000 + i);
	write_row(ROW_PRIMASK, 1);
	ck_assert_uint_eq(read_row(ROW_PRIMASK), 1);
	ck_assert_uint_eq(read_row(ROW_CONTROL), values[ROW_CONTROL]);
	for (uint16_t i = 0; i < 13; i++)
		ck_assert_uint_eq(read_row(i), 0x1000u + i);
	OK(target->ops->write_registers(target->state, 0, rows, n, values, &err));
	ck_assert_uint_eq(read_row(ROW_PRIMASK), values[ROW_PRIMASK]);
	ck_assert_uint_eq(read_row(ROW_SP), values[ROW_SP]);
}
END_TEST

START_TEST(sleep_is_a_state)
{
	bool slept = false;

	for (int i = 0; i < 200 && !slept; i++) {
		slept = status().state == PT_SLEEPING;
		pass_ms(1);
	}
	ck_assert(slept);
}
END_TEST

/* --- reset -------------------------------------------------------------------------------------------------------- */

static const struct { enum pt_reset_kind kind; bool halted; } reset_kinds[] = {
	{ PT_RESET_RUN, false }, { PT_RESET_HALT, true }, { PT_RESET_INIT, true },
};

START_TEST(resets)
{
	struct pt_core_status now;

	OK(target->ops->reset(target->state, reset_kinds[_i].kind, &err));
	now = status();
	ck_assert_int_eq(now.state == PT_HALTED, reset_kinds[_i].halted);
	ck_assert(!now.was_reset);
	if (reset_kinds[_i].halted) {
		ck_assert_int_eq(now.reason, PT_HALT_VECTOR_CATCH);
		ck_assert_uint_eq(read_row(ROW_PC), read32(4) & ~1u);
		ck_assert_uint_eq(read_row(ROW_SP), read32(0));
	}
	ck_assert_uint_eq(read32(0xe000edfc) & 1, 0);
}
END_TEST

START_TEST(notices_a_foreign_reset)
{
	status();
	pt_mem_write32(mem(), 0xe000ed0c, 0x05fa0004, &err);
	pass_ms(10);
	ck_assert(status().was_reset);
	ck_assert(!status().was_reset);
}
END_TEST

/* --- breakpoints -------------------------------------------------------------------------------------------------- */

/* Somewhere the demo comes by again and again: where it was found, single-stepped past whatever slept. */
static uint64_t busy_place(void)
{
	halt();
	return read_row(ROW_PC);
}

START_TEST(hardware_breakpoint_stops_and_lets_go)
{
	struct pt_break at = { .kind = PT_BREAK_HW, .addr = busy_place(), .len = 2 };

	OK(target->ops->break_insert(target->state, &at, &err));
	OK(target->ops->break_insert(target->state, &at, &err));	/* again: nothing happens */
	for (int i = 0; i < 3; i++) {
		resume();
		wait_halted();
		ck_assert_int_eq(status().reason, PT_HALT_BREAK_HW);
		ck_assert_uint_eq(status().addr, at.addr);
		ck_assert_uint_eq(read_row(ROW_PC), at.addr);
	}
	OK(target->ops->break_remove(target->state, &at, &err));
	OK(target->ops->break_remove(target->state, &at, &err));
	resume();
	pass_ms(20);
	ck_assert_int_ne(status().state, PT_HALTED);
}
END_TEST

START_TEST(hardware_breakpoints_run_out)
{
	struct pt_break at = { .kind = PT_BREAK_HW, .addr = 0x1000, .len = 2 };

	OK(target->ops->break_insert(target->state, &at, &err));
	at.addr = 0x1002;
	OK(target->ops->break_insert(target->state, &at, &err));
	at.addr = 0x1004;
	ck_assert_int_eq(target->ops->break_insert(target->state, &at, &err), PT_EBUSY);
	at.addr = 0x20000100;
	ck_assert_int_eq(target->ops->break_insert(target->state, &at, &err), PT_EUNSUPPORTED);
	at.addr = 0x1001;
	ck_assert_int_eq(target->ops->break_insert(target->state, &at, &err), PT_EARG);
}
END_TEST

/* adds r0, #1; adds r0, #1; b . - 4 */
static const uint8_t loop[] = { 0x40, 0x1c, 0x40, 0x1c, 0xfc, 0xe7 };

static void run_loop_in_ram(void)
{
	halt();
	OK(pt_mem_write(mem(), FREE_RAM, loop, sizeof(loop), &err));
	write_row(ROW_PRIMASK, 1);
	write_row(0, 0);
	write_row(ROW_PC, FREE_RAM);
}

START_TEST(software_breakpoint_in_ram)
{
	struct pt_break at = { .kind = PT_BREAK_SW, .addr = FREE_RAM + 2, .len = 2 };
	uint8_t seen[sizeof(loop)];

	run_loop_in_ram();
	OK(target->ops->break_insert(target->state, &at, &err));
	OK(pt_mem_read(mem(), FREE_RAM, seen, sizeof(seen), &err));
	ck_assert_mem_eq(seen, loop, sizeof(loop));	/* hidden */
	for (uint64_t turn = 1; turn < 4; turn++) {
		resume();
		wait_halted();
		ck_assert_int_eq(status().reason, PT_HALT_BREAK_SW);
		ck_assert_uint_eq(read_row(ROW_PC), FREE_RAM + 2);
		ck_assert_uint_eq(read_row(0), 2 * turn - 1);
	}
	OK(target->ops->step(target->state, 0, &err));
	ck_assert_uint_eq(read_row(ROW_PC), FREE_RAM + 4);
	OK(target->ops->break_remove(target->state, &at, &err));
	OK(pt_mem_read(mem(), FREE_RAM, seen, sizeof(seen), &err));
	ck_assert_mem_eq(seen, loop, sizeof(loop));
}
END_TEST

START_TEST(watchpoint_names_its_address)
{
	/* str r0, [r1]; adds r0, #1; b . - 4 */
	static const uint8_t stores[] = { 0x08, 0x60, 0x40, 0x1c, 0xfc, 0xe7 };
	struct pt_break at = { .kind = PT_WATCH_WRITE, .addr = FREE_RAM + 0x100, .len = 4 };

	run_loop_in_ram();
	OK(pt_mem_write(mem(), FREE_RAM, stores, sizeof(stores), &err));
	write_row(1, FREE_RAM + 0x100);
	OK(target->ops->break_insert(target->state, &at, &err));
	resume();
	wait_halted();
	ck_assert_int_eq(status().reason, PT_HALT_WATCH_WRITE);
	ck_assert_uint_eq(status().addr, FREE_RAM + 0x100);
	OK(target->ops->break_remove(target->state, &at, &err));
	resume();
	pass_ms(5);
	ck_assert_int_ne(status().state, PT_HALTED);
	at.len = 3;
	ck_assert_int_eq(target->ops->break_insert(target->state, &at, &err), PT_EARG);
}
END_TEST

/* --- memory ------------------------------------------------------------------------------------------------------- */

START_TEST(memory_while_running)
{
	uint8_t out[1500], in[1500];

	for (size_t i = 0; i < sizeof(out); i++)
		out[i] = (uint8_t)(i * 7);
	OK(pt_mem_write(mem(), FREE_RAM + 1, out, sizeof(out), &err));
	OK(pt_mem_read(mem(), FREE_RAM + 1, in, sizeof(in), &err));
	ck_assert_mem_eq(in, out, sizeof(out));
	ck_assert_int_ne(status().state, PT_HALTED);
	ck_assert_int_eq(pt_mem_read(mem(), 0x1fff0000, in, 16, &err), PT_EFAULT);
	ck_assert_msg(strstr(err.msg, "0x1fff0000") != NULL, "%s", err.msg);
	ck_assert_int_eq(pt_mem_read(mem(), RAM + RAM_BYTES - 64, in, 128, &err), PT_EFAULT);
	ck_assert_msg(strstr(err.msg, "0x20006000") != NULL, "%s", err.msg);
	OK(pt_mem_read(mem(), FREE_RAM + 1, in, sizeof(in), &err));
}
END_TEST

/* --- flash -------------------------------------------------------------------------------------------------------- */

START_TEST(programs_and_verifies)
{
	enum { AT = 0x20000, LEN = 5000 };
	static uint8_t image[LEN], seen[LEN];

	for (size_t i = 0; i < LEN; i++)
		image[i] = (uint8_t)(i * 31 + 5);
	memset(image + 200, 0xff, 600);
	halt();
	OK(target->ops->flash_erase(target->state, AT, 5 * 1024, &err));
	OK(target->ops->flash_write(target->state, AT, image, 4001, &err));
	OK(target->ops->flash_write(target->state, AT + 4001, image + 4001, LEN - 4001, &err));
	OK(target->ops->flash_done(target->state, NULL, &err));
	OK(pt_mem_read(mem(), AT, seen, LEN, &err));
	ck_assert_mem_eq(seen, image, LEN);
	ck_assert_int_eq(status().state, PT_HALTED);
	ck_assert_uint_eq(read_row(ROW_PC), read32(4) & ~1u);
	resume();
	pass_ms(5);
	ck_assert_int_ne(status().state, PT_LOCKED_UP);
}
END_TEST

/* Five sectors from 128 KiB on, with what seed says in them; how long it took. */
static uint64_t load_ms(uint8_t seed, size_t len_bytes)
{
	enum { AT = 0x20000, LEN = 5 * 1024 };
	static uint8_t image[LEN], seen[LEN];
	uint64_t before_ns = pt_mem_now_ns(mem());

	for (size_t i = 0; i < LEN; i++)
		image[i] = i < len_bytes ? (uint8_t)(i / 4 * 31 + seed) : 0xff;
	OK(target->ops->flash_erase(target->state, AT, LEN, &err));
	OK(target->ops->flash_write(target->state, AT, image, len_bytes, &err));
	OK(target->ops->flash_done(target->state, NULL, &err));
	before_ns = pt_mem_now_ns(mem()) - before_ns;
	ck_assert_int_eq(pt_link_wait(outer, 0, NULL), nagging ? PT_EINTERRUPTED : 0);
	nagging = false;
	OK(pt_mem_read(mem(), AT, seen, LEN, &err));
	ck_assert_mem_eq(seen, image, LEN);
	return before_ns / PT_NS_PER_MS;
}

/* Erasing takes 14 ms a sector, programming 16 ms. */
START_TEST(leaves_alone_what_is_there)
{
	uint64_t blank_ms, other_ms;

	halt();
	blank_ms = load_ms(1, 5 * 1024);
	other_ms = load_ms(2, 5 * 1024);
	ck_assert_uint_ge(other_ms, blank_ms + 60);
	ck_assert_uint_le(load_ms(2, 5 * 1024), other_ms - 140);
	ck_assert_uint_le(load_ms(2, 4 * 1024), other_ms - 120);	/* the last one is erased, nothing is written */
}
END_TEST

START_TEST(tells_what_does_not_take_it)
{
	uint8_t some[8] = { 0x55, 0x55, 0x55, 0x55, 1, 2, 3, 4 }, other[4] = { 0xaa, 0xaa, 0xaa, 0xaa };

	halt();
	OK(target->ops->flash_write(target->state, 0x30000, some, sizeof(some), &err));	/* blank: needs no erasing */
	OK(target->ops->flash_done(target->state, NULL, &err));
	ck_assert_uint_eq(read32(0x30000), 0x55555555);
	OK(target->ops->flash_write(target->state, 0x30000, other, sizeof(other), &err));
	ck_assert_int_eq(target->ops->flash_done(target->state, NULL, &err), PT_EPROTO);
	ck_assert_msg(strstr(err.msg, "0x00030000") != NULL, "%s", err.msg);
	ck_assert_int_eq(status().state, PT_HALTED);
}
END_TEST

/* Who wants something else meanwhile has to wait: flash is not left half-written, however often somebody asks. */
START_TEST(loads_to_the_end_when_interrupted)
{
	halt();
	for (uint8_t i = 0; i < 3; i++) {
		nagged = 0;
		nagging = true;
		load_ms(i, 2560 + 4 * i);	/* verified by the target, and by reading */
		ck_assert_uint_gt(nagged, 50);
	}
	ck_assert_int_eq(status().state, PT_HALTED);
}
END_TEST

/* The core and the host must agree, and a single bit must count wherever it is. */
START_TEST(sums_of_sectors)
{
	enum { N = 3 };
	struct pt_ftfa_loader loader;
	uint8_t sector[PT_LOADER_SECTOR_BYTES];
	uint64_t sums[N];

	halt();
	OK(pt_ftfa_loader_open(&loader, target->state, &err));
	OK(pt_ftfa_loader_sums(&loader, 0, N, sums, &err));
	OK(pt_ftfa_loader_close(&loader, &err));
	for (uint32_t i = 0; i < N; i++) {
		OK(pt_mem_read(mem(), i * sizeof(sector), sector, sizeof(sector), &err));
		ck_assert_uint_eq(sums[i], pt_ftfa_sum(sector));
	}
	for (size_t bit = 0; bit < 8 * sizeof(sector); bit++) {
		sector[bit / 8] ^= (uint8_t)(1 << bit % 8);
		ck_assert_uint_ne(sums[N - 1], pt_ftfa_sum(sector));
		sector[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
}
END_TEST

START_TEST(refuses_to_lock_the_chip)
{
	uint8_t config[16] = { 0 };

	halt();
	memset(config, 0xff, sizeof(config));
	OK(target->ops->flash_erase(target->state, 0x400, 0x400, &err));
	ck_assert_int_eq(target->ops->flash_write(target->state, 0x400, config, sizeof(config), &err), PT_EPERM);
	config[12] = 0xfe;
	OK(target->ops->flash_write(target->state, 0x400, config, 8, &err));	/* FSEC is left out: it is kept open */
	OK(target->ops->flash_done(target->state, NULL, &err));
	ck_assert_uint_eq(read32(0x40c), 0xfffffffe);
	ck_assert_int_eq(target->ops->flash_write(target->state, FLASH_BYTES, config, 16, &err), PT_EARG);
	ck_assert_int_eq(target->ops->flash_erase(target->state, 0x10, 0x400, &err), PT_EARG);
}
END_TEST

/* --- source mtb --------------------------------------------------------------------------------------------------- */

static struct array_sink sink;
static const struct pt_source_ops *source;
static void *source_state;
static struct pt_span free_ram[] = { { FREE_RAM, 0x2000 } };	/* the demo's own data lie above */

static void start_source(const char *name, const char *word)
{
	struct pt_params *settings = pt_params_new();
	struct pt_source_setup with = { .settings = settings, .sink = &sink.sink, .free_ram = free_ram, .n_free_ram = 1,
					.seed = 7, .config = "target=kl27\n" };
	size_t n;
	const struct pt_source_ops *const *sources = target->ops->sources(target->state, &n);

	for (size_t i = 0; i < n; i++)
		if (strcmp(sources[i]->name, name) == 0)
			source = sources[i];
	ck_assert_ptr_nonnull(source);
	if (word != NULL)
		OK(pt_params_add(settings, source->params, source->n_params, word, &err));
	array_sink_init(&sink);
	source_state = calloc(1, source->state_bytes);
	OK(source->start(source_state, target, &with, &err));
	pt_params_free(settings);
}

static void drain_until_data(size_t n)
{
	for (int i = 0; i < 20000 && array_sink_count(&sink, PT_CHUNK_DATA, -1) < n; i++) {
		int rc = source->drain(source_state, &err);

		ck_assert_msg(rc >= 0, "%s", err.msg);
		if (rc > 0)
			OK(pt_mem_wait(mem(), pt_mem_now_ns(mem()) + (uint64_t)rc * 1000, &err));
	}
	ck_assert_uint_ge(array_sink_count(&sink, PT_CHUNK_DATA, -1), n);
}

static void stop_source(void)
{
	OK(source->stop(source_state, &err));
	array_sink_check(&sink);
	free(source_state);
	array_sink_fini(&sink);
}

/* Each packet leaves from where the program lies, or from an exception return. */
static void check_packets(void)
{
	for (size_t i = 0; i < sink.n_chunks; i++)
		for (uint32_t at = 0; sink.chunk[i]->kind == PT_CHUNK_DATA && at < sink.chunk[i]->len_bytes; at += 8) {
			uint32_t from = pt_le32(sink.chunk[i]->bytes + at);

			ck_assert_msg(from < FLASH_BYTES || from >= 0xff000000, "packet from 0x%08x", (unsigned)from);
		}
}

static const char *const mtb_modes[] = { "mode=burst", "mode=stream", "mode=halt" };

START_TEST(mtb_modes_record_and_restore)
{
	uint32_t before[3], after[3];

	OK(pt_mem_read(mem(), 0xf0000000, before, sizeof(before), &err));
	start_source("mtb", mtb_modes[_i]);
	drain_until_data(20);
	check_packets();
	ck_assert_uint_eq(array_sink_count(&sink, PT_CHUNK_LOSS, PT_LOSS_TAKEN), 0);
	ck_assert_uint_eq(array_sink_count(&sink, PT_CHUNK_LOSS, PT_LOSS_RESET), 0);
	ck_assert_uint_eq(array_sink_count(&sink, PT_CHUNK_LOSS, PT_LOSS_WRAP), 0);
	stop_source();
	OK(pt_mem_read(mem(), 0xf0000000, after, sizeof(after), &err));
	ck_assert_mem_eq(after, before, sizeof(before));
	ck_assert_int_ne(status().state, PT_HALTED);
}
END_TEST

START_TEST(a_burst_costs_few_round_trips)
{
	uint64_t trips;

	start_source("mtb", "period=5ms");
	drain_until_data(4);
	trips = round_trips();
	drain_until_data(24);
	/* 2 for the data in steps of 2 KiB, at most 2 besides */
	ck_assert_msg(round_trips() - trips <= 20 * 4, "%u for 20 bursts", (unsigned)(round_trips() - trips));
	stop_source();
}
END_TEST

static void find_mtb(void *arg, const char *line)
{
	*(int *)arg += strstr(line, "changed: MTB") != NULL || strstr(line, "records into 0x20000000") != NULL;
}

START_TEST(status_shows_what_a_source_changed)
{
	int n_lines = 0;

	start_source("mtb", NULL);
	drain_until_data(1);
	target->ops->describe(target->state, find_mtb, &n_lines);
	ck_assert_int_eq(n_lines, 4);
	stop_source();
	n_lines = 0;
	target->ops->describe(target->state, find_mtb, &n_lines);
	ck_assert_int_eq(n_lines, 0);
}
END_TEST

START_TEST(pcsr_samples_the_program)
{
	size_t n_asleep = 0;

	start_source("pcsr", NULL);
	drain_until_data(200);
	for (size_t i = 0; i < sink.n_chunks; i++)
		for (uint32_t at = 0; sink.chunk[i]->kind == PT_CHUNK_DATA && at < sink.chunk[i]->len_bytes; at += 4)
			ck_assert_uint_lt(pt_le32(sink.chunk[i]->bytes + at), FLASH_BYTES);
	n_asleep = array_sink_count(&sink, PT_CHUNK_STATE, PT_STATE_SLEEP);
	ck_assert_uint_gt(n_asleep, 0);
	stop_source();
	ck_assert_uint_eq(read32(0xe000edfc), 0);
}
END_TEST

/* --- detach ------------------------------------------------------------------------------------------------------- */

START_TEST(detach_puts_everything_back)
{
	struct pt_break hard = { .kind = PT_BREAK_HW, .addr = 0x1000, .len = 2 };
	struct pt_break watch = { .kind = PT_WATCH_ACCESS, .addr = 0x20004000, .len = 4 };
	struct pt_break soft = { .kind = PT_BREAK_SW, .addr = FREE_RAM, .len = 2 };
	uint32_t before = read32(FREE_RAM), bpu = read32(0xe0002000);

	halt();
	OK(target->ops->break_insert(target->state, &hard, &err));
	OK(target->ops->break_insert(target->state, &watch, &err));
	OK(target->ops->break_insert(target->state, &soft, &err));
	OK(pt_target_detach(target, true, &err));
	target = pt_target_attach(probe, NULL, NULL, &err);	/* finds it as it was */
	ck_assert_msg(target != NULL, "%s", err.msg);
	ck_assert_int_ne(status().state, PT_HALTED);
	ck_assert_uint_eq(read32(0xe000edf0) & 1, 0);
	ck_assert_uint_eq(read32(0xe000edfc), 0);
	ck_assert_uint_eq(read32(0xe0002000), bpu);
	ck_assert_uint_eq(read32(0xe0002008), 0);
	ck_assert_uint_eq(read32(FREE_RAM), before);
}
END_TEST

START_TEST(connects_under_reset)
{
	struct pt_params *settings = pt_params_new();

	OK(pt_target_detach(target, true, &err));
	OK(pt_params_add(settings, pt_cortexm_ops.params, pt_cortexm_ops.n_params, "connect=under-reset", &err));
	target = pt_target_attach(probe, "cortexm", settings, &err);
	pt_params_free(settings);
	ck_assert_msg(target != NULL && err.code == 0, "%s", err.msg);
	ck_assert_int_eq(status().state, PT_HALTED);
	ck_assert_uint_eq(read_row(ROW_PC), read32(4) & ~1u);
}
END_TEST

/* --- other members of the family ---------------------------------------------------------------------------------- */

static const char *const odd_mtbs[] = {
	"&variant=mtb-base-0", "&variant=mtb-match-on-step", "&variant=mtb-tail-single", "&variant=skid-1", "&variant=skid-8",
};

START_TEST(odd_mtbs_record_all_the_same)
{
	teardown();
	attach_to(odd_mtbs[_i / 3]);
	start_source("mtb", mtb_modes[_i % 3]);
	drain_until_data(8);
	check_packets();
	for (int cause = PT_LOSS_FIRST_FAULT; cause < PT_N_LOSSES; cause++)
		if (cause != PT_LOSS_OVERRUN)
			ck_assert_uint_eq(array_sink_count(&sink, PT_CHUNK_LOSS, cause), 0);
	stop_source();
}
END_TEST

static const struct { const char *words, *says; int rc; bool offered; } no_mtb[] = {
	{ "&variant=no-mtb", "has no MTB", PT_EUNSUPPORTED, false },
	{ "&variant=mtb-in-use", "mtb-take", PT_EBUSY, true },
	{ "&variant=mtb-32", "32 bytes", PT_EUNSUPPORTED, false },
};

START_TEST(says_why_there_is_no_trace)
{
	struct pt_source_setup with = { .sink = &sink.sink, .free_ram = free_ram, .n_free_ram = 1, .config = "" };
	size_t n;

	teardown();
	attach_to(no_mtb[_i].words);
	array_sink_init(&sink);
	source = target->ops->sources(target->state, &n)[0];
	source_state = calloc(1, source->state_bytes);
	ck_assert_int_eq(source->available(target, &err), no_mtb[_i].offered ? 0 : PT_EUNSUPPORTED);
	ck_assert_msg(no_mtb[_i].offered || strstr(err.msg, no_mtb[_i].says) != NULL, "%s", err.msg);
	ck_assert_int_eq(source->start(source_state, target, &with, &err), no_mtb[_i].rc);
	ck_assert_msg(strstr(err.msg, no_mtb[_i].says) != NULL, "%s", err.msg);
	free(source_state);
	array_sink_fini(&sink);
}
END_TEST

/* Behind the first attach all ports of the wire are awake and answer as one: whoever asks for power then resets the chip. */
START_TEST(one_of_several_ports_is_selected)
{
	enum { IPR7 = 0xe000e41c, MARK = 0x40404040 };		/* priorities of lines that the firmware does not use */

	teardown();
	attach_to("&variant=multi-drop");
	ck_assert_msg(err.code == 0, "%s", err.msg);
	OK(pt_mem_write32(mem(), IPR7, MARK, &err));
	for (int i = 0; i < 2; i++) {
		ck_assert_uint_eq(read32(IPR7), MARK);
		OK(pt_target_detach(target, true, &err));
		target = pt_target_attach(probe, "cortexm", NULL, &err);
		ck_assert_msg(target != NULL && err.code == 0, "%s", err.msg);
	}
	ck_assert_uint_eq(read32(IPR7), MARK);
}
END_TEST

/* TARGETID, which says that of SWD, is where JTAG looks for the flags of errors. */
START_TEST(by_jtag_a_port_is_never_one_of_several)
{
	teardown();
	attach_by(&pt_xvc_ops, "&variant=multi-drop&probe=xvc");
	ck_assert_msg(err.code == 0, "%s", err.msg);
	ck_assert_uint_eq(read32(0), 0x20006000);
	ck_assert_ptr_null(pt_model_link_open("kl27?variant=second-core&probe=xvc", &err));
	ck_assert_msg(strstr(err.msg, "a debug port of its own on an SWD wire") != NULL, "%s", err.msg);
}
END_TEST

static const struct { const char *board, *swd_target, *says; } no_port[] = {
	{ "&variant=multi-drop", "swd-target=0x11002927", "no debug port answers to swd-target=0x11002927: check the number" },
	{ "", "swd-target=0x01002927", "no debug port answers to swd-target=0x01002927" },
};

START_TEST(a_port_that_is_not_there_is_said)
{
	struct pt_params *settings = pt_params_new();

	teardown();
	attach_to(no_port[_i].board);
	err = (struct pt_err){ 0 };
	OK(pt_target_detach(target, true, &err));
	OK(pt_params_add(settings, pt_cortexm_ops.params, pt_cortexm_ops.n_params, no_port[_i].swd_target, &err));
	err = (struct pt_err){ 0 };
	target = pt_target_attach(probe, "cortexm", settings, &err);
	ck_assert_int_eq(err.code, PT_EPROTO);
	ck_assert_msg(strstr(err.msg, no_port[_i].says) != NULL, "%s", err.msg);
	pt_params_free(settings);
}
END_TEST

START_TEST(a_secured_chip_can_be_erased)
{
	teardown();
	attach_to("&variant=secured");
	ck_assert_int_eq(err.code, PT_ESTATE);
	OK(target->ops->mass_erase(target->state, &err));
	OK(pt_target_detach(target, true, &err));
	target = pt_target_attach(probe, "cortexm", NULL, &err);
	ck_assert_msg(target != NULL && err.code == 0, "%s", err.msg);
	ck_assert_uint_eq(read32(0), 0xffffffff);
}
END_TEST

START_TEST(a_secured_chip_may_refuse)
{
	teardown();
	attach_to("&variant=no-mass-erase");
	ck_assert_int_eq(err.code, PT_ESTATE);
	ck_assert_int_eq(target->ops->mass_erase(target->state, &err), PT_EPERM);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("cortexm on kl27");
	TCase *tc = tcase_create("cortexm");

	tcase_set_timeout(tc, 60);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, attaches_without_halting);
	tcase_add_test(tc, describes_what_it_found);
	tcase_add_test(tc, halts_steps_and_resumes);
	tcase_add_test(tc, registers_need_a_halted_core);
	tcase_add_test(tc, all_registers_in_one_batch);
	tcase_add_test(tc, sleep_is_a_state);
	tcase_add_loop_test(tc, resets, 0, PT_LEN(reset_kinds));
	tcase_add_test(tc, notices_a_foreign_reset);
	tcase_add_test(tc, hardware_breakpoint_stops_and_lets_go);
	tcase_add_test(tc, hardware_breakpoints_run_out);
	tcase_add_test(tc, software_breakpoint_in_ram);
	tcase_add_test(tc, watchpoint_names_its_address);
	tcase_add_test(tc, memory_while_running);
	tcase_add_test(tc, programs_and_verifies);
	tcase_add_test(tc, leaves_alone_what_is_there);
	tcase_add_test(tc, tells_what_does_not_take_it);
	tcase_add_test(tc, sums_of_sectors);
	tcase_add_test(tc, loads_to_the_end_when_interrupted);
	tcase_add_test(tc, refuses_to_lock_the_chip);
	tcase_add_loop_test(tc, mtb_modes_record_and_restore, 0, PT_LEN(mtb_modes));
	tcase_add_test(tc, a_burst_costs_few_round_trips);
	tcase_add_test(tc, status_shows_what_a_source_changed);
	tcase_add_loop_test(tc, odd_mtbs_record_all_the_same, 0, 3 * PT_LEN(odd_mtbs));
	tcase_add_loop_test(tc, says_why_there_is_no_trace, 0, PT_LEN(no_mtb));
	tcase_add_test(tc, one_of_several_ports_is_selected);
	tcase_add_test(tc, by_jtag_a_port_is_never_one_of_several);
	tcase_add_loop_test(tc, a_port_that_is_not_there_is_said, 0, PT_LEN(no_port));
	tcase_add_test(tc, a_secured_chip_can_be_erased);
	tcase_add_test(tc, a_secured_chip_may_refuse);
	tcase_add_test(tc, pcsr_samples_the_program);
	tcase_add_test(tc, detach_puts_everything_back);
	tcase_add_test(tc, connects_under_reset);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
