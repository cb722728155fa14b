/* A GDB server behind a serial port, as a Black Magic Probe is: its address, and the ports of those that are plugged in.
 * The GDB port of such a device is the one with the lowest interface number; the other is the target's UART.
 * Source: Black Magic Debug, driver/99-blackmagic-plugdev.rules (numbers, names of the interfaces). */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/util.h"
#include "probes/links/links.h"
#include "probes/links/serial.h"
#include "probes/rsp/rsp_stream.h"

enum { MAX_PORTS = 64, USUAL_BAUD = 115200 };
enum { ROW_SERIAL, ROW_USB, ROW_BAUD };

static const struct pt_param rows[] = {
	[ROW_SERIAL] = { "serial", PT_PARAM_TEXT, NULL, NULL, 0, 0, "the probe with this serial number" },
	[ROW_USB] = { "usb", PT_PARAM_TEXT, NULL, NULL, 0, 0, "the probe at this port, BUS-PORT.PORT" },
	[ROW_BAUD] = { "baud", PT_PARAM_NUMBER, "115200", NULL, 1200, 4000000,
		       "bits per second; USB devices take any" },
};

/* --- an address --------------------------------------------------------------------------------------------------- */

static bool is_gdb_port(const struct pt_serial_port *ports, size_t i)
{
	return i == 0 || strcmp(ports[i - 1].usb_path, ports[i].usb_path) != 0;
}

static int find_port(const char *serial, const char *usb, char *path, size_t room, struct pt_err *err)
{
	struct pt_serial_port ports[MAX_PORTS];
	const struct pt_serial_port *found = NULL;
	size_t n = pt_serial_ports(ports, MAX_PORTS);

	for (size_t i = 0; i < n; i++) {
		if (!is_gdb_port(ports, i) || (serial != NULL && strcmp(serial, ports[i].serial) != 0) ||
		    (usb != NULL && strcmp(usb, ports[i].usb_path) != 0))
			continue;
		if (found != NULL)
			return pt_fail(
				err, PT_EIO,
				"the devices at usb %s and usb %s have the same serial number, %s: name one by its "
				"port, rsp:usb=%s or rsp:usb=%s",
				found->usb_path, ports[i].usb_path, serial, found->usb_path, ports[i].usb_path);
		found = &ports[i];
	}
	if (found != NULL) {
		snprintf(path, room, "%s", found->path);
		return 0;
	}
	return pt_fail(err, PT_EIO,
		       "no serial port of a USB device with %s=%s is there; `proftap probes` lists what is",
		       serial != NULL ? "serial" : "usb", serial != NULL ? serial : usb);
}

/* "key=value&key=value" */
static int parse(struct pt_params *params, const char *text, struct pt_err *err)
{
	int rc = 0;

	while (rc == 0 && *text != '\0') {
		size_t len = strcspn(text, "&");
		char word[128];

		snprintf(word, sizeof(word), "%.*s", (int)(len < sizeof(word) ? len : sizeof(word) - 1), text);
		rc = pt_params_add(params, rows, PT_LEN(rows), word, err);
		text += len + (text[len] == '&');
	}
	return rc;
}

bool pt_rsp_is_serial(const char *address)
{
	return address[0] == '/' || strncmp(address, "serial=", 7) == 0 || strncmp(address, "usb=", 4) == 0;
}

/* "/dev/ttyACM0[?baud=N]", "serial=S[&baud=N]" or "usb=BUS-PORT[&baud=N]" */
static int read_address(const char *address, char *path, size_t room, uint32_t *baud, struct pt_err *err)
{
	struct pt_params *params = pt_params_new();
	bool is_path = address[0] == '/';
	size_t len = is_path ? strcspn(address, "?") : 0;
	int rc = parse(params, address + len + (address[len] == '?'), err);

	if (rc == 0 && is_path)
		snprintf(path, room, "%.*s", (int)len, address);
	else if (rc == 0)
		rc = find_port(pt_params_text(params, &rows[ROW_SERIAL]), pt_params_text(params, &rows[ROW_USB]), path,
			       room, err);
	*baud = (uint32_t)pt_params_number(params, &rows[ROW_BAUD]);
	pt_params_free(params);
	return rc;
}

struct pt_link *pt_rsp_serial_open(const char *address, struct pt_err *err)
{
	char path[256];
	uint32_t baud;

	return read_address(address, path, sizeof(path), &baud, err) == 0 ? pt_rsp_link_open_port(path, baud, err)
									  : NULL;
}

/* Is path that port, or a link to it such as those of /dev/serial/by-id? */
static bool leads_to(const char *path, const struct pt_serial_port *port)
{
	char link[256];
	ssize_t n = readlink(path, link, sizeof(link) - 1);
	const char *name;

	link[n > 0 ? n : 0] = '\0';
	name = strrchr(link, '/');
	return strcmp(path, port->path) == 0 || (name != NULL && strcmp(name, strrchr(port->path, '/')) == 0);
}

void pt_rsp_serial_advice(const char *path, char *advice, size_t room)
{
	struct pt_serial_port ports[MAX_PORTS];
	size_t n = pt_serial_ports(ports, MAX_PORTS), first = 0;

	snprintf(advice, room, "a GDB server may be on another port, or at another rate (rsp:%s?baud=N)", path);
	for (size_t i = 0; i < n; i++) {
		first = is_gdb_port(ports, i) ? i : first;
		if (i != first && leads_to(path, &ports[i]))
			snprintf(advice, room,
				 "it is the second port of its device: the GDB server is at the first, rsp:%s",
				 ports[first].path);
	}
}

/* --- what is plugged in ------------------------------------------------------------------------------------------- */

static const struct pt_probe_ops *driver_of(const struct pt_serial_port *port,
					    const struct pt_probe_ops *const *drivers, size_t n_drivers)
{
	for (size_t i = 0; i < n_drivers; i++) {
		const struct pt_usb_id *id =
			pt_usb_id_numbered(drivers[i]->usb, drivers[i]->n_usb, port->usb_vid, port->usb_pid);

		if (id != NULL && id->iface == PT_USB_TTY)
			return drivers[i];
	}
	return NULL;
}

static int serial_list(const struct pt_probe_ops *const *drivers, size_t n_drivers, struct pt_link_found *out,
		       size_t max, struct pt_err *err)
{
	struct pt_serial_port ports[MAX_PORTS];
	size_t n_ports = pt_serial_ports(ports, MAX_PORTS), n = 0;

	(void)err;
	for (size_t i = 0; i < n_ports && n < max; i++) {
		const struct pt_serial_port *port = &ports[i];
		const struct pt_probe_ops *driver = driver_of(port, drivers, n_drivers);

		if (driver == NULL || !is_gdb_port(ports, i))
			continue;
		out[n] = (struct pt_link_found){
			.driver = driver, .usb_vid = port->usb_vid, .usb_pid = port->usb_pid,
			.usb_release = port->usb_release, .permitted = access(port->path, R_OK | W_OK) == 0,
		};
		memcpy(out[n].path, port->path, sizeof(port->path));
		memcpy(out[n].node, port->path, sizeof(port->path));
		memcpy(out[n].usb_path, port->usb_path, sizeof(port->usb_path));
		memcpy(out[n].product, port->product, sizeof(port->product));
		memcpy(out[n].serial, port->serial, sizeof(port->serial));
		n++;
	}
	return (int)n;
}

static struct pt_link *serial_open(const struct pt_link_found *found, struct pt_err *err)
{
	return pt_rsp_link_open_port(found->path, USUAL_BAUD, err);
}

const struct pt_link_kind pt_serial_kind = { "serial", serial_list, serial_open };
