#include "fake_bdc.h"

#include <string.h>

#include "base/util.h"

enum {
	ENBDC = 0x8000, BDMACT = 0x4000, NORESP = 0x08, ILLACC = 0x02, ILLCMD = 0x01, OVRUN = 0x10, WRITABLE = 0xbc00,
	CYCLES_A_BYTE = 128, DBGTB = 0x104,
};

void fake_bdc_init(struct fake_bdc *bdc)
{
	memset(bdc, 0, sizeof(*bdc));
	for (unsigned a = 0; a < FAKE_BDC_BYTES; a++)
		bdc->memory[a] = (uint8_t)(a * 7);
	for (unsigned i = 0; i < FAKE_BDC_LINES; i++)
		for (unsigned j = 0; j < 8; j++)
			bdc->line[i][j] = (uint8_t)(16 * i + j);
	bdc->rn[11] = 0xff8000;
}

uint32_t fake_bdc_sync(struct fake_bdc *bdc)
{
	bdc->n_syncs++;
	bdc->n_command = bdc->n_out = bdc->out_at = 0;
	bdc->pulse = 0;
	bdc->bdccsr &= (uint16_t)~OVRUN;
	return bdc->absent ? 0 : FAKE_BDC_HZ;
}

void fake_bdc_reset(struct fake_bdc *bdc, bool special)
{
	bdc->n_resets++;
	bdc->n_special += special;
	bdc->bdccsr = special ? ENBDC | BDMACT : 0;
	bdc->ack = false;
	bdc->n_command = bdc->n_out = bdc->out_at = 0;
}

/* --- the bus ------------------------------------------------------------------------------------------------------ */

bool fake_bdc_read(struct fake_bdc *bdc, uint32_t addr, unsigned size, uint8_t *bytes)
{
	if (addr + size > FAKE_BDC_BYTES || (bdc->fault_addr != 0 && addr == bdc->fault_addr)) {
		memset(bytes, 0xee, size);
		return false;
	}
	memcpy(bytes, bdc->memory + addr, size);
	if (addr == FAKE_BDC_POLLED)
		bytes[0] = bdc->polls > 0 ? 0 : 0x80;
	if (addr == FAKE_BDC_POLLED && bdc->polls > 0)
		bdc->polls--;
	if (addr == DBGTB && size == 2) {	/* {1,0}, {3,2}, {5,4}, {7,6} of each line */
		bytes[0] = bdc->line[bdc->line_at][2 * bdc->word_at + 1];
		bytes[1] = bdc->line[bdc->line_at][2 * bdc->word_at];
		bdc->word_at = (bdc->word_at + 1) % 4;
		if (bdc->word_at == 0)
			bdc->line_at = (bdc->line_at + 1) % FAKE_BDC_LINES;
	}
	return true;
}

bool fake_bdc_write(struct fake_bdc *bdc, uint32_t addr, unsigned size, const uint8_t *bytes)
{
	if (addr + size > FAKE_BDC_BYTES || (bdc->fault_addr != 0 && addr == bdc->fault_addr))
		return false;
	if (addr == DBGTB && size == 2)
		bdc->line_at = bdc->word_at = 0;
	else
		memcpy(bdc->memory + addr, bytes, size);
	return true;
}

/* --- commands ----------------------------------------------------------------------------------------------------- */

static bool is_memory(uint8_t op)
{
	return op >= 0x10 && op < 0x5c && op != 0x2d && !(op >= 0x40 && op < 0x50);
}

static unsigned size_of(uint8_t op)
{
	return 1u << (op >> 2 & 3);
}

static unsigned operand_bytes(uint8_t op)
{
	if (op == 0x0d)
		return 2;
	if (op >= 0x40 && op < 0x50)
		return 4;
	if (!is_memory(op))
		return 0;
	switch (op & 0xf2) {
	case 0x10: return 3 + size_of(op);
	case 0x12: return size_of(op);
	case 0x30: return 3;
	default: return 0;
	}
}

