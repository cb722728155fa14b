/* How an instruction leaves, in a word, for listings that are compared with another reader's. */
#ifndef PT_TESTS_FLOW_NAME_H
#define PT_TESTS_FLOW_NAME_H

#include <stdint.h>

#include "isa/isa.h"

static const char *flow_name(uint8_t flow)
{
	switch (flow) {
	case PT_FLOW_NEXT: return "next";
	case PT_FLOW_TRAP: return "trap";
	case PT_FLOW_BRANCH: return "branch";
	case PT_FLOW_BRANCH_IF: return "branch-if";
	case PT_FLOW_INDIRECT: return "indirect";
	case PT_FLOW_CALL: return "call";
	case PT_FLOW_INDIRECT_CALL: return "indirect-call";
	case PT_FLOW_RETURN: return "return";
	case PT_FLOW_EXCEPTION_RETURN: return "exception-return";
	default: return "invalid";
	}
}

#endif
