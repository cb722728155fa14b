/* The smallest S12Z board, with a timer as simple as can be. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "probes/virtual/frame/elf.h"
#include "s12z_rig.h"

enum { NOP = 0x01 };
enum { TSCR1 = 6, TIE = 0x0c, TFLG1 = 0x0e };

struct snapshot {
	uint32_t reg[PT_VS12Z_REGS];
	uint8_t ram[S12Z_RAM_BYTES];
};

static struct snapshot before;	/* of the rig prepared last; tests run one after the other */

/* --- the timer */

static void timer_level(struct s12z_rig *rig)
{
	pt_vs12z_interrupt(rig->cpu, 12, (rig->timer[TFLG1] & rig->timer[TIE] & 1) != 0);
}

static void note_access(struct s12z_rig *rig, char kind, unsigned size_bytes)
{
	size_t used = strlen(rig->timer_seen);

	snprintf(rig->timer_seen + used, sizeof(rig->timer_seen) - used, "%c%u", kind, size_bytes);
}

static bool timer_read(void *unit, uint32_t offset, const struct pt_vaccess *access, uint32_t *value)
{
	struct s12z_rig *rig = unit;

	note_access(rig, 'r', access->size_bytes);
	*value = access->size_bytes == 2 ? pt_be16(rig->timer + offset) : rig->timer[offset];
	return true;
}

static bool timer_write(void *unit, uint32_t offset, const struct pt_vaccess *access, uint32_t value)
{
	struct s12z_rig *rig = unit;

	note_access(rig, 'w', access->size_bytes);
	if (offset == TFLG1 && access->size_bytes == 1)
		rig->timer[TFLG1] &= (uint8_t)~value;
	else if (access->size_bytes == 2)
		pt_put_be16(rig->timer + offset, (uint16_t)value);
	else
		rig->timer[offset] = (uint8_t)value;
	timer_level(rig);
	return true;
}

static uint64_t timer_next(void *unit)
{
	const struct s12z_rig *rig = unit;

	return rig->timer_period != 0 && rig->timer[TSCR1] >> 7 ? rig->timer_at : PT_VNEVER;
}

static void timer_tick(void *unit, uint64_t now_cycle)
{
	struct s12z_rig *rig = unit;

	rig->timer_at = now_cycle + rig->timer_period;
	rig->timer[TFLG1] |= 1;
	timer_level(rig);
}

static const struct pt_vunit_ops timer_ops = {
	.name = "timer", .read = timer_read, .write = timer_write, .next_tick = timer_next, .tick = timer_tick,
};

/* --- taps and hooks */

static void note(struct s12z_rig *rig, const char *kind, uint32_t from, uint32_t to, const char *tail)
{
	size_t used = strlen(rig->seen);

	snprintf(rig->seen + used, sizeof(rig->seen) - used, "%s %x>%x%s ", kind, from & 0xffff, to & 0xffff, tail);
}

static void on_cond(void *arg, uint32_t from, bool taken, uint32_t to)
{
	note(arg, "C", from, to, taken ? "+" : "-");
}

static void on_jump(void *arg, enum pt_vjump how, uint32_t from, uint32_t detail, uint32_t to)
{
	static const char *const kind[] = {
		[PT_VJUMP_BRANCH] = "B", [PT_VJUMP_EXCEPTION] = "E", [PT_VJUMP_EXC_RETURN] = "I",
		[PT_VJUMP_TAIL_CHAIN] = "?", [PT_VJUMP_DEBUG] = "D", [PT_VJUMP_GOTO] = "G", [PT_VJUMP_CALL] = "L",
		[PT_VJUMP_GOTO_OPERAND] = "g",
		[PT_VJUMP_CALL_OPERAND] = "l", [PT_VJUMP_RETURN] = "R",
	};
	char tail[16] = "";

	if (how == PT_VJUMP_EXCEPTION)
		snprintf(tail, sizeof(tail), "@%02x", detail >> 1 & 0xff);
	else if (how == PT_VJUMP_GOTO_OPERAND || how == PT_VJUMP_CALL_OPERAND)
		snprintf(tail, sizeof(tail), "/%u", detail);
	else
		ck_assert_uint_eq(detail, 0);
	note(arg, kind[how], from, to, tail);
}

static bool on_bgnd(void *arg, uint32_t pc)
{
	(void)pc;
	return ((struct s12z_rig *)arg)->bgnd_enabled;
}

static enum pt_vs12z_tag on_fetch(void *arg, uint32_t pc)
{
	const struct s12z_rig *rig = arg;

	return pc == rig->tagged_pc ? rig->tag : PT_VS12Z_GO_ON;
}

