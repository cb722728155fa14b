/* Single and double precision as Arm's FPU computes them, on bit patterns: the host's arithmetic, with what Arm has of
 * its own (which NaN comes out, flush to zero, tininess before rounding). A number of single precision has its bits in
 * the lower word. Each call takes its mode from fpscr and adds the flags that it raises. Source: DDI 0403, A2.5 and the
 * pseudocode in D6. */
#ifndef PT_VIRTUAL_CPU_CORTEXM_FLOAT_H
#define PT_VIRTUAL_CPU_CORTEXM_FLOAT_H

#include <stdbool.h>
#include <stdint.h>

struct pt_float {
	uint32_t *fpscr;
	bool is_double;
};

enum pt_float_op { PT_FLOAT_ADD, PT_FLOAT_SUB, PT_FLOAT_MUL, PT_FLOAT_DIV };
enum pt_float_rounding { PT_FLOAT_NEAREST, PT_FLOAT_UP, PT_FLOAT_DOWN, PT_FLOAT_ZERO, PT_FLOAT_AWAY, PT_FLOAT_BY_MODE };

uint64_t pt_float_negate(const struct pt_float *fp, uint64_t a);
uint64_t pt_float_absolute(const struct pt_float *fp, uint64_t a);
uint64_t pt_float_binary(const struct pt_float *fp, enum pt_float_op op, uint64_t a, uint64_t b);
uint64_t pt_float_sqrt(const struct pt_float *fp, uint64_t a);
/* Rounded once. */
uint64_t pt_float_multiply_add(const struct pt_float *fp, uint64_t addend, uint64_t a, uint64_t b);
/* NZCV in bits 31..28. quiet: only a signalling NaN is invalid. */
uint32_t pt_float_compare(const struct pt_float *fp, uint64_t a, uint64_t b, bool quiet);

/* FPv5: a number goes before a quiet NaN. */
uint64_t pt_float_extreme(const struct pt_float *fp, uint64_t a, uint64_t b, bool maximum);
/* FPv5: to a whole number. exact: IXC where it was none. */
uint64_t pt_float_round(const struct pt_float *fp, uint64_t a, enum pt_float_rounding rounding, bool exact);
uint64_t pt_float_change(const struct pt_float *from, uint64_t a);	/* to the other precision */

/* To and from integers of n_bits (16 or 32) with fraction_bits behind the point. */
uint32_t pt_float_to_fixed(const struct pt_float *fp, uint64_t a, unsigned n_bits, unsigned fraction_bits,
			   bool is_unsigned, enum pt_float_rounding rounding);
uint64_t pt_float_from_fixed(const struct pt_float *fp, uint32_t fixed, unsigned n_bits, unsigned fraction_bits,
			     bool is_unsigned, bool to_nearest);

uint64_t pt_float_from_half(const struct pt_float *fp, uint16_t half);	/* AHP in fpscr */
uint16_t pt_float_to_half(const struct pt_float *fp, uint64_t a);

#endif
