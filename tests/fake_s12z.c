/* See fake_s12z.h. */
#include <string.h>

#include "base/error.h"
#include "tests/fake_s12z.h"
#include "base/util.h"

enum { C1 = 0x100, TCRH = 0x102, TCRL = 0x103, TB = 0x104, CNT = 0x106, EFR = 0x10a, SR = 0x10b };
enum { ARM = 0x80, TSOURCE = 0x40, PROFILE = 0x02, TBF = 0x80, PTACT = 0x10, PTBOVF = 0x80 };
enum { FCCOB = 0x38c, FSTAT = 0x386, FCLKDIV = 0x380, CCIF = 0x80, ACCERR = 0x20 };

static struct fake_s12z *opened;

static void note(struct fake_s12z *bdc, enum pt_bdc_do what, uint32_t addr, uint8_t size, uint32_t value)
{
	if (bdc->n_log < FAKE_LOG)
		bdc->log[bdc->n_log++] = (struct fake_access){ addr, value, size, (uint8_t)what };
}

size_t fake_s12z_count(const struct fake_s12z *bdc, enum pt_bdc_do what, uint32_t addr)
{
	size_t n = 0;

	for (size_t i = 0; i < bdc->n_log; i++)
		n += bdc->log[i].what == what && bdc->log[i].addr == addr;
	return n;
}

uint8_t *fake_s12z_at(struct fake_s12z *bdc, uint32_t addr)
{
	if (addr < sizeof(bdc->io))
		return &bdc->io[addr];
	if (addr - FAKE_RAM < FAKE_RAM_BYTES)
		return &bdc->ram[addr - FAKE_RAM];
	if (addr >= FAKE_EEPROM && addr - FAKE_EEPROM < FAKE_EEPROM_BYTES)
		return &bdc->eeprom[addr - FAKE_EEPROM];
	if (addr >= FAKE_FLASH && addr - FAKE_FLASH < FAKE_FLASH_BYTES)
		return &bdc->flash[addr - FAKE_FLASH];
	return NULL;
}

void fake_s12z_stop(struct fake_s12z *bdc, uint32_t pc)
{
	bdc->csr |= PT_BDC_BDMACT;
	bdc->reg[11] = pc;
}

/* --- the DBG module ----------------------------------------------------------------------------------------------- */

static bool busy(const struct fake_s12z *bdc)
{
	return (bdc->io[C1] & ARM) != 0 || bdc->ptact;
}

static void put_line(struct fake_s12z *bdc, const uint8_t *line)
{
	memcpy(bdc->line[bdc->next], line, 8);
	bdc->wrapped |= bdc->next == FAKE_LINES - 1;
	bdc->next = (bdc->next + 1) % FAKE_LINES;
}

static void begin_session(struct fake_s12z *bdc)
{
	bdc->next = 0;
	bdc->wrapped = false;
	bdc->io[EFR] = 0;
	bdc->armed_ns = bdc->now_ns;
	bdc->n_sessions++;
}

/* A PTS, PTIBs that all go to the pc of the session, and a PTW with TERM, or with TBOVF in the 64th line. */
static void end_session(struct fake_s12z *bdc, uint64_t ns)
{
	uint32_t pc = bdc->session_pc;
	uint8_t pts[8] = { 0x00, (uint8_t)pc, (uint8_t)(pc >> 8), (uint8_t)(pc >> 16), 0xaa, 0xaa, 0xaa, 0xaa };
	uint8_t ptib[8] = { 0x01, 0x01, 0, 0, 0, (uint8_t)pc, (uint8_t)(pc >> 8), (uint8_t)(pc >> 16) };
	uint8_t end[8] = { 0x17, 0x01, 0, 0, 0, 0, 0x10, 0x00 };
	uint64_t n = ns / (bdc->ns_per_line != 0 ? bdc->ns_per_line : UINT64_MAX);

	if (bdc->overflows && n > FAKE_LINES - 2) {
		n = FAKE_LINES - 2;
		end[0] = 0x37;
		bdc->io[EFR] = PTBOVF;
	}
	if (bdc->chokes) {
		end[0] = 0x37;
		bdc->io[EFR] = PTBOVF;
	}
	put_line(bdc, pts);
	for (uint64_t i = 0; i < n; i++) {
		ptib[1] = (uint8_t)(1 + i % 255);
		put_line(bdc, ptib);
	}
	put_line(bdc, end);
}