static void on_halted(void *arg, uint32_t why)
{
	((struct s12z_rig *)arg)->halts |= why;
}

static void on_illegal(void *arg, uint32_t addr, bool write, uint32_t pc)
{
	struct s12z_rig *rig = arg;

	(void)write;
	(void)pc;
	rig->n_illegal++;
	rig->illegal_addr = addr;
}

static void on_asleep(void *arg, enum pt_vs12z_state state)
{
	(void)state;
	((struct s12z_rig *)arg)->n_asleep++;
}

/* --- making */

static void make_vectors(struct s12z_rig *rig)
{
	for (unsigned n = 0; n < 124; n++) {
		uint32_t handler = n == 0 ? S12Z_CODE : S12Z_HANDLERS + 0x10 * n;

		s12z_put(rig, 0xfffffc - 4 * n, 4, handler);
		s12z_put(rig, S12Z_HANDLERS + 0x10 * n, 4, 0x01011b90);	/* NOP, NOP, RTI */
	}
}

void s12z_make(struct s12z_rig *rig, const struct pt_vs12z_options *options, const uint8_t *code, size_t n_bytes)
{
	memset(rig, 0, sizeof(*rig));
	rig->bus.big_endian = true;
	pt_vbus_add(&rig->bus, &(struct pt_vregion){ .base = S12Z_RAM, .size = S12Z_RAM_BYTES, .bytes = rig->ram });
	/* in two, so that code may cross a border */
	for (uint32_t at = 0; at < S12Z_FLASH_BYTES; at += S12Z_FLASH_BYTES / 2)
		pt_vbus_add(&rig->bus, &(struct pt_vregion){ .base = S12Z_FLASH + at,
							     .size = S12Z_FLASH_BYTES / 2,
							     .bytes = rig->flash + at,
							     .read_only = true });
	pt_vbus_add(&rig->bus, &(struct pt_vregion){
				       .base = S12Z_TIMER, .size = S12Z_TIMER_BYTES, .ops = &timer_ops, .unit = rig });
	memset(rig->flash, NOP, sizeof(rig->flash));
	rig->cpu = pt_vs12z_new(&rig->bus, options);
	ck_assert_ptr_nonnull(rig->cpu);
	make_vectors(rig);
	memcpy(rig->flash + (S12Z_CODE - S12Z_FLASH), code, n_bytes);
	pt_vs12z_set_hooks(rig->cpu, &(struct pt_vs12z_hooks){ .arg = rig,
							       .bgnd = on_bgnd,
							       .fetch = on_fetch,
							       .halted = on_halted,
							       .illegal = on_illegal,
							       .asleep = on_asleep });
	rig->observer = (struct pt_vobserver){ .arg = rig, .cond = on_cond, .jump = on_jump };
	pt_vs12z_add_observer(rig->cpu, &rig->observer);
	pt_vs12z_reset(rig->cpu, true, false);
	pt_vs12z_set_reg(rig->cpu, PT_VS12Z_S, S12Z_STACK);
}

void s12z_done(struct s12z_rig *rig)
{
	pt_vs12z_free(rig->cpu);
}

void s12z_steps(struct s12z_rig *rig, unsigned n)
{
	uint64_t end = pt_vs12z_instructions(rig->cpu) + n;
	uint64_t patience = pt_vs12z_cycle(rig->cpu) + 100 * (uint64_t)n + 1000;

	while (pt_vs12z_instructions(rig->cpu) < end && pt_vs12z_cycle(rig->cpu) < patience)
		pt_vs12z_run(rig->cpu, pt_vs12z_cycle(rig->cpu) + 1);
}

/* --- words */

static uint8_t *bytes_at(const struct s12z_rig *rig, uint32_t addr)
{
	const uint8_t *p = addr >= S12Z_FLASH ? rig->flash + (addr - S12Z_FLASH) : rig->ram + (addr - S12Z_RAM);

	return (uint8_t *)p;
}

uint32_t s12z_get(const struct s12z_rig *rig, uint32_t addr, unsigned size_bytes)
{
	uint32_t value = 0;

	while (size_bytes-- > 0)
		value = value << 8 | *bytes_at(rig, addr++);
	return value;
}

void s12z_put(struct s12z_rig *rig, uint32_t addr, unsigned size_bytes, uint32_t value)
{
	for (unsigned i = size_bytes; i-- > 0; value >>= 8)
		*bytes_at(rig, addr + i) = (uint8_t)value;
	pt_vbus_changed(&rig->bus, addr, size_bytes);
}

