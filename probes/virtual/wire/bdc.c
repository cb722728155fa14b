/* A table of commands; each has a class, what comes in, and what it does. A command acts when its last bit is in. What
 * it answers waits until the host clocks it out, not before the delay is over. */
#include <stddef.h>
#include <string.h>

#include "probes/virtual/wire/bdc.h"
#include "base/util.h"

enum { FAILED = 0xee };			/* what failed reads return. Source: 4.2 */
enum class { ALWAYS, NON_INTRUSIVE, ACTIVE };

/* What a command is to those that follow it. Source: 4.2, READ_SAME, FILL, DUMP */
enum kind { OTHER, READ_MEM, WRITE_MEM, READ_SAME, DUMP_MEM, FILL_MEM, NOP, SYNC };

enum shape {				/* how a command ends */
	PLAIN,				/* no ACK, no delay */
	ACKED,				/* ACK, or the delay */
	DELAYED,			/* the delay, never an ACK */
};

struct pt_vbdc_command {
	uint8_t opcode, mask;		/* of the op-code's bits that matter */
	enum class class;
	enum kind kind;
	enum shape shape;
	uint8_t in_bytes;		/* besides data */
	bool data_in;			/* and an element */
	uint8_t out_bytes;		/* PLAIN numbers; elements know their size */
	void (*act)(struct pt_vbdc *bdc);
};

static uint64_t cycles_ns(const struct pt_vbdc *bdc, uint64_t cycles)
{
	return (cycles * PT_NS_PER_S + pt_vbdc_hz(bdc) - 1) / pt_vbdc_hz(bdc);
}

/* The element size that READ, WRITE and their kin have in their op-code: 1, 2, 4. */
static unsigned size_of(const struct pt_vbdc *bdc)
{
	return 1u << (bdc->opcode >> 2 & 3);
}

static bool is_ws(const struct pt_vbdc *bdc)
{
	return (bdc->opcode & 1) != 0;
}

static void flag(struct pt_vbdc *bdc, unsigned bit)
{
	bdc->csr |= (uint16_t)bit;
	bdc->raised |= (uint8_t)bit;
}

static void put(struct pt_vbdc *bdc, uint32_t value, unsigned n_bytes)
{
	while (n_bytes-- > 0)
		bdc->out[bdc->n_out++] = (uint8_t)(value >> 8 * n_bytes);
}

static void put_failed(struct pt_vbdc *bdc, unsigned n_bytes)
{
	memset(bdc->out + bdc->n_out, FAILED, n_bytes);
	bdc->n_out += n_bytes;
}

static uint32_t number_in(const struct pt_vbdc *bdc, unsigned from, unsigned n_bytes)
{
	uint32_t value = 0;

	for (unsigned i = 0; i < n_bytes; i++)
		value = value << 8 | bdc->in[from + i];
	return value;
}

/* --- accesses */

static uint32_t aligned(uint32_t addr, unsigned size_bytes)
{
	if (size_bytes == 4)
		return addr & ~3u;
	return size_bytes == 2 && (addr & 3) == 3 ? addr - 1 : addr;
}

/* Asleep, memory can be reached in WAI, and in STOP only while the BDC's clock goes on. Source: 4.5 */
static bool reachable(struct pt_vbdc *bdc)
{
	if (bdc->refuse_next) {
		bdc->refuse_next = false;
		flag(bdc, PT_VBDC_ILLACC);
		return false;
	}
	if (bdc->chip.core(bdc->chip.arg) == PT_VBDC_STOPPED && (bdc->csr & PT_VBDC_BDCCIS) == 0) {
		flag(bdc, PT_VBDC_NORESP);
		return false;
	}
	return true;
}

/* With ACK and without STEAL it waits for a cycle that the core does not need. Source: 4.4 */
static void take_cycle(struct pt_vbdc *bdc)
{
	if ((bdc->csr & PT_VBDC_STEAL) != 0 || !bdc->ack_on)
		bdc->chip.steal(bdc->chip.arg);
}

static void access(struct pt_vbdc *bdc, uint32_t addr)
{
	bdc->addr = aligned(addr & 0xffffff, size_of(bdc));
	bdc->next = (bdc->addr + size_of(bdc)) & 0xffffff;
	take_cycle(bdc);
}

