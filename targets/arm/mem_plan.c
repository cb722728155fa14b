/* From runs of accesses to DAP operations: which registers of the MEM-AP must be written first, which data register to
 * use, and what each result means. A full batch, or a poll that must end before a write, is sent as it is; the cached
 * registers stay valid. */
#include <string.h>

#include "targets/arm/mem_ap.h"
#include "base/util.h"

/* short pieces: an interrupt can come in between */
enum { LINE_BYTES = 16, BLOCK_BYTES = 1024, DELAY_PIECE_US = 2500 };

/* CSW. Source: IHI 0031, 7.6.4; privileged data access as debugger (HPROT1, MasterType). */
enum { CSW_INCREMENT = 1 << 4, CSW_BYTE = 0, CSW_HALF = 1, CSW_WORD = 2 };
#define CSW_ACCESS UINT32_C(0x22000000)

/* --- sending ------------------------------------------------------------------------------------------------------ */

static uint32_t time_left_ms(const struct pt_mem_ap *ap)
{
	uint64_t now_ns = pt_link_now_ns(ap->adi->link);

	return now_ns < ap->deadline_ns ? (uint32_t)((ap->deadline_ns - now_ns) / PT_NS_PER_MS) + 1 : 1;
}

/* The lanes of DRW are those of the address. Source: IHI 0031, 7.2.4 */
static void take_result(const struct pt_access *access, const struct pt_dap_op *dap)
{
	uint8_t *to = access->bytes;
	uint32_t n = dap->what == PT_DAP_READ_BLOCK ? dap->n_words : 1;

	for (uint32_t i = 0; i < n; i++, to += access->width_bytes) {
		uint64_t addr = access->fixed ? access->addr : access->addr + (uint64_t)i * access->width_bytes;
		uint32_t value = dap->words[i] >> 8 * (addr & (4 - access->width_bytes));

		for (unsigned b = 0; b < access->width_bytes; b++)
			to[b] = (uint8_t)(value >> 8 * b);
	}
}

static void take_results(struct pt_mem_ap *ap, size_t n_done)
{
	for (size_t i = 0; i < n_done; i++) {
		const struct pt_dap_op *dap = &ap->dap[i];
		struct pt_mem_op *op = &ap->ops[ap->access[i].op];

		if (ap->access[i].bytes != NULL)
			take_result(&ap->access[i], dap);
		if (op->sent_ns == 0)
			op->sent_ns = dap->sent_ns;
		op->done_ns = dap->done_ns;
	}
}

/* Evaluates the poll of the batch, if there is one. Returns true if it expired. */
static bool poll_expired(struct pt_mem_ap *ap, size_t n_done)
{
	for (size_t i = 0; i < ap->n_dap; i++) {
		struct pt_mem_op *op = &ap->ops[ap->access[i].op];

		if (ap->dap[i].what != PT_DAP_POLL)
			continue;
		op->match_seen = ap->dap[i].words[0];
		op->done_ns = ap->dap[i].done_ns;
		return n_done <= i;
	}
	return false;
}

int pt_plan_flush(struct pt_mem_ap *ap)
{
	size_t n = ap->n_dap, n_done = 0;
	int rc;

	if (n == 0)
		return 0;
	rc = pt_adi_run(ap->adi, ap->dap, n, time_left_ms(ap), &n_done, ap->err);
	if (n_done > n)
		n_done = n;
	take_results(ap, n_done);
	ap->stopped_at = n_done < n ? ap->access[n_done].op : ap->at;
	if (rc == 0 && poll_expired(ap, n_done)) {
		ap->tar_known = false;	/* reads after the poll may have incremented it */
		rc = PT_PLAN_EXPIRED;
	}
	if (rc < 0) {
		pt_mem_ap_forget(ap);
		ap->failed_at = n_done;
		return rc;
	}
	ap->n_dap = ap->n_words = 0;
	ap->after_poll = false;
	return rc;
}

/* --- building ----------------------------------------------------------------------------------------------------- */

static int put(struct pt_mem_ap *ap, const struct pt_dap_op *dap, const struct pt_access *access)
{
	ap->dap[ap->n_dap] = *dap;
	ap->access[ap->n_dap] = *access;
	ap->access[ap->n_dap].op = ap->at;
	ap->n_dap++;
	return 0;
}

