#include "targets/microblaze/events.h"

#include <stdlib.h>
#include <string.h>

const char *const pt_mb_event_name[PT_MB_EVENTS] = {
	"instructions",
	"loads.word",
	"loads.half",
	"loads.byte",
	"stores.word",
	"stores.half",
	"stores.byte",
	"branches.unconditional",
	"branches.taken",
	"branches.not_taken",
	"icache.requests",
	"icache.hits",
	"dcache.reads",
	"dcache.read.hits",
	"dcache.writes",
	"dcache.write.hits",
	"loads.stack",
	"stores.stack",
	"logical",
	"arithmetic",
	"multiplies",
	"barrel.shifts",
	"shifts",
	"exceptions",
	"interrupts",
	"stalls.operand",
	"stalls.execute",
	"stalls.memory",
	"divides",
	"fpu",
	"cycles",
	"imm",
	"pattern.compares",
	"sign.extends",
	"icache.invalidates",
	"dcache.flushes",
	"msr.sets",
	"branches.unconditional.slot",
	"branches.taken.slot",
	"branches.not_taken.slot",
	"slot.nops",
	"loads",
	"stores",
	"mmu.data",
	"branches.conditional",
	"branches",
	"dcache.requests",
	"dcache.hits",
	"mmu.exceptions",
	"mmu.exceptions.code",
	"mmu.exceptions.data",
	"stalls",
	"btc.hits",
	"mmu.code",
	"itlb.hits",
	"dtlb.hits",
	"utlb.hits",
	"interrupt.latency",
	"dcache.read.latency",
	"dcache.write.latency",
	"icache.read.latency",
	"mmu.lookup.latency",
	"axi.read.latency",
	"axi.write.latency",
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
