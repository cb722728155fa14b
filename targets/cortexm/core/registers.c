/* Core registers as rows, and their transfer: one batch for all, with S_REGRDY read for each, because on all known
 * parts a register is ready long before the next word of SWD; one that is not is read again separately. Source: Arm DDI
 * 0419 (ARMv6-M), C1.6.4 (DCRSR), C1.6.5 (DCRDR); DDI 0403 (ARMv7-M), C1.6.3. */
#include "targets/cortexm/core/cortexm.h"
#include "base/util.h"

#define M_PROFILE "org.gnu.gdb.arm.m-profile"
#define M_SYSTEM "org.gnu.gdb.arm.m-system"
#define SPECIAL "org.proftap.arm.m-special"
#define VFP "org.gnu.gdb.arm.vfp"

enum { BATCH_MS = 1000, READY_US = 5000, MAX_AT_ONCE = 24, MOST_ROWS = 48 };
/* REGSEL 20 holds four bytes: CONTROL, FAULTMASK, BASEPRI, PRIMASK. A row's id is REGSEL, and 0x100 times the byte +
 * 1. */
enum { REGSEL_SPECIAL = 20, PRIMASK = REGSEL_SPECIAL | 0x100, BASEPRI = REGSEL_SPECIAL | 0x200,
       FAULTMASK = REGSEL_SPECIAL | 0x300, CONTROL = REGSEL_SPECIAL | 0x400 };
/* Registers of the FPU. Source: Arm DDI 0403, C1.6.3 */
enum { REGSEL_FPSCR = 0x21, REGSEL_S0 = 0x40 };
#define D(n) { "d" #n, VFP, "ieee_double", "float", 32 + (n), 64, REGSEL_S0 + 2 * (n) }

/* Each architecture has the first of these rows: ARMv6-M, ARMv7-M, and with an FPU. */
static const struct pt_register rows[] = {	/* name, feature, type, group, GDB's number, bits, id */
	{ "r0", M_PROFILE, NULL, NULL, 0, 32, 0 },
	{ "r1", M_PROFILE, NULL, NULL, 1, 32, 1 },
	{ "r2", M_PROFILE, NULL, NULL, 2, 32, 2 },
	{ "r3", M_PROFILE, NULL, NULL, 3, 32, 3 },
	{ "r4", M_PROFILE, NULL, NULL, 4, 32, 4 },
	{ "r5", M_PROFILE, NULL, NULL, 5, 32, 5 },
	{ "r6", M_PROFILE, NULL, NULL, 6, 32, 6 },
	{ "r7", M_PROFILE, NULL, NULL, 7, 32, 7 },
	{ "r8", M_PROFILE, NULL, NULL, 8, 32, 8 },
	{ "r9", M_PROFILE, NULL, NULL, 9, 32, 9 },
	{ "r10", M_PROFILE, NULL, NULL, 10, 32, 10 },
	{ "r11", M_PROFILE, NULL, NULL, 11, 32, 11 },
	{ "r12", M_PROFILE, NULL, NULL, 12, 32, 12 },
	{ "sp", M_PROFILE, "data_ptr", NULL, 13, 32, 13 },
	{ "lr", M_PROFILE, NULL, NULL, 14, 32, 14 },
	{ "pc", M_PROFILE, "code_ptr", NULL, 15, 32, 15 },
	{ "xpsr", M_PROFILE, NULL, NULL, 25, 32, 16 },
	{ "msp", M_SYSTEM, "data_ptr", "system", 26, 32, 17 },
	{ "psp", M_SYSTEM, "data_ptr", "system", 27, 32, 18 },
	{ "primask", SPECIAL, "int8", "system", 28, 8, PRIMASK },
	{ "control", SPECIAL, "int8", "system", 29, 8, CONTROL },
#define N_V6_M 21
	{ "basepri", SPECIAL, "int8", "system", 30, 8, BASEPRI },
	{ "faultmask", SPECIAL, "int8", "system", 31, 8, FAULTMASK },
#define N_V7_M 23
	D(0), D(1), D(2), D(3), D(4), D(5), D(6), D(7), D(8), D(9), D(10), D(11), D(12), D(13), D(14), D(15),
	{ "fpscr", VFP, NULL, "float", 48, 32, REGSEL_FPSCR },
#define N_V7_M_FPU 40
};
_Static_assert(PT_LEN(rows) == N_V7_M_FPU && PT_LEN(rows) <= MOST_ROWS, "counts of the rows");

