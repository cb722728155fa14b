/* What a target of any kind answers by its ops. */
#include "targets/contract/target.h"

struct pt_core_about pt_target_about_core(const struct pt_target *target, unsigned core)
{
	struct pt_core_about about = { .away = NULL };

	if (target->ops->about_core != NULL)
		target->ops->about_core(target->state, core, &about);
	return about;
}

bool pt_target_is_big_endian(const struct pt_target *target)
{
	const struct pt_target_ops *ops = target->ops;

	return ops->is_big_endian != NULL ? ops->is_big_endian(target->state) : ops->arch.big_endian;
}

struct pt_arch pt_target_arch(const struct pt_target *target)
{
	struct pt_arch arch = target->ops->arch;

	arch.big_endian = pt_target_is_big_endian(target);
	if (target->ops->cpu_arch != NULL)
		arch.cpu_arch = target->ops->cpu_arch(target->state);
	return arch;
}