/* Makes room for one access with all writes that it may need before it: SELECT, CSW, TAR, SELECT. */
static int make_room(struct pt_mem_ap *ap, size_t n_words)
{
	if (ap->n_dap + 5 > PT_PLAN_OPS || ap->n_words + n_words > PT_PLAN_WORDS)
		return pt_plan_flush(ap);
	return 0;
}

static int put_select(struct pt_mem_ap *ap, uint8_t reg)
{
	struct pt_dap_op op;
	uint32_t select = ap->adi->select;
	bool known = ap->adi->select_known;
	int rc;

	if (!pt_adi_select(ap->adi, ap->ap, reg, &op))
		return 0;
	if (!ap->after_poll)
		return put(ap, &op, &(struct pt_access){ 0 });
	ap->adi->select = select;	/* not yet: the ops after the poll go first */
	ap->adi->select_known = known;
	rc = pt_plan_flush(ap);
	return rc != 0 ? rc : put_select(ap, reg);
}

static int put_write(struct pt_mem_ap *ap, uint8_t reg, uint32_t value)
{
	int rc = ap->after_poll ? pt_plan_flush(ap) : 0;

	if (rc == 0)
		rc = put_select(ap, reg);
	if (rc != 0)
		return rc;
	return put(ap, &(struct pt_dap_op){ .what = PT_DAP_WRITE, .ap = true, .a = reg & 0xc, .value = value },
		   &(struct pt_access){ 0 });
}

static int set_csw(struct pt_mem_ap *ap, uint8_t width_bytes, bool fixed)
{
	uint32_t size = width_bytes == 4 ? CSW_WORD : width_bytes == 2 ? CSW_HALF : CSW_BYTE;
	uint32_t csw = CSW_ACCESS | size | (fixed ? 0 : CSW_INCREMENT);
	int rc;

	if (ap->csw_known && ap->csw == csw)
		return 0;
	rc = put_write(ap, AP_CSW, csw);
	ap->csw = csw;
	ap->csw_known = rc == 0;
	return rc;
}

static int set_tar(struct pt_mem_ap *ap, uint32_t addr)
{
	int rc;

	if (ap->tar_known && ap->tar == addr)
		return 0;
	rc = put_write(ap, AP_TAR, addr);
	ap->tar = addr;
	ap->tar_known = rc == 0;
	return rc;
}

/* --- which data register ------------------------------------------------------------------------------------------ */

static bool same_line(uint64_t a, uint64_t b)
{
	return a / LINE_BYTES == b / LINE_BYTES;
}

static bool fits_line(const struct pt_mem_op *op)
{
	if (op->what == PT_MEM_POLL)
		return true;
	if (op->what == PT_MEM_DELAY || op->fixed || op->width_bytes == 1 || op->width_bytes == 2)
		return false;
	return op->addr % 4 == 0 && op->len_bytes % 4 == 0 && op->len_bytes != 0 &&
	       same_line(op->addr, op->addr + op->len_bytes - 1);
}

/* Uses BDn if TAR is in the line already, or if the next request stays in it. */
static bool use_line(const struct pt_mem_ap *ap, uint64_t addr)
{
	const struct pt_mem_op *op = &ap->ops[ap->at], *next = op + 1;
	bool more = ap->at + 1 < ap->n_ops && fits_line(next) && same_line(next->addr, addr);

	if (!fits_line(op))
		return false;
	if (more)
		return true;
	return ap->tar_known && same_line(ap->tar, addr) && (ap->tar != addr || (ap->adi->select & 0xf0) != 0);
}

/* BDn reaches the whole line from any TAR within it. Source: IHI 0031, 7.6.2 */
static int enter_line(struct pt_mem_ap *ap, uint64_t addr)
{
	int rc = 0;

	if (!ap->csw_known || (ap->csw & 7) != CSW_WORD)
		rc = set_csw(ap, 4, false);
	if (rc == 0 && !(ap->tar_known && same_line(ap->tar, addr)))
		rc = set_tar(ap, (uint32_t)addr & ~(uint32_t)(LINE_BYTES - 1));
	return rc != 0 ? rc : put_select(ap, AP_BD0);
}

/* --- accesses ----------------------------------------------------------------------------------------------------- */

