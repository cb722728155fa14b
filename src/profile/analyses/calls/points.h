/* Points of code that mean something to entry/exit analysis: first instructions and exits of chosen functions, both
 * ends of named spans. A prefix sum over the units of the code map says how many of them a straight run passed with
 * one subtraction, and which. Made of the words functions=, exits= and span=; constant afterwards. */
#ifndef PT_PROFILE_POINTS_H
#define PT_PROFILE_POINTS_H

#include "profile/result/analysis.h"
#include "profile/analyses/calls/spans.h"

enum pt_point_what {		/* at one address, in this order */
	PT_POINT_END,		/* of a named span: before the instruction */
	PT_POINT_ENTRY,		/* of a function: before it */
	PT_POINT_BEGIN,		/* of a named span: before it */
	PT_POINT_EXIT,		/* of a function: behind it, if the run was left by it */
};

struct pt_point {
	uint64_t address;
	uint32_t span;
	uint8_t what;		/* enum pt_point_what */
	bool computed;		/* EXIT: a jump that may stay inside, too */
	bool falls;		/* EXIT: execution goes on behind it, in another function */
	/* EXIT: the chosen function whose tail it jumps into and which returns for it, or none */
	uint16_t into;
};

struct pt_points;

struct pt_points_passed {
	const struct pt_point *first, *behind;
	const struct pt_code_unit *code;	/* of the run's first instruction */
	unsigned shift;				/* from bytes to units */
};

/* The rows for the words span= and exits=. */
enum { PT_POINT_PARAMS = 2 };
extern const struct pt_param pt_point_params[PT_POINT_PARAMS];

/* All functions where functions= names none. NULL: PT_EARG, a word that makes no sense for this program. */
struct pt_points *pt_points_new(const struct pt_analysis_setup *setup, struct pt_err *err);
void pt_points_free(struct pt_points *points);	/* NULL is fine */

size_t pt_points_spans(const struct pt_points *points);
/* Name, place and kind of span i into an empty row; its texts live as long as points and program. */
void pt_points_name(const struct pt_points *points, size_t i, struct pt_span_figures *row);
/* False: the run from begin up to end passed none. */
bool pt_points_passed(const struct pt_points *points, uint64_t begin, uint64_t end, struct pt_points_passed *out);

#endif
