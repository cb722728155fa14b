#include "base/util.h"
#include "isa/isa.h"
#include "profile/result/profile.h"
#include "program/model/program_parts.h"
#include "report/page/page_data.h"
#include "report/shared/json_values.h"

enum { INSTRUCTION_BYTES = 96 };

/* NULL: the program does not contain the instruction, or it cannot be disassembled here. */
static json_t *instruction_at(const struct pt_program *program, uint64_t address)
{
	const struct pt_isa *isa = pt_program_isa(program);
	char text[INSTRUCTION_BYTES];

	for (size_t len = isa->most_bytes; len > 0 && len >= isa->unit_bytes; len -= isa->unit_bytes) {
		const uint8_t *bytes = pt_program_bytes_at(program, address, len);

		if (bytes != NULL)
			return pt_isa_print(isa, address, bytes, len, text, sizeof(text)) ? pt_json_text(text)
											  : json_null();
	}
	return json_null();
}

void pt_page_add_code(json_t *table, const struct pt_profile *p)
{
	json_t *rows = json_object_get(table, "rows"), *row;
	bool any = false;
	size_t i;

	if (p->program == NULL || pt_program_isa(p->program) == &pt_isa_none)
		return;
	json_array_foreach (rows, i, row) {
		json_t *address = json_array_get(json_array_get(row, 0), 0);
		json_t *text = instruction_at(p->program, (uint64_t)json_integer_value(address));

		any |= !json_is_null(text);
		json_array_insert_new(row, 1, text);
	}
	if (any)
		json_array_insert_new(json_object_get(table, "columns"), 1,
				      json_pack("{s:s, s:s, s:s, s:i}", "key", "text", "title", "instruction", "unit",
						"code", "rank", 0));
	json_array_foreach (rows, i, row)
		if (!any)
			json_array_remove(row, 1);
}
