/* ST-Link V2, V2-1 and V3: a firmware that moves registers of the debug port and memory, by commands of 16 bytes. It
 * shows no bits of the wire, so this driver offers wire dap by compiling: it follows what a list writes to SELECT, CSW and
 * TAR without sending it, and makes commands for memory of the accesses behind (stlink_list.c, stlink_memory.c,
 * stlink_words.c); what is no memory goes register by register (stlink_ports.c). Board thread only.
 *
 * How an access to memory went is the answer to another command, or stands in the reply of those for words. A reply says
 * nothing of what it answers but by its length.
 * Source: the host code of OpenOCD, pyOCD, probe-rs and stlink-tools. */
#ifndef PT_PROBES_DAP_STLINK_H
#define PT_PROBES_DAP_STLINK_H

#include "probes/wires/dap.h"
#include "probes/wires/exchange.h"
#include "probes/wires/link.h"
#include "probes/wires/stream_buffer.h"

enum { PT_STLINK_COMMAND_BYTES = 16, PT_STLINK_BLOCK_BYTES = 6144, PT_STLINK_APS = 256 };

/* What a memory access port was told last, as the list under way sees it. */
struct pt_stlink_ap {
	bool open;			/* the firmware was told to use it */
	bool idr_known;
	uint32_t idr, csw, tar;
	uint32_t block_bytes;		/* how far TAR counts; 0: not known yet */
};

struct pt_stlink_swo {			/* stlink_swo.c */
	bool active;			/* from start() to stop() */
	uint32_t bits_per_s;
	struct pt_link *clock;		/* of the times */
	struct pt_stream_buffer buffer;
	uint64_t empty_ns;		/* the probe's ring may have been empty last */
};

struct pt_stlink {
	struct pt_exchange exchange;
	struct pt_link *link;
	struct pt_link_info link_info;
	unsigned v, j;			/* generation, version of the debug part */
	char firmware[24];
	uint32_t target_mv;		/* 0: not measured, or none */
	bool jtag;			/* the port is reached by JTAG */
	uint32_t asked_hz, speed_hz;
	uint32_t v3_khz[2][16];		/* what the probe lists, for SWD and JTAG; ended by 0 */

	bool entered, tried;		/* debug mode */
	bool reset_low;			/* the line, as the user wants it */
	bool faulted;			/* sticky flags are set: no access port answers before they are cleared */
	struct pt_stlink_swo swo;
	uint32_t select;
	bool used_other_ap;		/* a list of words may stay on another access port */
	struct pt_stlink_ap ap[PT_STLINK_APS];
};

/* --- stlink_io.c: commands ----------------------------------------------------------------------------------------- */

/* Is the firmware that new? v3j 0: every V3 is. */
bool pt_stlink_has(const struct pt_stlink *st, unsigned v2j, unsigned v3j);
/* PT_EUNSUPPORTED with the version that is needed for `what`. */
int pt_stlink_too_old(const struct pt_stlink *st, const char *what, unsigned v2j, unsigned v3j, struct pt_err *err);

/* One command whose first n bytes are given, the rest is 0; data behind it, where n_data is not 0. Its reply of n_reply
 * bytes is in st->exchange.in afterwards. busy_ns: how long the probe may be at it. Errors as of pt_exchange_ask();
 * PT_EPROTO, too, where the reply has another length, PT_EUNSUPPORTED where the probe does not know the command. */
struct pt_stlink_command {
	uint8_t bytes[PT_STLINK_COMMAND_BYTES];
	const uint8_t *data;
	size_t n_data, n_reply;
	uint64_t busy_ns;
};
int pt_stlink_ask(struct pt_stlink *st, const struct pt_stlink_command *command, struct pt_err *err);
/* One that is not answered, before one that is. */
int pt_stlink_tell(struct pt_stlink *st, const struct pt_stlink_command *command, struct pt_err *err);

/* What a status means. */
enum pt_stlink_outcome { PT_STLINK_DONE, PT_STLINK_WAIT, PT_STLINK_FAULT, PT_STLINK_LOST };
enum pt_stlink_outcome pt_stlink_outcome(uint8_t status);
/* For the last two, and for a WAIT that does not end; addr is named where it is known (else UINT64_MAX). Notes sticky
 * flags. Returns the error. */
int pt_stlink_refused(struct pt_stlink *st, uint8_t status, struct pt_err *err);
/* A command whose reply begins with a status. Waits and repeats it while that is WAIT. */
int pt_stlink_do(struct pt_stlink *st, const struct pt_stlink_command *command, uint32_t timeout_ms,
		 struct pt_err *err);

