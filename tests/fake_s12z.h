/* A bdc wire that ends in arrays: the BDC with its flags, memory, core registers, and of the DBG module what the target
 * and its sources touch. Written from the manual. It also has pins that replay runs of levels. */
#ifndef PT_TESTS_FAKE_S12Z_H
#define PT_TESTS_FAKE_S12Z_H

#include "probes/wires/link.h"
#include "probes/wires/probe.h"

enum { FAKE_RAM = 0x1000, FAKE_RAM_BYTES = 0x2000, FAKE_EEPROM = 0x100000, FAKE_EEPROM_BYTES = 0x200,
       FAKE_FLASH_BYTES = 0x20000, FAKE_FLASH = 0x1000000 - FAKE_FLASH_BYTES, FAKE_LOG = 4096, FAKE_LINES = 64 };

struct fake_access { uint32_t addr, value; uint8_t size, what; };	/* what: enum pt_bdc_do */

struct fake_s12z {
	struct pt_link *link;
	uint64_t now_ns, op_ns;		/* each access takes op_ns; delays what they say */
	uint8_t io[0x1000], ram[FAKE_RAM_BYTES], eeprom[FAKE_EEPROM_BYTES], flash[FAKE_FLASH_BYTES];
	uint16_t csr;
	uint32_t reg[13];
	uint32_t can;

	/* DBG */
	bool lite, no_profile, absent;	/* what it cannot do */
	uint8_t line[FAKE_LINES][8];
	unsigned next, pointer, read_word;	/* where the next line goes; where reading is */
	bool wrapped, locked, ptact;
	unsigned busy_polls;		/* so many polls of DBGSR expire */
	uint64_t armed_ns;
	unsigned ns_per_line;		/* how fast lines come while it profiles; the others of a session are PTIBs */
	bool overflows;			/* PDOE = 0 does not drain: 64 lines end the session */
	bool chokes;			/* it drains, but lines come too fast: the session ends with 64 that wait */
	unsigned n_sessions;
	uint32_t session_pc;		/* of the PTS of the next */

	/* core */
	uint32_t pc_of_run;		/* SYNC_PC and a halt find it here */
	bool waits;			/* in WAI: BACKGROUND stays pending, SYNC_PC fails */
	bool stopped;			/* in STOP: no access answers, unless BDCCSR.BDCCIS */
	bool blind;			/* as behind USBDM: a failed access is no error, and
					 * BDCCSR has a high byte alone */
	bool dark;			/* no clock, and a probe that does not notice: all that is read is ones */
	bool bgnd_behind;		/* a BGND leaves the pc behind itself */
	void (*on_go)(struct fake_s12z *bdc);	/* the core runs now: stop it with fake_s12z_stop() */

	/* faults */
	int fail_code;			/* the op after fail_after more ops fails with it, once, or for ever */
	size_t fail_after;
	bool fail_always;
	bool after_arm;			/* fail_after begins to count when it is armed next */

	/* pins */
	const pt_pins_run *runs;	/* captured, from armed_ns on */
	size_t n_runs, next_run;
	uint32_t sample_hz;
	uint64_t lost_at;		/* run before which samples are lost; 0: none */
	bool capturing;
	uint64_t pins_ns;		/* when the next run was captured; 0: when it is read */

	struct fake_access log[FAKE_LOG];
	size_t n_log;
	unsigned n_runs_called, n_reset, n_erase, n_clear;	/* clear: writes of BDCCSR */
	enum pt_bdc_mode reset_mode;
	uint16_t errors;		/* what set_errors() said */
};

extern const struct pt_bdc_ops fake_s12z_ops;
extern const struct pt_probe_ops fake_s12z_probe_ops; /* a driver for the fake_s12z that was made last: bdc and pins */

void fake_s12z_init(struct fake_s12z *bdc); /* unsecured, running; opens bdc->link, over which a probe can be opened */
void fake_s12z_fini(struct fake_s12z *bdc);	/* closes the link, unless a probe took it (bdc->link NULL) */
uint8_t *fake_s12z_at(struct fake_s12z *bdc, uint32_t addr);	/* NULL: nothing there */
void fake_s12z_stop(struct fake_s12z *bdc, uint32_t pc);	/* the core enters active background */
size_t fake_s12z_count(const struct fake_s12z *bdc, enum pt_bdc_do what, uint32_t addr);

#endif
