#include "targets/microblaze/events.h"

#include <stdlib.h>
#include <string.h>

const char *const pt_mb_event_name[PT_MB_EVENTS] = {
	[0] = "instructions", [1] = "loads.word", [2] = "loads.half", [3] = "loads.byte",
	[4] = "stores.word", [5] = "stores.half", [6] = "stores.byte", [7] = "branches.unconditional",
	[8] = "branches.taken", [9] = "branches.not_taken", [10] = "icache.requests", [11] = "icache.hits",
	[12] = "dcache.reads", [13] = "dcache.read.hits", [14] = "dcache.writes", [15] = "dcache.write.hits",
	[16] = "loads.stack", [17] = "stores.stack", [18] = "logical", [19] = "arithmetic",
	[20] = "multiplies", [21] = "barrel.shifts", [22] = "shifts", [23] = "exceptions",
	[24] = "interrupts", [25] = "stalls.operand", [26] = "stalls.execute", [27] = "stalls.memory",
	[28] = "divides", [29] = "fpu", [30] = "cycles", [31] = "imm",
	[32] = "pattern.compares", [33] = "sign.extends", [34] = "icache.invalidates", [35] = "dcache.flushes",
	[36] = "msr.sets", [37] = "branches.unconditional.slot",
	[38] = "branches.taken.slot", [39] = "branches.not_taken.slot",
	[40] = "slot.nops", [41] = "loads", [42] = "stores", [43] = "mmu.data",
	[44] = "branches.conditional", [45] = "branches", [46] = "dcache.requests", [47] = "dcache.hits",
	[48] = "mmu.exceptions", [49] = "mmu.exceptions.code", [50] = "mmu.exceptions.data", [51] = "stalls",
	[52] = "btc.hits", [53] = "mmu.code", [54] = "itlb.hits", [55] = "dtlb.hits",
	[56] = "utlb.hits", [57] = "interrupt.latency", [58] = "dcache.read.latency", [59] = "dcache.write.latency",
	[60] = "icache.read.latency", [61] = "mmu.lookup.latency",
	[62] = "axi.read.latency", [63] = "axi.write.latency",
};

int pt_mb_event_find(const char *name, size_t len)
{
	char text[40], *end;
	unsigned long n;

	if (len == 0 || len >= sizeof(text))
		return -1;
	memcpy(text, name, len);
	text[len] = '\0';
	for (int i = 0; i < PT_MB_EVENTS; i++)
		if (strcmp(pt_mb_event_name[i], text) == 0)
			return i;
	n = strtoul(text, &end, 10);
	return text[0] >= '0' && text[0] <= '9' && *end == '\0' && n < PT_MB_EVENTS ? (int)n : -1;
}
