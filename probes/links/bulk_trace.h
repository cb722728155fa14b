/* Transfers of a device's second bulk IN endpoint, on which a probe sends trace. Part of bulk.c, which runs libusb's
 * events; errors are libusb's. */
#ifndef PT_PROBES_LINKS_BULK_TRACE_H
#define PT_PROBES_LINKS_BULK_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <libusb.h>

enum { PT_BULK_TRACE_MOST = 32, PT_BULK_TRACE_BYTES = 8192 };	/* transfers under way; bytes of one */

struct pt_bulk_trace;

struct pt_bulk_trace *pt_bulk_trace_new(libusb_device_handle *device, uint8_t endpoint, uint16_t packet_bytes);
void pt_bulk_trace_free(struct pt_bulk_trace *trace);	/* with none under way. NULL is fine */

/* Let n be under way, each for len bytes in whole packets. 0, or an error. */
int pt_bulk_trace_queue(struct pt_bulk_trace *trace, size_t len_bytes, unsigned n);
bool pt_bulk_trace_done(const struct pt_bulk_trace *trace);	/* the oldest came back */
/* Its bytes, room at most; how many, or why there are none. */
int pt_bulk_trace_take(struct pt_bulk_trace *trace, uint8_t *buf, size_t room);
void pt_bulk_trace_cancel(struct pt_bulk_trace *trace);	/* all; they come back as they like */
bool pt_bulk_trace_under_way(const struct pt_bulk_trace *trace);
void pt_bulk_trace_forget(struct pt_bulk_trace *trace);	/* those that came back */

#endif