static void give(struct fake_bdc *bdc, const uint8_t *bytes, unsigned n)
{
	memcpy(bdc->out + bdc->n_out, bytes, n);
	bdc->n_out += n;
}

static void give_failed(struct fake_bdc *bdc, unsigned n)
{
	memset(bdc->out + bdc->n_out, 0xee, n);
	bdc->n_out += n;
}

static void put_be32(uint8_t *out, uint32_t value)
{
	for (unsigned i = 0; i < 4; i++)
		out[i] = (uint8_t)(value >> (24 - 8 * i));
}

static uint32_t be(const uint8_t *in, unsigned n)
{
	uint32_t value = 0;

	while (n-- > 0)
		value = value << 8 | *in++;
	return value;
}

/* Where this element is: as said, or the next, or the same again. ILLCMD: nothing of its kind came before. */
static uint8_t element(struct fake_bdc *bdc, uint8_t op)
{
	bool first = (op & 0xf2) == 0x10 || (op & 0xf2) == 0x30, same = (op & 0xf0) == 0x50;
	uint8_t kind = same ? 0x30 : op & 0xf0;

	if (first)
		bdc->at = be(bdc->command + 1, 3);
	else if (bdc->after != kind)
		return ILLCMD;
	else if (!same)
		bdc->at += size_of(op);
	if (size_of(op) == 4)
		bdc->at &= ~3u;
	bdc->after = kind;
	return 0;
}

static uint8_t access_memory(struct fake_bdc *bdc, uint8_t op)
{
	bool write = (op & 0xf0) == 0x10;
	unsigned size = size_of(op);
	uint8_t bytes[4], flag = element(bdc, op);

	memset(bytes, 0xee, sizeof(bytes));
	if (flag == 0 && write)
		flag = fake_bdc_write(bdc, bdc->at, size, bdc->command + operand_bytes(op) + 1 - size) ? 0 : ILLACC;
	else if (flag == 0)
		flag = fake_bdc_read(bdc, bdc->at, size, bytes) ? 0 : ILLACC;
	bdc->bdccsr |= flag;
	if ((op & 1) != 0)
		give(bdc, (const uint8_t[]){ (uint8_t)bdc->bdccsr }, 1);
	if (!write)
		give(bdc, bytes, size);
	return flag;
}

static uint8_t registers(struct fake_bdc *bdc, uint8_t op)
{
	unsigned crn = op & 0x0f;
	uint8_t bytes[4];

	if (crn > 12) {
		if (op >= 0x60)
			give_failed(bdc, 4);
		return ILLACC;
	}
	if (op < 0x60) {
		bdc->rn[crn] = be(bdc->command + 1, 4);
		return 0;
	}
	put_be32(bytes, bdc->rn[crn]);
	give(bdc, bytes, 4);
	return 0;
}

static void give_line(struct fake_bdc *bdc)
{
	const uint8_t *line = bdc->line[bdc->line_at];

	for (unsigned i = 0; i < 4; i++)
		give(bdc, &line[3 - i], 1);
	for (unsigned i = 0; i < 4; i++)
		give(bdc, &line[7 - i], 1);
	bdc->second_pulse_at = 4;
	bdc->line_at = (bdc->line_at + 1) % FAKE_BDC_LINES;
}

/* A command that needs ENBDC, or active background; returns flags. */
static uint8_t perform(struct fake_bdc *bdc, uint8_t op)
{
	uint8_t pc[4];

	switch (op) {
	case 0x00:
		return 0;
	case 0x01:
		put_be32(pc, bdc->rn[11]);
		if ((bdc->bdccsr & 0x80) != 0)
			give_failed(bdc, 3);
		else
			give(bdc, pc + 1, 3);
		return (bdc->bdccsr & 0x80) != 0 ? NORESP : 0;
	case 0x04:
		bdc->bdccsr |= BDMACT;
		return 0;
	case 0x07:
		give_line(bdc);
		return 0;
	case 0x08: case 0x09: case 0x0c:
		if (op != 0x09)
			bdc->bdccsr &= (uint16_t)~BDMACT;
		return 0;
	default:
		if (is_memory(op))
			return access_memory(bdc, op);
		return op >= 0x40 && op < 0x70 ? registers(bdc, op) : ILLCMD;
	}
}

