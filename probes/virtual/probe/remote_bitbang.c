/* A rising edge of the clock is a clock. SWDIO may be read before it or after it: a host reads the level that the
 * target drives while the clock is low, so the bit of the clock that comes is asked for ahead of time. */
#include "probes/virtual/probe/remote_bitbang.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "probes/virtual/wire/jtag_pins.h"
#include "probes/virtual/wire/swd_pins.h"
#include "base/util.h"

struct pt_vbitbang {
	struct pt_vswd swd;
	struct pt_vjtag jtag;
	bool clock, tms, tdi;		/* as last written; tms is SWDIO, too */
	bool drives;			/* the host drives SWDIO */
	bool sampled, level;		/* the clock of this low phase was made to learn what SWDIO is */
};

static const char letters[] = "01234567RrstuBbQOocdefgZz";

/* A part of the stream, as much as has come. */
static size_t frame(void *state, const uint8_t *bytes, size_t n_bytes)
{
	size_t n = n_bytes < PT_VBITBANG_MOST_BYTES ? n_bytes : PT_VBITBANG_MOST_BYTES;

	(void)state;
	for (size_t i = 0; i < n; i++)
		if (bytes[i] == 0 || (strchr(letters, bytes[i]) == NULL && bytes[i] != '\n'))
			return PT_VENGINE_NONSENSE;
	return n;
}

static void write_jtag(struct pt_vbitbang *b, unsigned levels)
{
	bool clock = (levels & 4) != 0;

	b->tms = (levels & 2) != 0;
	b->tdi = (levels & 1) != 0;
	if (clock && !b->clock)
		pt_vjtag_clock(&b->jtag, b->tms, b->tdi);
	b->clock = clock;
}

static void swd_clock(struct pt_vbitbang *b)
{
	b->level = pt_vswd_clock(&b->swd, b->drives, b->tms) != 0;
}

static void write_swd(struct pt_vbitbang *b, unsigned levels)
{
	bool clock = (levels & 2) != 0;

	b->tms = (levels & 1) != 0;
	if (clock && !b->clock && !b->sampled)
		swd_clock(b);
	if (clock)
		b->sampled = false;
	b->clock = clock;
}

static char read_swdio(struct pt_vbitbang *b)
{
	if (!b->clock && !b->sampled) {
		swd_clock(b);
		b->sampled = true;
	}
	return b->level ? '1' : '0';
}

static void set_reset(struct pt_vbitbang *b, unsigned which)
{
	pt_vjtag_set_reset(&b->jtag, (which & 2) != 0, (which & 1) != 0);
}

/* '0', '1', or 0: no answer. */
static char take(struct pt_vbitbang *b, char letter)
{
	if (letter >= '0' && letter <= '7')
		write_jtag(b, (unsigned)(letter - '0'));
	else if (letter >= 'd' && letter <= 'g')
		write_swd(b, (unsigned)(letter - 'd'));
	else if (letter >= 'r' && letter <= 'u')
		set_reset(b, (unsigned)(letter - 'r'));
	else if (letter == 'R')
		return pt_vjtag_tdo(&b->jtag) != 0 ? '1' : '0';
	else if (letter == 'c')
		return read_swdio(b);
	else if (letter == 'O' || letter == 'o')
		b->drives = letter == 'O';
	else if (letter == 'Z' || letter == 'z')
		pt_vswd_idle_until(&b->swd, pt_vswd_now_ns(&b->swd) + (letter == 'Z' ? PT_NS_PER_MS : 1000));
	return 0;
}

static void process(void *state, const uint8_t *request, size_t len_bytes, uint64_t at_ns, pt_vrespond *respond,
		    void *arg)
{
	struct pt_vbitbang *b = state;
	uint8_t out[PT_VBITBANG_MOST_BYTES];
	size_t n = 0;

	pt_vswd_idle_until(&b->swd, at_ns);
	pt_vpace_begin(b->jtag.pace);
	for (size_t i = 0; i < len_bytes && n < sizeof(out); i++) {
		char answer = take(b, (char)request[i]);

		if (answer != 0)
			out[n++] = (uint8_t)answer;
	}
	if (n > 0)
		respond(arg, out, n, pt_vswd_now_ns(&b->swd));
}

static void release(void *state)
{
	free(state);
}

struct pt_vbitbang *pt_vbitbang_new(uint32_t max_hz, struct pt_vpace *pace, struct pt_vfaults *faults)
{
	struct pt_vbitbang *b = pt_alloc(sizeof(*b));

	b->drives = true;
	pt_vswd_init(&b->swd, pace, faults, max_hz);
	pt_vjtag_init(&b->jtag, pace, &b->swd.clock, &b->swd.dp);
	return b;
}

const struct pt_vengine_ops pt_vbitbang_engine = {
	.name = "remote_bitbang", .protocol = "remote_bitbang",
	.served = "OpenOCD's remote_bitbang (JTAG and SWD), for any program that speaks it",
	.process = process, .frame = frame, .free = release,
};
