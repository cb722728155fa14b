#include "targets/arm/semihost.h"

#include <string.h>

#include "base/util.h"

enum { BKPT_AB = 0xbeab, APPLICATION_EXIT = 0x20026, SYS_EXIT = 0x18, SYS_EXIT_EXTENDED = 0x20 };

/* Indexed by the number in r0. Source: Semihosting for AArch32 and AArch64, chapter 5 */
static const uint8_t operations[] = {
	[0x01] = PT_HOST_OPEN, [0x02] = PT_HOST_CLOSE, [0x03] = PT_HOST_WRITEC, [0x04] = PT_HOST_WRITE0,
	[0x05] = PT_HOST_WRITE, [0x06] = PT_HOST_READ, [0x07] = PT_HOST_READC, [0x08] = PT_HOST_ISERROR,
	[0x09] = PT_HOST_ISTTY, [0x0a] = PT_HOST_SEEK, [0x0c] = PT_HOST_FLEN, [0x0d] = PT_HOST_TMPNAM,
	[0x0e] = PT_HOST_REMOVE, [0x0f] = PT_HOST_RENAME, [0x10] = PT_HOST_CLOCK, [0x11] = PT_HOST_TIME,
	[0x12] = PT_HOST_SYSTEM, [0x13] = PT_HOST_ERRNO, [0x15] = PT_HOST_GET_CMDLINE, [0x16] = PT_HOST_HEAPINFO,
	[SYS_EXIT] = PT_HOST_EXIT, [SYS_EXIT_EXTENDED] = PT_HOST_EXIT, [0x30] = PT_HOST_ELAPSED,
	[0x31] = PT_HOST_TICKFREQ,
};

/* SYS_EXIT has its reason in r1 and no status; SYS_EXIT_EXTENDED has both at r1. */
static void take_end(struct pt_host_call *call)
{
	uint32_t reason = call->number == SYS_EXIT ? call->arg : call->word[0];
	uint32_t status = call->number == SYS_EXIT ? 0 : call->word[1];

	call->word[0] = reason == APPLICATION_EXIT;
	call->word[1] = reason == APPLICATION_EXIT ? status : reason;
}

void pt_arm_host_decode(uint32_t r0, uint32_t r1, const uint32_t words[4], struct pt_host_call *call)
{
	*call = (struct pt_host_call){ .number = r0, .arg = r1 };
	call->op = r0 < PT_LEN(operations) ? operations[r0] : PT_HOST_UNKNOWN;
	memcpy(call->word, words, sizeof(call->word));
	if (call->op == PT_HOST_EXIT)
		take_end(call);
}

static uint16_t row_of(struct pt_target *target, const char *name)
{
	size_t n;
	const struct pt_register *rows = target->ops->registers(target->state, &n);
	uint16_t i = 0;

	while (i < n && strcmp(rows[i].name, name) != 0)
		i++;
	return i < n ? i : UINT16_MAX;
}

int pt_arm_host_call(struct pt_target *target, unsigned core, struct pt_host_call *call, struct pt_err *err)
{
	uint16_t rows[] = { row_of(target, "r0"), row_of(target, "r1"), row_of(target, "pc") };
	struct pt_mem *mem = target->ops->mem(target->state, core);
	uint32_t words[4] = { 0 };
	struct pt_err ignored;
	uint64_t values[3];
	uint8_t bytes[16] = { 0 };

	*call = (struct pt_host_call){ 0 };
	if (target->ops->read_registers(target->state, core, rows, 3, values, err) < 0)
		return err->code;
	if (pt_mem_read(mem, values[2], bytes, 2, &ignored) < 0 || pt_le16(bytes) != BKPT_AB)
		return 0;
	/* many take no block; for the others it is zero if it cannot be read */
	if (pt_mem_read(mem, (uint32_t)values[1], bytes, sizeof(bytes), &ignored) == 0)
		for (size_t i = 0; i < PT_LEN(words); i++)
			words[i] = pt_le32(bytes + 4 * i);
	pt_arm_host_decode((uint32_t)values[0], (uint32_t)values[1], words, call);
	return 1;
}

int pt_arm_host_answer(struct pt_target *target, unsigned core, int32_t result, uint64_t *pc, struct pt_err *err)
{
	uint16_t rows[] = { row_of(target, "r0"), row_of(target, "pc") };
	uint64_t values[2] = { (uint32_t)result };

	if (target->ops->read_registers(target->state, core, &rows[1], 1, &values[1], err) < 0)
		return err->code;
	values[1] += 2;
	*pc = values[1];
	return target->ops->write_registers(target->state, core, rows, 2, values, err);
}
