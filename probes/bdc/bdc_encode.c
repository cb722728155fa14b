/* One table: the commands of the S12ZBDC as the host sends them. */
#include "probes/bdc/bdc_encode.h"

#include <stdio.h>
#include <string.h>

#include "base/util.h"

enum { SIZE = 0x80 };		/* as many bytes as an element has */
enum { WS = 1, PER_SIZE = 4 };	/* what is added to an op-code */
enum { FAILED = 0xee };

#define ACK PT_BDC_ACK_GAP
#define DLY PT_BDC_DELAY_GAP

static const struct form {
	const char *name;
	uint8_t op, next; /* op-codes: of the first command; of those that follow it at once (0: the same again) */
	bool bytes, sized, address, crn, always;	/* always: available without ENBDC */
	uint8_t out;		/* data bytes behind op-code and address */
	uint8_t gap[2], in[2];
} forms[PT_N_BDC_DOS] = {
	[PT_BDC_SYNC]         = { "SYNC", .always = true },
	[PT_BDC_ACK_ENABLE]   = { "ACK_ENABLE", 0x02, .bytes = true, .always = true, .gap = { ACK } },
	[PT_BDC_ACK_DISABLE]  = { "ACK_DISABLE", 0x03, .bytes = true, .always = true, .gap = { DLY } },
	[PT_BDC_READ_BDCCSR]  = { "READ_BDCCSR", 0x2d, .bytes = true, .always = true, .in = { 2 } },
	[PT_BDC_WRITE_BDCCSR] = { "WRITE_BDCCSR", 0x0d, .bytes = true, .always = true, .out = 2 },
	[PT_BDC_BACKGROUND]   = { "BACKGROUND", 0x04, .bytes = true, .gap = { ACK } },
	[PT_BDC_NOP]          = { "NOP", 0x00, .bytes = true, .gap = { ACK } },
	[PT_BDC_SYNC_PC]      = { "SYNC_PC", 0x01, .bytes = true, .gap = { ACK }, .in = { 3 } },
	[PT_BDC_READ_MEM]     = { "READ_MEM", 0x30, 0x32, .bytes = true, .sized = true, .address = true,
				  .gap = { ACK }, .in = { SIZE } },
	[PT_BDC_READ_SAME]    = { "READ_SAME", 0x30, 0x50, .bytes = true, .sized = true, .address = true,
				  .gap = { ACK }, .in = { SIZE } },
	[PT_BDC_WRITE_MEM]    = { "WRITE_MEM", 0x10, 0x12, .bytes = true, .sized = true, .address = true,
				  .out = SIZE, .gap = { ACK } },
	[PT_BDC_READ_DBGTB]   = { "READ_DBGTB", 0x07, .bytes = true, .gap = { ACK, ACK }, .in = { 4, 4 } },
	[PT_BDC_GO]           = { "GO", 0x08, .bytes = true, .gap = { ACK } },
	[PT_BDC_STEP1]        = { "STEP1", 0x09, .bytes = true, .gap = { ACK } },
	[PT_BDC_GO_UNTIL]     = { "GO_UNTIL", 0x0c, .bytes = true, .gap = { ACK } },
	[PT_BDC_READ_RN]      = { "READ_Rn", 0x60, .bytes = true, .crn = true, .gap = { ACK }, .in = { 4 } },
	[PT_BDC_WRITE_RN]     = { "WRITE_Rn", 0x40, .bytes = true, .crn = true, .out = 4, .gap = { ACK } },
	[PT_BDC_DELAY]        = { "DELAY", .always = true },
	[PT_BDC_POLL]         = { "POLL" },
};

/* --- checks ------------------------------------------------------------------------------------------------------- */

static uint32_t stride(const struct pt_bdc_op *op)
{
	return op->what == PT_BDC_READ_SAME ? 0 : op->size_bytes;
}

static bool aligned(const struct pt_bdc_op *op)
{
	if (op->size_bytes == 4)
		return op->addr % 4 == 0;
	return op->size_bytes != 2 || (op->addr % 4 != 3 && (op->addr % 2 == 0 || op->n == 1 || stride(op) == 0));
}

