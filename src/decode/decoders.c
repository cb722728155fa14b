/* The lists of decoders and of demultiplexers. */
#include <string.h>

#include "decode/decoder.h"
#include "decode/demux.h"

const struct pt_decoder *pt_decoder_find(const char *name)
{
#define X(decoder) &pt_decoder_##decoder,
	static const struct pt_decoder *const all[] = { PT_DECODERS(X) };
#undef X

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (strcmp(all[i]->name, name) == 0)
			return all[i];
	return NULL;
}

const struct pt_demux *pt_demux_find(const char *name)
{
#define X(demux) &pt_demux_##demux,
	static const struct pt_demux *const all[] = { PT_DEMUXES(X) };
#undef X

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (strcmp(all[i]->name, name) == 0)
			return all[i];
	return NULL;
}
