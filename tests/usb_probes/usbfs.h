/* The kernel's half: what usbfs.c offers to testbed.c. */
#ifndef PT_TESTS_FOREIGN_USBFS_H
#define PT_TESTS_FOREIGN_USBFS_H

#include <stdbool.h>
#include <umockdev.h>

UMockdevIoctlBase *usbfs_new(void);
void usbfs_lock(void);
void usbfs_unlock(void);
/* Lock held. The cable: unplugged, all that is under way ends and everything returns ENODEV. */
void usbfs_set_plugged(bool plugged);
/* Lock held. Time has passed: replies that were held back, and packets of a stream. */
void usbfs_on_time(void);

/* testbed.c. Lock held. A file on the device polls as writable: a URB can be reaped. */
void testbed_set_ready(bool ready);
/* testbed.c, any thread: pull the plug and put it in again later. */
void testbed_replug(void);

#endif
