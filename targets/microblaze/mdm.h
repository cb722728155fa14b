/* Debug registers of the MicroBlaze Debug Module and of the cores behind it, with several access methods.
 *
 * For every access method a register is a command of 8 bits and a length in bits (as for XSDB's mb_drrd). Methods:
 *	axi	the MDM's AXI4-Lite slave, in memory that the GDB server reaches: DBG_CTRL and DBG_DATA, or the
 *		window of registers at 0x4000 if there is one
 *	xsdb	a child process that executes XSDB's documented commands; works on every board that hw_server supports
 *	jtag	scans of the USER chain, guessing the undocumented framing; only on demand
 * No access method is intrusive. Board thread only.
 *
 * Sources: PG115 (MDM v3.2), "AXI Slave Register Space" and "MDM Core User-Accessible Debug Registers"; UG984, "Debug
 * and Trace"; UG1725, mb_drrd and mdm_drrd. What they leave open is a setting (settings.h). */
#ifndef PT_MICROBLAZE_MDM_H
#define PT_MICROBLAZE_MDM_H

#include "base/error.h"
#include "base/params.h"
#include "probes/wires/jtag_chain.h"
#include "probes/wires/link.h"
#include "targets/contract/mem.h"

/* The MDM's own (PG115). */
enum { MDM_CONFIG = 0x0c, MDM_WHICH = 0x0d, MDM_XTRIG_STATUS = 0x42, MDM_XTRIG_CTRL = 0x46 };
enum { MDM_CONFIG_BITS = 32, MDM_XTRIG_STATUS_BITS = 24, MDM_XTRIG_CTRL_BITS = 16 };
/* A core's (UG984, "Performance Monitoring", "Program and Event Trace", "Non-Intrusive Profiling"). */
enum { MB_CONTROL = 0x01, MB_STATUS = 0x03, MB_STATUS_BITS = 28 };
enum { PCCTRLR = 0x51, PCCMDR = 0x52, PCSR = 0x53, PCDRR = 0x56, PCDWR = 0x57 };
enum { PCCTRLR_BITS = 8, PCCMDR_BITS = 5, PCSR_BITS = 2, PCDRR_BITS = 32 };
enum { TCTRLR = 0x61, TCMDR = 0x62, TSR = 0x63, TDRR = 0x66 };
enum { PT_TSR_STARTED = 17 };	/* bit of TSR */
enum { TCTRLR_BITS = 22, TCMDR_BITS = 4, TSR_BITS = 18, TDRR_BITS = 18 };
enum { PCTRLR = 0x71, PLAR = 0x72, PHAR = 0x73, PBAR = 0x74, PDRR = 0x76, PDWR = 0x77 };
enum { PCTRLR_BITS = 8, PDRR_BITS = 36, PDWR_BITS = 32 };

enum pt_mdm_do { PT_MDM_READ = 1, PT_MDM_WRITE };

struct pt_mdm_op {
	uint8_t what;			/* enum pt_mdm_do */
	bool own;			/* true: register of the MDM itself; false: of the selected core */
	uint8_t command, bits;		/* bits: 1..64; at most 32 for a write */
	uint32_t n;			/* repetitions; 0 means 1 */
	uint64_t *values;		/* READ: out, n of them; WRITE: in; NULL: all are `value` (READ: the last) */
	uint64_t value;
	uint64_t sent_ns, done_ns;	/* out */
};

struct pt_mdm;

struct pt_mdm_access {
	const char *name; /* "axi" */
	/* PT_EUNSUPPORTED: a setting is missing, or the probe lacks a capability; the message says which. */
	int (*open)(struct pt_mdm *mdm, const struct pt_params *settings, struct pt_err *err);
	void (*close)(struct pt_mdm *mdm);
	/* Executes ops in order. n_done: operations that completed, also on error. PT_EBUSY: the MDM's JTAG side holds
	 * the access lock. PT_EIO: the method has failed permanently. PT_EFAULT, PT_ETIMEOUT, PT_EPROTO: a retry may
	 * work. */
	int (*run)(struct pt_mdm *mdm, struct pt_mdm_op *ops, size_t n_ops, size_t *n_done, struct pt_err *err);
	void (*describe)(const struct pt_mdm *mdm, char *line, size_t room);
};
extern const struct pt_mdm_access pt_mdm_axi, pt_mdm_xsdb, pt_mdm_jtag;

struct pt_mdm_axi {
	struct pt_mem *mem;
	uint64_t base;
	bool big_endian, window, window_given, high_first, rewrite;
	uint32_t mode, key;		/* key above 0xffff: none */
};

