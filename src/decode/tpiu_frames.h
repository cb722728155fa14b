/* Frames of a trace port (TPIU), which several sources share: 16 bytes, of which 15 are data or say whose the data are.
 * Source: Arm IHI 0029 (CoreSight architecture), appendix "Trace formatter". Pure, byte by byte.
 *
 * Where a frame begins is known from a full synchronisation on, up to one that stands in the midst of a frame, or a frame
 * that names a stream that cannot be: then bytes are missing or wrong, and whose the following ones are has to be said
 * anew. What is skipped meanwhile is counted: the bytes of frames, of synchronisation and those skipped make the bytes that
 * came. */
#ifndef PT_DECODE_TPIU_FRAMES_H
#define PT_DECODE_TPIU_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

enum { PT_TPIU_FRAME_BYTES = 16, PT_TPIU_MOST = 15 };
/* Numbers of streams. A trace source has one from 1 to LAST. PADDING and TRIGGER are the port's own. UNNAMED is ours: for bytes
 * that come before the first name. */
enum { PT_TPIU_PADDING = 0, PT_TPIU_LAST = 0x6f, PT_TPIU_TRIGGER = 0x7d, PT_TPIU_UNNAMED = 0x7f };

struct pt_tpiu {		/* pt_tpiu_init() */
	bool aligned;		/* it is known where a frame begins */
	uint8_t frame[PT_TPIU_FRAME_BYTES], n_bytes;
	uint8_t stream;
	uint32_t last;		/* bytes, the latest lowest */
	uint8_t ones;		/* not aligned: so many bytes may begin a synchronisation */
	uint64_t skipped;	/* bytes of no frame since the caller set it to 0 */
};

/* aligned: the next byte begins a frame. */
void pt_tpiu_init(struct pt_tpiu *s, bool aligned);

struct pt_tpiu_byte { uint8_t stream, byte; };

/* Take one byte. Returns how many bytes of streams it completes, UNNAMED ones among them. */
unsigned pt_tpiu_take(struct pt_tpiu *s, uint8_t byte, struct pt_tpiu_byte out[PT_TPIU_MOST]);

/* Nothing follows, or not what would have: how many bytes are in no frame. */
uint64_t pt_tpiu_rest(const struct pt_tpiu *s);

#endif
