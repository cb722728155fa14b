/* Encodings. Source: UG984 2018.2, chapter 5; binutils' microblaze-opc.h; QEMU's insns.decode. */
#ifndef PT_VIRTUAL_CPU_MICROBLAZE_DECODE_H
#define PT_VIRTUAL_CPU_MICROBLAZE_DECODE_H

#include "probes/virtual/cpu/microblaze/core.h"

enum op_kind {
	OP_NEW,			/* not decoded */
	OP_ILLEGAL,
	/* in this order: bit 0 rsub, bit 1 with carry, bit 2 keeps the carry */
	OP_ADD, OP_RSUB, OP_ADDC, OP_RSUBC, OP_ADDK, OP_RSUBK, OP_ADDKC, OP_RSUBKC,
	OP_CMP, OP_CMPU,
	OP_MUL, OP_MULH, OP_MULHSU, OP_MULHU, OP_IDIV, OP_IDIVU,
	OP_OR, OP_AND, OP_XOR, OP_ANDN, OP_PCMPBF, OP_PCMPEQ, OP_PCMPNE,
	OP_SRA, OP_SRC, OP_SRL, OP_SEXT8, OP_SEXT16, OP_CLZ, OP_SWAPB, OP_SWAPH, OP_CACHE,
	OP_BSLL, OP_BSRA, OP_BSRL, OP_BSEFI, OP_BSIFI,
	OP_IMM,
	OP_LBU, OP_LHU, OP_LW, OP_SB, OP_SH, OP_SW,
	OP_LBUR, OP_LHUR, OP_LWR, OP_SBR, OP_SHR, OP_SWR, OP_LWX, OP_SWX,
	OP_BR,			/* word 20:16: D, A, L */
	OP_BRK, OP_MBAR,
	OP_BCC,			/* word 25: D; 23:21: the condition */
	OP_RTSD, OP_RTID, OP_RTBD, OP_RTED,
	OP_MFS, OP_MTS, OP_MSRSET, OP_MSRCLR,
	OP_KINDS,
};

enum { BR_L = 0x04 << 16, BR_A = 0x08 << 16, BR_D = 0x10 << 16, BCC_D = 0x10 << 21 };

struct op pt_mb_decode(uint32_t word, const struct pt_vmb_options *options);

#endif
