/* Anything as the answer of OpenOCD's TCL port to a command of ours: no value outside its piece is written, what is
 * said to be done is consistent, and a refusal is a sentence. Input: what the command was, a few bytes; its answer. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "targets/contract/mem.h"
#include "targets/remote/tcl_text.h"
#include "base/util.h"

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t in_bytes);

enum { MOST = 4, MOST_VALUES = 8, GUARD = 0xa5 };

static void need(bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "%s\n", what);
	abort();
}

struct memory { uint8_t bytes[4 * MOST_VALUES + 4]; };

/* One byte: two bits of what, two of the width, one of fixed, three of how many. */
static struct pt_tcl_piece piece_of(uint8_t b, struct memory *m)
{
	static const uint8_t what[] = { PT_MEM_READ, PT_MEM_READ, PT_MEM_WRITE, PT_MEM_POLL }, width[] = { 4, 4, 2, 1 };
	struct pt_tcl_piece p = { .what = what[b & 3], .width_bytes = width[b >> 2 & 3], .fixed = (b & 16) != 0,
				  .n = 1u + (b >> 5), .addr = 0x20000000, .bytes = m->bytes };

	memset(m->bytes, GUARD, sizeof(m->bytes));
	if (p.what == PT_MEM_POLL || p.fixed)
		p.width_bytes = 4;
	if (p.what == PT_MEM_POLL) {
		p.fixed = false;
		p.n = 1;
	}
	return p;
}

static void check_guards(const struct pt_tcl_piece *p, const struct memory *m)
{
	size_t first = p->what == PT_MEM_WRITE ? 0 : (size_t)p->n * p->width_bytes;

	for (size_t i = first; i < sizeof(m->bytes); i++)
		need(m->bytes[i] == GUARD, "a value outside its piece");
}

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t in_bytes)
{
	static char command[PT_TCL_TEXT_BYTES];
	struct memory memory[MOST];
	struct pt_tcl_piece pieces[MOST];
	struct pt_tcl_answer out;
	struct pt_err err = { 0 };
	size_t n = in_bytes > 0 ? 1 + (in[0] & 3) : 0;
	bool big_endian;
	int rc;

	if (in_bytes < 1 + n || n == 0)
		return 0;
	big_endian = (in[0] & 4) != 0;
	for (size_t i = 0; i < n; i++)
		pieces[i] = piece_of(in[1 + i], &memory[i]);
	need(pt_tcl_command(command, sizeof(command), 7, "chip.cpu", pieces, n, big_endian) == strlen(command),
	     "a command that is cut");
	need(memchr(command, 0x1a, strlen(command)) == NULL, "a command with an end in its middle");
	rc = pt_tcl_answer((const char *)in + 1 + n, in_bytes - 1 - n, 7, pieces, n, big_endian, &out, &err);
	for (size_t i = 0; i < n; i++)
		check_guards(&pieces[i], &memory[i]);
	if (rc != 0) {
		need(rc == PT_EPROTO && err.msg[0] != '\0', "an error without a sentence");
		return 0;
	}
	need(out.n_done <= n, "more done than asked");
	need((out.n_done == n) == (!out.expired && out.refused[0] == '\0'), "all done and not, at once");
	need(!out.expired || pieces[out.n_done].what == PT_MEM_POLL, "expired without a poll");
	return 0;
}