static bool profiles(const struct fake_s12z *bdc)
{
	return (bdc->io[TCRL] & PROFILE) != 0 && (bdc->io[TCRH] & TSOURCE) != 0;
}

static void disarm(struct fake_s12z *bdc)
{
	if (profiles(bdc))
		end_session(bdc, bdc->now_ns - bdc->armed_ns);
	bdc->io[SR] = bdc->wrapped ? TBF : 0;
	bdc->io[CNT] = (uint8_t)(2 * bdc->next);
}

static void write_c1(struct fake_s12z *bdc, uint8_t value)
{
	bool was = (bdc->io[C1] & ARM) != 0;

	if (was && (value & ARM) == 0) {	/* what else the write has is not taken */
		bdc->io[C1] &= (uint8_t)~ARM;
		disarm(bdc);
	} else if (!was && (value & ARM) != 0) {
		bdc->io[C1] = value & 0xbf;
		begin_session(bdc);
		if (bdc->after_arm) {
			bdc->after_arm = false;
			bdc->fail_after = 1;
		}
	} else if (!was) {
		bdc->io[C1] = value & 0xbf;
	}
}

static void write_dbg(struct fake_s12z *bdc, uint32_t addr, uint8_t value)
{
	if (bdc->absent)
		return;
	if (addr == C1) {
		write_c1(bdc, value);
	} else if (addr == TB || addr == TB + 1) {
		bdc->locked = busy(bdc) || (bdc->io[TCRL] & PROFILE) != 0;
		bdc->pointer = bdc->wrapped ? bdc->next : 0;
	} else if (!busy(bdc) && addr != CNT && addr != EFR && addr != SR) {
		if (addr == TCRH && bdc->lite)
			value = 0;
		if (addr == TCRL && (bdc->lite || bdc->no_profile))
			value &= (uint8_t)(bdc->lite ? 0 : ~(PROFILE | 4));
		bdc->io[addr] = value;
	}
}

static uint8_t read_dbg(const struct fake_s12z *bdc, uint32_t addr)
{
	if (addr == TB || addr == TB + 1)
		return 0xee;	/* only words may be read, and only READ_DBGTB is asked for here */
	return addr == SR ? (uint8_t)(bdc->io[SR] | (bdc->ptact ? PTACT : 0)) : bdc->io[addr];
}

static void read_lines(struct fake_s12z *bdc, uint32_t n, uint8_t *out)
{
	bool shut = bdc->locked || busy(bdc) || (bdc->io[TCRH] & TSOURCE) == 0;

	for (uint32_t i = 0; i < n; i++) {
		if (bdc->lite || bdc->absent)
			memset(out + 8 * i, 0, 8);
		else if (shut)
			memset(out + 8 * i, 0xee, 8);
		else
			memcpy(out + 8 * i, bdc->line[bdc->pointer], 8);
		bdc->pointer = shut ? bdc->pointer : (bdc->pointer + 1) % FAKE_LINES;
	}
}

/* --- the flash controller ----------------------------------------------------------------------------------------- */

static void run_flash(struct fake_s12z *bdc)
{
	uint8_t *f = bdc->io + FCCOB;
	uint32_t addr = pt_be24(f + 1), n = bdc->io[0x382] < 2 ? 0 : 2 * (bdc->io[0x382] - 1u);
	uint8_t *at = fake_s12z_at(bdc, addr);
	bool flash = at != NULL && addr >= FAKE_FLASH, eeprom = at != NULL && addr >= FAKE_EEPROM && addr < FAKE_FLASH;

	bdc->io[FSTAT] = CCIF;
	if (f[0] == 0x0a && flash && addr % 512 == 0)
		memset(at, 0xff, 512);
	else if (f[0] == 0x12 && eeprom && addr % 4 == 0)
		memset(at, 0xff, 4);
	else if ((f[0] == 0x06 && flash && addr % 8 == 0 && n == 8) ||
		 (f[0] == 0x11 && eeprom && addr % 2 == 0 && n >= 2))
		for (uint32_t i = 0; i < n; i++)
			at[i] &= f[4 + i];
	else
		bdc->io[FSTAT] |= ACCERR;
	if ((bdc->io[FCLKDIV] & 0x80) == 0)
		bdc->io[FSTAT] |= ACCERR;
}

