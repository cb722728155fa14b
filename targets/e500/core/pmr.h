/* The registers of an e500's performance monitor: numbers, names, fields, and the instructions that access them. Pure:
 * no I/O, no state; any thread.
 *
 * Sources: E1 = E500CORERM Rev. 1, Tables 7-2 to 7-6; E3 = Linux reg_fsl_emb.h; E5 = NXP's qoriq-debug, pmr_cpu_v1.h;
 * instruction words: checked against the GNU assembler. UNVERIFIED: codes of TRIGONCTL, TRIGOFFCTL and PMP, which are
 * left 0; TBSEL and TBEE of e500mc and later (the manual describes them for the e500v2). */
#ifndef PT_E500_PMR_H
#define PT_E500_PMR_H

#include "targets/e500/core/events.h"
#include "targets/contract/target.h"

/* Numbers of the supervisor registers; add n for PMCn, PMLCan and PMLCbn. User code reads the same register by a number
 * 16 lower. Source: E1 Table 7-2, E3. */
enum { PT_E500_PMC0 = 16, PT_E500_PMLCA0 = 144, PT_E500_PMLCB0 = 272, PT_E500_PMGC0 = 400, PT_E500_USER_LESS = 16 };
enum { PT_E500_PMRS = 512 };		/* PMR numbers are below this. Source: E1 Table 7-2 */

/* Indices into the rows of fields. A core may lack the later ones: n_fields of its register is the limit. */
enum pt_e500_pmgc0_field { PT_E500_FAC, PT_E500_PMIE, PT_E500_FCECE, PT_E500_TBSEL, PT_E500_TBEE };
enum pt_e500_pmlca_field {
	PT_E500_FC, PT_E500_FCS, PT_E500_FCU, PT_E500_FCM1, PT_E500_FCM0, PT_E500_CE, PT_E500_EVENT, PT_E500_FGCS1,
	PT_E500_FGCS0,
};
enum pt_e500_pmlcb_field {
	PT_E500_THRESHMUL, PT_E500_THRESHOLD, PT_E500_TRIGONCTL, PT_E500_TRIGOFFCTL, PT_E500_PMCC, PT_E500_PMP,
};

struct pt_e500_register {
	const struct pt_field *field;	/* NULL: the register has no fields (PMC) */
	size_t n_fields;
	bool user;			/* read-only, user number */
	char name[12];			/* "PMLCa0", "UPMC3" */
};

/* False: the core has no register of that number. */
bool pt_e500_pmr(enum pt_e500_core core, unsigned pmr, struct pt_e500_register *reg);
/* The number of a register by its name, ignoring case. -1: the core has none. */
int pt_e500_pmr_find(enum pt_e500_core core, const char *name);

/* Encodes mfpmr rD,pmr and mtpmr pmr,rS. The register's number is split like an SPR's; gpr 0 to 31, pmr 0 to 1023. An
 * isync must follow mtpmr before code relies on it (E3). */
uint32_t pt_e500_mfpmr(unsigned gpr, unsigned pmr);
uint32_t pt_e500_mtpmr(unsigned pmr, unsigned gpr);

/* --- accesses, as a list for the access methods of the performance monitor
 * --------------------------------------------- */

/* Added to an SPR's number, for an operation that reads the SPR. User code may not read the PVR: it yields 0. Numbers:
 * E500CORERM Table 2-4. */
enum { PT_E500_SPR = 0x1000, PT_E500_SPR_TBL = 268, PT_E500_SPR_TBU = 269, PT_E500_SPR_PVR = 287 };

struct pt_e500_op {
	/* supervisor number (the user number is used in user mode); or PT_E500_SPR + an SPR */
	uint16_t pmr;
	bool write;
	uint32_t value;			/* in: to write; out: read */
};

#endif
