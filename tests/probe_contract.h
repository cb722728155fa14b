/* What the files of the probe contract test share: fixtures, and the calls of each wire. */
#ifndef PT_TESTS_PROBE_CONTRACT_H
#define PT_TESTS_PROBE_CONTRACT_H

#include "harness.h"
#include "probes/wires/probe.h"
#include "scripted_link.h"

struct contract_call {
	const char *name;
	int (*run)(struct pt_probe *probe, struct pt_err *err);
};

/* One wire: what can be called on it. */
struct contract_wire {
	const struct contract_call *calls;
	size_t n_calls;
	int (*bring_up)(struct pt_probe *probe, struct pt_err *err);	/* once, after it was opened */
	int (*list)(struct pt_probe *probe, struct pt_err *err); /* 0 only when all that it does came out right */
	void (*clear)(struct pt_probe *probe);				/* what an error left with the target */
};

/* One wire of one driver, with a device that answers it. */
struct contract_driver {
	const struct pt_probe_ops *ops;
	const struct contract_wire *wire;
	void (*make)(struct pt_script *script);
	void (*break_address)(uint32_t fault_addr);	/* the target refuses it; 0: none */
	void (*tests)(TCase *tc, int i);		/* the wire's own; NULL: it has none */
	size_t opens_with;				/* requests, at least */
	bool connects;		/* each open is a new connection, with nothing left in it from before */
	bool in_turns;		/* one request at a time, unless the user says otherwise */
	bool formless;		/* some of its answers are bits alone: that one is wrong shows only in what they say */
	uint64_t (*lost_bytes)(void);	/* stream: of the pin, so far, for which the device had no room */
	bool polls_ahead;	/* stream: a poll travels behind a list of wire dap */
	bool says_twice;	/* stream: its status is of a stretch, so one loss may be in two reads */
	bool reports_frames;	/* stream: bytes without a stop bit */
	void (*replug)(void);	/* the device forgets what it was at; NULL: it is at nothing between two packets */
};

extern const struct contract_driver contract_drivers[];
extern const size_t contract_n_drivers;
extern struct pt_script contract_script;

void contract_fresh(const struct contract_driver *driver);	/* contract_script with a new device */
struct pt_probe *contract_open(const struct contract_driver *driver, struct pt_err *err);

extern const struct contract_wire contract_dap, contract_dap_registers, contract_swd, contract_bdc, contract_pins,
	contract_jtag_xvc, contract_jtag_pins, contract_stream;
void contract_dap_tests(TCase *tc, int i);
void contract_bdc_tests(TCase *tc, int i);
void contract_jtag_tests(TCase *tc, int i);
void contract_stream_tests(TCase *tc, int i);

struct swo_pin;
extern struct swo_pin contract_pin;	/* that the devices of the wire stream hear */

#endif