static void write_io(struct fake_s12z *bdc, uint32_t addr, uint8_t value)
{
	if (addr >= C1 && addr < 0x148)
		write_dbg(bdc, addr, value);
	else if (addr == FSTAT && (value & CCIF) != 0)
		run_flash(bdc);
	else if (addr == FSTAT)
		bdc->io[FSTAT] &= (uint8_t)~value;
	else if (addr == FCLKDIV)
		bdc->io[FCLKDIV] = value | 0x80;
	else
		bdc->io[addr] = value;
}

/* --- commands ----------------------------------------------------------------------------------------------------- */

static int fault(struct fake_s12z *bdc, uint8_t flag)
{
	bdc->csr |= flag;
	return PT_EFAULT;
}

static int access_one(struct fake_s12z *bdc, const struct pt_bdc_op *op, uint32_t addr, uint8_t *bytes)
{
	bool write = op->what == PT_BDC_WRITE_MEM;
	uint32_t value = 0;

	if ((op->size_bytes == 4 && addr % 4 != 0) || (op->size_bytes == 2 && addr % 4 == 3))
		return PT_EARG;
	for (unsigned i = 0; i < op->size_bytes; i++) {
		uint8_t *at = fake_s12z_at(bdc, addr + i);

		if (at == NULL)
			return fault(bdc, PT_BDC_ILLACC);
		if (write && addr + i < sizeof(bdc->io))
			write_io(bdc, addr + i, bytes[i]);
		else if (write && (addr < FAKE_EEPROM))
			*at = bytes[i];
		else if (!write)
			bytes[i] = addr + i >= C1 && addr + i < 0x148 ? read_dbg(bdc, addr + i) : *at;
		value = value << 8 | bytes[i];
	}
	note(bdc, op->what, addr, op->size_bytes, value);
	bdc->now_ns += bdc->op_ns;
	return 0;
}

/* Nobody answers: what is read then, and is it noticed? */
static int unanswered(struct fake_s12z *bdc, const struct pt_bdc_op *op)
{
	if (op->what != PT_BDC_WRITE_MEM)
		memset(op->bytes, bdc->dark ? 0xff : 0xee, (size_t)op->n * op->size_bytes);
	if (bdc->dark || bdc->blind)
		return 0;
	return fault(bdc, PT_BDC_NORESP | PT_BDC_STOP);
}

static int access_mem(struct fake_s12z *bdc, const struct pt_bdc_op *op)
{
	int rc = 0;

	if (!bdc->dark && !bdc->blind && (bdc->csr & PT_BDC_ERRORS) != 0)
		return PT_EFAULT;	/* of an earlier command; nobody can tell */
	if (bdc->dark || (bdc->stopped && (bdc->csr & PT_BDC_BDCCIS) == 0))
		return unanswered(bdc, op);
	for (uint32_t i = 0; rc == 0 && i < op->n; i++)
		rc = access_one(bdc, op, op->addr + (op->what == PT_BDC_READ_SAME ? 0 : i * op->size_bytes),
				(uint8_t *)op->bytes + (size_t)i * op->size_bytes);
	return rc;
}

static void sync_pc(struct fake_s12z *bdc, const struct pt_bdc_op *op)
{
	for (uint32_t i = 0; i < op->n; i++) {
		pt_put_le32((uint8_t *)op->bytes + 4 * i, bdc->waits ? 0xeeeeee : bdc->pc_of_run + i);
		bdc->now_ns += bdc->op_ns;
	}
	if (bdc->waits)
		bdc->csr |= PT_BDC_NORESP | PT_BDC_WAIT;
}

