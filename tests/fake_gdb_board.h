/* A board, a target and a session for tests of the GDB server: linked instead of the real ones. Memory is an array,
 * the core does what the test says, jobs run on the loop. One of each in a process. */
#ifndef PT_TESTS_FAKE_GDB_BOARD_H
#define PT_TESTS_FAKE_GDB_BOARD_H

#include "board/board.h"
#include "session/session.h"

enum {
	FAKE_FLASH_BYTES = 0x8000, FAKE_FLASH_BLOCK = 0x400,
	FAKE_RAM = 0x20000000, FAKE_RAM_BYTES = 0x2000,
	FAKE_HW_BREAKS = 2, FAKE_PC = 15, FAKE_N_ROWS = 19,
};

struct fake {
	enum pt_board_state state;
	char why[128];
	struct pt_core_status core;
	uint64_t registers[FAKE_N_ROWS];	/* by row: r0..r12, sp, lr, pc, xpsr, msp, psp */
	uint8_t flash[FAKE_FLASH_BYTES], ram[FAKE_RAM_BYTES];
	struct pt_break breaks[64];
	size_t n_breaks;
	unsigned n_halts, n_resumes, n_steps, n_resets, n_pc_writes;
	unsigned n_erases, n_flash_writes, n_flash_dones, n_mass_erases;
	unsigned n_leaves;
	unsigned n_reads;			/* of memory */
	unsigned stop_in_resume;	/* the next resume meets a breakpoint at once */
	bool hold_jobs;			/* they wait until it is false again */
	int fail_halt, fail_resume, fail_registers;	/* a code, 0: works */
	enum pt_session_state session;
	char words[256];		/* of the last start */
	char orti[2048];		/* the setting, "": none */
	struct pt_query query;		/* of the last report */
	unsigned n_stops_of_profile;
};

extern struct fake fake;

struct pt_board *fake_board_new(uv_loop_t *loop);	/* READY, running at 0x100 */
struct pt_session *fake_session_new(void);
void fake_board_free(void);	/* after the loop has closed what it held */

void fake_core_stops(enum pt_halt_reason reason, uint64_t addr, uint64_t pc);
void fake_board_says(enum pt_board_state state, const char *why);
bool fake_waits(void);		/* pt_session_wait() was called, and has not ended */
void fake_time_up(void);	/* what it waits for */
void fake_go_on(void);		/* hold_jobs is off: serve them */

#endif