static unsigned answer_bytes(uint8_t op)
{
	if (op == 0x01)
		return 3;
	if (op == 0x07)
		return 8;
	if (op >= 0x60 && op < 0x70)
		return 4;
	if (!is_memory(op))
		return 0;
	return (op & 1) + ((op & 0xf0) == 0x10 ? 0 : size_of(op));
}

static bool active_only(uint8_t op)
{
	return op == 0x08 || op == 0x09 || op == 0x0c || (op >= 0x40 && op < 0x50) || (op >= 0x60 && op < 0x70);
}

static bool has_ack(uint8_t op)
{
	return op != 0x03 && op != 0x0d && op != 0x2d && !(is_memory(op) && (op & 1) != 0);
}

static void execute(struct fake_bdc *bdc)
{
	uint8_t op = bdc->command[0], flags = 0, after = bdc->after;

	bdc->n_commands[op]++;
	bdc->n_out = bdc->out_at = bdc->second_pulse_at = 0;
	bdc->cycles += (1 + operand_bytes(op)) * CYCLES_A_BYTE;
	if (op == 0x02 || op == 0x03) {
		bdc->ack = op == 0x02;
	} else if (op == 0x2d) {
		give(bdc, (const uint8_t[]){ (uint8_t)(bdc->bdccsr >> 8), (uint8_t)bdc->bdccsr }, 2);
	} else if (op == 0x0d) {
		uint16_t value = (uint16_t)be(bdc->command + 1, 2);

		bdc->bdccsr = (uint16_t)((bdc->bdccsr & ~WRITABLE) | (value & WRITABLE));
		bdc->bdccsr &= (uint16_t)~(value & 0xff & ~OVRUN);
	} else if ((bdc->bdccsr & ENBDC) == 0 || (active_only(op) && (bdc->bdccsr & BDMACT) == 0)) {
		give_failed(bdc, answer_bytes(op));
		bdc->second_pulse_at = op == 0x07 ? 4 : 0;
		flags = ILLCMD;
	} else {
		flags = perform(bdc, op);
	}
	if (!is_memory(op) && op != 0x00)
		bdc->after = 0;
	else if (op == 0x00)
		bdc->after = after;
	bdc->bdccsr |= flags;
	bdc->pulse = bdc->ack && !bdc->mute && has_ack(op) ? flags != 0 ? 2 : 1 : 0;
	if (op == 0x0c && bdc->pulse != 0 && bdc->until_waits > 0)
		bdc->pulse = -(int)bdc->until_waits;
	bdc->n_command = 0;
}

void fake_bdc_send(struct fake_bdc *bdc, uint8_t byte)
{
	bdc->command[bdc->n_command++] = byte;
	if (bdc->n_command == 1 + operand_bytes(bdc->command[0]))
		execute(bdc);
}

uint8_t fake_bdc_receive(struct fake_bdc *bdc)
{
	bdc->cycles += CYCLES_A_BYTE;
	if (bdc->out_at == bdc->n_out)
		return 0xff;	/* nobody drives the line */
	if (bdc->out_at + 1 == bdc->second_pulse_at && bdc->ack && !bdc->mute)
		bdc->pulse = 1;
	return bdc->out[bdc->out_at++];
}

int fake_bdc_pulse(struct fake_bdc *bdc)
{
	int pulse = bdc->pulse;

	if (pulse < 0) {
		bdc->pulse = pulse == -1 ? 1 : pulse + 1;
		bdc->bdccsr |= pulse == -1 ? BDMACT : 0;
		return 0;
	}
	bdc->pulse = 0;
	return pulse;
}
