/* What goes wrong on purpose, and what is counted. A fault happens at the k-th bulk transfer that carries data (idle
 * packets of FTDI's chips are not counted), or the k-th after the fault before it, once; it ends when the host closes the
 * device, if nothing else is said of it. */
#ifndef PT_TESTS_FOREIGN_FAULTS_H
#define PT_TESTS_FOREIGN_FAULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum fault {
	FAULT_NONE,
	FAULT_UNPLUG,	/* the device is gone, and comes back after a third of a second */
	FAULT_STALL,	/* the endpoint halts until the host clears that */
	FAULT_MUTE,	/* data are taken, nothing is answered any more */
	FAULT_SHORT,	/* an IN transfer has half of its bytes */
	FAULT_LATE,	/* nothing is answered for some time */
	FAULT_HUNG,	/* as mute, but only a reset of the device ends it */
	FAULT_WRONG,	/* a byte of an IN transfer, counted from its end, is another: a count, a status, a datum */
	FAULT_TWICE,	/* an IN transfer is there once more, in front of the next answer */
};

/* "unplug:7", "late:7:400" (ms), "wrong:7:3" (the byte); after those before. False: it is none, or one too many. */
bool faults_parse(const char *text);
/* A transfer begins: which fault strikes it. */
enum fault faults_at_transfer(bool to_host);
unsigned faults_value(void);		/* the last number of the fault that struck last */
void faults_forget(void);		/* the host has closed the device */

/* bytes: of data, without setup packets. */
void count_transfer(unsigned endpoint, size_t len_bytes);
void count_idle(void);
void count_violation(void);
void count_crossing(void);	/* ST-Link: a block over a border of 1 KiB */
/* Writes all counts, a "name value" per line, to the file that was set; NULL: none is kept. */
void count_set_file(const char *path);
void count_write(void);

#endif
