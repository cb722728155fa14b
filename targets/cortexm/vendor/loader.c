/* See loader.h. The core runs the loop with interrupts masked: the vector table may be what is being erased. */
#include <string.h>

#include "targets/cortexm/core/cortexm.h"
#include "targets/cortexm/vendor/kinetis_ftfa.h"
#include "targets/cortexm/vendor/loader.h"
#include "base/util.h"

enum { BATCH_MS = 1000, POLL_US = 5000, BUFFER_MS = 3000 };
enum { ROW_R0 = 0, ROW_R1 = 1, ROW_R3 = 3, ROW_R5 = 5, ROW_R7 = 7, ROW_PRIMASK = 19, XPSR_T = 1 << 24 };

static const uint8_t code[] = {
			/*       @ r0 = FTFA, r1 = the buffer in turn, r7 = first buffer XOR second */
	0x0a, 0x68,	/* next: ldr  r2, [r1, #0]	@ longwords, 0: wait */
	0x00, 0x2a,	/*       cmp  r2, #0 */
	0xfc, 0xd0,	/*       beq  next */
	0x4b, 0x68,	/*       ldr  r3, [r1, #4]	@ where to */
	0x0c, 0x1c,	/*       adds r4, r1, #0 */
	0x08, 0x34,	/*       adds r4, #8		@ what */
	0x06, 0x25,	/* word: movs r5, #6		@ program longword */
	0x2d, 0x06,	/*       lsls r5, r5, #24 */
	0x1d, 0x43,	/*       orrs r5, r3 */
	0x45, 0x60,	/*       str  r5, [r0, #4]	@ FCCOB0..3 */
	0x25, 0x68,	/*       ldr  r5, [r4, #0] */
	0x85, 0x60,	/*       str  r5, [r0, #8]	@ FCCOB4..7 */
	0x70, 0x25,	/*       movs r5, #0x70 */
	0x05, 0x70,	/*       strb r5, [r0, #0]	@ clear old errors */
	0x80, 0x25,	/*       movs r5, #0x80 */
	0x05, 0x70,	/*       strb r5, [r0, #0]	@ launch */
	0x05, 0x78,	/* busy: ldrb r5, [r0, #0] */
	0x2e, 0x06,	/*       lsls r6, r5, #24	@ CCIF into N */
	0xfc, 0xd5,	/*       bpl  busy */
	0x71, 0x26,	/*       movs r6, #0x71 */
	0x35, 0x42,	/*       tst  r5, r6		@ any error bit */
	0x07, 0xd1,	/*       bne  fail */
	0x04, 0x33,	/*       adds r3, #4 */
	0x04, 0x34,	/*       adds r4, #4 */
	0x01, 0x3a,	/*       subs r2, #1 */
	0xeb, 0xd1,	/*       bne  word */
	0x4b, 0x60,	/*       str  r3, [r1, #4]	@ the end: it was done */
	0x0a, 0x60,	/*       str  r2, [r1, #0]	@ the buffer is free */
	0x79, 0x40,	/*       eors r1, r7		@ the other one */
	0xe1, 0xe7,	/*       b    next */
	0x01, 0xbe,	/* fail: bkpt #1		@ r5 = FSTAT, r3 = address */
};

static uint32_t buffer_offset(unsigned which)
{
	return PT_LOADER_CODE_BYTES + which * PT_LOADER_BUFFER_BYTES;
}

int pt_ftfa_loader_access(struct pt_ftfa_loader *loader, unsigned what, uint32_t offset, uint8_t *bytes,
			  size_t len_bytes, struct pt_err *err)
{
	struct pt_mem_op op = { .what = (uint8_t)what, .code = true, .addr = loader->area + offset, .bytes = bytes,
				.len_bytes = len_bytes };

	return pt_mem_run(loader->cm->mem, &op, 1, BATCH_MS, NULL, err);
}

static int read_registers(struct pt_ftfa_loader *loader, const uint16_t *rows, size_t n, uint64_t *values,
			  struct pt_err *err)
{
	return pt_cortexm_read_registers(loader->cm, 0, rows, n, values, err);
}

static int write_registers(struct pt_ftfa_loader *loader, const uint16_t *rows, size_t n, const uint64_t *values,
			   struct pt_err *err)
{
	return pt_cortexm_write_registers(loader->cm, 0, rows, n, values, err);
}

