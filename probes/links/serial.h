/* A serial port as the other end of a connection, and which ports USB devices have. */
#ifndef PT_PROBES_LINKS_SERIAL_H
#define PT_PROBES_LINKS_SERIAL_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct pt_serial;

/* Opens the port for this process alone, 8N1 without flow control and as raw as termios has it. The descriptor (a
 * socket, non-blocking, close-on-exec) is what is sent and comes; it ends when the port goes. Close it, then
 * pt_serial_stop(), which leaves the port as it was.
 * PT_EIO no such port, or no serial port; PT_EPERM; PT_EBUSY, the sentence names who has it; PT_EARG a baud rate that the
 * port does not have. */
int pt_serial_start(const char *path, uint32_t baud, struct pt_serial **out, struct pt_err *err);
void pt_serial_stop(struct pt_serial *serial);	/* NULL is fine */

/* The port alone, for this process: opened without blocking, nothing of it set. A descriptor, or an error as above. */
int pt_serial_open_port(const char *path, struct pt_err *err);

/* A port of a USB device. Source: sysfs of the kernel's USB serial drivers. */
struct pt_serial_port {
	char path[64];			/* "/dev/ttyACM0" */
	char usb_path[32], product[64], serial[64], interface[64];
	uint16_t usb_vid, usb_pid, usb_release;
	unsigned iface;			/* bInterfaceNumber */
};
/* Fills at most max rows, by device and then by interface; returns how many it filled. */
size_t pt_serial_ports(struct pt_serial_port *out, size_t max);

#endif
