/* What no host can beat on a link: full DAP_TransferBlock reads, as many outstanding as the probe takes. */
#ifndef PT_TESTS_BENCH_LEAST_H
#define PT_TESTS_BENCH_LEAST_H

#include "probes/wires/probe.h"

/* Reads n_words of whatever DRW points at, and returns the time it took on the link's clock; 0 if it failed. */
uint64_t least_ns(struct pt_probe *probe, unsigned n_words, struct pt_err *err);

#endif
