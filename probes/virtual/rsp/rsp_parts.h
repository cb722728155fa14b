/* Shared by the files of the stub alone: rsp_stub.c dispatches, rsp_reply.c frames, rsp_run.c is run control,
 * rsp_data.c registers, memory and breakpoints, rsp_query.c the questions. */
#ifndef PT_VIRTUAL_WIRE_RSP_PARTS_H
#define PT_VIRTUAL_WIRE_RSP_PARTS_H

#include "probes/virtual/rsp/rsp_stub.h"

enum { XML_BYTES = 8192 };

struct stub {
	struct pt_vrsp_target target;
	enum pt_vrsp_habit habit;
	struct pt_vpace *pace;
	bool attached, no_ack, non_stop;
	bool owes_stop;			/* all-stop: resumed, and the stop reply is due */
	unsigned g_thread, c_thread;	/* of H packets: 0.. */
	uint8_t runs;			/* threads that were resumed and are not known to have halted */
	uint8_t asked;			/* those that were told to halt one by one */
	uint8_t queued;			/* non-stop: stops that vStopped has not fetched */
	uint64_t at_ns;			/* of the request under way */
	uint64_t rest_until_ns;		/* wall clock: until then requests do not run the board */
	uint64_t done_ns;
	char reply[PT_VRSP_PACKET_BYTES + 1];
	size_t reply_bytes;
	bool no_reply;
	pt_vrespond *respond;		/* during a call */
	void *respond_arg;
	char xml[XML_BYTES];
};

void pt_stub_say(struct stub *stub, const char *format, ...) __attribute__((format(printf, 2, 3)));	/* appends */
void pt_stub_hex(struct stub *stub, const uint8_t *bytes, size_t n_bytes);
/* Hexadecimal digits; the end of them. value may be NULL. */
const char *pt_stub_number(const char *text, uint32_t *value);
size_t pt_stub_bytes(const char *hex, uint8_t *bytes, size_t room);	/* pairs of digits; how many */
/* begin: '$' a packet, '%' a notification. The text is sent as it is, with its checksum. */
void pt_stub_frame(struct stub *stub, char begin, const char *text, size_t len_bytes);
void pt_stub_notify(struct stub *stub, const char *text);
void pt_stub_send(struct stub *stub, const char *text);		/* a packet that is no answer */

bool pt_stub_any_runs(struct stub *stub);
void pt_stub_halt_all(struct stub *stub);	/* time passes until they stand; one in reset never does */
void pt_stub_stop_reply(struct stub *stub, unsigned thread);
void pt_stub_why(struct stub *stub);				/* ? */
void pt_stub_resume(struct stub *stub, const char *packet);	/* c, s, vCont;... */
void pt_stub_interrupt(struct stub *stub);			/* 0x03 */
void pt_stub_stopped(struct stub *stub);			/* vStopped */
void pt_stub_look(struct stub *stub);				/* has anybody halted? */
void pt_stub_detach(struct stub *stub);

void pt_stub_registers(struct stub *stub, const char *packet);	/* g G p P */
void pt_stub_memory(struct stub *stub, const char *packet, size_t len_bytes);	/* m M X */
void pt_stub_breakpoint(struct stub *stub, const char *packet);	/* Z z */

void pt_stub_query(struct stub *stub, const char *packet);	/* q Q */

#endif