/* --- open and close ----------------------------------------------------------------------------------------------- */

int pt_ftfa_loader_open(struct pt_ftfa_loader *loader, struct pt_cortexm *cm, struct pt_err *err)
{
	uint16_t rows[PT_LOADER_REGISTERS], primask = ROW_PRIMASK;

	*loader = (struct pt_ftfa_loader){ .cm = cm, .area = cm->chip.ram_addr };
	if (cm->chip.ram_bytes < PT_LOADER_AREA_BYTES)
		return pt_fail(err, PT_ESTATE, "no RAM for it");
	for (uint16_t i = 0; i < PT_LOADER_REGISTERS; i++)
		rows[i] = i;
	if (read_registers(loader, rows, PT_LOADER_REGISTERS, loader->registers, err) < 0 ||
	    read_registers(loader, &primask, 1, &loader->primask, err) < 0)
		return err->code;
	return pt_ftfa_loader_access(loader, PT_MEM_READ, 0, loader->saved, PT_LOADER_AREA_BYTES, err);
}

int pt_ftfa_loader_halt(struct pt_ftfa_loader *loader, struct pt_err *err)
{
	return pt_cortexm_halt(loader->cm, 0, err);
}

int pt_ftfa_loader_close(struct pt_ftfa_loader *loader, struct pt_err *err)
{
	uint16_t rows[PT_LOADER_REGISTERS], primask = ROW_PRIMASK;

	for (uint16_t i = 0; i < PT_LOADER_REGISTERS; i++)
		rows[i] = i;
	if (pt_ftfa_loader_halt(loader, err) < 0 ||
	    pt_ftfa_loader_access(loader, PT_MEM_WRITE, 0, loader->saved, PT_LOADER_AREA_BYTES, err) < 0 ||
	    write_registers(loader, rows, PT_LOADER_REGISTERS, loader->registers, err) < 0)
		return err->code;
	return write_registers(loader, &primask, 1, &loader->primask, err);
}

/* --- run ---------------------------------------------------------------------------------------------------------- */

static int start_core(struct pt_ftfa_loader *loader, struct pt_err *err)
{
	const uint16_t rows[] = { PT_ROW_PC, PT_ROW_XPSR, ROW_PRIMASK };
	const uint64_t values[] = { loader->area, XPSR_T, 1 };

	if (write_registers(loader, rows, PT_LEN(rows), values, err) < 0)
		return err->code;
	return pt_cortexm_resume(loader->cm, 0, err);
}

int pt_ftfa_loader_run(struct pt_ftfa_loader *loader, const uint8_t *bytes, size_t code_bytes, uint32_t word,
		       const uint16_t *rows, const uint64_t *values, size_t n_rows, struct pt_err *err)
{
	uint8_t head[PT_LOADER_CODE_BYTES + 4] = { 0 };

	memcpy(head, bytes, code_bytes);
	pt_put_le32(head + PT_LOADER_CODE_BYTES, word);
	if (pt_ftfa_loader_access(loader, PT_MEM_WRITE, 0, head, sizeof(head), err) < 0 ||
	    write_registers(loader, rows, n_rows, values, err) < 0)
		return err->code;
	return start_core(loader, err);
}

int pt_ftfa_loader_start(struct pt_ftfa_loader *loader, struct pt_err *err)
{
	static const uint16_t rows[] = { ROW_R0, ROW_R1, ROW_R7 };
	const uint32_t first = loader->area + buffer_offset(0), second = loader->area + buffer_offset(1);
	const uint64_t values[] = { FTFA_BASE, first, first ^ second };
	uint8_t is_free[8] = { 0 };

	_Static_assert(sizeof(code) <= PT_LOADER_CODE_BYTES, "the loop has its place");
	loader->next = 0;
	if (pt_ftfa_loader_access(loader, PT_MEM_WRITE, buffer_offset(0), is_free, sizeof(is_free), err) < 0 ||
	    pt_ftfa_loader_access(loader, PT_MEM_WRITE, buffer_offset(1), is_free, sizeof(is_free), err) < 0)
		return err->code;
	return pt_ftfa_loader_run(loader, code, sizeof(code), 0, rows, values, PT_LEN(rows), err);
}

/* --- buffers ------------------------------------------------------------------------------------------------------ */