/* The status of _WS comes before the data, and tells of this very access. */
static void read_element(struct pt_vbdc *bdc, uint32_t addr)
{
	unsigned size = size_of(bdc);
	uint32_t value = 0;
	bool good;

	access(bdc, addr);
	good = reachable(bdc);
	if (good && !bdc->chip.read(bdc->chip.arg, bdc->addr, size, &value)) {
		flag(bdc, PT_VBDC_ILLACC);
		good = false;
	}
	if (is_ws(bdc))
		put(bdc, bdc->csr & PT_VBDC_FLAGS, 1);
	if (good)
		put(bdc, value, size);
	else
		put_failed(bdc, size);
}

static void write_element(struct pt_vbdc *bdc, uint32_t addr, unsigned from)
{
	unsigned size = size_of(bdc);

	access(bdc, addr);
	if (reachable(bdc) && !bdc->chip.write(bdc->chip.arg, bdc->addr, size, number_in(bdc, from, size)))
		flag(bdc, PT_VBDC_ILLACC);
	if (is_ws(bdc))
		put(bdc, bdc->csr & PT_VBDC_FLAGS, 1);
}

static void read_mem(struct pt_vbdc *bdc)
{
	read_element(bdc, number_in(bdc, 0, 3));
}

static void dump_mem(struct pt_vbdc *bdc)
{
	read_element(bdc, bdc->next);
}

static void read_same(struct pt_vbdc *bdc)
{
	read_element(bdc, bdc->addr);
}

static void write_mem(struct pt_vbdc *bdc)
{
	write_element(bdc, number_in(bdc, 0, 3), 3);
}

static void fill_mem(struct pt_vbdc *bdc)
{
	write_element(bdc, bdc->next, 0);
}

/* Order on the wire: bytes 3, 2, 1, 0, then after another delay 7, 6, 5, 4. Source: 1.7 */
static void read_dbgtb(struct pt_vbdc *bdc)
{
	uint8_t line[8];

	bdc->chip.read_dbgtb(bdc->chip.arg, line);
	for (unsigned i = 0; i < 8; i++)
		bdc->out[i] = line[i < 4 ? 3 - i : 11 - i];
	bdc->n_out = 8;
	bdc->second_at = 4;
	take_cycle(bdc);
}

/* --- the core */

/* In STOP with BDCCIS the address behind the STOP. Source: 4.2 */
static void sync_pc(struct pt_vbdc *bdc)
{
	enum pt_vbdc_core core = bdc->chip.core(bdc->chip.arg);

	if (core == PT_VBDC_WAITS || (core == PT_VBDC_STOPPED && (bdc->csr & PT_VBDC_BDCCIS) == 0)) {
		flag(bdc, PT_VBDC_NORESP);
		put_failed(bdc, 3);
	} else {
		put(bdc, bdc->chip.sync_pc(bdc->chip.arg), 3);
	}
}

static void background(struct pt_vbdc *bdc)
{
	if (bdc->chip.core(bdc->chip.arg) == PT_VBDC_WAITS)
		flag(bdc, PT_VBDC_NORESP | PT_VBDC_WAIT);
	bdc->chip.background(bdc->chip.arg);
}

static void go(struct pt_vbdc *bdc)
{
	bdc->chip.resume(bdc->chip.arg, false);
}

static void go_until(struct pt_vbdc *bdc)
{
	bdc->chip.resume(bdc->chip.arg, false);
	bdc->until_active = bdc->ack_on;
}

static void step1(struct pt_vbdc *bdc)
{
	bdc->chip.resume(bdc->chip.arg, true);
}

enum { CRNS = 13 };

static void read_rn(struct pt_vbdc *bdc)
{
	unsigned crn = bdc->opcode & 0xf;

	if (crn < CRNS) {
		put(bdc, bdc->chip.reg(bdc->chip.arg, crn), 4);
		return;
	}
	flag(bdc, PT_VBDC_ILLACC);
	put_failed(bdc, 4);
}

static void write_rn(struct pt_vbdc *bdc)
{
	unsigned crn = bdc->opcode & 0xf;

	if (crn < CRNS)
		bdc->chip.set_reg(bdc->chip.arg, crn, number_in(bdc, 0, 4));
	else
		flag(bdc, PT_VBDC_ILLACC);
}

/* --- the controller */

static void nop(struct pt_vbdc *bdc)
{
	(void)bdc;
}

static void ack_enable(struct pt_vbdc *bdc)
{
	bdc->ack_on = true;
}

static void ack_disable(struct pt_vbdc *bdc)
{
	bdc->ack_on = false;
}

static void read_csr(struct pt_vbdc *bdc)
{
	put(bdc, pt_vbdc_csr(bdc), 2);
}

