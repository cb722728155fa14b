/* Requests of CMSIS-DAP, and the responses to them, byte by byte. */
#ifndef PT_VIRTUAL_WIRE_DAP_BYTES_H
#define PT_VIRTUAL_WIRE_DAP_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DAP_OK = 0x00, DAP_ERROR = 0xff, DAP_INVALID = 0xff };

/* A request being read and a response being written. Reads past the end give zero and set cut; writes past the end
 * are dropped and set full. */
struct dap_in { const uint8_t *at; size_t left_bytes; bool cut; };
struct dap_out { uint8_t *bytes; size_t len_bytes, room_bytes; bool full; };

uint8_t dap_get8(struct dap_in *in);
uint16_t dap_get16(struct dap_in *in);
uint32_t dap_get32(struct dap_in *in);
void dap_put8(struct dap_out *out, uint8_t value);
void dap_put16(struct dap_out *out, uint16_t value);
void dap_put32(struct dap_out *out, uint32_t value);

#endif
