/* See cpu_rig.h. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cpu_rig.h"
#include "harness.h"

void rig_note(struct rig *rig, const char *fmt, ...)
{
	size_t len = strlen(rig->seen);
	va_list args;

	va_start(args, fmt);
	vsnprintf(rig->seen + len, sizeof(rig->seen) - len, fmt, args);
	va_end(args);
}

static void on_jump(void *arg, enum pt_vjump how, uint32_t from, uint32_t exc_return, uint32_t to)
{
	static const char *const name[] = { "B", "EXC", "RET", "TAIL", "DBG" };

	rig_note(arg, "%s %x", name[how], from);
	if (how == PT_VJUMP_EXC_RETURN || how == PT_VJUMP_TAIL_CHAIN)
		rig_note(arg, ">%x", exc_return & 0xff);
	rig_note(arg, ">%x ", to);
}

static bool on_bkpt(void *arg, uint32_t pc)
{
	struct rig *rig = arg;

	(void)pc;
	return rig->is_debugged;
}

static bool on_vector_catch(void *arg, unsigned exception)
{
	struct rig *rig = arg;

	return rig->catches && exception == PT_VEX_HARDFAULT;
}

static void on_halted(void *arg, uint32_t why)
{
	struct rig *rig = arg;

	rig->halts |= why;
}

static void on_reset_request(void *arg)
{
	struct rig *rig = arg;

	rig_note(rig, "RESET ");
	pt_vcpu_reset(rig->cpu, false);
}

static void put_code(struct rig *rig, uint32_t addr, const uint16_t *code, size_t n_halfwords)
{
	for (size_t i = 0; i < n_halfwords; i++)
		pt_put_le16(rig->core->flash + addr + 2 * i, code[i]);
	pt_vbus_changed(&rig->core->bus, addr, 2 * n_halfwords);
}

void rig_put_handler(struct rig *rig, unsigned exception, uint16_t insn)
{
	put_code(rig, HANDLERS + 0x100 * exception, (const uint16_t[]){ insn, BX_LR }, 2);
}

void rig_make(struct rig *rig, const uint16_t *code, size_t n_halfwords)
{
	struct pt_vcpu_hooks hooks = {
		.arg = rig, .bkpt = on_bkpt, .breakpoint = on_bkpt, .vector_catch = on_vector_catch,
		.halted = on_halted, .reset_request = on_reset_request,
	};

	*rig = (struct rig){ .core = pt_bare_core_new(), .observer = { .jump = on_jump } };
	ck_assert_ptr_nonnull(rig->core);
	rig->cpu = rig->core->cpu;
	rig->observer.arg = rig;
	pt_put_le32(rig->core->flash, STACK);
	pt_put_le32(rig->core->flash + 4, CODE | 1);
	for (unsigned n = 2; n < PT_VEX_IRQ0 + 4; n++) {
		pt_put_le32(rig->core->flash + 4 * n, (HANDLERS + 0x100 * n) | 1);
		rig_put_handler(rig, n, NOP);
	}
	put_code(rig, CODE, code, n_halfwords);
	pt_vcpu_set_hooks(rig->cpu, &hooks);
	pt_vcpu_reset(rig->cpu, true);
	pt_vcpu_add_observer(rig->cpu, &rig->observer);
}

void rig_done(struct rig *rig)
{
	pt_bare_core_free(rig->core);
}

void rig_write_reg(struct rig *rig, uint32_t addr, uint32_t value)
{
	struct pt_vaccess access = { addr, 4, PT_VMASTER_DEBUG, true };

	ck_assert(pt_vbus_write(&rig->core->bus, &access, value));
}

uint32_t rig_read_reg(struct rig *rig, uint32_t addr)
{
	struct pt_vaccess access = { addr, 4, PT_VMASTER_DEBUG, true };
	uint32_t value = 0;

	ck_assert(pt_vbus_read(&rig->core->bus, &access, &value));
	return value;
}

void rig_instructions(struct rig *rig, unsigned n)
{
	for (uint64_t end = pt_vcpu_instructions(rig->cpu) + n; pt_vcpu_instructions(rig->cpu) < end;)
		pt_vcpu_run(rig->cpu, pt_vcpu_cycle(rig->cpu) + 1);
}

void rig_pend(struct rig *rig, uint32_t lines)
{
	rig_write_reg(rig, ISER, lines);
	rig_write_reg(rig, ISPR, lines);
}