static unsigned register_of(const char *name, size_t length)
{
	static const char *const names[] = {
		"d0", "d1", "d2", "d3", "d4", "d5", "d6", "d7", "x", "y", "s", "p", "ccw",
	};

	for (unsigned i = 0; i < PT_LEN(names); i++)
		if (strlen(names[i]) == length && strncmp(name, names[i], length) == 0)
			return i;
	ck_abort_msg("no register \"%.*s\"", (int)length, name);
	return 0;
}

static uint32_t flags_of(const char *letters)
{
	uint32_t flags = 0;

	for (; *letters != '\0'; letters++)
		flags |= *letters == 'N'   ? PT_VS12Z_N
			 : *letters == 'Z' ? PT_VS12Z_Z
			 : *letters == 'V' ? PT_VS12Z_V
					   : PT_VS12Z_C;
	return flags;
}

static void apply_bytes(struct snapshot *to, uint32_t addr, const char *hex)
{
	for (; isxdigit((unsigned char)hex[0]) && isxdigit((unsigned char)hex[1]); hex += 2) {
		char two[3] = { hex[0], hex[1], '\0' };

		ck_assert(addr >= S12Z_RAM && addr < S12Z_RAM + S12Z_RAM_BYTES);
		to->ram[addr++ - S12Z_RAM] = (uint8_t)strtoul(two, NULL, 16);
	}
}

static void apply(struct snapshot *to, const char *words)
{
	char copy[256], *save = NULL;

	snprintf(copy, sizeof(copy), "%s", words);
	for (char *word = strtok_r(copy, " ", &save); word != NULL; word = strtok_r(NULL, " ", &save)) {
		char *equals = strchr(word, '='), *colon = strchr(word, ':');

		if (colon != NULL)
			apply_bytes(to, (uint32_t)strtoul(word, NULL, 16), colon + 1);
		else if (word[0] == 'f')
			to->reg[PT_VS12Z_CCW] = (to->reg[PT_VS12Z_CCW] & ~15u) | flags_of(word + 2);
		else
			to->reg[register_of(word, (size_t)(equals - word))] = (uint32_t)strtoul(equals + 1, NULL, 16);
	}
}

static void take(struct s12z_rig *rig, struct snapshot *to)
{
	for (unsigned i = 0; i < PT_VS12Z_REGS; i++)
		to->reg[i] = pt_vs12z_reg(rig->cpu, i);
	memcpy(to->ram, rig->ram, sizeof(to->ram));
}

void s12z_prepare(struct s12z_rig *rig, const char *words)
{
	take(rig, &before);
	apply(&before, words);
	for (unsigned i = 0; i < PT_VS12Z_REGS; i++)
		pt_vs12z_set_reg(rig->cpu, i, before.reg[i]);
	memcpy(rig->ram, before.ram, sizeof(rig->ram));
	pt_vbus_changed(&rig->bus, S12Z_RAM, S12Z_RAM_BYTES);
}

void s12z_check(struct s12z_rig *rig, const char *words, const char *what)
{
	static struct snapshot want, is;

	want = before;
	apply(&want, words);
	take(rig, &is);
	for (unsigned i = 0; i < PT_VS12Z_REGS; i++)
		ck_assert_msg(is.reg[i] == want.reg[i], "%s: register %u is %x, want %x", what, i, is.reg[i],
			      want.reg[i]);
	for (unsigned i = 0; i < S12Z_RAM_BYTES; i++)
		if (is.ram[i] != want.ram[i])
			ck_abort_msg("%s: %x is %02x, want %02x", what, S12Z_RAM + i, is.ram[i], want.ram[i]);
}

/* --- firmware */

static int place(void *arg, uint32_t addr, const uint8_t *bytes, size_t n_bytes, struct pt_err *err)
{
	struct s12z_rig *rig = arg;

	if (addr < S12Z_FLASH || n_bytes > 0x1000000 - addr)
		return pt_fail(err, PT_EARG, "not in flash: 0x%x", addr);
	memcpy(bytes_at(rig, addr), bytes, n_bytes);
	pt_vbus_changed(&rig->bus, addr, (uint32_t)n_bytes);
	return 0;
}

void s12z_load(struct s12z_rig *rig, const char *path)
{
	static uint8_t elf[1 << 17];
	struct pt_err err = { 0 };
	FILE *f = fopen(path, "rb");
	size_t n_bytes;

	ck_assert_ptr_nonnull(f);
	n_bytes = fread(elf, 1, sizeof(elf), f);
	fclose(f);
	ck_assert_msg(pt_velf_load(elf, n_bytes, PT_VELF_S12Z, place, rig, &err) == 0, "%s: %s", path, err.msg);
	pt_vs12z_reset(rig->cpu, true, false);
}
