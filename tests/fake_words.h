/* A board that is a debug port and words behind its first access port, as the wire dap's contract wants them: those of
 * a fake_cmsis_dap, for models of probes that clock SWD. */
#ifndef PT_TESTS_FAKE_WORDS_H
#define PT_TESTS_FAKE_WORDS_H

#include "fake_cmsis_dap.h"
#include "probes/virtual/frame/pace.h"

struct fake_words {
	struct pt_vpace pace;		/* of the board */
	struct pt_vap ap;
	uint32_t words[FAKE_DAP_WORDS], csw, tar;
	bool in_reset;
};

/* Words from 0x5a000000 on at FAKE_DAP_BASE. It must not move, and one is there at a time. */
void fake_words_init(struct fake_words *fake);

#endif
