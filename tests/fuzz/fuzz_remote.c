/* What another GDB server may send: frames, stop replies, and target descriptions with their includes. Nothing
 * may break; a description that is read keeps its promises: numbers ascend, names are there, and what is added to
 * it can be read again. */
#include <stdlib.h>
#include <string.h>

#include "probes/rsp/rsp_stream.h"
#include "targets/remote/description.h"

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t in_bytes);

struct text { const char *bytes; size_t len; };

/* Each document is the same one: an include of itself has to come to an end. */
static char *fetch(void *arg, const char *name, struct pt_err *err)
{
	const struct text *text = arg;

	(void)name;
	(void)err;
	return strndup(text->bytes, text->len);
}

static void add_to(const char *text, const struct pt_description *d)
{
	struct pt_register own = { .name = "own", .feature = "org.example.own", .bits = 32, .gdb_number = (uint16_t)d->next };
	struct pt_description again;
	struct pt_err err = { 0 };
	char *more = pt_description_with(text, NULL, &own, 1, &err);

	if (more == NULL)
		return;
	if (d->next < UINT16_MAX && pt_description_parse(more, &again, &err) == 0)
		pt_description_free(&again);
	free(more);
}

static void read_description(const struct text *text)
{
	struct pt_description d;
	struct pt_err err = { 0 };
	char *whole = pt_description_read(fetch, (void *)(uintptr_t)text, &err);

	if (whole == NULL) {
		if (err.msg[0] == '\0')
			abort();
		return;
	}
	if (pt_description_parse(whole, &d, &err) == 0) {
		for (size_t i = 0; i < d.n_rows; i++)
			if (d.row[i].name == NULL || d.row[i].bits == 0 || d.row[i].bits > 64 ||
			    (i > 0 && d.row[i].gdb_number <= d.row[i - 1].gdb_number))
				abort();
		add_to(whole, &d);
		pt_description_free(&d);
	}
	free(whole);
}

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t in_bytes)
{
	struct text text = { (const char *)in, in_bytes };
	struct pt_rsp_run run = { .running = true };
	struct pt_rsp_raw raw = { in, in_bytes };
	uint8_t payload[512];
	int len = in_bytes > 0 ? pt_rsp_raw_payload(&raw, payload, sizeof(payload)) : -1;

	if (len > 0)
		pt_rsp_stop_read(&run, payload, (size_t)len);
	if (memchr(in, '\0', in_bytes) == NULL)
		read_description(&text);
	return 0;
}