/* v8-M Baseline has neither BASEPRI nor FAULTMASK, as ARMv6-M. */
static size_t n_rows(const struct pt_cortexm *cm)
{
	if (cm->chip.fpu)
		return N_V7_M_FPU;
	return pt_cortexm_is_mainline(&cm->chip) ? N_V7_M : N_V6_M;
}

const struct pt_register *pt_cortexm_registers(void *state, size_t *n)
{
	*n = n_rows(state);
	return rows;
}

static uint32_t regsel(uint16_t id)
{
	return id & 0x7f;
}

static unsigned lane(uint16_t id)
{
	return id >> 8 != 0 ? 8 * ((id >> 8) - 1u) : 0;
}

static struct pt_mem_op word_op(struct pt_cortexm *cm, enum pt_mem_do what, uint32_t offset, uint8_t *bytes)
{
	return (struct pt_mem_op){ .what = (uint8_t)what, .width_bytes = 4, .addr = pt_cortexm_reg(cm, offset),
				   .bytes = bytes, .len_bytes = 4 };
}

/* --- one transfer, with all the patience it may need -------------------------------------------------------------- */

static int wait_ready(struct pt_cortexm *cm, struct pt_mem_op *ops, size_t n, uint32_t sel, struct pt_err *err)
{
	size_t n_done = 0;

	if (pt_mem_run(cm->mem, ops, n, BATCH_MS, &n_done, err) < 0)
		return err->code;
	if (n_done < n)
		return pt_fail(err, PT_ETIMEOUT, "the core does not hand over register %u", (unsigned)sel);
	return 0;
}

static struct pt_mem_op ready_poll(struct pt_cortexm *cm)
{
	return (struct pt_mem_op){ .what = PT_MEM_POLL, .addr = pt_cortexm_reg(cm, SCS_DHCSR), .mask = DHCSR_S_REGRDY,
				   .match = DHCSR_S_REGRDY, .time_us = READY_US };
}

static int read_patiently(struct pt_cortexm *cm, uint32_t sel, uint32_t *value, struct pt_err *err)
{
	uint8_t select[4], bytes[4];
	struct pt_mem_op ops[] = {
		word_op(cm, PT_MEM_WRITE, SCS_DCRSR, select), ready_poll(cm),
		word_op(cm, PT_MEM_READ, SCS_DCRDR, bytes),
	};

	pt_put_le32(select, sel);
	if (wait_ready(cm, ops, PT_LEN(ops), sel, err) < 0)
		return err->code;
	*value = pt_le32(bytes);
	return 0;
}

static int write_patiently(struct pt_cortexm *cm, uint32_t sel, uint32_t value, struct pt_err *err)
{
	uint8_t bytes[4], select[4];
	struct pt_mem_op ops[] = {
		word_op(cm, PT_MEM_WRITE, SCS_DCRDR, bytes), word_op(cm, PT_MEM_WRITE, SCS_DCRSR, select),
		ready_poll(cm),
	};

	pt_put_le32(bytes, value);
	pt_put_le32(select, sel | DCRSR_WRITE);
	return wait_ready(cm, ops, PT_LEN(ops), sel, err);
}

/* --- many in one batch -------------------------------------------------------------------------------------------- */

struct transfer { uint8_t select[4], dhcsr[4], data[4]; };

