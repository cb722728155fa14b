#include "targets/cortexm/swo/swo_silence.h"

/* SYNCTAP 1 is bit 24 of CYCCNT: a sync with each change of it, or with each second one. */
enum { SYNC_CYCLES = 1 << 24, LONGEST_SAMPLE_CYCLES = 16 * 1024, MANY_SAMPLES = 4 };

void pt_swo_silence_begin(struct pt_swo_silence *s, uint32_t cyccnt)
{
	s->cyccnt = cyccnt;
	s->heard = s->cycles;
	s->synced = false;
}

void pt_swo_silence_go_on(struct pt_swo_silence *s, uint32_t cyccnt)
{
	s->cycles += (uint32_t)(cyccnt - s->cyccnt);
	s->cyccnt = cyccnt;
}

void pt_swo_silence_ends(struct pt_swo_silence *s)
{
	s->heard = s->cycles;
}

void pt_swo_silence_synced(struct pt_swo_silence *s)
{
	if (s->synced && s->cycles - s->sync_at > s->sync_every)
		s->sync_every = s->cycles - s->sync_at;
	s->synced = true;
	s->sync_at = s->cycles;
}

void pt_swo_silence_lost(struct pt_swo_silence *s)
{
	s->synced = false;
}

bool pt_swo_silence_is_loss(const struct pt_swo_silence *s, bool samples)
{
	uint64_t silent = s->cycles - s->heard;
	uint64_t most = s->sync_every > 0 ? s->sync_every / 4 * 5 : UINT64_C(3) * SYNC_CYCLES;

	return silent > (samples ? (uint64_t)MANY_SAMPLES * LONGEST_SAMPLE_CYCLES : most);
}