static int check_span(const struct pt_bdc_op *op, const struct form *form, struct pt_err *err)
{
	uint64_t last = op->addr + (uint64_t)(op->n - 1) * stride(op) + op->size_bytes;

	if (op->size_bytes != 1 && op->size_bytes != 2 && op->size_bytes != 4)
		return pt_fail(err, PT_EARG, "%s of %u bytes", form->name, op->size_bytes);
	if (last > 1 << 24)
		return pt_fail(err, PT_EARG, "%s past the end of 24 bits of address", form->name);
	if (!aligned(op))
		return pt_fail(err, PT_EARG, "%s of %u bytes at 0x%06x: not aligned", form->name, op->size_bytes,
			       op->addr);
	return 0;
}

static int check(const struct pt_bdc_op *op, struct pt_err *err)
{
	const struct form *form = &forms[op->what];
	bool row = form->sized || op->what == PT_BDC_SYNC_PC || op->what == PT_BDC_READ_DBGTB;

	if (row && (op->n == 0 || op->bytes == NULL))
		return pt_fail(err, PT_EARG, "%s of nothing", form->name);
	if (form->crn && op->crn > 12)
		return pt_fail(err, PT_EARG, "%s: there is no register %u", form->name, op->crn);
	if (op->what == PT_BDC_POLL && op->addr >= 1 << 24)
		return pt_fail(err, PT_EARG, "a poll past the end of 24 bits of address");
	return form->sized ? check_span(op, form, err) : 0;
}

int pt_bdc_check(const struct pt_bdc_op *ops, size_t n_ops, uint32_t can, struct pt_err *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < n_ops; i++) {
		if (ops[i].what >= PT_N_BDC_DOS)
			return pt_fail(err, PT_EARG, "there is no BDC operation %u", ops[i].what);
		rc = check(&ops[i], err);
	}
	for (size_t i = 0; rc == 0 && i < n_ops; i++)
		if ((can >> ops[i].what & 1) == 0)
			return pt_fail(err, PT_EUNSUPPORTED, "this probe cannot do %s", forms[ops[i].what].name);
	return rc;
}

/* --- commands ----------------------------------------------------------------------------------------------------- */

static bool has_ws(const struct pt_bdc_op *op)
{
	return op->ws && forms[op->what].sized;
}

uint32_t pt_bdc_n_commands(const struct pt_bdc_op *op)
{
	const struct form *form = &forms[op->what];

	if (!form->bytes)
		return 0;
	return form->sized || op->what == PT_BDC_SYNC_PC || op->what == PT_BDC_READ_DBGTB ? op->n : 1;
}

static uint8_t code(const struct form *form, const struct pt_bdc_op *op, bool next)
{
	unsigned c = next ? form->next : form->op;

	if (form->crn)
		c += op->crn;
	if (form->sized)
		c += (op->size_bytes == 4 ? 2 : op->size_bytes - 1u) * PER_SIZE;
	return (uint8_t)(c + (has_ws(op) ? WS : 0));
}

static void put(struct pt_bdc_command *out, uint32_t value, unsigned n_bytes)
{
	while (n_bytes-- > 0)
		out->out[out->n_out++] = (uint8_t)(value >> (8 * n_bytes));
}

static void put_data(const struct form *form, const struct pt_bdc_op *op, uint32_t i, struct pt_bdc_command *out)
{
	if (form->out != SIZE) {
		put(out, op->value, form->out);
		return;
	}
	memcpy(out->out + out->n_out, (const uint8_t *)op->bytes + (size_t)i * op->size_bytes, op->size_bytes);
	out->n_out = (uint8_t)(out->n_out + op->size_bytes);
}