enum { PT_XSDB_LINE = 512 };
struct pt_mdm_xsdb {
	int fd;				/* bidirectional; -1: closed */
	int pid;
	uint32_t timeout_ms, seq;
	char prefix[32];		/* "-target-id 2 " */
	char in[4096];			/* received data without a complete line yet */
	size_t n_in;
	char last[160];			/* the last line that was not an answer */
	char command[200];
};

struct pt_mdm_framing {
	uint8_t cmd_bits;
	bool cmd_msb, data_msb, one_scan;
};

struct pt_mdm_jtag {
	struct pt_jtag_chain chain;
	size_t tap;
	uint32_t user_ir;
	unsigned user;
	struct pt_mdm_framing framing;
	uint8_t sync[64], n_sync, pad;
};

enum { PT_MDM_MOST_CORES = 32 };

struct pt_mdm {
	const struct pt_mdm_access *access;	/* NULL: none; why_none says why */
	char why_none[sizeof(((struct pt_err *)NULL)->msg)];
	struct pt_mem *mem;		/* memory behind the GDB server; NULL: no server */
	struct pt_link *link;		/* for its clock */
	const struct pt_jtag_ops *jtag_ops;	/* NULL: the probe offers no JTAG */
	void *jtag_wire;
	bool big_endian;		/* byte order of mem */
	bool endian_open;		/* not set: the configuration word decides (method axi) */
	uint32_t config;		/* as read; 0: not readable */
	unsigned n_cores;
	int selected;			/* core; -1: not known */
	struct pt_mdm_axi axi;
	struct pt_mdm_xsdb xsdb;
	struct pt_mdm_jtag jtag;
};

/* Chooses and opens the access method, and reads the configuration. The caller sets mem, link, jtag_ops, jtag_wire and
 * big_endian before. The other calls may be made even after an error: without an access method they report why.
 * PT_EARG: invalid settings; PT_EPROTO: the device that answers is not an MDM. */
int pt_mdm_open(struct pt_mdm *mdm, const struct pt_params *settings, struct pt_err *err);
void pt_mdm_close(struct pt_mdm *mdm);
/* 0, or PT_EUNSUPPORTED with the reason: there is no access method. */
int pt_mdm_needs_way(const struct pt_mdm *mdm, struct pt_err *err);
/* The same, and the method must work while the core runs. */
int pt_mdm_needs_running(const struct pt_mdm *mdm, struct pt_err *err);
/* "AXI window at 0x41400000, 2 cores, configuration 0x42a70267", or why there is no MDM. */
void pt_mdm_describe(const struct pt_mdm *mdm, char *line, size_t room);

/* Selects the core for the following accesses. PT_EARG: there is no such core. */
int pt_mdm_select(struct pt_mdm *mdm, unsigned core, struct pt_err *err);
/* Following writes go to each core in mask (bit 0 = core 0), until the next pt_mdm_select(); a read would be undefined
 * (PG115, "Which MicroBlaze"). Only if pt_mdm_selects_several(). */
int pt_mdm_select_several(struct pt_mdm *mdm, uint32_t mask, struct pt_err *err);
bool pt_mdm_selects_several(const struct pt_mdm *mdm);	/* XSDB's commands name one core each */
int pt_mdm_run(struct pt_mdm *mdm, struct pt_mdm_op *ops, size_t n_ops, size_t *n_done, struct pt_err *err);
/* Accesses one register; waits for the lock up to half a second. */
int pt_mdm_get(struct pt_mdm *mdm, bool own, uint8_t command, uint8_t bits, uint64_t *value, struct pt_err *err);
int pt_mdm_put(struct pt_mdm *mdm, bool own, uint8_t command, uint8_t bits, uint64_t value, struct pt_err *err);
uint64_t pt_mdm_now_ns(const struct pt_mdm *mdm);
void pt_mdm_wait(const struct pt_mdm *mdm, uint64_t us);

/* True: a valid configuration word of an MDM (PG115: magic, protocol version). */
static inline bool pt_mdm_is_config(uint32_t word)
{
	return word >> 24 == 0x42 && (word & 0xff) >= 0x60 && (word & 0xff) <= 0x7f;
}

static inline struct pt_mdm_op pt_mdm_write_op(uint8_t command, uint8_t bits, uint64_t value)
{
	return (struct pt_mdm_op){ .what = PT_MDM_WRITE, .command = command, .bits = bits, .value = value };
}

static inline struct pt_mdm_op pt_mdm_read_op(uint8_t command, uint8_t bits)
{
	return (struct pt_mdm_op){ .what = PT_MDM_READ, .command = command, .bits = bits };
}

#endif
