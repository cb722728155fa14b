/* A HID report descriptor is a list of items, some of which hold until they are changed ("global"). A main item adds
 * report size x report count bits to its kind of report. Source: HID 1.11, 6.2.2. */
#include "probes/links/hid_report.h"

#include <stdbool.h>

enum { TYPE_MAIN = 0, TYPE_GLOBAL = 1 };
enum { MAIN_INPUT = 8, MAIN_OUTPUT = 9, MAIN_COLLECTION = 10 };
enum { GLOBAL_USAGE_PAGE = 0, GLOBAL_REPORT_SIZE = 7, GLOBAL_REPORT_ID = 8, GLOBAL_REPORT_COUNT = 9, GLOBAL_PUSH = 10,
       GLOBAL_POP = 11 };
enum { LONG_ITEM = 0xfe, MAX_STACK = 8, MAX_REPORT_BYTES = 4096 };

struct globals {
	uint32_t usage_page, size_bits, count;
};

struct walk {
	struct globals now, stack[MAX_STACK];
	unsigned n_stack;
	uint64_t in_bits, out_bits;
	struct pt_hid_report *out;
	bool collected;
};

static void global_item(struct walk *w, unsigned tag, uint32_t value)
{
	if (tag == GLOBAL_USAGE_PAGE)
		w->now.usage_page = value;
	if (tag == GLOBAL_REPORT_SIZE)
		w->now.size_bits = value;
	if (tag == GLOBAL_REPORT_COUNT)
		w->now.count = value;
	if (tag == GLOBAL_REPORT_ID)
		w->out->numbered = 1;
	if (tag == GLOBAL_PUSH && w->n_stack < MAX_STACK)
		w->stack[w->n_stack++] = w->now;
	if (tag == GLOBAL_POP && w->n_stack > 0)
		w->now = w->stack[--w->n_stack];
}

static void main_item(struct walk *w, unsigned tag)
{
	uint64_t bits = (uint64_t)w->now.size_bits * w->now.count;

	if (bits > 8 * MAX_REPORT_BYTES)
		bits = 8 * MAX_REPORT_BYTES + 8;	/* more than any report, and never an overflow */
	if (tag == MAIN_INPUT)
		w->in_bits += bits;
	if (tag == MAIN_OUTPUT)
		w->out_bits += bits;
	if (tag == MAIN_COLLECTION && !w->collected) {
		w->collected = true;
		w->out->usage_page = w->now.usage_page;
	}
}

static uint32_t whole_bytes(uint64_t bits)
{
	return bits <= 8 * MAX_REPORT_BYTES ? (uint32_t)((bits + 7) / 8) : 0;
}

void pt_hid_report_parse(const uint8_t *descriptor, size_t len_bytes, struct pt_hid_report *out)
{
	struct walk w = { .out = out };
	size_t at = 0;

	*out = (struct pt_hid_report){ 0 };
	while (at < len_bytes && descriptor[at] != LONG_ITEM) {
		static const uint8_t sizes[4] = { 0, 1, 2, 4 };
		uint8_t prefix = descriptor[at++];
		size_t size = sizes[prefix & 3];
		uint32_t value = 0;

		if (size > len_bytes - at)
			break;
		for (size_t i = 0; i < size; i++)
			value |= (uint32_t)descriptor[at + i] << (8 * i);
		at += size;
		if ((prefix >> 2 & 3) == TYPE_GLOBAL)
			global_item(&w, prefix >> 4, value);
		else if ((prefix >> 2 & 3) == TYPE_MAIN)
			main_item(&w, prefix >> 4);
	}
	out->in_bytes = whole_bytes(w.in_bits);
	out->out_bytes = whole_bytes(w.out_bits);
}
