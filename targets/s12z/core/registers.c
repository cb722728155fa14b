/* Core registers as rows, and their transfer in one batch. The BDC always transfers 32 bits, with the register's value
 * in the low bits. GDB has no target description for the S12Z: the numbers and sizes are GDB's built-in ones. Source:
 * ZVM p.163, p.168; GDB's own table of registers. */
#include <string.h>

#include "targets/s12z/core/s12z.h"
#include "base/util.h"

#define CORE "org.gnu.gdb.s12z.core"	/* not a feature known to GDB, which uses its built-in layout */

static const struct pt_register rows[PT_S12Z_ROWS] = {	/* name, feature, type, group, GDB's number, bits, CRN */
	{ "d0", CORE, "uint8", NULL, 0, 8, 0 },
	{ "d1", CORE, "uint8", NULL, 1, 8, 1 },
	{ "d2", CORE, "uint16", NULL, 2, 16, 2 },
	{ "d3", CORE, "uint16", NULL, 3, 16, 3 },
	{ "d4", CORE, "uint16", NULL, 4, 16, 4 },
	{ "d5", CORE, "uint16", NULL, 5, 16, 5 },
	{ "d6", CORE, "uint32", NULL, 6, 32, 6 },
	{ "d7", CORE, "uint32", NULL, 7, 32, 7 },
	{ "x", CORE, "data_ptr", NULL, 8, 24, 8 },
	{ "y", CORE, "data_ptr", NULL, 9, 24, 9 },
	{ "s", CORE, "data_ptr", NULL, 10, 24, 10 },
	{ "p", CORE, "code_ptr", NULL, 11, 24, 11 },
	{ "ccw", CORE, "uint16", NULL, 12, 16, 12 },
};

const struct pt_register *pt_s12z_registers(void *state, size_t *n)
{
	(void)state;
	*n = PT_LEN(rows);
	return rows;
}

static int check(struct pt_s12z *z, const uint16_t *which, size_t n, struct pt_err *err)
{
	if (n > PT_LEN(rows))
		return pt_fail(err, PT_EARG, "more registers than there are");
	for (size_t i = 0; i < n; i++)
		if (which[i] >= PT_LEN(rows))
			return pt_fail(err, PT_EARG, "there is no register row %u", which[i]);
	if (pt_wire_s12z_look(&z->wire, err) < 0)
		return err->code;
	if ((z->wire.csr & PT_BDC_BDMACT) == 0)
		return pt_fail(err, PT_ESTATE, "the core runs: registers can be reached only while it is halted");
	return 0;
}

static uint64_t mask_of(uint16_t row)
{
	return (UINT64_C(1) << rows[row].bits) - 1;
}

int pt_s12z_read_registers(void *state, unsigned core, const uint16_t *which, size_t n, uint64_t *values,
			   struct pt_err *err)
{
	struct pt_bdc_op op[PT_S12Z_ROWS];
	struct pt_s12z *z = state;

	(void)core;
	if (check(z, which, n, err) < 0)
		return pt_wrap(err, "read registers");
	for (size_t i = 0; i < n; i++)
		op[i] = (struct pt_bdc_op){ .what = PT_BDC_READ_RN, .crn = (uint8_t)rows[which[i]].id };
	if (pt_wire_s12z_run(&z->wire, op, n, NULL, err) < 0)
		return pt_wrap(err, "read registers");
	for (size_t i = 0; i < n; i++)
		values[i] = op[i].value & mask_of(which[i]);
	return 0;
}

int pt_s12z_write_registers(void *state, unsigned core, const uint16_t *which, size_t n, const uint64_t *values,
			    struct pt_err *err)
{
	struct pt_bdc_op op[PT_S12Z_ROWS];
	struct pt_s12z *z = state;

	(void)core;
	if (check(z, which, n, err) < 0)
		return pt_wrap(err, "write registers");
	for (size_t i = 0; i < n; i++)
		op[i] = (struct pt_bdc_op){ .what = PT_BDC_WRITE_RN, .crn = (uint8_t)rows[which[i]].id,
					    .value = (uint32_t)(values[i] & mask_of(which[i])) };
	return pt_wire_s12z_run(&z->wire, op, n, NULL, err) < 0 ? pt_wrap(err, "write registers") : 0;
}

int pt_s12z_pc(void *state, unsigned core, uint64_t *pc, struct pt_err *err)
{
	return pt_s12z_read_registers(state, core, &(uint16_t){ PT_S12Z_ROW_P }, 1, pc, err);
}