/* PT_ESTATE: one of the DHCSR values shows a running core. */
static int check_halted(struct pt_cortexm *cm, const struct transfer *t, size_t n, struct pt_err *err)
{
	for (size_t i = 0; i < n; i++) {
		pt_cortexm_saw(cm, pt_le32(t[i].dhcsr));
		if ((pt_le32(t[i].dhcsr) & DHCSR_S_HALT) == 0)
			return pt_fail(err, PT_ESTATE,
				       "the core runs: registers can be reached only while it is halted");
	}
	return 0;
}

static bool was_ready(const struct transfer *t)
{
	return (pt_le32(t->dhcsr) & DHCSR_S_REGRDY) != 0;
}

/* n <= MAX_AT_ONCE REGSELs. */
static int read_batch(struct pt_cortexm *cm, const uint32_t *sels, size_t n, uint32_t *values, struct pt_err *err)
{
	struct pt_mem_op ops[3 * MAX_AT_ONCE];
	struct transfer t[MAX_AT_ONCE];

	for (size_t i = 0; i < n; i++) {
		pt_put_le32(t[i].select, sels[i]);
		ops[3 * i] = word_op(cm, PT_MEM_WRITE, SCS_DCRSR, t[i].select);
		ops[3 * i + 1] = word_op(cm, PT_MEM_READ, SCS_DHCSR, t[i].dhcsr);
		ops[3 * i + 2] = word_op(cm, PT_MEM_READ, SCS_DCRDR, t[i].data);
	}
	if (pt_mem_run(cm->mem, ops, 3 * n, BATCH_MS, NULL, err) < 0 || check_halted(cm, t, n, err) < 0)
		return err->code;
	for (size_t i = 0; i < n; i++) {
		values[i] = pt_le32(t[i].data);
		if (!was_ready(&t[i]) && read_patiently(cm, sels[i], &values[i], err) < 0)
			return err->code;
	}
	return 0;
}

static int write_batch(struct pt_cortexm *cm, const uint32_t *sels, size_t n, const uint32_t *values,
		       struct pt_err *err)
{
	struct pt_mem_op ops[3 * MAX_AT_ONCE];
	struct transfer t[MAX_AT_ONCE];

	for (size_t i = 0; i < n; i++) {
		pt_put_le32(t[i].data, values[i]);
		pt_put_le32(t[i].select, sels[i] | DCRSR_WRITE);
		ops[3 * i] = word_op(cm, PT_MEM_WRITE, SCS_DCRDR, t[i].data);
		ops[3 * i + 1] = word_op(cm, PT_MEM_WRITE, SCS_DCRSR, t[i].select);
		ops[3 * i + 2] = word_op(cm, PT_MEM_READ, SCS_DHCSR, t[i].dhcsr);
	}
	if (pt_mem_run(cm->mem, ops, 3 * n, BATCH_MS, NULL, err) < 0 || check_halted(cm, t, n, err) < 0)
		return err->code;
	for (size_t i = 0; i < n; i++)
		if (!was_ready(&t[i]) && write_patiently(cm, sels[i], values[i], err) < 0)
			return err->code;
	return 0;
}

/* Reads any number, in batches. */
static int read_all(struct pt_cortexm *cm, const uint32_t *sels, size_t n, uint32_t *words, struct pt_err *err)
{
	int rc = 0;

	for (size_t at = 0; rc == 0 && at < n; at += MAX_AT_ONCE)
		rc = read_batch(cm, sels + at, n - at < MAX_AT_ONCE ? n - at : MAX_AT_ONCE, words + at, err);
	return rc;
}

static int write_all(struct pt_cortexm *cm, const uint32_t *sels, size_t n, const uint32_t *words, struct pt_err *err)
{
	int rc = 0;

	for (size_t at = 0; rc == 0 && at < n; at += MAX_AT_ONCE)
		rc = write_batch(cm, sels + at, n - at < MAX_AT_ONCE ? n - at : MAX_AT_ONCE, words + at, err);
	return rc;
}