/* Flags are cleared by writing 1, but for OVRUN. */
static void write_csr(struct pt_vbdc *bdc)
{
	uint32_t value = number_in(bdc, 0, 2);

	bdc->csr &= (uint16_t)~(value & PT_VBDC_FLAGS & ~(unsigned)PT_VBDC_OVRUN);
	bdc->csr = (uint16_t)((bdc->csr & ~(unsigned)PT_VBDC_WRITABLE) | (value & PT_VBDC_WRITABLE));
	bdc->raised &= (uint8_t)bdc->csr;
}

/* The second of two in succession begins it. */
static void erase_flash(struct pt_vbdc *bdc)
{
	bool second = bdc->erase_ns != 0 && bdc->edge_ns - bdc->erase_ns <= cycles_ns(bdc, PT_VBDC_SOFT_RESET);

	bdc->erase_ns = second ? 0 : bdc->edge_ns;
	if (second)
		bdc->chip.mass_erase(bdc->chip.arg);
}

#define SIZED 0xf2			/* bits 3:2 are the size, bit 0 is _WS */
static const struct pt_vbdc_command commands[] = {	/* Source: 4.2 */
	{ 0x00, 0xff, NON_INTRUSIVE, NOP, ACKED, 0, false, 0, nop },
	{ 0x01, 0xff, NON_INTRUSIVE, OTHER, ACKED, 0, false, 3, sync_pc },
	{ 0x02, 0xff, ALWAYS, OTHER, ACKED, 0, false, 0, ack_enable },
	{ 0x03, 0xff, ALWAYS, OTHER, DELAYED, 0, false, 0, ack_disable },
	{ 0x04, 0xff, NON_INTRUSIVE, OTHER, ACKED, 0, false, 0, background },
	{ 0x07, 0xff, NON_INTRUSIVE, OTHER, ACKED, 0, false, 8, read_dbgtb },
	{ 0x08, 0xff, ACTIVE, OTHER, ACKED, 0, false, 0, go },
	{ 0x09, 0xff, ACTIVE, OTHER, ACKED, 0, false, 0, step1 },
	{ 0x0c, 0xff, ACTIVE, OTHER, ACKED, 0, false, 0, go_until },
	{ 0x0d, 0xff, ALWAYS, OTHER, PLAIN, 2, false, 0, write_csr },
	{ 0x2d, 0xff, ALWAYS, OTHER, PLAIN, 0, false, 2, read_csr },
	{ 0x95, 0xff, ALWAYS, OTHER, PLAIN, 0, false, 0, erase_flash },
	{ 0x10, SIZED, NON_INTRUSIVE, WRITE_MEM, ACKED, 3, true, 0, write_mem },
	{ 0x12, SIZED, NON_INTRUSIVE, FILL_MEM, ACKED, 0, true, 0, fill_mem },
	{ 0x30, SIZED, NON_INTRUSIVE, READ_MEM, ACKED, 3, false, 0, read_mem },
	{ 0x32, SIZED, NON_INTRUSIVE, DUMP_MEM, ACKED, 0, false, 0, dump_mem },
	{ 0x50, SIZED, NON_INTRUSIVE, READ_SAME, ACKED, 0, false, 0, read_same },
	{ 0x40, 0xf0, ACTIVE, OTHER, ACKED, 4, false, 0, write_rn },
	{ 0x60, 0xf0, ACTIVE, OTHER, ACKED, 0, false, 4, read_rn },
};

static const struct pt_vbdc_command *command_of(uint8_t opcode)
{
	for (size_t i = 0; i < PT_LEN(commands); i++)
		if ((opcode & commands[i].mask) == commands[i].opcode &&
		    (commands[i].mask != SIZED || (opcode >> 2 & 3) != 3))
			return &commands[i];
	return NULL;
}

static unsigned arguments(const struct pt_vbdc_command *command, uint8_t opcode)
{
	return command->in_bytes + (command->data_in ? 1u << (opcode >> 2 & 3) : 0);
}

unsigned pt_vbdc_arguments(uint8_t opcode)
{
	const struct pt_vbdc_command *command = command_of(opcode);

	return command != NULL ? arguments(command, opcode) : 0;
}

/* --- what is allowed */

static bool may_follow(const struct pt_vbdc *bdc)
{
	enum kind last = (enum kind)bdc->last_kind;

	switch (bdc->command->kind) {
	case READ_SAME:
		return last == READ_MEM || last == READ_SAME || last == NOP || last == SYNC;
	case DUMP_MEM:
		return last == READ_MEM || last == DUMP_MEM || last == NOP;
	case FILL_MEM:
		return last == WRITE_MEM || last == FILL_MEM || last == NOP;
	default:
		return true;
	}
}

