/* The list of analyses. */
#include "profile/result/analysis.h"

const struct pt_analysis *const pt_analyses[] = {
#define X(analysis) &pt_analysis_##analysis,
	PT_ANALYSES(X)
#undef X
	NULL,
};
