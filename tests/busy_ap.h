/* An access port behind a debug port: a row of words, the next with each read, and a list of what was written. Some
 * accesses take their time, and one fails. */
#ifndef PT_TESTS_BUSY_AP_H
#define PT_TESTS_BUSY_AP_H

#include "probes/virtual/boards.h"

struct busy_ap {
	struct pt_vap ap;
	uint32_t next_word, written[64];
	unsigned n_written, n_accesses;
	unsigned busy_each, busy_for;	/* each so-many-th access answers WAIT to so many looks; 0: none */
	unsigned busy_left;
	unsigned fault_at;		/* the so-many-th access, from 1; 0: none */
};

void busy_ap_init(struct busy_ap *busy);	/* words from 0x5a000000 on; it must not move */

#endif
