/* What the parts of the CMSIS-DAP firmware model share; not for others. */
#ifndef PT_VIRTUAL_WIRE_DAP_ENGINE_H
#define PT_VIRTUAL_WIRE_DAP_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probes/virtual/probe/cmsis_dap.h"
#include "probes/virtual/wire/dap_bytes.h"
#include "probes/virtual/wire/jtag_pins.h"
#include "probes/virtual/wire/swd_pins.h"
#include "probes/virtual/wire/swo_receiver.h"

struct queued_packet { size_t len_bytes; uint8_t bytes[PT_VDAP_MAX_PACKET_BYTES]; };

struct dap_swo {			/* dap_swo.c */
	struct pt_vswo_receiver receiver;
	uint8_t *ring;			/* config.swo_bytes of it */
	uint32_t in, out;		/* bytes put there and taken, since the start */
	unsigned transport, mode, errors;
	uint32_t bits_per_s;		/* 0: not set, or refused */
	bool active, paused;
	uint64_t n_lost;		/* what the UART had no room for */
};

struct pt_vdap {
	struct pt_vdap_config config;
	struct dap_swo swo;
	struct pt_vswd swd;
	struct pt_vjtag jtag;		/* on the same pins, and the same clock */
	bool connected;			/* by SWD */
	bool connected_jtag;
	uint8_t ir_bits[PT_VJTAG_MAX_TAPS];	/* as the host configured the chain */
	unsigned n_devices;
	unsigned wait_retries, match_retries;
	uint32_t match_mask;
	uint8_t pins;			/* as the host last drove SWCLK, SWDIO and TDI through SWJ_Pins */
	unsigned n_queued;
	struct queued_packet *queue;	/* config.packet_count of them */
};

/* Commands: read their arguments after the id, write their response after the id. */
typedef void dap_command(struct pt_vdap *dap, struct dap_in *in, struct dap_out *out);

/* dap_transfer.c */
dap_command dap_transfer, dap_transfer_block, dap_write_abort, dap_transfer_configure;
/* dap_jtag.c */
dap_command dap_jtag_sequence, dap_jtag_configure, dap_jtag_idcode;
/* dap_pins.c */
dap_command dap_swj_pins, dap_swj_clock, dap_swj_sequence, dap_swd_configure, dap_swd_sequence;
/* dap_swo.c */
dap_command dap_swo_transport, dap_swo_mode, dap_swo_baudrate, dap_swo_control, dap_swo_status, dap_swo_extended_status,
	dap_swo_data;
bool dap_has_swo(const struct pt_vdap *dap);
void dap_swo_init(struct pt_vdap *dap);
void dap_swo_free(struct pt_vdap *dap);
size_t dap_swo_endpoint(struct pt_vdap *dap, uint8_t *bytes, size_t room, uint64_t at_ns);

#endif
