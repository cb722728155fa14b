/* Packets to the GDB server of a virtual board, without a socket: for tests of the boards. Board time passes with the
 * packets; now_ns may be put forward. */
#ifndef PT_TESTS_RSP_RIG_H
#define PT_TESTS_RSP_RIG_H

#include <stdio.h>
#include <string.h>

#include "harness.h"
#include "probes/virtual/boards.h"
#include "probes/virtual/rsp/rsp_stub.h"

static struct pt_vpace pace;
static void *stub;
static char answer[8192];
static uint64_t now_ns;

static inline void on_response(void *arg, const uint8_t *bytes, size_t len_bytes, uint64_t done_ns)
{
	size_t at = strlen(answer);

	(void)arg;
	ck_assert_uint_lt(at + len_bytes, sizeof(answer));
	memcpy(answer + at, bytes, len_bytes);
	answer[at + len_bytes] = '\0';
	if (done_ns > now_ns)
		now_ns = done_ns;
}

static inline void begin_serving(const struct pt_vboard_ops *ops, struct pt_vboard *board, const char *habit)
{
	pt_vpace_init(&pace, ops, board, false);
	stub = pt_vrsp_new(ops->rsp(board),
			   strcmp(habit, "qemu") == 0	? PT_VRSP_QEMU
			   : strcmp(habit, "bare") == 0 ? PT_VRSP_BARE
							: PT_VRSP_MODERN,
			   &pace);
	ck_assert_ptr_nonnull(stub);
	now_ns = 0;
}

static inline void end_serving(void)
{
	pt_vrsp_engine.left(stub);
	pt_vrsp_engine.free(stub);
}

/* What came back for one packet, framing and all. */
static inline const char *ask_raw(const char *bytes, size_t len_bytes)
{
	answer[0] = '\0';
	ck_assert_uint_eq(pt_vrsp_engine.frame(stub, (const uint8_t *)bytes, len_bytes), len_bytes);
	pt_vrsp_engine.process(stub, (const uint8_t *)bytes, len_bytes, now_ns, on_response, NULL);
	return answer;
}

static inline const char *ask(const char *packet)
{
	char frame[PT_VRSP_MOST_BYTES];
	uint8_t sum = 0;

	for (const char *p = packet; *p != '\0'; p++)
		sum = (uint8_t)(sum + (uint8_t)*p);
	return ask_raw(frame, (size_t)snprintf(frame, sizeof(frame), "$%s#%02x", packet, sum));
}

/* The payload of the only packet in answer. */
static inline const char *payload(const char *packet)
{
	static char text[PT_VRSP_MOST_BYTES];
	const char *begin = strchr(ask(packet), '$');

	ck_assert_ptr_nonnull(begin);
	snprintf(text, sizeof(text), "%.*s", (int)strcspn(begin + 1, "#"), begin + 1);
	return text;
}

#endif
