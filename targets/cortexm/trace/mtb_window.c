/* Finds where the MTB may record. The unit counts in POINTER space, which is the address modulo 2^AWIDTH, and keeps to
 * a ring of 2^(MASK + 4) bytes that is aligned there. If the whole ring is free memory, recording may wrap; else a
 * stretch inside a larger ring is used, and a watermark stops recording before its end ("one shot"). Source: Arm DDI
 * 0486, 3.2 (equation of POINTER and BASE). */
#include "targets/cortexm/trace/mtb.h"
#include "base/util.h"

enum { LEAST_RING_BITS = 4 };

static uint64_t span_of_pointer(const struct pt_mtb_need *need)
{
	return UINT64_C(1) << need->awidth;
}

/* MASK of the smallest aligned ring that holds [pointer, pointer + len); false: it crosses the end of pointer space. */
static bool ring_around(uint32_t pointer, uint32_t len_bytes, uint32_t awidth, uint32_t *mask)
{
	for (uint32_t bits = LEAST_RING_BITS; bits <= awidth; bits++)
		if (pointer >> bits == (pointer + len_bytes - 1) >> bits) {
			*mask = bits - LEAST_RING_BITS;
			return true;
		}
	return false;
}

static bool reaches(const struct pt_mtb_need *need, uint64_t addr, uint64_t size)
{
	if (need->sram_base == 0)	/* LPC8xx: BASE reads as 0 */
		return true;
	return addr >= need->sram_base && addr + size <= need->sram_base + span_of_pointer(need);
}

/* Fills win if it is possible to record into the stretch. */
static bool make(struct pt_mtb_window *win, const struct pt_mtb_need *need, uint64_t addr, uint64_t size)
{
	uint32_t pointer = (uint32_t)(addr & (span_of_pointer(need) - 1)), mask = 0;

	if (size < PT_MTB_LEAST_BYTES || size > PT_MTB_MAX_BYTES || addr % PACKET_BYTES != 0 ||
	    size % PACKET_BYTES != 0 || !reaches(need, addr, size) ||
	    !ring_around(pointer, (uint32_t)size, need->awidth, &mask))
		return false;
	win->addr = (uint32_t)addr;
	win->len_bytes = (uint32_t)size;
	win->pointer = pointer;
	win->mask = mask;
	win->ring = UINT32_C(1) << (mask + LEAST_RING_BITS) == size;
	return win->ring || !need->ring;
}

int pt_mtb_window_at(struct pt_mtb_window *win, const struct pt_mtb_need *need, uint64_t addr, uint64_t size,
		     struct pt_err *err)
{
	if (make(win, need, addr, size))
		return 0;
	if (!reaches(need, addr, size))
		return pt_fail(err, PT_EARG, "the MTB reaches 0x%08x to 0x%08llx only", (unsigned)need->sram_base,
			       (unsigned long long)(need->sram_base + span_of_pointer(need) - 1));
	if (need->ring)
		return pt_fail(err, PT_EARG,
			       "this mode needs a buffer of 64, 128, ... %d bytes at a multiple of its size",
			       PT_MTB_MAX_BYTES);
	return pt_fail(err, PT_EARG,
		       "the MTB cannot record into 0x%08llx:%llu: multiples of 8, 64 to %d bytes, not "
		       "across a multiple of 0x%llx",
		       (unsigned long long)addr, (unsigned long long)size, PT_MTB_MAX_BYTES,
		       (unsigned long long)span_of_pointer(need));
}

/* The largest ring in the span. */
static bool ring_in(struct pt_mtb_window *win, const struct pt_mtb_need *need, const struct pt_span *span)
{
	for (uint64_t size = PT_MTB_MAX_BYTES; size >= PT_MTB_LEAST_BYTES; size /= 2) {
		uint64_t addr = (span->addr + size - 1) / size * size;

		if (size <= need->want_bytes && size <= span->size && addr - span->addr <= span->size - size &&
		    make(win, need, addr, size) && win->ring)
			return true;
	}
	return false;
}

/* The largest stretch that crosses no multiple of the pointer space. */
static bool stretch_in(struct pt_mtb_window *win, const struct pt_mtb_need *need, const struct pt_span *span)
{
	uint64_t addr = (span->addr + PACKET_BYTES - 1) / PACKET_BYTES * PACKET_BYTES, end = span->addr + span->size;
	uint64_t cut = (addr / span_of_pointer(need) + 1) * span_of_pointer(need), size;

	if (cut < end && end - cut > cut - addr)
		addr = cut;
	else if (cut < end)
		end = cut;
	size = end > addr ? (end - addr) / PACKET_BYTES * PACKET_BYTES : 0;
	if (size > need->want_bytes)
		size = need->want_bytes / PACKET_BYTES * PACKET_BYTES;
	return make(win, need, addr, size);
}

bool pt_mtb_window_find(struct pt_mtb_window *win, const struct pt_mtb_need *need, const struct pt_span *spans,
			size_t n_spans)
{
	struct pt_mtb_window candidate;

	win->len_bytes = 0;
	for (size_t i = 0; i < n_spans; i++)
		if (ring_in(&candidate, need, &spans[i]) && candidate.len_bytes > win->len_bytes)
			*win = candidate;
	for (size_t i = 0; !need->ring && i < n_spans; i++)
		if (stretch_in(&candidate, need, &spans[i]) && candidate.len_bytes > win->len_bytes)
			*win = candidate;
	return win->len_bytes != 0;
}