static void background(struct fake_s12z *bdc)
{
	if (bdc->waits)
		bdc->csr |= PT_BDC_NORESP | PT_BDC_WAIT;
	else if ((bdc->csr & PT_BDC_BDMACT) == 0)
		fake_s12z_stop(bdc, bdc->pc_of_run);
}

static void go(struct fake_s12z *bdc)
{
	bdc->csr &= (uint16_t)~PT_BDC_BDMACT;
	if (bdc->on_go != NULL)
		bdc->on_go(bdc);
}

static int poll(struct fake_s12z *bdc, struct pt_bdc_op *op, bool *expired)
{
	uint8_t byte = 0;
	struct pt_bdc_op read = { .what = PT_BDC_READ_MEM, .size_bytes = 1, .addr = op->addr, .n = 1, .bytes = &byte };
	uint8_t want = (uint8_t)op->value;
	int rc = access_mem(bdc, &read);

	*expired = rc == 0 && (byte & op->mask) != want;
	if (rc == 0 && op->addr == SR && bdc->busy_polls > 0) {
		bdc->busy_polls--;
		*expired = true;
	}
	op->value = byte;
	bdc->now_ns += *expired ? op->time_us * UINT64_C(1000) : 0;
	return rc;
}

static int active_only(struct fake_s12z *bdc, struct pt_bdc_op *op)
{
	if ((bdc->csr & PT_BDC_BDMACT) == 0)
		return fault(bdc, PT_BDC_ILLCMD);
	if (op->what == PT_BDC_READ_RN)
		op->value = bdc->reg[op->crn];
	else if (op->what == PT_BDC_WRITE_RN)
		bdc->reg[op->crn] = op->value;
	else if (op->what == PT_BDC_STEP1)
		bdc->reg[11]++;
	else
		go(bdc);
	note(bdc, op->what, op->crn, 4, op->value);
	return 0;
}

static int do_one(struct fake_s12z *bdc, struct pt_bdc_op *op, bool *expired)
{
	bdc->now_ns += bdc->op_ns;
	if (op->what >= PT_BDC_BACKGROUND && op->what != PT_BDC_DELAY && (bdc->csr & PT_BDC_ENBDC) == 0)
		return fault(bdc, PT_BDC_ILLCMD);
	switch (op->what) {
	case PT_BDC_SYNC:
		if (bdc->dark)
			return PT_EPROTO;
		op->value = 8000000;
		bdc->csr &= (uint16_t)~PT_BDC_OVRUN;
		return 0;
	case PT_BDC_READ_BDCCSR:
		op->value = bdc->dark ? 0xffff : bdc->blind ? bdc->csr & 0xff00u : bdc->csr;
		return 0;
	case PT_BDC_WRITE_BDCCSR:
		bdc->n_clear++;
		bdc->csr = (uint16_t)((bdc->csr & ~0xac00u & ~(op->value & 0xef)) | (op->value & 0xac00));
		return 0;
	case PT_BDC_BACKGROUND:
		background(bdc);
		return bdc->waits ? PT_EFAULT : 0;
	case PT_BDC_SYNC_PC:
		sync_pc(bdc, op);
		return 0;
	case PT_BDC_READ_DBGTB:
		read_lines(bdc, op->n, op->bytes);
		note(bdc, op->what, 0, 8, op->n);
		bdc->now_ns += bdc->op_ns * op->n;
		return 0;
	case PT_BDC_DELAY:
		bdc->now_ns += op->time_us * UINT64_C(1000);
		return 0;
	case PT_BDC_POLL:
		return poll(bdc, op, expired);
	case PT_BDC_READ_MEM: case PT_BDC_READ_SAME: case PT_BDC_WRITE_MEM:
		return access_mem(bdc, op);
	case PT_BDC_GO: case PT_BDC_STEP1: case PT_BDC_READ_RN: case PT_BDC_WRITE_RN:
		return active_only(bdc, op);
	default:
		return 0;
	}
}

