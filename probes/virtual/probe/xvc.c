#include "probes/virtual/probe/xvc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "probes/virtual/wire/jtag_pins.h"
#include "probes/virtual/wire/swd_pins.h"
#include "base/util.h"

enum { GETINFO_BYTES = 8, SETTCK_BYTES = 7 + 4, SHIFT_HEAD_BYTES = 6 + 4 };

struct pt_vxvc {
	uint32_t max_tck_hz;
	struct pt_vswd swd;		/* the debug port, where the board has one; and the probe's clock */
	struct pt_vjtag jtag;
	struct pt_vfaults no_faults;
};

static bool begins(const uint8_t *bytes, size_t n_bytes, const char *word)
{
	size_t len = strlen(word);

	return memcmp(bytes, word, n_bytes < len ? n_bytes : len) == 0;
}

/* Of a shift whose head is there. */
static size_t vector_bytes(const uint8_t *request)
{
	return ((size_t)pt_le32(request + 6) + 7) / 8;
}

static size_t frame(void *state, const uint8_t *bytes, size_t n_bytes)
{
	size_t whole;

	(void)state;
	if (n_bytes == 0)
		return 0;
	if (begins(bytes, n_bytes, "getinfo:"))
		whole = GETINFO_BYTES;
	else if (begins(bytes, n_bytes, "settck:"))
		whole = SETTCK_BYTES;
	else if (!begins(bytes, n_bytes, "shift:"))
		return PT_VENGINE_NONSENSE;
	else if (n_bytes < SHIFT_HEAD_BYTES)
		return 0;
	else if (vector_bytes(bytes) > PT_VXVC_VECTOR_BYTES)
		return PT_VENGINE_NONSENSE;
	else
		whole = SHIFT_HEAD_BYTES + 2 * vector_bytes(bytes);
	return n_bytes >= whole ? whole : 0;
}

static size_t get_info(uint8_t *out, size_t room)
{
	return (size_t)snprintf((char *)out, room, "xvcServer_v1.0:%d\n", 2 * PT_VXVC_VECTOR_BYTES);
}

/* The period in force is the one asked for, or the shortest there is. */
static size_t set_tck(struct pt_vxvc *xvc, const uint8_t *request, uint8_t *out)
{
	uint32_t least_ns = (uint32_t)((PT_NS_PER_S + xvc->max_tck_hz - 1) / xvc->max_tck_hz);
	uint32_t period_ns = pt_le32(request + 7);

	if (period_ns < least_ns)
		period_ns = least_ns;
	pt_vclock_set(&xvc->swd.clock, period_ns > PT_NS_PER_S ? 1 : (uint32_t)(PT_NS_PER_S / period_ns));
	pt_put_le32(out, period_ns);
	return 4;
}

static size_t shift(struct pt_vxvc *xvc, const uint8_t *request, uint8_t *out)
{
	uint32_t n_bits = pt_le32(request + 6);
	const uint8_t *tms = request + SHIFT_HEAD_BYTES, *tdi = tms + vector_bytes(request);

	memset(out, 0, vector_bytes(request));
	for (uint32_t i = 0; i < n_bits; i++)
		out[i / 8] |=
			(uint8_t)(pt_vjtag_clock(&xvc->jtag, (tms[i / 8] >> i % 8 & 1) != 0, tdi[i / 8] >> i % 8 & 1u)
				  << i % 8);
	return vector_bytes(request);
}

static void process(void *state, const uint8_t *request, size_t len_bytes, uint64_t at_ns, pt_vrespond *respond,
		    void *arg)
{
	struct pt_vxvc *xvc = state;
	uint8_t out[PT_VXVC_VECTOR_BYTES];
	size_t n;

	pt_vswd_idle_until(&xvc->swd, at_ns);
	pt_vpace_begin(xvc->jtag.pace);
	if (len_bytes == 0 || frame(xvc, request, len_bytes) != len_bytes)
		return;		/* on a stream it never gets here: the host is sent away */
	if (request[0] == 'g')
		n = get_info(out, sizeof(out));
	else
		n = request[1] == 'e' ? set_tck(xvc, request, out) : shift(xvc, request, out);
	respond(arg, out, n, pt_vswd_now_ns(&xvc->swd));
}

static void release(void *state)
{
	free(state);
}

struct pt_vxvc *pt_vxvc_new(uint32_t max_tck_hz, struct pt_vpace *pace)
{
	struct pt_vxvc *xvc = pt_alloc(sizeof(*xvc));

	xvc->max_tck_hz = max_tck_hz;
	pt_vswd_init(&xvc->swd, pace, &xvc->no_faults, max_tck_hz);
	pt_vjtag_init(&xvc->jtag, pace, &xvc->swd.clock, &xvc->swd.dp);
	return xvc;
}

const struct pt_vengine_ops pt_vxvc_engine = {
	.name = "XVC", .protocol = "XVC", .served = "XVC 1.0, for any program that speaks it",
	.process = process, .frame = frame, .first = pt_first_xvc, .free = release,
};
