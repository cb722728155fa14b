/* Decoders: from the bytes of one trace format to events. They see bytes and their own state, never the ELF.
 *
 * Any split of the stream gives the same events, no input is an error: what cannot be is a gap event, and decoding
 * goes on behind it. Pure: no I/O, clock, log or global; any thread, one at a time per state. The pipeline makes one
 * state for each source that a CONFIG chunk opens, and turns each later chunk of that source into one call:
 *
 *   DATA         gap(PT_GAP_RESTART) first if its cause is PT_DATA_RESTARTS, then feed() until all is taken
 *   LOSS         gap(PT_GAP_LOSS)
 *   STATE        state(); the chunk is where it happened in the stream: behind the bytes that came before it
 *   END          flush()
 *
 * To add one: a file that fills a struct pt_decoder, one word in PT_DECODERS. tests/test_decoder_contract.c tests
 * all in the list. */
#ifndef PT_DECODE_DECODER_H
#define PT_DECODE_DECODER_H

#include "trace/chunk.h"
#include "trace/config.h"
#include "trace/event.h"

/* The room that feed() needs in a batch to take at least one byte. gap(), state() and flush() get an empty one. */
enum { PT_DECODER_ROOM = 8 };

/* What the events of a format are about, in bits. */
enum pt_gives {
	PT_GIVES_FLOW = 1,	/* START to STOP: flow makes runs of them */
	PT_GIVES_SAMPLES = 2,
	PT_GIVES_OTHER = 4,	/* values, exceptions, counters, bins */
	PT_GIVES_FLOW_TIME = 8,	/* SINCE says how long flow has been where it is */
};

struct pt_decoder {
	const char *name;	/* the format, as in trace/formats.h: "mtb" */
	unsigned gives;		/* enum pt_gives; GAPs come from all */
	size_t state_bytes;	/* the caller allocates this much, aligned for any type */
	/* Prepare state, whatever it held. config: of the CONFIG chunk, for the call alone; untrusted: a key that is
	 * missing or malformed has its default. */
	void (*init)(void *state, uint16_t source, uint16_t core, const struct pt_config *config);
	/* Append the events of bytes to out. Returns bytes taken: fewer than len_bytes only when out has less than
	 * PT_DECODER_ROOM free; empty it and call again with the rest. */
	size_t (*feed)(void *state, const uint8_t *bytes, size_t len_bytes, struct pt_batch *out);
	/* Optional. How many packets at the head of len_bytes bytes are pairs of 32-bit addresses, little-endian: from
	 * and to of a PT_EV_BRANCH by instruction, which leaves no trace in state, if both have bit 0 clear and lie
	 * below pairs_below. A fast caller may take of these itself what fits, from the head on; feed() gets the
	 * rest. packet_bytes: out: from the head on to the end of a packet, the one that is half received or the
	 * next. */
	size_t (*pairs)(const void *state, size_t len_bytes, size_t *packet_bytes);
	uint64_t pairs_below;
	/* Optional: events may come out behind the end of the chunk that their bytes were in. Of how many of the last bytes some
	 * have not come out. */
	uint64_t (*held_bytes)(const void *state);
	bool goes_on;		/* a core that is held sends nothing, and the stream goes on behind that: no gap */
	/* The bytes that follow do not continue those before; cause, ns and bytes go into the event. What was half
	 * received is dropped. */
	void (*gap)(void *state, enum pt_gap cause, uint64_t ns, uint64_t bytes, struct pt_batch *out);
	/* The core changed state here; pc is PT_UNKNOWN if not read. */
	void (*state)(void *state, enum pt_state what, uint64_t pc, struct pt_batch *out);
	/* Nothing follows: what was held back comes out. The state may be used again after init() only. */
	void (*flush)(void *state, struct pt_batch *out);
};

#define PT_DECODERS(X) X(mtb) X(pcsr) X(lines) X(values) X(watch) X(counters) X(bins) X(s12z_profile) X(s12z_trace) X(mdm_trace) X(itm)
#define X(decoder) extern const struct pt_decoder pt_decoder_##decoder;
PT_DECODERS(X)
#undef X

/* One event more: as blank, what all of a source have in common, but for kind and cause. The caller
 * fills in the rest. */
static inline struct pt_event *pt_batch_add(struct pt_batch *out, const struct pt_event *blank, enum pt_event_kind kind,
					    unsigned cause)
{
	struct pt_event *e = &out->event[out->n_events++];

	*e = *blank;
	e->kind = (uint8_t)kind;
	e->cause = (uint8_t)cause;
	return e;
}

/* A gap; ns, bytes: PT_UNKNOWN where it is not known. */
static inline void pt_batch_add_gap(struct pt_batch *out, const struct pt_event *blank, enum pt_gap cause, uint64_t ns,
				    uint64_t bytes)
{
	struct pt_event *e = pt_batch_add(out, blank, PT_EV_GAP, cause);

	e->gap.ns = ns;
	e->gap.bytes = bytes;
}

const struct pt_decoder *pt_decoder_find(const char *name);	/* NULL: no such format in this version */

#endif
