/* From an address to an open probe, and the list of what is plugged in: the top of this wing. No driver includes it, and
 * it knows none by name: what they say of themselves makes discovery, URIs, sentences and rules for udev. */
#ifndef PT_PROBES_REGISTRY_H
#define PT_PROBES_REGISTRY_H

#include "probes/wires/probe.h"

/* The scheme of a URI says which. */
#define PT_PROBE_DRIVERS(X) \
	X(cmsis_dap) X(stlink) X(jlink) X(bdc_pipe) X(osbdm) X(usbdm) X(xvc) X(bitbang) X(ftdi) X(gdb_server) X(swo) X(logic)
#define X(drv) extern const struct pt_probe_ops pt_##drv##_ops;
PT_PROBE_DRIVERS(X)
#undef X

extern const struct pt_probe_ops *const pt_probe_drivers[];
extern const size_t pt_n_probe_drivers;

/* The driver of that name, len bytes of it; NULL: there is none. */
const struct pt_probe_ops *pt_probe_driver(const char *name, size_t len);
/* Does the address name a GDB server? That of a virtual board, which may have one inside, does not. */
bool pt_probe_is_gdb_server(const char *uri);

/* Lines of rules for udev: whose devices on USB the person at the machine may use. */
void pt_probe_rules(void (*say)(void *arg, const char *line), void *arg);

/* Open what uri names: finds the device, makes its link, opens the driver.
 *   "cmsis-dap:[serial=S|usb=BUS-PORT.PORT|tcp=HOST:PORT]", also with &link=bulk|hid; "osbdm:" and "usbdm:" with
 *   serial=, usb= or id=VID:PID; "usb:" with these: whichever driver it is; "logic:FILE.sr" or "logic:[driver=NAME&conn=CONN]"; "virtual:NAME[?key=value&...]"; "" is the
 *   first that is plugged in
 * settings: words of pt_probe_params and pt_jtag_params, may be NULL. May block 2 s. Errors: PT_EARG bad URI (the
 * sentence lists the schemes, or says "not built in this version"), PT_EIO nothing found or lost while opening,
 * PT_EPERM (the sentence has the udev rule), PT_EBUSY claimed by another program, PT_EPROTO the device is not what it
 * says. */
#define PT_PROBE_ANY_USB "usb:[serial=S|id=VID:PID|usb=BUS-PORT]"
struct pt_probe *pt_probe_open(const char *uri, const struct pt_params *settings, struct pt_err *err);

/* What can be said of an address without opening it: PT_EARG, as pt_probe_open() has it. */
int pt_probe_check_uri(const char *uri, struct pt_err *err);

/* Calls each with the address of every virtual board, "virtual:NAME". */
void pt_probe_each_virtual(void (*each)(void *arg, const char *uri), void *arg);

/* One plugged-in probe, as `proftap probes` lists it. */
struct pt_probe_found {
	char uri[128];		/* opens exactly this one */
	char product[72], serial[64], where[64], transports[32];	/* transports: "bulk hid" */
	char node[2][64];	/* of the device under /dev, by each transport; empty if unknown */
	uint16_t usb_vid, usb_pid;
	bool shares_serial;	/* another device has the same one: only the port tells them apart */
	bool permitted;		/* false: seen, but the system refuses access */
	bool common;		/* in many devices that are no probe: only its address says that it is one */
	bool on_network;	/* has neither USB numbers nor nodes */
	const char *left_alone;	/* what it is that no list opens: a GDB server may halt its target, a common chip may be
				 * no probe, one on the network may be another user's; NULL: none of these */
	char udev_rule[256];	/* the line that would permit it */
};
/* Fills at most max rows; returns how many there are, or a negative code. Does not disturb open probes. */
int pt_probe_list(struct pt_probe_found *out, size_t max, struct pt_err *err);
/* The same of what is on this machine's networks: asks them, opens nothing. Blocks 1 s. more: others answered, too, for
 * which there was no place. PT_EIO: there is no network, or the system does not let it ask. */
int pt_probe_list_network(struct pt_probe_found *out, size_t max, bool *more, struct pt_err *err);
/* PT_EBUSY with the sentence about who has it; 0: no proftap of this user has noted that it does. Nothing is opened. */
int pt_probe_noted(const struct pt_probe_found *found, struct pt_err *err);
int pt_probe_busy(const struct pt_probe_found *found, struct pt_err *err);	/* the same, whatever was noted */
/* Where the probe of this address is, as struct pt_link_info will have it, without opening it. "": the first. False:
 * it is not there, or (virtual) no other process can have it. */
bool pt_probe_where(const char *uri, char *where, size_t room);

/* Tells when a device comes or goes, for an address that names a probe on USB: changed() is called on any thread until
 * free() returns. NULL: it is not on USB, or the system has no such events. */
struct pt_probe_watch *pt_probe_watch_new(const char *uri, void (*changed)(void *arg), void *arg);
void pt_probe_watch_free(struct pt_probe_watch *watch);		/* NULL is fine */
/* False for NULL, and where the system may not report changes (links/hotplug.h). */
bool pt_probe_watch_is_certain(struct pt_probe_watch *watch);

/* The driver that serves a device of these numbers and this name of the product; NULL: none does. */
const struct pt_probe_ops *pt_probe_of_usb(uint16_t vid, uint16_t pid, const char *product);

/* The logic analysers on USB; fills at most max rows, returns how many it filled. One that is open is not disturbed.
 * May block some seconds. */
size_t pt_probe_list_analysers(struct pt_logic_found *out, size_t max);

/* Virtual boards alone; of other addresses, and of one that makes no sense (opening it says so), nothing. */
/* The ELF of its demo firmware, for ever; or NULL. */
const uint8_t *pt_probe_demo(const char *uri, size_t *len_bytes);
/* Words that a user of such hardware gives with --set. */
void pt_probe_reports(const char *uri, void (*say)(void *arg, const char *word), void *arg);

#endif
