/* Thumb code as src/isa reads it, for a comparison with objdump (tests/system/test_thumb_objdump). thumb_listing reads
 * lines "ADDRESS HALFWORD [HALFWORD]" in hexadecimal, in the order of the code; an empty line is a place that no code goes
 * on over. It prints for each: its length, the class of the flow, "if" where it may not be executed, and the target of a
 * direct branch. */
#include <inttypes.h>
#include <stdio.h>

#include "isa/isa.h"
#include "tests/system/flow_name.h"
#include "base/util.h"

int main(void)
{
	unsigned under = 0;
	char line[64];

	while (fgets(line, sizeof(line), stdin) != NULL) {
		uint64_t addr;
		unsigned first, second = 0;
		uint8_t bytes[4];
		struct pt_insn insn;

		if (sscanf(line, "%" SCNx64 " %x %x", &addr, &first, &second) < 2) {
			under = 0;
			continue;
		}
		pt_put_le16(bytes, (uint16_t)first);
		pt_put_le16(bytes + 2, (uint16_t)second);
		pt_isa_decode_next(&pt_isa_thumb, addr, bytes, sizeof(bytes), &under, &insn);
		printf("%u %s%s", insn.len_bytes, flow_name(insn.flow),
		       insn.conditional && insn.flow != PT_FLOW_BRANCH_IF ? " if" : "");
		if (insn.target != PT_UNKNOWN)
			printf(" 0x%" PRIx64, insn.target);
		printf("\n");
	}
	return 0;
}
