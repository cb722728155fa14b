/* A capture file of arbitrary bytes, read and decoded: nothing may break, and reading comes to an end. What is not a
 * capture is made one, so that records are met; heads get right CRCs where the input asks for it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../small_program.h"
#include "session/head.h"
#include "capture/read.h"
#include "pipeline/pipeline.h"
#include "profile/result/profile.h"
#include "report/report.h"

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t in_bytes);

enum { MOST_BYTES = 1 << 20 };

struct any_chunk { struct pt_chunk chunk; uint8_t bytes[PT_CHUNK_BYTES]; };

static void on_note(void *arg, const char *text)
{
	unsigned *n = arg;

	if (strlen(text) > 400 || ++*n > PT_CAPTURE_MOST_NOTES + 1)
		abort();
}

/* What the statistics rely on. */
static void check(const struct pt_chunk *c)
{
	if (c->len_bytes > PT_CHUNK_BYTES)
		abort();
}

static void report(struct pt_pipeline *pipeline)
{
	struct pt_query query = { .format = "json" };
	struct pt_text text = { .bytes = NULL };
	struct pt_err err;

	pt_report_render(pt_pipeline_profile(pipeline), &query, &text, &err);
	pt_text_free(&text);
}

static struct pt_pipeline *begin(struct pt_program *program, const struct pt_capture_reader *reader)
{
	struct pt_params *settings = pt_params_new();
	struct pt_pipeline *pipeline;
	struct pt_err err;
	size_t len_bytes;
	const char *lines = pt_capture_read_lines(reader, &len_bytes);

	pt_pipeline_add(settings, "analysis=execution", &err);	/* the others cost time, and have targets of their own */
	pt_capture_head_settings(lines, len_bytes, settings, NULL, NULL, NULL);
	pipeline = pt_pipeline_new(program, settings, &err);
	if (pipeline == NULL)		/* settings that fit no program: as if there were none */
		pipeline = pt_pipeline_new(program, NULL, &err);
	if (pipeline == NULL)
		abort();
	pt_params_free(settings);
	return pipeline;
}

static void one(const uint8_t *in, size_t in_bytes)
{
	static struct pt_program *program;
	static struct any_chunk got;
	unsigned n_notes = 0;
	struct pt_capture_reader *reader;
	struct pt_pipeline *pipeline = NULL;	/* once there is something to feed it */
	struct pt_err err = { 0 };
	size_t items = 0;
	int item;

	if (program == NULL)
		program = small_program();
	reader = pt_capture_read(pt_infile_from_bytes(in, in_bytes), on_note, &n_notes, &err);
	if (reader == NULL) {
		if (err.code >= 0 || err.msg[0] == '\0')
			abort();
		return;
	}
	while ((item = pt_capture_read_next(reader, &got.chunk, &err)) > 0) {
		if (item == PT_CAPTURE_CHUNK) {
			check(&got.chunk);
			if (pipeline == NULL)
				pipeline = begin(program, reader);
			pt_pipeline_feed(pipeline, &got.chunk);
		}
		if (++items > in_bytes)		/* each costs the file some bytes */
			abort();
	}
	if (pipeline != NULL)
		report(pipeline);
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
	uint8_t *copy;

	one(in, in_bytes);
	if (in_bytes < PT_CAPTURE_PREAMBLE_BYTES || in_bytes > MOST_BYTES)
		return 0;
	copy = malloc(in_bytes);
	if (copy == NULL)
		return 0;
	memcpy(copy, in, in_bytes);
	pt_preamble_pack(copy, 1);
	mend(copy, in_bytes);
	one(copy, in_bytes);
	free(copy);
	return 0;
}
