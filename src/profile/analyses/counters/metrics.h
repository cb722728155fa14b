/* Common figures derived from counters, by the names that sources give their counters: cycles per instruction, shares
 * of stalls, cache rates, the mean and the spread of latencies. Pure. */
#ifndef PT_PROFILE_METRICS_H
#define PT_PROFILE_METRICS_H

#include <stdbool.h>

typedef bool (*pt_metrics_has)(void *arg, const char *counter);
typedef void (*pt_metrics_add)(void *arg, const char *name, const char *formula);	/* both are gone afterwards */

/* Whether all counters of a formula are there; not of one that is none. */
bool pt_metrics_fits(const char *formula, pt_metrics_has has, void *arg);
/* Calls add() for each figure all of whose counters are there. */
void pt_metrics_standard(pt_metrics_has has, pt_metrics_add add, void *arg);
/* The same for a latency: counter is the name of one that counts how many there were, "interrupt.latency.n"; beside it
 * stand ".sum" and ".squares", of the latencies in cycles. Any other name gives nothing. */
void pt_metrics_of_latency(const char *counter, pt_metrics_has has, pt_metrics_add add, void *arg);

#endif
