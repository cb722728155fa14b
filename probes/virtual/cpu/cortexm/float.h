/* Single precision as Arm's FPU computes it, on bit patterns: the host's arithmetic, with what Arm has of its own
 * (which NaN comes out, flush to zero, tininess before rounding). Each call takes its mode from fpscr and adds the flags
 * that it raises. Source: DDI 0403, A2.5 and the pseudocode in D6. */
#ifndef PT_VIRTUAL_CPU_CORTEXM_FLOAT_H
#define PT_VIRTUAL_CPU_CORTEXM_FLOAT_H

#include <stdbool.h>
#include <stdint.h>

enum pt_float_op { PT_FLOAT_ADD, PT_FLOAT_SUB, PT_FLOAT_MUL, PT_FLOAT_DIV };

uint32_t pt_float_binary(uint32_t *fpscr, enum pt_float_op op, uint32_t a, uint32_t b);
uint32_t pt_float_sqrt(uint32_t *fpscr, uint32_t a);
uint32_t pt_float_multiply_add(uint32_t *fpscr, uint32_t addend, uint32_t a, uint32_t b);	/* rounded once */
/* NZCV in bits 31..28. quiet: only a signalling NaN is invalid. */
uint32_t pt_float_compare(uint32_t *fpscr, uint32_t a, uint32_t b, bool quiet);

/* To and from integers of n_bits (16 or 32) with fraction_bits behind the point. */
uint32_t pt_float_to_fixed(uint32_t *fpscr, uint32_t a, unsigned n_bits, unsigned fraction_bits, bool is_unsigned,
			   bool toward_zero);
uint32_t pt_float_from_fixed(uint32_t *fpscr, uint32_t fixed, unsigned n_bits, unsigned fraction_bits, bool is_unsigned,
			     bool to_nearest);

uint32_t pt_float_from_half(uint32_t *fpscr, uint16_t half);	/* AHP in fpscr */
uint16_t pt_float_to_half(uint32_t *fpscr, uint32_t a);

#endif
