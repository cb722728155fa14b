/* Encodings of PowerPC as src/isa reads them, for a comparison with objdump (tests/system/test_powerpc_objdump).
 * powerpc_listing reads words from stdin, big-endian, and prints for each, as if it stood at 0x1000: its length, the
 * class of the flow, "if" where it may not be taken, and the target of a direct branch. */
#include <inttypes.h>
#include <stdio.h>

#include "isa/isa.h"
#include "tests/system/flow_name.h"
#include "base/util.h"

int main(void)
{
	uint8_t bytes[4];
	struct pt_insn insn;

	while (fread(bytes, 4, 1, stdin) == 1) {
		pt_isa_powerpc.decode(0x1000, bytes, sizeof(bytes), &insn);
		printf("%u %s%s", insn.len_bytes, flow_name(insn.flow), insn.conditional ? " if" : "");
		if (insn.target != PT_UNKNOWN)
			printf(" 0x%" PRIx64, insn.target);
		printf("\n");
	}
	return 0;
}
