/* The kernel's half: ioctls (usbfs.c), transfers (urbs.c), endpoint 0 (control.c). */
#ifndef PT_TESTS_FOREIGN_USBFS_H
#define PT_TESTS_FOREIGN_USBFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <umockdev.h>

UMockdevIoctlBase *usbfs_new(void);
void usbfs_lock(void);
void usbfs_unlock(void);
/* Lock held. The cable: unplugged, all that is under way ends and everything returns ENODEV. */
void usbfs_set_plugged(bool plugged);
/* Lock held. Time has passed: replies that were held back, and packets of a stream. */
void usbfs_on_time(void);

/* urbs.c. Lock held. Errors are errno's. */
int urbs_submit(UMockdevIoctlClient *client, UMockdevIoctlData *data);
int urbs_discard(UMockdevIoctlClient *client, gulong address);
int urbs_reap(UMockdevIoctlClient *client, UMockdevIoctlData *data);
void urbs_forget_closed(void);
void urbs_begin_session(void);		/* what went wrong on purpose is over */
void urbs_reset(void);
void urbs_clear_halt(unsigned endpoint);
bool urbs_plugged(void);

/* control.c. Lock held. The setup packet, behind it room for capacity bytes of data. Bytes moved, or -1: stall. */
int control_transfer(uint8_t *setup, size_t capacity);

/* testbed.c. Lock held. A file on the device polls as writable: a URB can be reaped. */
void testbed_set_ready(bool ready);
/* testbed.c, any thread: pull the plug and put it in again later. */
void testbed_replug(void);

#endif
