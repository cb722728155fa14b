/* What a target of any kind answers by its ops. */
#include "targets/contract/target.h"

bool pt_target_is_big_endian(const struct pt_target *target)
{
	const struct pt_target_ops *ops = target->ops;

	return ops->is_big_endian != NULL ? ops->is_big_endian(target->state) : ops->big_endian;
}
