/* Bit fields of registers as rows: the code and the print-outs use the same row. */
#include "targets/contract/target.h"

static uint32_t mask_of(const struct pt_field *field)
{
	return field->bits >= 32 ? UINT32_MAX : (UINT32_C(1) << field->bits) - 1;
}

uint32_t pt_field_get(const struct pt_field *field, uint32_t value)
{
	return value >> field->lsb & mask_of(field);
}
