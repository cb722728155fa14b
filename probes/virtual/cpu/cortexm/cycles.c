/* The cycle models, zero wait states: Cortex-M0+ TRM (DDI 0484) and Cortex-M4 TRM (100166, table 3-1, a pipeline refill
 * taken as 2). Lists cost one more per register, a taken conditional branch the model's taken more; exceptions, MULS,
 * divisions and the FPU are counted where they are executed. */
#include "probes/virtual/cpu/cortexm/decode.h"

const uint8_t pt_op_cycles_m0plus[OP_KINDS] = {
	[OP_NEW] = 0, [OP_STOP_POINT] = 0, [OP_BKPT] = 1,
	[OP_LSL_IMM ... OP_MVN] = 1,
	[OP_ADD_HI] = 1, [OP_MOV_HI] = 1, [OP_ADD_PC] = 2, [OP_MOV_PC] = 2, [OP_CMP_HI] = 1,
	[OP_CONST ... OP_REVSH] = 1,
	[OP_LDR_LIT ... OP_STRB_IMM] = 2,
	[OP_PUSH] = 1, [OP_POP] = 1, [OP_POP_PC] = 3, [OP_LDM] = 1, [OP_STM] = 1,
	[OP_BEQ ... OP_BLE] = 1,
	[OP_B] = 2, [OP_BL] = 3, [OP_BX] = 2, [OP_BLX] = 2,
	[OP_SVC] = 0,		/* the exception entry is the cost */
	[OP_UNDEFINED] = 1, [OP_FETCH_FAULT] = 1,
	[OP_NOP] = 1, [OP_WFI] = 2, [OP_WFE] = 2, [OP_SEV] = 1, [OP_CPS] = 1,
	[OP_MRS ... OP_BARRIER] = 3,
};

const uint8_t pt_op_cycles_m4[OP_KINDS] = {
	[OP_NEW] = 0, [OP_STOP_POINT] = 0, [OP_BKPT] = 1,
	[OP_LSL_IMM ... OP_MVN] = 1,
	[OP_ADD_HI] = 1, [OP_MOV_HI] = 1, [OP_ADD_PC] = 3, [OP_MOV_PC] = 3, [OP_CMP_HI] = 1,
	[OP_CONST ... OP_REVSH] = 1,
	[OP_LDR_LIT ... OP_STRB_IMM] = 2,
	[OP_PUSH] = 1, [OP_POP] = 1, [OP_POP_PC] = 4, [OP_LDM] = 1, [OP_STM] = 1,
	[OP_BEQ ... OP_BLE] = 1,
	[OP_B] = 3, [OP_BL] = 3, [OP_BX] = 3, [OP_BLX] = 3,
	[OP_SVC] = 1,
	[OP_UNDEFINED] = 1, [OP_FETCH_FAULT] = 1,
	[OP_NOP] = 1, [OP_WFI] = 2, [OP_WFE] = 2, [OP_SEV] = 1, [OP_CPS] = 1,
	[OP_CBZ] = 1, [OP_CBNZ] = 1, [OP_IT] = 1,
	[OP_MRS ... OP_BARRIER] = 2,
	[OP_WIDE_UNDEFINED ... OP_WIDE_CLREX] = 1,
	[OP_WIDE_B] = 3, [OP_WIDE_B_IF] = 1,
	[OP_WIDE_IMM ... OP_WIDE_MULTIPLY] = 1,
	[OP_WIDE_LOAD ... OP_WIDE_INDEXED] = 2,
	[OP_WIDE_DUAL] = 3, [OP_WIDE_LIST] = 1, [OP_WIDE_EXCLUSIVE] = 2, [OP_WIDE_TABLE] = 4,
	[OP_WIDE_FLOAT] = 1, [OP_WIDE_FLOAT_MEMORY] = 1,
};
