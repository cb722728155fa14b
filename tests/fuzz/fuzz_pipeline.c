/* Chunks of up to four sources, of any format and in any order, through the whole pipeline and into a report: nothing
 * may break or hang, and the account of time stays an identity. The input is a row of chunks: a byte each for kind
 * and source, cause, length and time, then the payload. */
#include <stdlib.h>
#include <string.h>

#include "../small_program.h"
#include "pipeline/pipeline.h"
#include "profile/result/profile.h"
#include "report/report.h"
#include "trace/chunk.h"
#include "trace/formats.h"

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t in_bytes);

static const char *const configs[] = {
	"format=mtb\nsource=mtb\nmode=burst\n", "format=mtb\nsource=mtb\nmode=halt\ncore_hz=1000000\n",
	"format=pcsr\nsource=pcsr\n", "format=lines\nlines=2\nline.0=pin\nline.1.bits=12\n", "format=values\ntick_hz=1000\n",
	"format=counters\ncounters=2\ncounter.0.bits=8\ncounter.0.max_hz=100\n", "format=bins\nbin_bytes=6\n",
	"format=bins\nexact=1\n", "format=none\n", "format=mtb\nmode=halt\nisa=thumb\n", "format=s12z-trace\nisa=s12z\n",
	"format=mdm-trace\ntrace=flow\nisa=microblazeel\n", "format=pcsr\npc_bytes=8\nisa=powerpc\n", "isa=thumb\n",
	NULL,		/* as it came */
};
static const char *const words[] = {
	"analysis=all", "variables=port.1.1,port.2.2:state", "signal=port.3.1:nested,port.0.1:task", "latency=pin:rise->leaf",
	"metric=ratio:'counter 0'/'counter 1'", "two-point=port.4.1:1..2",
};

enum { LEAST_BYTES = 60 };	/* a pipeline costs milliseconds: not for a chunk or two */

static struct pt_program *program;
static struct pt_params *params;

static void prepare(void)
{
	struct pt_err err;

	program = small_program();
	params = pt_params_new();
	for (size_t i = 0; i < PT_LEN(words); i++)
		if (pt_pipeline_add(params, words[i], &err) < 0)
			abort();
}

/* Some payload is as it came, some has addresses of the program and small numbers. */
static void fill(struct pt_chunk *chunk, const uint8_t *in, size_t n, unsigned how)
{
	for (size_t i = 0; i < n; i++)
		chunk->bytes[i] = how % 2 == 0 ? in[i] : i % 4 >= 2 ? 0 : i % 4 == 1 ? in[i] & 1 : in[i] & 0x3f;
	chunk->len_bytes = (uint32_t)n;
}

static size_t feed_one(struct pt_pipeline *p, struct pt_chunk *chunk, const uint8_t *in, size_t in_bytes, uint64_t *now)
{
	size_t n = in[2] < in_bytes - 4 ? in[2] : in_bytes - 4;
	const char *config = configs[in[1] % PT_LEN(configs)];
	uint64_t span = (uint64_t)(in[3] & 15) << (in[3] >> 4) * 2;

	*chunk = (struct pt_chunk){
		.from_ns = *now, .to_ns = *now + span, .lost_bytes = PT_UNKNOWN, .source = in[0] >> 4 & 3, .kind = in[0] & 7,
		.cause = in[1],
	};
	fill(chunk, in + 4, n, in[0] >> 6);
	if (chunk->kind == PT_CHUNK_CONFIG && config != NULL) {
		chunk->len_bytes = (uint32_t)strlen(config);
		memcpy(chunk->bytes, config, chunk->len_bytes);
	}
	*now += span;
	pt_pipeline_feed(p, chunk);
	return 4 + n;
}

static void check(struct pt_pipeline *p)
{
	const struct pt_profile *profile = pt_pipeline_profile(p);
	const struct pt_query query = { .view = "functions", .format = "json" };
	struct pt_text text = { 0 };

	if (profile->loss.total_ns != profile->loss.observed_ns + profile->loss.unobserved_ns + profile->loss.lost_ns)
		abort();
	pt_report_render(profile, &query, &text, NULL);
	pt_text_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t in_bytes)
{
	static _Alignas(8) uint8_t memory[sizeof(struct pt_chunk) + 4096];
	struct pt_pipeline *p;
	uint64_t now = 0;

	if (in_bytes < LEAST_BYTES)
		return 0;
	if (program == NULL)
		prepare();
	p = pt_pipeline_new(program, params, NULL);
	if (p == NULL)
		abort();
	for (uint8_t source = 0; source < 4; source++)	/* else most inputs would open nothing */
		feed_one(p, (struct pt_chunk *)(void *)memory,
			 (const uint8_t[]){ (uint8_t)(source << 4 | PT_CHUNK_CONFIG), in[source], 0, 0 },
			 4, &now);
	for (size_t at = 0; at + 4 <= in_bytes; )
		at += feed_one(p, (struct pt_chunk *)(void *)memory, in + at, in_bytes - at, &now);
	check(p);
	pt_pipeline_free(p);
	return 0;
}
