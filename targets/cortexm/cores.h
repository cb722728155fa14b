/* Parts with several cores: each core is a struct pt_cortexm behind an access port or a debug port of its own, and a
 * core of the board. Functions of struct pt_target_ops that take a core work on that one; the others work on all.
 *
 * Cores are found at attach: access ports of the first core's debug port with a core of the M profile (discovery.h),
 * and debug ports on the same wire that the family's row names (family.h). A core that cannot be debugged (held in
 * reset, locked, without power) is away, with the reason in words: the others are debugged meanwhile, and proftap looks
 * at intervals whether it has come back. Board thread. */
#ifndef PT_CORTEXM_CORES_H
#define PT_CORTEXM_CORES_H

#include "targets/cortexm/core/cortexm.h"

/* Sets the access port that reaches this core's memory. */
void pt_cortexm_cores_reach(struct pt_cortexm *cm, struct pt_adi *adi, uint8_t ap);
/* Call it after the first core was identified. PT_EIO, PT_EINTERRUPTED: the probe. */
int pt_cortexm_cores_find(struct pt_cortexm *first, struct pt_err *err);
/* Continues after errors; returns the first one. Cores that are away are not restored. */
int pt_cortexm_cores_restore(struct pt_cortexm *first, bool resume, struct pt_err *err);
void pt_cortexm_cores_free(struct pt_cortexm *first);
void pt_cortexm_cores_describe(struct pt_cortexm *first, void (*say)(void *arg, const char *line), void *arg);

/* CSW.DeviceEn: the core behind it is locked, or off. Source: Arm IHI 0031, 7.6.4 */
bool pt_cortexm_port_is_closed(struct pt_cortexm *cm);
/* For a core besides the first: whether it is there, and its state. A core that is away has PT_IN_RESET. */
int pt_cortexm_core_status(struct pt_cortexm *cm, struct pt_core_status *out, struct pt_err *err);
/* Whether an error of the wire only means that this core is away. False: it is the probe that fails. */
bool pt_cortexm_core_leaves(struct pt_cortexm *cm, int rc);

static inline bool pt_cortexm_core_is_here(const struct pt_cortexm *cm)
{
	return cm->away[0] == '\0';
}

/* For struct pt_target_ops: the number of cores. */
unsigned pt_cortexm_cores_count(void *state);
void pt_cortexm_cores_about(void *state, unsigned core, struct pt_core_about *out);
int pt_cortexm_cores_status(void *state, unsigned core, struct pt_core_status *out, struct pt_err *err);
int pt_cortexm_cores_halt(void *state, unsigned core, struct pt_err *err);
int pt_cortexm_cores_resume(void *state, unsigned core, struct pt_err *err);
int pt_cortexm_cores_step(void *state, unsigned core, struct pt_err *err);
int pt_cortexm_cores_reset(void *state, enum pt_reset_kind kind, struct pt_err *err);
const struct pt_register *pt_cortexm_cores_registers(void *state, size_t *n);
int pt_cortexm_cores_read(void *state, unsigned core, const uint16_t *rows, size_t n, uint64_t *values,
			  struct pt_err *err);
int pt_cortexm_cores_write(void *state, unsigned core, const uint16_t *rows, size_t n, const uint64_t *values,
			   struct pt_err *err);
int pt_cortexm_cores_pc(void *state, unsigned core, uint64_t *pc, struct pt_err *err);
struct pt_mem *pt_cortexm_cores_mem(void *state, unsigned core);
int pt_cortexm_cores_insert(void *state, const struct pt_break *at, struct pt_err *err);
int pt_cortexm_cores_remove(void *state, const struct pt_break *at, struct pt_err *err);
int pt_cortexm_cores_leave(void *state, struct pt_err *err);
int pt_cortexm_cores_look_again(void *state, struct pt_err *err);
int pt_cortexm_cores_fault(void *state, const char *const *words, size_t n_words,
			   void (*say)(void *arg, const char *line), void *arg, struct pt_err *err);

#endif
