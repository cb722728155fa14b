/* The end of all leases, for the code that frees a target. Taking one and the rest: see target.h. */
#ifndef PT_TARGETS_LEASE_H
#define PT_TARGETS_LEASE_H

struct pt_target;

void pt_lease_drop_all(struct pt_target *target);

#endif
