/* Which core a process runs on, as its kernel reports it in the auxiliary vector: by the platform's name, or by the
 * features that user code may use. User code cannot read the PVR. Source: Linux, arch/powerpc/kernel/cpu_specs_e500.h,
 * cpu_specs_e500mc.h, arch/powerpc/include/uapi/asm/cputable.h; System V ABI for the types. */
#include <string.h>

#include "base/rsp_frame.h"
#include "targets/e500/core/e500.h"
#include "base/util.h"

enum { AT_END = 0, AT_PLATFORM_NAME = 15, AT_FEATURES = 16, NAME_BYTES = 12, AUXV_BYTES = 1024 };
enum { WITH_SPE = 0x00800000, WITH_SPE_DOUBLE = 0x00200000 };

static const struct { const char *platform; enum pt_e500_core core; } platforms[] = {
	{ "ppc8540", PT_E500_V1 }, { "ppc8548", PT_E500_V2 }, { "ppce500mc", PT_E500_MC },
	{ "ppce5500", PT_E500_E5500 }, { "ppce6500", PT_E500_E6500 },
};

/* "l" and binary pairs of words of the program's size. If the vector does not fit, the entries needed here are in its
 * first part. */
static uint64_t look_up(const uint8_t *at, size_t len_bytes, unsigned word_bytes, uint64_t type)
{
	for (; len_bytes >= 2 * word_bytes; at += 2 * word_bytes, len_bytes -= 2 * word_bytes) {
		uint64_t key = word_bytes == 8 ? (uint64_t)pt_be32(at) << 32 | pt_be32(at + 4) : pt_be32(at);

		if (key == type)
			return word_bytes == 8 ? (uint64_t)pt_be32(at + 8) << 32 | pt_be32(at + 12) : pt_be32(at + 4);
		if (key == AT_END)
			break;
	}
	return 0;
}

static bool core_of_platform(struct pt_e500_target *e500, uint64_t addr)
{
	char name[NAME_BYTES] = "";

	if (addr == 0 ||
	    pt_mem_read(&e500->remote.mem, addr, (uint8_t *)name, sizeof(name) - 1, &(struct pt_err){ 0 }) < 0)
		return false;
	for (size_t i = 0; i < PT_LEN(platforms); i++)
		if (strcmp(name, platforms[i].platform) == 0) {
			e500->core = platforms[i].core;
			return true;
		}
	return false;
}

bool pt_e500_core_by_auxv(struct pt_e500_target *e500)
{
	static const char question[] = "qXfer:auxv:read::0,200";
	struct pt_remote *r = &e500->remote;
	unsigned word_bytes = r->pc_row != UINT16_MAX && r->rows[r->pc_row].bits == 64 ? 8 : 4;
	uint8_t vector[AUXV_BYTES] = { 0 };
	struct pt_rsp_answer answer = { .bytes = vector, .room_bytes = sizeof(vector) };
	uint64_t features;

	if (!r->facts.process ||
	    r->rsp->ask(r->wire, question, strlen(question), &answer, 0, &(struct pt_err){ 0 }) < 0 ||
	    answer.len_bytes < 1 || (vector[0] != 'l' && vector[0] != 'm'))
		return false;
	e500->how_known = "as its kernel reports to the program";
	if (core_of_platform(e500, look_up(vector + 1, answer.len_bytes - 1, word_bytes, AT_PLATFORM_NAME)))
		return true;
	features = look_up(vector + 1, answer.len_bytes - 1, word_bytes, AT_FEATURES);
	e500->core = (features & WITH_SPE_DOUBLE) != 0 ? PT_E500_V2 : PT_E500_V1;
	return (features & WITH_SPE) != 0;
}
