/* A decoder set up from the text of a CONFIG chunk. */
#ifndef PT_TESTS_CONFIG_TEXT_H
#define PT_TESTS_CONFIG_TEXT_H

#include <stdlib.h>
#include <string.h>

#include "decode/decoder.h"

static inline void decoder_init(const struct pt_decoder *decoder, void *state, uint16_t source, uint16_t core,
				const char *text, size_t len_bytes)
{
	struct pt_config config;

	if (!pt_config_init(&config, text, len_bytes))
		abort();
	decoder->init(state, source, core, &config);
	pt_config_fini(&config);
}

#endif
