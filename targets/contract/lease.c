/* Who uses which hardware unit of a target. A short list: a chip has a dozen units at most. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "targets/contract/lease.h"
#include "targets/contract/target.h"

struct pt_lease {
	char unit[24], owner[24];
	struct pt_lease *next;
};

static struct pt_lease *find(const struct pt_target *target, const char *unit)
{
	struct pt_lease *lease = target->leases;

	while (lease != NULL && strcmp(lease->unit, unit) != 0)
		lease = lease->next;
	return lease;
}

bool pt_lease_held(const struct pt_target *target, const char *unit)
{
	return find(target, unit) != NULL;
}

int pt_lease_take(struct pt_target *target, const char *unit, const char *owner, struct pt_err *err)
{
	struct pt_lease *lease = find(target, unit);

	if (lease != NULL) {
		if (strcmp(lease->owner, owner) == 0)
			return 0;
		return pt_fail(err, PT_EBUSY, "%s is in use by %s%s", unit, lease->owner,
			       strncmp(lease->owner, "profile", strlen("profile")) == 0
				       ? ": monitor profile stop frees it"
			       : strcmp(lease->owner, "breakpoints") == 0
				       ? ": delete hardware breakpoints and watchpoints"
				       : "");
	}
	if (strlen(unit) >= sizeof(lease->unit) || strlen(owner) >= sizeof(lease->owner))
		return pt_fail(err, PT_EARG, "the name %s or %s is too long", unit, owner);
	lease = pt_alloc(sizeof(*lease));
	strcpy(lease->unit, unit);
	strcpy(lease->owner, owner);
	lease->next = target->leases;
	target->leases = lease;
	return 0;
}

void pt_lease_drop(struct pt_target *target, const char *unit, const char *owner)
{
	for (struct pt_lease **at = &target->leases; *at != NULL; at = &(*at)->next) {
		struct pt_lease *lease = *at;

		if (strcmp(lease->unit, unit) != 0 || strcmp(lease->owner, owner) != 0)
			continue;
		*at = lease->next;
		free(lease);
		return;
	}
}

void pt_lease_drop_all(struct pt_target *target)
{
	while (target->leases != NULL) {
		struct pt_lease *lease = target->leases;

		target->leases = lease->next;
		free(lease);
	}
}
