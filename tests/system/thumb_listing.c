/* Thumb code as src/isa reads it, for a comparison with objdump (tests/system/test_thumb_objdump). thumb_listing reads
 * lines "ADDRESS HALFWORD [HALFWORD]" in hexadecimal, in the order of the code; an empty line is a place that no code goes
 * on over. It prints for each: its length, the class of the flow, "if" where it may not be executed, and the target of a
 * direct branch.
 * thumb_listing NAME... reads objdump's listing of wide encodings instead, each a place of its own; narrow rows are filler.
 * NAMEs are the instructions that can leave. A row of another name that we read as one that does not leave agrees, and is
 * only counted: nearly all of 400 million do. Of each other row it prints our reading, a tab and objdump's row; then "END",
 * how many wide rows there were, how many of them were only counted, and of how many of these objdump says that they are
 * undefined or unpredictable. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/isa.h"
#include "tests/system/flow_name.h"
#include "base/util.h"

static void read_insn(uint64_t addr, unsigned first, unsigned second, unsigned *under, struct pt_insn *out)
{
	uint8_t bytes[4];

	pt_put_le16(bytes, (uint16_t)first);
	pt_put_le16(bytes + 2, (uint16_t)second);
	pt_isa_decode_next(&pt_isa_thumb, addr, bytes, sizeof(bytes), under, out);
}

static void print_insn(const struct pt_insn *insn)
{
	printf("%u %s%s", insn->len_bytes, flow_name(insn->flow),
	       insn->conditional && insn->flow != PT_FLOW_BRANCH_IF ? " if" : "");
	if (insn->target != PT_UNKNOWN)
		printf(" 0x%" PRIx64, insn->target);
}

static void list_lines(void)
{
	unsigned under = 0;
	char line[64];

	while (fgets(line, sizeof(line), stdin) != NULL) {
		uint64_t addr;
		unsigned first, second = 0;
		struct pt_insn insn;

		if (sscanf(line, "%" SCNx64 " %x %x", &addr, &first, &second) < 2) {
			under = 0;
			continue;
		}
		read_insn(addr, first, second, &under, &insn);
		print_insn(&insn);
		printf("\n");
	}
}

/* "   10:\tf8d1 0000 \tldr.w\tr0, [r1]": false if it is no row of a wide encoding. */
static bool wide_row(const char *line, uint64_t *addr, unsigned *first, unsigned *second, const char **name)
{
	char *end;

	*addr = strtoull(line, &end, 16);
	if (strncmp(end, ":\t", 2) != 0)
		return false;
	*first = (unsigned)strtoul(end + 2, &end, 16);
	if (end[0] != ' ' || strspn(end + 1, "0123456789abcdef") != 4)
		return false;
	*second = (unsigned)strtoul(end + 1, &end, 16);
	*name = end + strspn(end, " \t");
	return true;
}

static bool can_leave(const char *row_name, char **names)
{
	size_t len = strcspn(row_name, ". \t\n");

	for (; *names != NULL; names++) {
		if (strncmp(*names, row_name, len) == 0 && (*names)[len] == '\0')
			return true;
	}
	return false;
}

/* Undefined or unpredictable, as objdump says it: as the name, or in angle brackets behind the operands. */
static bool is_unknown(const char *name)
{
	return strncmp(name, "undefined", 9) == 0 || strstr(name, "<UN") != NULL || strstr(name, "<und") != NULL;
}

static bool is_plain(const struct pt_insn *insn)
{
	return insn->len_bytes == 4 && insn->flow == PT_FLOW_NEXT && !insn->conditional && insn->target == PT_UNKNOWN;
}

static void list_rows(char **names)
{
	uint64_t addr, n_wide = 0, n_plain = 0, n_unknown = 0;
	unsigned first, second;
	const char *name;
	char line[256];

	while (fgets(line, sizeof(line), stdin) != NULL) {
		struct pt_insn insn;
		unsigned under = 0;

		if (!wide_row(line, &addr, &first, &second, &name))
			continue;
		n_wide++;
		read_insn(addr, first, second, &under, &insn);
		if (is_plain(&insn) && !can_leave(name, names)) {
			n_plain++;
			n_unknown += is_unknown(name);
			continue;
		}
		print_insn(&insn);
		printf("\t%s", line);
	}
	printf("END %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", n_wide, n_plain, n_unknown);
}

int main(int argc, char **argv)
{
	if (argc > 1)
		list_rows(argv + 1);
	else
		list_lines();
	return 0;
}