void pt_bdc_encode(const struct pt_bdc_op *op, uint32_t i, bool follows, struct pt_bdc_command *out)
{
	const struct form *form = &forms[op->what];
	bool next = follows && i > 0 && form->next != 0;

	*out = (struct pt_bdc_command){ .gap = { form->gap[0], form->gap[1] }, .n_in = { form->in[0], form->in[1] } };
	put(out, code(form, op, next), 1);
	if (form->address && !next)
		put(out, op->addr + i * stride(op), 3);
	put_data(form, op, i, out);
	if (out->n_in[0] == SIZE)
		out->n_in[0] = op->size_bytes;
	if (has_ws(op)) {
		out->gap[0] = PT_BDC_DELAY_GAP;
		out->n_in[0]++;
	}
}

uint64_t pt_bdc_cycles(const struct pt_bdc_command *c)
{
	unsigned bytes = (unsigned)c->n_out + c->n_in[0] + c->n_in[1];
	unsigned gaps = (c->gap[0] != PT_BDC_NO_GAP) + (c->gap[1] != PT_BDC_NO_GAP);

	return (uint64_t)bytes * 8 * PT_BDC_BIT_CYCLES + gaps * PT_BDC_DELAY_CYCLES;
}

/* --- answers ------------------------------------------------------------------------------------------------------ */

static bool all_failed(const uint8_t *in, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (in[i] != FAILED)
			return false;
	return n > 0;
}

static uint32_t be(const uint8_t *in, unsigned n)
{
	uint32_t value = 0;

	while (n-- > 0)
		value = value << 8 | *in++;
	return value;
}

/* The target sends each half of a line with its highest byte first. Source: as above, READ_DBGTB. */
static void take_line(uint8_t *line, const uint8_t *in)
{
	for (unsigned i = 0; i < 4; i++) {
		line[i] = in[3 - i];
		line[4 + i] = in[7 - i];
	}
}

static bool take_element(struct pt_bdc_op *op, uint32_t i, const uint8_t *in)
{
	size_t size = forms[op->what].out == SIZE ? 0 : op->size_bytes;

	if (has_ws(op))
		op->status |= *in++;
	memcpy((uint8_t *)op->bytes + i * size, in, size);
	return has_ws(op) || size == 0 || !all_failed(in, size);
}

bool pt_bdc_take(struct pt_bdc_op *op, uint32_t i, const uint8_t *in)
{
	switch (op->what) {
	case PT_BDC_READ_BDCCSR:
		op->value = be(in, 2);
		return true;
	case PT_BDC_SYNC_PC:
		pt_put_le32((uint8_t *)op->bytes + (size_t)i * 4, be(in, 3));
		return true;
	case PT_BDC_READ_DBGTB:
		take_line((uint8_t *)op->bytes + (size_t)i * 8, in);
		return !all_failed(in, 8);
	case PT_BDC_READ_RN:
		op->value = be(in, 4);
		return !all_failed(in, 4);
	default:
		return forms[op->what].sized ? take_element(op, i, in) : true;
	}
}

bool pt_bdc_may_fail(const struct pt_bdc_op *op)
{
	return !forms[op->what].always;
}

int pt_bdc_judge(uint16_t bdccsr, uint16_t errors, struct pt_err *err)
{
	static const struct { uint8_t bit; const char *name; } flags[] = {
		{ PT_BDC_ILLCMD, "ILLCMD" }, { PT_BDC_ILLACC, "ILLACC" }, { PT_BDC_RDINV, "RDINV" },
		{ PT_BDC_NORESP, "NORESP" }, { PT_BDC_OVRUN, "OVRUN" }, { PT_BDC_RAMWF, "RAMWF" },
	};
	char names[64] = "";
	size_t n = 0;

	if ((bdccsr & errors) == 0)
		return 0;
	if (errors != PT_BDC_ERRORS)
		return pt_fail(err, PT_EFAULT, "the target refused (BDCCSR 0x%04x)", bdccsr);
	for (size_t i = 0; i < PT_LEN(flags); i++)
		if ((bdccsr & flags[i].bit) != 0)
			n += (size_t)snprintf(names + n, sizeof(names) - n, " %s", flags[i].name);
	return pt_fail(err, PT_EFAULT, "the target refused (BDCCSR 0x%04x:%s)", bdccsr, names);
}