/* A port that is busy: how long since, and how long to leave it alone. */
struct pt_stlink_patience { uint64_t since_ns; uint32_t ms; };
int pt_stlink_back_off(struct pt_stlink *st, struct pt_stlink_patience *patience, uint32_t timeout_ms, struct pt_err *err);

/* --- stlink_enter.c ------------------------------------------------------------------------------------------------ */

/* Enters debug mode, anew where it is in it: nothing of the port is known then. */
int pt_stlink_enter(struct pt_stlink *st, struct pt_err *err);
/* The fastest clock that is not faster than hz, or the slowest that there is. */
int pt_stlink_set_clock(struct pt_stlink *st, uint32_t hz, struct pt_err *err);
int pt_stlink_drive_reset(struct pt_stlink *st, bool low, struct pt_err *err);

/* --- stlink_ports.c: registers ------------------------------------------------------------------------------------- */

int pt_stlink_read_dp(struct pt_stlink *st, uint8_t a, uint32_t *value, uint32_t timeout_ms, struct pt_err *err);
int pt_stlink_write_dp(struct pt_stlink *st, uint8_t a, uint32_t value, uint32_t timeout_ms, struct pt_err *err);
int pt_stlink_read_ap(struct pt_stlink *st, uint8_t ap, uint8_t reg, uint32_t *value, uint32_t timeout_ms,
		      struct pt_err *err);
int pt_stlink_write_ap(struct pt_stlink *st, uint8_t ap, uint8_t reg, uint32_t value, uint32_t timeout_ms,
		       struct pt_err *err);
/* Before its first use. */
int pt_stlink_open_ap(struct pt_stlink *st, uint8_t ap, struct pt_err *err);
/* Is it one that reaches memory? Asks once. A negative code, 0 or 1. */
int pt_stlink_is_memory(struct pt_stlink *st, uint8_t ap, struct pt_err *err);
int pt_stlink_write_abort(void *state, uint32_t value, struct pt_err *err);

/* --- stlink_swo.c: wire stream ------------------------------------------------------------------------------------- */

extern const struct pt_stream_ops pt_stlink_stream_ops;	/* their state is a struct pt_stlink */
void pt_stlink_swo_close(struct pt_stlink *st);
struct pt_probe_info;
void pt_stlink_swo_info(const struct pt_stlink *st, struct pt_probe_info *out);

/* --- stlink_list.c: lists of operations ---------------------------------------------------------------------------- */

enum { PT_STLINK_PENDING = 128 };

struct pt_stlink_access {	/* to memory, as an operation of the list wants it */
	size_t op;
	uint8_t ap, size;
	bool write, counts, poll;
	uint32_t csw, addr, n, done;
	uint32_t *words;		/* n of them, in the lanes of their addresses */
};

struct pt_stlink_list {
	struct pt_stlink *st;
	struct pt_dap_op *ops;
	size_t n_ops, n_stamped;
	uint32_t timeout_ms;
	struct pt_stlink_access access[PT_STLINK_PENDING];
	size_t head, n_access;
	struct pt_stlink_patience patience;
	uint64_t poll_until_ns;		/* 0: not begun */
	bool expired;
};

int pt_stlink_run(void *state, struct pt_dap_op *ops, size_t n_ops, uint32_t timeout_ms, size_t *n_done,
		  struct pt_err *err);
/* n elements from the first access that is not done are; sent_ns: when the command was given to the probe. */
void pt_stlink_advance(struct pt_stlink_list *list, size_t n, uint64_t sent_ns);
uint32_t pt_stlink_addr(const struct pt_stlink_access *access, uint32_t i);
/* The access at the head failed, at its element that is not done. */
int pt_stlink_failed(struct pt_stlink_list *list, uint8_t status, struct pt_err *err);

/* --- stlink_memory.c, stlink_words.c ------------------------------------------------------------------------------- */

/* Does the next command of what is pending. */
int pt_stlink_step(struct pt_stlink_list *list, struct pt_err *err);
/* How many accesses from the head on one list of words takes; 0: the head is not for such. */
size_t pt_stlink_words_reach(const struct pt_stlink_list *list);
int pt_stlink_run_words(struct pt_stlink_list *list, size_t n_access, struct pt_err *err);
int pt_stlink_run_word(struct pt_stlink_list *list, struct pt_err *err);
/* The poll at the head saw value. */
void pt_stlink_polled(struct pt_stlink_list *list, uint32_t value, uint64_t sent_ns);
/* The CSW's access attributes are those that the firmware has by itself. */
bool pt_stlink_default_access(const struct pt_stlink_access *access);

#endif