static bool legal(const struct pt_vbdc *bdc)
{
	enum class class = bdc->command->class;

	if (class == ALWAYS)
		return true;
	if (bdc->chip.secured(bdc->chip.arg) || (bdc->csr & PT_VBDC_ENBDC) == 0)
		return false;
	if (class == ACTIVE && bdc->chip.core(bdc->chip.arg) != PT_VBDC_ACTIVE)
		return false;
	return may_follow(bdc);
}

/* What an element command, or any other, answers when it was refused. */
static unsigned out_bytes(const struct pt_vbdc *bdc)
{
	const struct pt_vbdc_command *c = bdc->command;
	bool reads = c->kind == READ_MEM || c->kind == DUMP_MEM || c->kind == READ_SAME;

	return c->out_bytes + (reads ? size_of(bdc) : 0);
}

static void refuse(struct pt_vbdc *bdc)
{
	if (bdc->command->mask == SIZED && is_ws(bdc))
		put(bdc, bdc->csr & PT_VBDC_FLAGS, 1);
	put_failed(bdc, out_bytes(bdc));
	bdc->second_at = bdc->command->opcode == 0x07 ? 4 : 0;
}

/* --- one command */

static void schedule_ack(struct pt_vbdc *bdc, uint64_t from_ns)
{
	bdc->ack_due = true;
	bdc->ack_long = bdc->raised != 0;
	bdc->raised = 0;
	bdc->ack_ns = from_ns + cycles_ns(bdc, PT_VBDC_ACK_AFTER);
	bdc->ready_ns = bdc->ack_ns + cycles_ns(bdc, bdc->ack_long ? PT_VBDC_LONG_ACK : PT_VBDC_ACK);
}

static void settle(struct pt_vbdc *bdc, enum shape shape, uint64_t last_ns)
{
	bool ws = bdc->command != NULL && bdc->command->mask == SIZED && is_ws(bdc);

	bdc->ack_due = false;
	bdc->ready_ns = last_ns;
	if (shape == ACKED && bdc->ack_on && !ws)
		schedule_ack(bdc, last_ns);
	else if (shape != PLAIN)
		bdc->ready_ns = last_ns + cycles_ns(bdc, PT_VBDC_DELAY);
}

static void forget_command(struct pt_vbdc *bdc)
{
	bdc->command = NULL;
	bdc->n_in = bdc->want_in = bdc->n_out = bdc->at_out = bdc->second_at = 0;
}

static void execute(struct pt_vbdc *bdc, uint64_t last_ns)
{
	bool overrun = (bdc->csr & PT_VBDC_OVRUN) != 0 && bdc->command->class != ALWAYS;
	bool is_legal = legal(bdc);

	if (bdc->opcode != 0x95)
		bdc->erase_ns = 0;
	if (!is_legal)
		flag(bdc, PT_VBDC_ILLCMD);
	if (is_legal && !overrun) {
		bdc->commands++;
		bdc->command->act(bdc);
	} else {
		refuse(bdc);
	}
	bdc->last_kind = (uint8_t)(is_legal ? bdc->command->kind : OTHER);
	settle(bdc, bdc->command->shape, last_ns);
	if (bdc->n_out == 0)
		forget_command(bdc);
}

/* GO_UNTIL has not come back. */
static bool away(const struct pt_vbdc *bdc)
{
	return bdc->until_active && bdc->chip.core(bdc->chip.arg) != PT_VBDC_ACTIVE;
}

static void begin(struct pt_vbdc *bdc, uint64_t first_ns, uint64_t last_ns, uint8_t opcode)
{
	if (first_ns < bdc->ready_ns || away(bdc))
		flag(bdc, PT_VBDC_OVRUN);	/* the command before is not through */
	bdc->until_active = bdc->ack_due = false;
	bdc->opcode = opcode;
	bdc->command = command_of(opcode);
	if (bdc->command == NULL) {
		flag(bdc, PT_VBDC_ILLCMD);
		bdc->last_kind = OTHER;
		bdc->erase_ns = 0;
		settle(bdc, ACKED, last_ns);
		return;
	}
	bdc->want_in = arguments(bdc->command, opcode);
	if (bdc->want_in == 0)
		execute(bdc, last_ns);
}

/* 512 cycles without an edge, and half a command is forgotten. Source: 4.1; that an ACK pulse counts as an edge is
 * ours. */
static bool forgotten(const struct pt_vbdc *bdc, uint64_t now_ns)
{
	uint64_t edge_ns = bdc->edge_ns > bdc->ready_ns ? bdc->edge_ns : bdc->ready_ns;

	return now_ns > edge_ns && now_ns - edge_ns > cycles_ns(bdc, PT_VBDC_SOFT_RESET);
}