/* The word does not become 0: checks whether the loop has stopped at an error. */
static int why_stuck(struct pt_ftfa_loader *loader, struct pt_err *err)
{
	const uint16_t rows[] = { ROW_R3, ROW_R5 };
	uint64_t values[2];
	struct pt_core_status status;

	if (pt_cortexm_status(loader->cm, 0, &status, err) < 0)
		return err->code;
	if (status.state != PT_HALTED)
		return pt_fail(err, PT_ETIMEOUT, "the loader in RAM does not answer");
	if (read_registers(loader, rows, PT_LEN(rows), values, err) < 0 ||
	    pt_ftfa_check_status((uint32_t)values[1], (uint32_t)values[0], err) < 0)
		return err->code;
	return pt_fail(err, PT_EPROTO, "the loader in RAM stopped by itself");
}

static struct pt_mem_op poll_for_0(const struct pt_ftfa_loader *loader, uint32_t offset)
{
	return (struct pt_mem_op){ .what = PT_MEM_POLL, .addr = loader->area + offset, .mask = UINT32_MAX, .match = 0,
				   .time_us = POLL_US };
}

int pt_ftfa_loader_wait(struct pt_ftfa_loader *loader, uint32_t offset, uint32_t in_ms, struct pt_err *err)
{
	uint64_t deadline_ns = pt_mem_now_ns(loader->cm->mem) + in_ms * PT_NS_PER_MS;
	struct pt_mem_op poll = poll_for_0(loader, offset);

	for (;;) {
		size_t n_done = 0;

		if (pt_mem_run(loader->cm->mem, &poll, 1, BATCH_MS, &n_done, err) < 0)
			return err->code;
		if (n_done == 1)
			return 0;
		if (pt_mem_now_ns(loader->cm->mem) >= deadline_ns)
			return why_stuck(loader, err);
	}
}

/* Fills a buffer, passes it to the loop by its count, and waits until the other one is free: one round trip. */
static int give(struct pt_ftfa_loader *loader, uint32_t offset, uint8_t *piece, size_t len_bytes, uint32_t other,
		struct pt_err *err)
{
	uint32_t at = loader->area + offset;
	struct pt_mem_op ops[] = {
		{ .what = PT_MEM_WRITE, .code = true, .addr = at + 4, .bytes = piece + 4, .len_bytes = 4 + len_bytes },
		{ .what = PT_MEM_WRITE, .code = true, .addr = at, .bytes = piece, .len_bytes = 4 },
		poll_for_0(loader, other),
	};
	size_t n_done = 0;

	if (pt_mem_run(loader->cm->mem, ops, PT_LEN(ops), BATCH_MS, &n_done, err) < 0)
		return err->code;
	return n_done == PT_LEN(ops) ? 0 : pt_ftfa_loader_wait(loader, other, BUFFER_MS, err);
}

static int put_piece(struct pt_ftfa_loader *loader, uint32_t addr, const uint8_t *bytes, size_t len_bytes,
		     struct pt_err *err)
{
	uint32_t offset = buffer_offset(loader->next);
	uint8_t piece[PT_LOADER_BUFFER_BYTES];

	pt_put_le32(piece, (uint32_t)(len_bytes / 4));
	pt_put_le32(piece + 4, addr);
	memcpy(piece + 8, bytes, len_bytes);
	loader->next ^= 1;
	return give(loader, offset, piece, len_bytes, buffer_offset(loader->next), err);
}

int pt_ftfa_loader_put(struct pt_ftfa_loader *loader, uint32_t addr, const uint8_t *bytes, size_t len_bytes,
		       struct pt_err *err)
{
	int rc = 0;

	while (rc == 0 && len_bytes > 0) {
		size_t piece = len_bytes < PT_LOADER_DATA_BYTES ? len_bytes : PT_LOADER_DATA_BYTES;

		rc = put_piece(loader, addr, bytes, piece, err);
		addr += (uint32_t)piece;
		bytes += piece;
		len_bytes -= piece;
	}
	return rc;
}

int pt_ftfa_loader_finish(struct pt_ftfa_loader *loader, struct pt_err *err)
{
	if (pt_ftfa_loader_wait(loader, buffer_offset(0), BUFFER_MS, err) < 0)
		return err->code;
	return pt_ftfa_loader_wait(loader, buffer_offset(1), BUFFER_MS, err);
}