/* --- rows --------------------------------------------------------------------------------------------------------- */

static int check_rows(const struct pt_cortexm *cm, const uint16_t *which, size_t n, struct pt_err *err)
{
	if (n > MOST_ROWS)
		return pt_fail(err, PT_EARG, "more registers than there are");
	for (size_t i = 0; i < n; i++)
		if (which[i] >= n_rows(cm))
			return pt_fail(err, PT_EARG, "there is no register row %u", which[i]);
	return 0;
}

/* The number of words of a row: a double is two singles. */
static size_t words_of(const struct pt_register *row)
{
	return row->bits == 64 ? 2 : 1;
}

static size_t put_sels(const struct pt_register *row, uint32_t *sels)
{
	for (size_t i = 0; i < words_of(row); i++)
		sels[i] = regsel(row->id) + (uint32_t)i;
	return words_of(row);
}

static uint64_t value_of(const struct pt_register *row, const uint32_t *words)
{
	if (row->bits == 8)
		return words[0] >> lane(row->id) & 0xff;
	return row->bits == 64 ? words[0] | (uint64_t)words[1] << 32 : words[0];
}

int pt_cortexm_read_registers(void *state, unsigned core, const uint16_t *which, size_t n, uint64_t *values,
			      struct pt_err *err)
{
	uint32_t sels[2 * MOST_ROWS] = { 0 }, words[2 * MOST_ROWS] = { 0 };
	size_t n_words = 0, at = 0;

	(void)core;
	if (check_rows(state, which, n, err) < 0)
		return pt_wrap(err, "read registers");
	for (size_t i = 0; i < n; i++)
		n_words += put_sels(&rows[which[i]], sels + n_words);
	if (read_all(state, sels, n_words, words, err) < 0)
		return pt_wrap(err, "read registers");
	for (size_t i = 0; i < n; at += words_of(&rows[which[i++]]))
		values[i] = value_of(&rows[which[i]], words + at);
	return 0;
}

/* The special registers share a word: they are written one after the other, so that two in one request keep each
 * other's byte. */
static int write_special(struct pt_cortexm *cm, const struct pt_register *row, uint64_t value, struct pt_err *err)
{
	uint32_t sel = regsel(row->id), word = 0;

	if (read_batch(cm, &sel, 1, &word, err) < 0)
		return err->code;
	word &= ~(UINT32_C(0xff) << lane(row->id));
	word |= (uint32_t)(value & 0xff) << lane(row->id);
	return write_batch(cm, &sel, 1, &word, err);
}

int pt_cortexm_write_registers(void *state, unsigned core, const uint16_t *which, size_t n, const uint64_t *values,
			       struct pt_err *err)
{
	struct pt_cortexm *cm = state;
	uint32_t sels[2 * MOST_ROWS + 1] = { 0 }, words[2 * MOST_ROWS + 1] = { 0 };
	size_t n_whole = 0;

	(void)core;
	if (check_rows(cm, which, n, err) < 0)
		return pt_wrap(err, "write registers");
	for (size_t i = 0; i < n; i++)
		if (rows[which[i]].bits >= 32) {
			words[n_whole] = (uint32_t)values[i];
			words[n_whole + 1] = (uint32_t)(values[i] >> 32);
			n_whole += put_sels(&rows[which[i]], sels + n_whole);
		}
	if (write_all(cm, sels, n_whole, words, err) < 0)
		return pt_wrap(err, "write registers");
	for (size_t i = 0; i < n; i++)
		if (rows[which[i]].bits == 8 && write_special(cm, &rows[which[i]], values[i], err) < 0)
			return pt_wrap(err, "write %s", rows[which[i]].name);
	return 0;
}

int pt_cortexm_pc(void *state, unsigned core, uint64_t *pc, struct pt_err *err)
{
	return pt_cortexm_read_registers(state, core, &(uint16_t){ PT_ROW_PC }, 1, pc, err);
}