/* Words to write, in the lanes of their addresses, breakpoints kept. n * width is at most 1 KiB. */
static void load_words(struct pt_mem_ap *ap, uint64_t addr, uint8_t width, uint32_t n, const uint8_t *bytes,
		       uint32_t *words)
{
	const struct pt_mem_op *op = &ap->ops[ap->at];
	uint8_t copy[BLOCK_BYTES];

	memcpy(copy, bytes, (size_t)n * width);
	if (ap->hooks.keep != NULL && !op->code && !op->fixed)
		ap->hooks.keep(ap->hooks.arg, addr, copy, (size_t)n * width);
	for (uint32_t i = 0; i < n; i++) {
		uint64_t at = op->fixed ? addr : addr + (uint64_t)i * width;

		words[i] = 0;
		for (unsigned b = 0; b < width; b++)
			words[i] |= (uint32_t)copy[i * width + b] << 8 * (b + (at & (4u - width)));
	}
}

static void put_access(struct pt_mem_ap *ap, uint8_t reg, const struct pt_access *access, uint32_t n, uint8_t *bytes)
{
	bool write = ap->ops[ap->at].what == PT_MEM_WRITE;
	struct pt_dap_op dap = { .ap = true, .a = reg & 0xc, .words = &ap->words[ap->n_words], .n_words = n };
	struct pt_access with = *access;

	if (write)
		load_words(ap, access->addr, access->width_bytes, n, bytes, dap.words);
	else
		with.bytes = bytes;
	dap.value = write ? dap.words[0] : 0;
	if (n == 1)
		dap.what = write ? PT_DAP_WRITE : PT_DAP_READ;
	else
		dap.what = write ? PT_DAP_WRITE_BLOCK : PT_DAP_READ_BLOCK;
	ap->n_words += n;
	put(ap, &dap, &with);
}

static int access_line(struct pt_mem_ap *ap, uint64_t addr, uint32_t n, uint8_t *bytes)
{
	int rc = enter_line(ap, addr);

	for (uint32_t i = 0; i < n && rc == 0; i++, addr += 4, bytes += 4) {
		struct pt_access access = { .addr = addr, .width_bytes = 4, .in_line = true };

		rc = make_room(ap, 1);
		if (rc == 0)
			put_access(ap, (uint8_t)(AP_BD0 + addr % LINE_BYTES), &access, 1, bytes);
	}
	return rc;
}

int pt_plan_access(struct pt_mem_ap *ap, uint64_t addr, uint8_t width_bytes, uint32_t n, uint8_t *bytes)
{
	const struct pt_mem_op *op = &ap->ops[ap->at];
	struct pt_access access = { .addr = addr, .width_bytes = width_bytes, .fixed = op->fixed };
	int rc = make_room(ap, n);

	if (rc == 0 && use_line(ap, addr))
		return access_line(ap, addr, n, bytes);
	if (rc == 0)
		rc = set_csw(ap, width_bytes, op->fixed);
	if (rc == 0)
		rc = set_tar(ap, (uint32_t)addr);
	if (rc == 0)
		rc = put_select(ap, AP_DRW);
	if (rc != 0)
		return rc;
	put_access(ap, AP_DRW, &access, n, bytes);
	if (!op->fixed) {
		ap->tar += n * width_bytes;
		ap->tar_known = ap->tar % BLOCK_BYTES != 0;	/* at the border it may wrap or increment */
	}
	return 0;
}

int pt_plan_poll(struct pt_mem_ap *ap)
{
	const struct pt_mem_op *op = &ap->ops[ap->at];
	struct pt_dap_op dap = {
		.what = PT_DAP_POLL, .ap = true, .a = op->addr % LINE_BYTES, .value = op->match, .mask = op->mask,
		.time_us = op->time_us,
	};
	int rc = make_room(ap, 1);

	if (rc == 0)
		rc = enter_line(ap, op->addr);
	if (rc != 0)
		return rc;
	dap.words = &ap->words[ap->n_words++];
	dap.words[0] = 0;
	put(ap, &dap, &(struct pt_access){ .addr = op->addr, .width_bytes = 4, .in_line = true });
	ap->after_poll = true;
	return 0;
}

int pt_plan_delay(struct pt_mem_ap *ap, uint32_t time_us)
{
	int rc = 0;

	while (time_us > 0 && rc == 0) {
		uint32_t piece_us = time_us < DELAY_PIECE_US ? time_us : DELAY_PIECE_US;

		rc = make_room(ap, 0);
		if (rc == 0)
			put(ap, &(struct pt_dap_op){ .what = PT_DAP_DELAY, .time_us = piece_us },
			    &(struct pt_access){ 0 });
		time_us -= piece_us;
	}
	return rc;
}
