/* Captures of each source and kind of chip (tests/captures) with anything changed and their CRCs mended, with the program that
 * they are of, through all analyses, and then in one view by each format: nothing may break, the account of time stays an
 * identity, and a report that is refused is refused with a sentence. The sum of the bytes chooses the view and the words. */
#define _GNU_SOURCE	/* memmem */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "capture/read.h"
#include "pipeline/pipeline.h"
#include "profile/result/profile.h"
#include "report/report.h"
#include "report/views/views.h"
#include "session/head.h"
#include "trace/formats.h"

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t in_bytes);

enum { MOST_BYTES = 1 << 17, MOST_ITEMS = 400 };

struct any_chunk { struct pt_chunk chunk; uint8_t bytes[PT_CHUNK_BYTES]; };

static const char *const names[] = { "kl27", "kl27_irq", "s12zvm", "microblaze", "e500", "e500mc", "e500_agent", "e500_agents" };
static struct pt_program *programs[PT_LEN(names)];

static void must(bool so)
{
	if (!so)
		abort();
}

static void open_programs(void)
{
	const char *srcdir = getenv("srcdir");
	char path[512];

	for (size_t i = 0; i < PT_LEN(names); i++) {
		struct pt_err err = { 0 };

		snprintf(path, sizeof(path), "%s/tests/captures/%s.elf", srcdir != NULL ? srcdir : ".", names[i]);
		programs[i] = pt_program_open(path, 0, &err);
		if (programs[i] == NULL) {
			fprintf(stderr, "fuzz_reports: %s\n", err.msg);
			abort();
		}
	}
}

/* That of its line "elf=NAME.elf", as tests/captures/record wrote it; NULL: another, or none. */
static struct pt_program *program_of(const char *lines, size_t n)
{
	char line[40];

	for (size_t i = 0; i < PT_LEN(names); i++) {
		int len = snprintf(line, sizeof(line), "\nelf=%s.elf\n", names[i]);

		if (memmem(lines, n, line, (size_t)len) != NULL)
			return programs[i];
	}
	return NULL;
}

static struct pt_pipeline *begin(const struct pt_capture_reader *reader)
{
	struct pt_params *settings = pt_params_new();
	struct pt_err err = { 0 };
	size_t n;
	const char *lines = pt_capture_read_lines(reader, &n);
	struct pt_program *program = program_of(lines, n);
	struct pt_pipeline *pipeline;

	pt_capture_head_settings(lines, n, settings, NULL, NULL, NULL);
	pt_pipeline_add(settings, "analysis=all", &err);
	pipeline = pt_pipeline_new(program, settings, &err);
	if (pipeline == NULL)		/* settings that fit no program: as if there were none */
		pipeline = pt_pipeline_new(program, NULL, &err);
	must(pipeline != NULL);
	pt_params_free(settings);
	return pipeline;
}

/* Parts of a view are not to be had of each; then all of it. */
static void render(const struct pt_profile *profile, const char *view, const char *format, const char *more)
{
	char form[40];
	const char *words[] = { view, form, more };
	struct pt_query query;
	struct pt_text text = { 0 };
	struct pt_err err = { 0 };

	snprintf(form, sizeof(form), "format=%s", format);
	if (pt_query_parse(&query, words, more[0] != '\0' ? 3 : 2, &err) < 0)
		must(err.msg[0] != '\0' && pt_query_parse(&query, words, 2, &err) == 0);
	must(pt_report_render(profile, &query, &text, &err) == 0 || (err.code < 0 && err.msg[0] != '\0'));
	pt_text_free(&text);
}

static void report(struct pt_pipeline *pipeline, const uint8_t *choice)
{
	static const char *const words[] = { "", "wide=on", "top=3", "from=1ms", "name=*a*", "top=0" };
	const struct pt_profile *profile = pt_pipeline_profile(pipeline);
	size_t n_views = 0;

	must(profile->loss.total_ns == profile->loss.observed_ns + profile->loss.unobserved_ns + profile->loss.lost_ns);
	while (pt_views[n_views] != NULL)
		n_views++;
	for (size_t i = 0; pt_formats[i] != NULL; i++)
		render(profile, pt_views[choice[0] % n_views]->name, pt_formats[i]->name,
		       words[choice[1] % PT_LEN(words)]);
}

static void decode(const uint8_t *in, size_t in_bytes, const uint8_t *choice)
{
	static struct any_chunk got;
	struct pt_pipeline *pipeline = NULL;
	struct pt_err err = { 0 };
	struct pt_capture_reader *reader = pt_capture_read(pt_infile_from_bytes(in, in_bytes), NULL, NULL, &err);
	int item;

	if (reader == NULL)
		return;
	for (int i = 0; i < MOST_ITEMS && (item = pt_capture_read_next(reader, &got.chunk, &err)) > 0; i++) {
		if (item != PT_CAPTURE_CHUNK)
			continue;
		if (pipeline == NULL)
			pipeline = begin(reader);
		pt_pipeline_feed(pipeline, &got.chunk);
	}
	if (pipeline != NULL) {
		pt_pipeline_over(pipeline);
		report(pipeline, choice);
	}
	pt_pipeline_free(pipeline);
	pt_capture_read_close(reader);
}

/* Right CRCs in every head that has its mark, so that what stands behind it is met. */
static void mend(uint8_t *bytes, size_t n)
{
	for (size_t at = PT_CAPTURE_PREAMBLE_BYTES; at + PT_CAPTURE_HEAD_BYTES <= n; at++) {
		uint32_t stored;

		if (memcmp(bytes + at, PT_CAPTURE_MARK, 4) != 0)
			continue;
		stored = pt_le32(bytes + at + PT_RECORD_STORED);
		pt_put_le32(bytes + at + PT_RECORD_ID, pt_le32(bytes + PT_CAPTURE_AT_ID));
		if (stored <= n - at - PT_CAPTURE_HEAD_BYTES)
			pt_put_le32(bytes + at + PT_RECORD_PAYLOAD_CRC,
				    pt_capture_crc(bytes + at + PT_CAPTURE_HEAD_BYTES, stored));
		pt_put_le32(bytes + at + PT_RECORD_CRC,
			    pt_capture_crc(bytes + at + PT_RECORD_ID, PT_CAPTURE_HEAD_BYTES - PT_RECORD_ID));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t in_bytes)
{
	uint8_t choice[2] = { 0 }, *copy;

	if (in_bytes < PT_CAPTURE_PREAMBLE_BYTES || in_bytes > MOST_BYTES)
		return 0;
	if (programs[0] == NULL)
		open_programs();
	for (size_t i = 0; i < in_bytes; i++)
		choice[i % 2] = (uint8_t)(choice[i % 2] * 31 + in[i]);
	copy = malloc(in_bytes);
	must(copy != NULL);
	memcpy(copy, in, in_bytes);
	pt_preamble_pack(copy, 1);
	mend(copy, in_bytes);
	decode(copy, in_bytes, choice);
	free(copy);
	return 0;
}
