/* What a program asks of its debugger: text, files, time, its end. A target says what was asked (struct pt_target_ops'
 * host_call) in these words, whatever its architecture calls them; the board or a waiting GDB serves it. */
#ifndef PT_TARGETS_HOST_CALL_H
#define PT_TARGETS_HOST_CALL_H

#include <stdint.h>

/* Behind each: what word[] is. A file is a handle that PT_HOST_OPEN returned; names are an address and a length. */
enum pt_host_op {
	PT_HOST_UNKNOWN,
	PT_HOST_OPEN,		/* name, mode as an index into "r rb r+ r+b w wb w+ w+b a ab a+ a+b", length of name */
	PT_HOST_CLOSE,		/* file */
	PT_HOST_WRITEC,		/* arg: address of a byte for the console */
	PT_HOST_WRITE0,		/* arg: address of text for the console, up to a 0 */
	PT_HOST_WRITE, PT_HOST_READ,	/* file, address, bytes; the result is how many were not moved */
	PT_HOST_READC,		/* a byte that the user types */
	PT_HOST_ISERROR,	/* a result */
	PT_HOST_ISTTY,		/* file */
	PT_HOST_SEEK,		/* file, from its beginning */
	PT_HOST_FLEN,		/* file */
	PT_HOST_TMPNAM,		/* address, number, bytes there */
	PT_HOST_REMOVE,		/* name, length */
	PT_HOST_RENAME,		/* name, length, new name, length */
	PT_HOST_CLOCK,		/* hundredths of a second since the program began */
	PT_HOST_TIME,		/* seconds since 1970 */
	PT_HOST_SYSTEM,
	PT_HOST_ERRNO,
	PT_HOST_GET_CMDLINE,	/* address, bytes there; arg: of this pair, whose second word is to be the length */
	PT_HOST_HEAPINFO,	/* address of four words */
	PT_HOST_EXIT,		/* 1, exit status; or 0, the reason as the architecture counts it */
	PT_HOST_ELAPSED,	/* arg: address of 8 bytes for nanoseconds since the program began */
	PT_HOST_TICKFREQ,
};
enum { PT_HOST_FAILED = -1 };	/* a result */

struct pt_host_call {
	uint32_t op;		/* enum pt_host_op */
	uint32_t arg, word[4];
	uint32_t number;	/* of the operation, as the program gave it: for messages */
};

#endif
