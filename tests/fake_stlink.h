/* An ST-Link for tests of the driver: the model of its firmware (probes/virtual/probe/stlink.h) in front of a port with one
 * MEM-AP on an array of words, where a test says what goes wrong. No chip, no clock. */
#ifndef PT_TESTS_FAKE_STLINK_H
#define PT_TESTS_FAKE_STLINK_H

#include "probes/virtual/frame/bus.h"
#include "probes/virtual/probe/stlink.h"
#include "probes/virtual/wire/mem_ap.h"

enum { FAKE_STLINK_WORDS = 16384, FAKE_STLINK_COMMANDS = 512 };

struct fake_stlink {
	uint32_t fault_addr;		/* the bus refuses it; 0: none */
	uint32_t cpuid;			/* what 0xe000ed00 reads as */
	unsigned wait_acks, wait_from;	/* accesses of the AP that answer WAIT, from access wait_from on */
	unsigned n_ports;		/* all are the same one; 1, where a test says nothing */
	unsigned ready_after;		/* the word behind the last reads as 0 so often, then as 1 */
	bool nreset_low;

	/* what was seen */
	unsigned n_accesses, n_out, n_in;
	uint8_t command[FAKE_STLINK_COMMANDS][16];	/* the last ones, without the data behind them; a ring */
	unsigned n_commands;
	uint32_t words[FAKE_STLINK_WORDS];

	/* inside */
	struct pt_vbus bus;
	struct pt_vmem_ap mem_ap;
	struct pt_vap port;
	struct pt_vpace pace;
	struct pt_vfaults faults;
	struct pt_vstlink *firmware;
	bool data_next;
	uint8_t *response;
	size_t n_response;
	uint64_t at_ns, done_ns;
};

/* kind: as stlink= of a virtual board has it. */
void fake_stlink_init(struct fake_stlink *fake, const char *kind);
void fake_stlink_fini(struct fake_stlink *fake);
/* For struct pt_script: arg is a struct fake_stlink. */
size_t fake_stlink_answer(void *arg, const uint8_t *request, size_t len_bytes, uint8_t *response, uint64_t *took_ns);

#endif
