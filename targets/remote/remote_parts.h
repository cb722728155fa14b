/* Private to the files of targets/remote. */
#ifndef PT_TARGETS_REMOTE_PARTS_H
#define PT_TARGETS_REMOTE_PARTS_H

#include "targets/remote/remote.h"

enum { PT_REMOTE_ASK_MS = 900 };

/* ask.c */
/* Requires the answer "OK". */
int pt_remote_ask_ok(struct pt_remote *r, const void *packet, size_t len_bytes, uint32_t timeout_ms,
		     struct pt_err *err);
/* Turns an error reply into our error; 0: the answer is not an error. PT_EFAULT, PT_EUNSUPPORTED (empty). */
int pt_remote_judge(const char *packet, const struct pt_rsp_answer *answer, struct pt_err *err);
/* value.c */
/* The value of a register in hex digits, in the target's byte order. False: "xx" (unavailable), or too short. */
bool pt_remote_value_at(const struct pt_remote *r, const char *hex, size_t len, uint32_t offset, unsigned bits,
			uint64_t *value);
void pt_remote_put_value(const struct pt_remote *r, char *hex, size_t n_bytes, uint64_t value);
int pt_remote_read_by_p(struct pt_remote *r, uint16_t row, uint64_t *value, struct pt_err *err);
int pt_remote_write_by_p(struct pt_remote *r, uint16_t row, uint64_t value, struct pt_err *err);
/* registers.c: reads the server's description, or uses the kind's layout. */
int pt_remote_read_description(struct pt_remote *r, struct pt_err *err);
/* Initializes mem to use the GDB connection. running: it works while the target runs. */
void pt_remote_mem_init(struct pt_remote *r, bool running);
/* Makes mem use OpenOCD's TCL port; big_endian must be set. name: the target's name there, NULL: OpenOCD's current
 * target. PT_EARG, PT_ENOMEM. */
int pt_remote_mem_by_tcl(struct pt_remote *r, const char *address, const char *name, uint32_t patience_ms,
			 struct pt_err *err);
bool pt_remote_stands(const struct pt_remote *r, const struct pt_rsp_run *run, unsigned core);

#endif
