/* The virtual S12Z's DBG module alone, with a bus, a clock and a core that is played, for tests. */
#ifndef PT_TESTS_S12Z_DBG_RIG_H
#define PT_TESTS_S12Z_DBG_RIG_H

#include <stdio.h>
#include <string.h>

#include "harness.h"
#include "probes/virtual/cpu/s12z/s12z.h"
#include "probes/virtual/unit/s12z/s12z_dbg.h"

enum { C1, C2, TCRH, TCRL, TB, CNT = 6, SCR1, SCR2, SCR3, EFR, SR, ACTL = 0x10, BCTL = 0x20, CCTL = 0x30, DCTL = 0x40 };

static struct pt_vbus bus;
static struct pt_vwires wires;
static struct pt_vs12z_dbg dbg;
static uint64_t now;
static uint32_t pc;
static unsigned breaks, swis;
static bool secured, enbdc, watched;

static inline uint32_t get_pc(void *arg)
{
	(void)arg;
	return pc;
}

static inline void on_break(void *arg, bool into_bdm)
{
	(void)arg;
	into_bdm ? breaks++ : swis++;
}

static inline bool is_enabled(void *arg)
{
	(void)arg;
	return enbdc;
}

static inline bool is_secured(void *arg)
{
	(void)arg;
	return secured;
}

static inline void on_watch(void *arg, bool on)
{
	(void)arg;
	watched = on;
}

static inline void open_dbg(const struct pt_vs12z_dbg_quirks *quirks)
{
	const struct pt_vs12z_dbg_chip chip = {
		.pc = get_pc, .breakpoint = on_break, .bdm_allowed = is_enabled, .secured = is_secured,
		.watch = on_watch,
	};
	const struct pt_vs12z_dbg_quirks none = { .no_trace = false };

	bus = (struct pt_vbus){ .big_endian = true, .now_cycle = &now };
	wires = (struct pt_vwires){ .bus = &bus, .core_hz = 50000000 };
	now = 1000;
	pc = 0xff8000;
	breaks = swis = 0;
	secured = false;
	enbdc = true;
	pt_vs12z_dbg_init(&dbg, &wires, &chip, quirks != NULL ? quirks : &none);
	pt_vs12z_dbg_ops.reset(&dbg, true);
}

static inline void setup(void)
{
	open_dbg(NULL);
}

static inline void put(uint32_t at, uint8_t value)
{
	const struct pt_vaccess access = { 0x100 + at, 1, PT_VMASTER_DEBUG, true };

	ck_assert(pt_vs12z_dbg_ops.write(&dbg, at, &access, value));
}

static inline uint32_t get(uint32_t at, uint8_t size_bytes)
{
	const struct pt_vaccess access = { 0x100 + at, size_bytes, PT_VMASTER_DEBUG, true };
	uint32_t value = 0;

	ck_assert(pt_vs12z_dbg_ops.read(&dbg, at, &access, &value));
	return value;
}

static inline void unlock(void)
{
	const struct pt_vaccess access = { 0x104, 2, PT_VMASTER_DEBUG, true };

	ck_assert(pt_vs12z_dbg_ops.write(&dbg, TB, &access, 0));
}

static inline void comparator(uint32_t at, uint8_t control, uint32_t addr)
{
	put(at + 5, (uint8_t)(addr >> 16));
	put(at + 6, (uint8_t)(addr >> 8));
	put(at + 7, (uint8_t)addr);
	put(at, control);
}

/* --- what the core does */

static inline void cond(bool taken)
{
	if (dbg.observer.cond != NULL)
		dbg.observer.cond(dbg.observer.arg, 0xff8010, taken, 0xff8020);
	if (taken && dbg.observer.jump != NULL)
		dbg.observer.jump(dbg.observer.arg, PT_VJUMP_BRANCH, 0xff8010, 0, 0xff8020);
}

static inline void jump(enum pt_vjump how, uint32_t detail, uint32_t to)
{
	if (dbg.observer.jump != NULL)
		dbg.observer.jump(dbg.observer.arg, how, 0xff8010, detail, to);
}

static inline void insn(uint32_t at)
{
	if (watched)
		pt_vs12z_dbg_fetch(&dbg, at);
	if (dbg.observer.insn != NULL)
		dbg.observer.insn(dbg.observer.arg, at);
}

static inline void data(uint32_t addr, unsigned size_bytes, bool write, uint32_t value)
{
	if (dbg.observer.data != NULL)
		dbg.observer.data(dbg.observer.arg, addr, size_bytes, write, value, pc);
}

/* Time passes; ticks come on their cycles. */
static inline void pass(uint64_t cycles)
{
	uint64_t end = now + cycles;

	while (pt_vs12z_dbg_ops.next_tick(&dbg) <= end) {
		now = pt_vs12z_dbg_ops.next_tick(&dbg);
		pt_vs12z_dbg_ops.tick(&dbg, now);
	}
	now = end;
}

static inline void profile(void)
{
	put(TCRH, 0x40);
	put(TCRL, 0x06);
	put(C1, 0x80);
}

static inline void stop_and_read(uint8_t lines[PT_VS12Z_DBG_LINES][8])
{
	put(C1, 0);
	pass(64 * 128 + 100);
	ck_assert_uint_eq(get(SR, 1) & 0x10, 0);
	put(TCRL, 0);
	unlock();
	for (unsigned i = 0; i < PT_VS12Z_DBG_LINES; i++)
		pt_vs12z_dbg_read_line(&dbg, lines[i]);
}

/* What happens, in a few letters: t, n a branch taken or not; i an
 * indirect jump to 0xff8123; v the vector IRQ; a number of cycles; S software's disarm; an upper-case T or N is 31 or
 * 30 of them. */

static inline void play(const char *what)
{
	for (; *what != '\0'; what++) {
		switch (*what) {
		case 't': case 'n':
			cond(*what == 't');
			break;
		case 'T':
			for (int i = 0; i < 31; i++)
				cond(true);
			break;
		case 'N':
			for (int i = 0; i < 30; i++)
				cond(false);
			break;
		case 'i':
			jump(PT_VJUMP_RETURN, 0, 0xff8123);
			break;
		case 'v':
			jump(PT_VJUMP_EXCEPTION, 0xffffd4, 0xff9000);
			break;
		case 'S':
			put(C1, 0);
			break;
		default:
			pass(strtoul(what, (char **)(uintptr_t)&what, 0));
			what--;
		}
	}
}

static inline TCase *cases_of(Suite *suite, const char *name)
{
	TCase *tc = tcase_create(name);

	tcase_add_checked_fixture(tc, setup, NULL);
	suite_add_tcase(suite, tc);
	return tc;
}

#endif
