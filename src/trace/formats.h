/* Trace formats by name, and the byte layouts of what we make ourselves. All numbers little-endian.
 *
 * A CONFIG chunk is text, "key=value\n" lines: keys of the format, of the source ("source=mtb", "mode=burst"), of
 * the target and of the probe. Keys that every CONFIG has: format, source, mode, target, probe, virtual (0 or 1),
 * core_hz (0 = unknown), cost (a sentence: what the source costs the target). Others are the format's own. */
#ifndef PT_TRACE_FORMATS_H
#define PT_TRACE_FORMATS_H

/* "mtb": 8-byte packets as in the trace RAM (Arm DDI 0486, 2.3.1), oldest first; a DATA chunk that RESTARTS begins a
 * burst. Its own keys: buffer=ADDR, size=BYTES, buffer_in_use=0|1 (the program may have data there).
 * "pcsr": le32 values of DWT_PCSR as read, one batch per DATA chunk; 0xffffffff = halted or not permitted.
 *   Behind STATE SLEEP, up to the next STATE, the core sleeps and the values say where.
 *   Its own keys: batch=N. */
#define PT_FORMAT_MTB "mtb"
#define PT_FORMAT_PCSR "pcsr"

/* STATE payload: le64 pc, PT_UNKNOWN if not read. */
enum { PT_STATE_PC = 0, PT_STATE_BYTES = 8 };
/* CLOCK payload: le64 source ticks, le64 probe ns, le64 error in ns (plus or minus). */
enum { PT_CLOCK_TICKS = 0, PT_CLOCK_NS = 8, PT_CLOCK_ERROR_NS = 16, PT_CLOCK_BYTES = 24 };
/* IMAGE payload: le64 address, then code bytes. */
enum { PT_IMAGE_ADDRESS = 0, PT_IMAGE_CODE = 8 };

#endif
