/* DWARF with arbitrary damage: every name that was there is looked up, and types are walked down to the ground. Inputs
 * that do not look like an ELF are damage (position, byte) to the debug sections of a good one. */
#include <string.h>

#include "vars_elf.h"
#include "program/expr/variable.h"
#include "base/util.h"

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t in_bytes);

enum { MOST = 64 << 10, DEEPEST = 3 };

static uint8_t good[MOST];
static size_t good_bytes;

static const char *const names[] = {
	"motor",
	"motor.mode",
	"motor.next->next->name[2]",
	"packed.across",
	"tab[1][2]",
	"g_state",
	"state",
	"vars.c:state",
	"tick::count",
	"drive::axle::count",
	"drive::front.serial",
	"hidden_one->a",
	"*text",
	"pActiveTCB->id",
	"RUNNING",
	"(motor_v *)0x20000000",
	"sizeof(struct process)",
	"(enum color)200",
	"UART0_Isr",
	"went_away",
	"nosuch",
};

static void load(void)
{
	const char *srcdir = getenv("srcdir");
	char path[512];
	FILE *file;

	snprintf(path, sizeof(path), "%s/tests/firmware/vars_units.elf", srcdir != NULL ? srcdir : ".");
	file = fopen(path, "rb");
	if (file == NULL)
		abort();
	good_bytes = fread(good, 1, sizeof(good), file);
	fclose(file);
}

static void walk(struct pt_types *types, const struct pt_type *type, unsigned depth)
{
	const struct pt_member *members;
	char text[80];
	size_t n;

	pt_type_print(types, type, text, sizeof(text));
	if (depth == DEEPEST)
		return;
	type = pt_type_strip(types, type);
	pt_type_enumerators(types, type, &n);
	members = pt_type_members(types, type, &n);
	for (size_t i = 0; i < n && i < 8; i++)
		walk(types, members[i].type, depth + 1);
	walk(types, pt_type_target(types, type), depth + 1);
}

static bool count(void *arg, const struct pt_entity *variable, const char *written)
{
	(void)variable;
	return written[0] != '\0' && ++*(unsigned *)arg < 100;
}

static void look(struct pt_program *program, uint64_t seed)
{
	struct pt_types *types = pt_types_new(program);
	struct pt_reader reader = { read_made_up, &seed };
	unsigned n = 0;

	for (size_t i = 0; types != NULL && i < PT_LEN(names); i++) {
		struct pt_expr *expr = pt_expr_parse(types, names[i], NULL);
		struct pt_c_value value;
		struct pt_plan plan;
		char text[80];

		if (expr == NULL)
			continue;
		if (pt_expr_evaluate(expr, &reader, NULL, &value, NULL) == 0) {
			pt_c_value_print(types, &value, false, text, sizeof(text));
			walk(types, value.type, 0);
			if (i == 0)
				pt_types_each_of(types, value.type, count, &n);
		}
		pt_expr_plan(expr, &plan);
		pt_expr_free(expr);
	}
	pt_types_free(types);
}

static void open_bytes(const uint8_t *bytes, size_t len_bytes)
{
	struct pt_program *program = pt_program_from_bytes("fuzz", bytes, len_bytes, 0, NULL);

	if (program != NULL)
		look(program, len_bytes);
	pt_program_unref(program);
}

/* The debug sections lie between what is loaded and the table of sections. */
static void damage(const uint8_t *in, size_t in_bytes)
{
	static uint8_t bytes[MOST];
	size_t headers = pt_le32(good + 32), from = headers > 0x2000 ? 0x2000 : 0;

	memcpy(bytes, good, good_bytes);
	for (size_t i = 0; i + 3 < in_bytes; i += 4) {
		size_t at = pt_le16(in + i);

		at = in[i + 2] % 8 == 0 ? headers + at % (good_bytes - headers) : from + at % (headers - from);
		bytes[at] = in[i + 3];
	}
	open_bytes(bytes, good_bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t in_bytes)
{
	static unsigned rounds;

	if (good_bytes == 0)
		load();
	if (in_bytes >= 4 && memcmp(in, "\177ELF", 4) == 0)
		open_bytes(in, in_bytes);
	else if (in_bytes > 0 && (getenv("PT_FUZZ_ALL") != NULL || rounds++ < 3000))
		damage(in, in_bytes);
	return 0;
}
