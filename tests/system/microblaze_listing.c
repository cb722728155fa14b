/* Encodings of the MicroBlaze as src/isa and the virtual core read them, for a comparison with objdump
 * (tests/system/test_microblaze_objdump). microblaze_listing reads words from stdin, big-endian, and prints for each:
 * its number, the class of the flow with the target of a direct branch (each word is followed by a nop, at 0x1000),
 * "core" where the core has such an instruction, else "none". */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "isa/isa.h"
#include "probes/virtual/cpu/microblaze/decode.h"
#include "tests/system/flow_name.h"
#include "base/util.h"

int main(void)
{
	uint8_t bytes[8];
	struct pt_insn insn;

	pt_put_be32(bytes + 4, 0x80000000);
	for (unsigned n = 0; fread(bytes, 4, 1, stdin) == 1; n++) {
		struct op op = pt_mb_decode(pt_be32(bytes), &pt_vmb_full_options);

		pt_isa_microblaze.decode(0x1000, bytes, sizeof(bytes), &insn);
		printf("%u %u %s", n, insn.len_bytes, flow_name(insn.flow));
		if (insn.target != PT_UNKNOWN)
			printf(" 0x%" PRIx64, insn.target);
		printf(" %s\n", op.kind != OP_ILLEGAL ? "core" : "none");
	}
	return 0;
}