static bool fails_now(struct fake_s12z *bdc)
{
	if (bdc->fail_code == 0 || bdc->after_arm)
		return false;
	if (bdc->fail_after > 0) {
		bdc->fail_after--;
		return false;
	}
	return true;
}

static int run(void *state, struct pt_bdc_op *ops, size_t n_ops, uint32_t timeout_ms, size_t *n_done,
	       struct pt_err *err)
{
	struct fake_s12z *bdc = *(struct fake_s12z **)state;

	bdc->n_runs_called++;
	for (*n_done = 0; *n_done < n_ops; ++*n_done) {
		struct pt_bdc_op *op = &ops[*n_done];
		bool expired = false;
		int rc;

		op->sent_ns = bdc->now_ns;
		if (fails_now(bdc)) {
			rc = bdc->fail_code;
			bdc->fail_code = bdc->fail_always ? bdc->fail_code : 0;
			bdc->now_ns += rc == PT_EINTERRUPTED ? 0 : timeout_ms * PT_NS_PER_MS;
			return pt_fail(err, rc, "made to fail");
		}
		rc = do_one(bdc, op, &expired);
		op->done_ns = bdc->now_ns;
		if (rc < 0)
			return pt_fail(err, rc, "refused");
		if (expired)
			return 0;
	}
	return 0;
}

static int connect(void *state, uint32_t *bdcsi_hz, struct pt_err *err)
{
	struct fake_s12z *bdc = *(struct fake_s12z **)state;

	*bdcsi_hz = 8000000;
	if (fails_now(bdc))
		return pt_fail(err, bdc->fail_code, "no answer to SYNC");
	return 0;
}

static uint32_t can(void *state)
{
	return (*(struct fake_s12z **)state)->can;
}

static int reset(void *state, enum pt_bdc_mode mode, struct pt_err *err)
{
	struct fake_s12z *bdc = *(struct fake_s12z **)state;

	(void)err;
	bdc->n_reset++;
	bdc->reset_mode = mode;
	memset(bdc->io + C1, 0, 0x48);
	bdc->io[FCLKDIV] = 0;
	bdc->csr &= PT_BDC_UNSEC;
	bdc->waits = false;
	if (mode == PT_BDC_SPECIAL) {
		bdc->csr |= PT_BDC_ENBDC;
		fake_s12z_stop(bdc, pt_be24(bdc->flash + FAKE_FLASH_BYTES - 3));
	}
	return 0;
}

static int mass_erase(void *state, struct pt_err *err)
{
	struct fake_s12z *bdc = *(struct fake_s12z **)state;

	(void)err;
	bdc->n_erase++;
	memset(bdc->flash, 0xff, sizeof(bdc->flash));
	bdc->csr |= PT_BDC_UNSEC;
	return 0;
}

static void set_errors(void *state, uint16_t errors)
{
	(*(struct fake_s12z **)state)->errors = errors;
}

const struct pt_bdc_ops fake_s12z_ops = {
	.connect = connect, .run = run, .can = can, .set_errors = set_errors, .reset = reset, .mass_erase = mass_erase,
};

/* --- pins --------------------------------------------------------------------------------------------------------- */

static int pins_start(void *state, const struct pt_pins_want *want, uint32_t *sample_hz, struct pt_err *err)
{
	struct fake_s12z *bdc = *(struct fake_s12z **)state;

	if (want->n_lines != 2 || strcmp(want->line[0], "pdo") != 0 || strcmp(want->line[1], "pdoclk") != 0)
		return pt_fail(err, PT_EARG, "no such line");
	bdc->capturing = true;
	*sample_hz = bdc->sample_hz;
	return 0;
}

/* Nothing comes before the module is armed; then all of it, a few at a time. */
static int pins_read(void *state, pt_pins_run *runs, size_t room, uint32_t timeout_ms, struct pt_pins_read *what,
		     struct pt_err *err)
{
	struct fake_s12z *bdc = *(struct fake_s12z **)state;
	size_t n = 0;

