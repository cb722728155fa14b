/* A virtual board: a chip with its CPU, debug access and clock, as the probe's cable sees it. The wire models
 * (probe/cmsis_dap.c over wire/swd_dp.c) drive it through this; they decide when, the board what. */
#ifndef PT_VIRTUAL_BOARD_H
#define PT_VIRTUAL_BOARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/params.h"

struct pt_vboard;
struct pt_vbus;			/* frame/bus.h */
struct pt_vflow_core;		/* frame/flow_log.h */
struct pt_vbdc;			/* wire/bdc.h */
struct pt_vpdo;			/* unit/s12z/s12z_pdo.h */
struct pt_vswo;			/* frame/swo.h */
struct pt_vrsp_target;		/* rsp/rsp_stub.h */
struct pt_vjtap;			/* wire/tap.h */

/* An access port as the DP reaches it. Registers by offset (0x00..0xfc). */
enum pt_vack {
	PT_VACK_OK = 1,
	PT_VACK_WAIT = 2,
	PT_VACK_FAULT = 4,
	PT_VACK_ERROR,		/* the access was taken but failed on the bus: STICKYERR */
};

struct pt_vap {
	void *arg;
	enum pt_vack (*read)(void *arg, uint8_t reg, uint32_t *value);
	enum pt_vack (*write)(void *arg, uint8_t reg, uint32_t value);
};

struct pt_vboard_ops {
	const char *name, *help;	/* "kl27" */
	/* What kinds of probe it may have on its cable, by their names in probes[] of setup.c, NULL at the end; the first
	 * is what it has when probe= does not say. `proftap boards` lists them, so help does not. */
	const char *const *probes;
	const uint8_t *(*demo)(size_t *len_bytes);	/* the ELF of the built-in demo firmware; never NULL */
	/* settings: the URI's keys. firmware: an ELF in memory, or NULL for the built-in demo. */
	struct pt_vboard *(*make)(const struct pt_params *settings, const uint8_t *firmware, size_t len_bytes,
				  struct pt_err *err);
	void (*free)(struct pt_vboard *board);
	/* Let the core run until the board's time is to_ns (from power-on). Sleep is skipped, not executed. */
	void (*advance)(struct pt_vboard *board, uint64_t to_ns);
	struct pt_vap *(*ap)(struct pt_vboard *board, unsigned apsel);	/* NULL: no such AP */
	uint32_t (*dpidr)(struct pt_vboard *board);
	/* What selects its debug port on a wire of several (TARGETSEL); 0, or NULL: it is alone. */
	uint32_t (*targetsel)(struct pt_vboard *board);
	/* The same of a second port on that wire, and its access ports; 0, or NULL: there is none. */
	uint32_t (*second_targetsel)(struct pt_vboard *board);
	struct pt_vap *(*second_ap)(struct pt_vboard *board, unsigned apsel);
	/* Boards with a BDC instead of a debug port (ap and dpidr are NULL). */
	struct pt_vbdc *(*bdc)(struct pt_vboard *board);
	struct pt_vpdo *(*pdo)(struct pt_vboard *board);
	struct pt_vswo *(*swo)(struct pt_vboard *board);	/* NULL: it has no such pin */
	/* Boards with TAPs of their own on a JTAG cable, at most PT_VJTAG_MAX_TAPS: the first is the nearest to TDO.
	 * They are the board's, and the wire clocks them; when a row of a TAP is called, the board has been advanced
	 * to that time. */
	struct pt_vjtap *const *(*taps)(struct pt_vboard *board, size_t *n_taps);
	/* What a GDB server in front of the board serves; lives as long as the board. NULL: there is none. */
	const struct pt_vrsp_target *(*rsp)(struct pt_vboard *board);
	void (*set_nreset)(struct pt_vboard *board, bool asserted);
	void (*set_power)(struct pt_vboard *board, bool on);		/* faults: power loss and return */
	/* The model's own truth, for tests and bench: an observer's log, cycle and sleep counts. See chip/kl27.h. */
	void *(*chip)(struct pt_vboard *board);
	/* Its first core, for the log of what it executes. NULL: there is none. */
	void (*flow_core)(struct pt_vboard *board, struct pt_vflow_core *core);
	/* Its memory, for the log of what a debugger writes. NULL: there is none. */
	struct pt_vbus *(*bus)(struct pt_vboard *board);
	/* What the user of such hardware gives with --set, because no probe finds it out: say gets each word.
	 * settings are the board's own; driver: of the probe in front of it. NULL: nothing. */
	void (*told)(const struct pt_params *settings, const char *driver, void (*say)(void *arg, const char *word),
		     void *arg);
	const struct pt_param *params;	/* words of this board alone, besides pt_vboard_params */
	size_t n_params;
};

extern const struct pt_param pt_vboard_params[];	/* elf, clock, swclk, link, seed, fault, ... of virtual URIs */
extern const size_t pt_n_vboard_params;
const struct pt_param *pt_vboard_param(const char *key);	/* NULL: no such row */
uint32_t pt_vboard_drift_ppm(const struct pt_params *settings);	/* core-drift */
/* of the board's own; or NULL */
const struct pt_param *pt_vboard_row(const struct pt_vboard_ops *ops, const char *key);
/* Add a word of either to the settings of a board; PT_EARG as pt_params_add. */
int pt_vboard_add_word(const struct pt_vboard_ops *ops, struct pt_params *settings, const char *word,
		       struct pt_err *err);

#endif
