/* A link to a device that is a function: what a probe driver sends is answered by a callback, on a clock that moves
 * only in the link's calls, and one thing can be made to go wrong at a chosen request. */
#ifndef PT_TESTS_SCRIPTED_LINK_H
#define PT_TESTS_SCRIPTED_LINK_H

#include "probes/wires/link.h"

enum pt_script_fault {
	PT_SCRIPT_FINE,
	PT_SCRIPT_SILENT,	/* the response never comes */
	PT_SCRIPT_LATE,		/* it comes after late_ns more */
	PT_SCRIPT_SHORT,	/* it is cut after its first byte */
	PT_SCRIPT_EMPTY,	/* it has no byte */
	PT_SCRIPT_WRONG,	/* it is the answer to another command */
	PT_SCRIPT_GARBAGE,	/* its bytes are noise, all but the first */
	PT_SCRIPT_OVERSIZE,	/* it is larger than the reader's room */
	PT_SCRIPT_UNPLUG,	/* the device is gone from this request on */
	PT_SCRIPT_UNPLUG_IN_FLIGHT,	/* it takes the request, then it is gone */
	PT_SCRIPT_INTERRUPT,	/* an interrupt comes while this response is waited for */
	PT_SCRIPT_FAULTS
};

enum { PT_SCRIPT_DEPTH = 128, PT_SCRIPT_BYTES = 9856 };
#define PT_SCRIPT_NO_ANSWER (SIZE_MAX / 2)	/* a part of a request */

struct pt_script {
	/* Answer a request; returns the response's length, or PT_SCRIPT_NO_ANSWER, and adds the time it took to
	 * *took_ns. */
	size_t (*answer)(void *arg, const uint8_t *request, size_t len_bytes, uint8_t *response, uint64_t *took_ns);
	/* Answer a control request, as struct pt_link_ops has it; NULL: each is taken, and says nothing. */
	int (*control)(void *arg, const struct pt_link_control *request, uint8_t *data, size_t len_bytes);
	/* What the endpoint for trace has at at_ns, room at most; NULL: there is none. */
	size_t (*trace)(void *arg, uint8_t *bytes, size_t room, uint64_t at_ns);
	void *arg;
	struct pt_link_info info;
	uint64_t packet_ns, turn_ns;	/* per packet on the cable; from a request to the first sign of life */
	enum pt_script_fault fault;
	size_t fault_at;		/* index of the request, from 0 */
	uint64_t late_ns;
	uint64_t interrupt_at_ns;	/* an interrupt comes when the clock gets there; 0: none */
	bool usb;			/* it can be reset */

	/* what happened */
	size_t n_requests, most_outstanding, largest_request;
	unsigned n_closed, n_resets;
	bool gone, interrupted, fault_done;
	bool unanswered;		/* the request at fault_at has no answer that could be spoilt */

	/* inside */
	uint64_t now_ns, free_ns, host_free_ns;	/* the device, and the cable to it, are busy until */
	struct pt_script_response {
		uint8_t bytes[PT_SCRIPT_BYTES];
		size_t len_bytes, index;
		uint64_t ready_ns;
	} queue[PT_SCRIPT_DEPTH];
	size_t head, n_queued;
};

/* The script stays the caller's and can be looked into after the link was closed. */
struct pt_link *pt_script_link(struct pt_script *script);

/* A response that nobody asked for, as a killed host leaves it. */
void pt_script_leave(struct pt_script *script, const uint8_t *bytes, size_t len_bytes);

#endif