static void soft_reset(struct pt_vbdc *bdc, uint64_t now_ns)
{
	if (bdc->command != NULL && forgotten(bdc, now_ns))
		forget_command(bdc);
}

void pt_vbdc_in(struct pt_vbdc *bdc, uint64_t first_ns, uint64_t last_ns, uint8_t byte)
{
	soft_reset(bdc, first_ns);
	bdc->edge_ns = last_ns;
	if (bdc->n_out > 0) {			/* the host drives while we wait to send */
		flag(bdc, PT_VBDC_OVRUN);
		forget_command(bdc);
	}
	if (bdc->command == NULL) {
		begin(bdc, first_ns, last_ns, byte);
		return;
	}
	bdc->in[bdc->n_in++] = byte;
	if (bdc->n_in == bdc->want_in)
		execute(bdc, last_ns);
}

uint8_t pt_vbdc_out(struct pt_vbdc *bdc, uint64_t first_ns, uint64_t last_ns)
{
	uint8_t byte;

	soft_reset(bdc, first_ns);
	if (bdc->n_out == 0) {
		pt_vbdc_in(bdc, first_ns, last_ns, 0xff);
		return 0xff;
	}
	bdc->edge_ns = last_ns;
	if (first_ns < bdc->ready_ns) {		/* fetched too early. Source: 4.4 */
		flag(bdc, PT_VBDC_NORESP);
		bdc->out[bdc->at_out] = FAILED;
	}
	byte = bdc->out[bdc->at_out++];
	if (bdc->at_out == bdc->n_out)
		forget_command(bdc);
	else if (bdc->at_out == bdc->second_at)
		settle(bdc, bdc->command->shape, last_ns);
	return byte;
}

uint64_t pt_vbdc_sync(struct pt_vbdc *bdc, uint64_t now_ns)
{
	forget_command(bdc);
	bdc->csr &= (uint16_t)~(unsigned)PT_VBDC_OVRUN;
	bdc->until_active = bdc->ack_due = false;
	bdc->last_kind = SYNC;
	bdc->ready_ns = now_ns + cycles_ns(bdc, PT_VBDC_SYNC_WAIT + PT_VBDC_SYNC_LOW + 1);
	return bdc->ready_ns;
}

bool pt_vbdc_ack(struct pt_vbdc *bdc, uint64_t *at_ns, bool *is_long)
{
	*at_ns = away(bdc) ? PT_UNKNOWN : bdc->ready_ns;
	*is_long = bdc->ack_long;
	return bdc->ack_due;
}

void pt_vbdc_ack_taken(struct pt_vbdc *bdc)
{
	bdc->ack_due = false;
}

/* --- life */

bool pt_vbdc_alive(const struct pt_vbdc *bdc)
{
	return bdc->powered && bdc->clocked;
}

uint32_t pt_vbdc_hz(const struct pt_vbdc *bdc)
{
	return (bdc->csr & PT_VBDC_CLKSW) != 0 ? bdc->chip.bdcfclk_hz : bdc->chip.bdcclk_hz;
}

uint16_t pt_vbdc_csr(const struct pt_vbdc *bdc)
{
	unsigned value = bdc->csr;

	if (bdc->chip.core(bdc->chip.arg) == PT_VBDC_ACTIVE)
		value |= PT_VBDC_BDMACT;
	if (!bdc->chip.secured(bdc->chip.arg))
		value |= PT_VBDC_UNSEC;
	if (bdc->chip.erasing(bdc->chip.arg))
		value |= PT_VBDC_ERASE;
	return (uint16_t)value;
}

void pt_vbdc_asleep(struct pt_vbdc *bdc, bool stop)
{
	flag(bdc, stop ? PT_VBDC_STOP : PT_VBDC_WAIT);
}

void pt_vbdc_reset(struct pt_vbdc *bdc, bool special)
{
	forget_command(bdc);
	bdc->csr = special ? PT_VBDC_ENBDC : 0;
	bdc->raised = 0;
	bdc->ack_on = bdc->ack_due = bdc->until_active = bdc->refuse_next = false;
	bdc->last_kind = OTHER;
	bdc->erase_ns = bdc->ready_ns = 0;
	bdc->addr = bdc->next = 0;
}

void pt_vbdc_init(struct pt_vbdc *bdc, const struct pt_vbdc_chip *chip)
{
	*bdc = (struct pt_vbdc){ .chip = *chip, .powered = true, .clocked = true };
	pt_vbdc_reset(bdc, false);
}