	(void)err;
	*what = (struct pt_pins_read){ .from_ns = bdc->now_ns, .ended = !bdc->capturing };
	if (bdc->n_sessions == 0 || bdc->next_run == bdc->n_runs) {
		bdc->now_ns += timeout_ms * PT_NS_PER_MS;
		return 0;
	}
	if (bdc->lost_at != 0 && bdc->next_run == bdc->lost_at)
		what->lost_samples = 1000;
	what->from_ns = bdc->pins_ns != 0 ? bdc->pins_ns : bdc->now_ns;
	while (n < room && n < 100 && bdc->next_run < bdc->n_runs && (n == 0 || bdc->next_run != bdc->lost_at)) {
		runs[n++] = bdc->runs[bdc->next_run];
		if (bdc->pins_ns != 0)
			bdc->pins_ns += (bdc->runs[bdc->next_run] & PT_PINS_SAMPLES) * PT_NS_PER_S / bdc->sample_hz;
		bdc->next_run++;
	}
	bdc->now_ns += 100000;
	return (int)n;
}

static int pins_stop(void *state, struct pt_err *err)
{
	(void)err;
	(*(struct fake_s12z **)state)->capturing = false;
	return 0;
}

static const char *pins_line(void *state, size_t i)
{
	(void)state;
	return i == 0 ? "pdo" : i == 1 ? "pdoclk" : NULL;
}

static const struct pt_pins_ops pins_ops = { pins_start, pins_read, pins_stop, pins_line };

/* --- link and probe ----------------------------------------------------------------------------------------------- */

static void link_close(void *state)
{
	(void)state;
}

static void link_info(void *state, struct pt_link_info *out)
{
	(void)state;
	out->is_virtual = true;
	out->virtual_clock = true;
}

static uint64_t link_now_ns(void *state)
{
	return ((struct fake_s12z *)state)->now_ns;
}

static int link_wait(void *state, uint64_t until_ns, struct pt_err *err)
{
	struct fake_s12z *bdc = state;

	(void)err;
	bdc->now_ns = until_ns > bdc->now_ns ? until_ns : bdc->now_ns;
	return 0;
}

static void link_interrupt(void *state)
{
	(void)state;
}

static const struct pt_link_ops link_ops = {
	.name = "fake", .close = link_close, .info = link_info, .now_ns = link_now_ns, .wait = link_wait,
	.interrupt = link_interrupt,
};

static int probe_open(void *state, struct pt_link *link, const struct pt_params *settings, struct pt_err *err)
{
	(void)link;
	(void)settings;
	(void)err;
	*(struct fake_s12z **)state = opened;
	return 0;
}

static void probe_close(void *state)
{
	(void)state;
}

static void probe_info(void *state, struct pt_probe_info *out)
{
	(void)state;
	(void)out;
}

const struct pt_probe_ops fake_s12z_probe_ops = {
	.name = "fake-bdc", .state_bytes = sizeof(struct fake_s12z *), .open = probe_open, .close = probe_close,
	.info = probe_info, .bdc = &fake_s12z_ops, .pins = &pins_ops,
};

void fake_s12z_init(struct fake_s12z *bdc)
{
	memset(bdc, 0, sizeof(*bdc));
	memset(bdc->flash, 0xff, sizeof(bdc->flash));
	memset(bdc->eeprom, 0xff, sizeof(bdc->eeprom));
	pt_put_be32(bdc->io, 0x00170000);
	pt_put_be16(bdc->io + 0x10, 0xfffe);
	bdc->io[FSTAT] = CCIF;
	bdc->csr = PT_BDC_UNSEC | PT_BDC_CLKSW;
	bdc->can = UINT32_MAX;
	bdc->op_ns = 10000;
	bdc->pc_of_run = 0xff8000;
	bdc->session_pc = 0xff8123;
	bdc->ns_per_line = 20000;
	bdc->sample_hz = 100000000;
	bdc->locked = true;
	bdc->link = pt_link_new(&link_ops, bdc);
	opened = bdc;
}

void fake_s12z_fini(struct fake_s12z *bdc)
{
	if (bdc->link != NULL)
		pt_link_close(bdc->link);
}
