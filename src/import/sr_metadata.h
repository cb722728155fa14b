/* The "metadata" of a sigrok session file: INI text. Pure. Source: sigrok wiki, File format:Sigrok/v2. */
#ifndef PT_INPUTS_SR_METADATA_H
#define PT_INPUTS_SR_METADATA_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum { PT_SR_PROBES = 256, PT_SR_NAME_BYTES = 64 };

struct pt_sr_metadata {
	char capturefile[64];		/* "logic-1" */
	uint64_t samplerate_hz;		/* 0: it does not say */
	uint32_t unit_bytes;		/* of a sample; 0: it does not say */
	uint32_t n_analog;		/* channels that are no lines */
	uint32_t n_probes;		/* up to the last that has a name */
	char name[PT_SR_PROBES][PT_SR_NAME_BYTES];	/* of probe i + 1; "": there is none */
};

/* The first device that has logic data. PT_EARG: there is none, or a value makes no sense; says which. */
int pt_sr_metadata_parse(struct pt_sr_metadata *out, const char *text, size_t len_bytes, struct pt_err *err);
/* "12 MHz", "500 kHz", "1000000". PT_EARG: it is no frequency. */
int pt_sr_rate(const char *value, uint64_t *hz, struct pt_err *err);

#endif
