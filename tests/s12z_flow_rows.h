/* What rows of events and runs over the hand-made S12Z program are written with, and its code map. */
#ifndef PT_TESTS_S12Z_FLOW_ROWS_H
#define PT_TESTS_S12Z_FLOW_ROWS_H

#include "profile/flow/flow.h"
#include "s12z_program.h"

#pragma GCC diagnostic ignored "-Wmissing-field-initializers"	/* a row leaves out what is 0 */

static struct pt_codemap *map;

static void build(void)
{
	struct pt_program *program = s12z_program();

	map = pt_codemap_new(program, &pt_isa_s12z);
	pt_program_unref(program);
}

static void drop(void)
{
	pt_codemap_free(map);
}

#define EV(k, ...) { .kind = PT_EV_##k, .cause = PT_ATOMS_CONDITIONAL, .ticks = PT_UNKNOWN, __VA_ARGS__ }
#define START(t) EV(START, .branch = { 0, t })
#define ATOMS(count, b) EV(ATOMS, .n = count, .atoms = { b })
#define TO(t) EV(INDIRECT, .branch = { 0, t })
#define VECTOR(number) EV(VECTOR, .value = { number, PT_UNKNOWN })
#define GAP { .kind = PT_EV_GAP, .cause = PT_GAP_LOSS, .ticks = PT_UNKNOWN }

#define CALL PT_LEFT_CALL
#define RETURN PT_LEFT_RETURN
#define INTERRUPT PT_LEFT_EXCEPTION
#define BACK PT_LEFT_EXCEPTION_RETURN
#define LOST PT_LEFT_GAP
#define HELD PT_LEFT_DEBUG

#endif
