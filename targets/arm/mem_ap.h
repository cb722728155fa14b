/* Target memory through a MEM-AP, as a struct pt_mem: any size and alignment, in as few round trips as the wire
 * allows, while the core runs. Board thread only. Source: Arm IHI 0031 (ADIv5), chapter on the MEM-AP.
 *
 * What it promises beyond mem.h:
 *  - TAR is rewritten at every 1 KiB border, in the same batch; CSW, TAR and SELECT are written only when they change;
 *  - words of one 16-byte line that are asked for together go through BD0..BD3 and share one TAR write;
 *  - a POLL re-reads through BDn, in the probe where the probe can;
 *  - the address in a bus fault is the one that failed, also in the middle of a block. */
#ifndef PT_ARM_MEM_AP_H
#define PT_ARM_MEM_AP_H

#include "targets/arm/adi.h"
#include "targets/contract/mem.h"

enum { PT_PLAN_OPS = 512, PT_PLAN_WORDS = 16640 };	/* 64 KiB and some registers in one batch */

/* Breakpoints are in memory; accesses without `code` do not see them. */
struct pt_mem_ap_hooks {
	void *arg;
	/* bytes were read: inserts the program's own */
	void (*hide)(void *arg, uint64_t addr, uint8_t *bytes, size_t len_bytes);
	/* bytes will be written: stores them where breakpoints are, and inserts the breakpoints */
	void (*keep)(void *arg, uint64_t addr, uint8_t *bytes, size_t len_bytes);
};

struct pt_access {		/* the memory access of an op of the batch */
	size_t op;		/* index of the pt_mem_op it belongs to */
	uint64_t addr;
	uint8_t width_bytes;	/* 0: SELECT, CSW, TAR or a delay */
	bool in_line;		/* through BDn: TAR does not move */
	bool fixed;
	uint8_t *bytes;		/* read: destination of the result */
};

struct pt_mem_ap {
	struct pt_mem mem;	/* the interface for others */
	struct pt_adi *adi;
	uint8_t ap;
	struct pt_mem_ap_hooks hooks;	/* all NULL: none */
	uint32_t csw, tar;	/* as last written or moved on to, if known */
	bool csw_known, tar_known;

	/* the batch under construction: mem_plan.c */
	struct pt_mem_op *ops;
	size_t n_ops, at;	/* the caller's; index of the one being planned */
	uint64_t deadline_ns;
	struct pt_err *err;
	struct pt_dap_op dap[PT_PLAN_OPS];
	struct pt_access access[PT_PLAN_OPS];
	size_t n_dap, n_words;
	bool after_poll;
	size_t stopped_at;	/* the pt_mem_op at which a run ended early */
	size_t failed_at;	/* the DAP operation at which it ended, after an error */
	uint32_t words[PT_PLAN_WORDS];
};

void pt_mem_ap_init(struct pt_mem_ap *ap, struct pt_adi *adi, uint8_t number);
void pt_mem_ap_forget(struct pt_mem_ap *ap);	/* the chip was reset or connected again: forgets cached registers */

/* --- between mem_ap.c, mem_plan.c and mem_fault.c ----------------------------------------------------------------- */

/* All return 0, an error, or PT_PLAN_EXPIRED: a poll expired, stop. */
enum { PT_PLAN_EXPIRED = 1 };
int pt_plan_access(struct pt_mem_ap *ap, uint64_t addr, uint8_t width_bytes, uint32_t n, uint8_t *bytes);
int pt_plan_poll(struct pt_mem_ap *ap);
int pt_plan_delay(struct pt_mem_ap *ap, uint32_t time_us);
int pt_plan_flush(struct pt_mem_ap *ap);

/* After PT_EFAULT in the batch that ap still holds: the address that failed. */
uint64_t pt_mem_ap_find_fault(struct pt_mem_ap *ap);

#endif
