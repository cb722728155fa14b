/* Frames of a trace port (TPIU), which several sources share: 16 bytes, of which 15 are data or say whose the data are.
 * Source: Arm IHI 0029 (CoreSight architecture), appendix "Trace formatter". Pure, byte by byte. */
#ifndef PT_DECODE_TPIU_FRAMES_H
#define PT_DECODE_TPIU_FRAMES_H

#include <stdint.h>

enum { PT_TPIU_FRAME_BYTES = 16, PT_TPIU_MOST = 15 };
enum { PT_TPIU_PADDING = 0 };	/* a stream that nobody reads */

struct pt_tpiu {		/* all zero: the next byte begins a frame, of a stream that is not known */
	uint8_t frame[PT_TPIU_FRAME_BYTES], n_bytes;
	uint8_t stream;
	uint32_t last;		/* bytes, the latest lowest */
};

struct pt_tpiu_byte { uint8_t stream, byte; };

/* Take one byte. Returns how many bytes of streams it completes. Synchronisation between frames and in the midst of them is
 * none of these, and a full one says where a frame begins. */
unsigned pt_tpiu_take(struct pt_tpiu *s, uint8_t byte, struct pt_tpiu_byte out[PT_TPIU_MOST]);

#endif
