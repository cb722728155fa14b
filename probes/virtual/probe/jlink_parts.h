/* What the files of the virtual J-Link share: jlink.c (the stream and its commands), jlink_pins.c (shifts, clocks,
 * reset lines), jlink_hosts.c (the table of connections). */
#ifndef PT_VIRTUAL_PROBE_JLINK_PARTS_H
#define PT_VIRTUAL_PROBE_JLINK_PARTS_H

#include "probes/virtual/probe/jlink.h"
#include "probes/virtual/wire/jtag_pins.h"
#include "probes/virtual/wire/swd_pins.h"
#include "probes/virtual/wire/swo_ring.h"

enum { JLINK_HOSTS = 6, JLINK_ENTRY_BYTES = 16, JLINK_TABLE_BYTES = 76 };
enum { JLINK_JTAG, JLINK_SWD };

struct jlink_host {
	uint8_t identity[10];		/* process, address, two ids, as the host sent them */
	uint16_t handle;		/* 0: a free place */
};

struct pt_vjlink {
	struct pt_vjlink_config config;
	struct pt_vswd swd;
	struct pt_vjtag jtag;
	unsigned interface;
	bool hangs;			/* for ever, after a command that it should not have been sent */
	bool tms, tdi;			/* as the single commands set them */
	uint32_t memory_bytes;
	struct pt_vswo_ring swo;	/* of that memory */
	struct jlink_host host[JLINK_HOSTS];
	uint8_t stream[PT_VJLINK_MOST_BYTES];	/* a command, as far as it has come */
	size_t held;
	uint8_t joined[PT_VENGINE_MAX_PACKET_BYTES];	/* answers that nothing has ended yet */
	size_t n_joined;
	pt_vrespond *respond;		/* of the request under way */
	void *arg;
};

/* An answer, or one that goes on. */
void jlink_reply_part(struct pt_vjlink *jlink, const void *bytes, size_t len_bytes);
void jlink_reply(struct pt_vjlink *jlink, const void *bytes, size_t len_bytes);
void jlink_reply_word(struct pt_vjlink *jlink, uint32_t word);

/* CE and CF. */
void jlink_shift(struct pt_vjlink *jlink, const uint8_t *command);
/* C8 to CC. */
void jlink_pin(struct pt_vjlink *jlink, uint8_t command);
void jlink_set_speed(struct pt_vjlink *jlink, uint16_t khz);
uint16_t jlink_min_divider(const struct pt_vjlink *jlink);
void jlink_select(struct pt_vjlink *jlink, uint8_t which);
void jlink_state(struct pt_vjlink *jlink);
/* 09 64, 09 65. */
void jlink_register(struct pt_vjlink *jlink, const uint8_t *command);
bool jlink_is_registered(const struct pt_vjlink *jlink);

#endif
