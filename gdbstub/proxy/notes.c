/* What the board has to know of the packets that are forwarded: what the client resumed and the state of the target,
 * which samples depend on; and which breakpoints to take out when the client goes without a word. */
#include <stdio.h>
#include <string.h>

#include "gdbstub/proxy/proxy_parts.h"

void pt_proxy_note_resume(struct pt_gdb_proxy *p, const struct pt_rsp_packet *packet)
{
	struct pt_rsp_stream *stream = pt_upstream_stream(p->upstream);
	struct pt_rsp_shared *shared = pt_rsp_stream_lock(stream);

	pt_rsp_resume_read(&shared->run, (const char *)packet->bytes, true);
	shared->run.client_waits = true;
	shared->client_interrupts = false;
	snprintf(shared->resume, sizeof(shared->resume), "%.*s",
		 packet->len_bytes < sizeof(shared->resume) ? (int)packet->len_bytes : 0, (const char *)packet->bytes);
	pt_rsp_stream_unlock(stream);
}

void pt_proxy_note_thread(struct pt_gdb_proxy *p, const struct pt_rsp_packet *packet)
{
	struct pt_rsp_stream *stream = pt_upstream_stream(p->upstream);
	struct pt_rsp_shared *shared = pt_rsp_stream_lock(stream);

	snprintf(p->thread, sizeof(p->thread), "%.*s", (int)packet->len_bytes, (const char *)packet->bytes);
	memcpy(shared->thread, p->thread, sizeof(shared->thread));
	pt_rsp_stream_unlock(stream);
}

void pt_proxy_note_stop(struct pt_gdb_proxy *p, const struct pt_rsp_raw *raw, size_t skip)
{
	struct pt_rsp_stream *stream = pt_upstream_stream(p->upstream);
	uint8_t text[PT_RSP_STOP_BYTES + 64];
	struct pt_rsp_shared *shared;
	int len;

	if (raw->len_bytes > sizeof(text))
		len = (int)snprintf((char *)text, 4, "%.3s", (const char *)raw->bytes + 1 + skip);
	else
		len = pt_rsp_raw_payload(raw, text, sizeof(text));
	if (len < (int)skip)
		return;
	shared = pt_rsp_stream_lock(stream);
	if (pt_rsp_stop_read(&shared->run, text + skip, (size_t)len - skip) && !shared->run.non_stop) {
		pt_rsp_stop_chooses(&shared->run, p->thread);
		memcpy(shared->thread, p->thread, sizeof(shared->thread));
	}
	shared->run.client_waits = shared->client_interrupts = false;
	pt_rsp_stream_unlock(stream);
}

/* In non-stop the answer to a resume or a stop is OK, and nobody waits: stops are notified. */
static void note_non_stop(struct pt_gdb_proxy *p, const char *text)
{
	struct pt_rsp_stream *stream = pt_upstream_stream(p->upstream);
	struct pt_rsp_shared *shared;
	bool actions = strncmp(text, "vCont;", 6) == 0, stops = strcmp(text, "vCtrlC") == 0;

	if (actions && strpbrk(text + 5, "cCsSr") != NULL && strncmp(text + 5, ";t", 2) != 0)
		pt_proxy_note_resume(p, p->client->rsp.current);
	else if (!actions && !stops)
		return;
	stops |= actions && strstr(text, ";t") != NULL;
	shared = pt_rsp_stream_lock(stream);
	shared->run.client_waits = false;
	shared->client_interrupts |= stops && shared->run.running;
	pt_rsp_stream_unlock(stream);
}

/* Non-stop: "?" and the vStopped behind it go through all that stand, until the answer is OK. */
static void note_roll(struct pt_gdb_proxy *p, bool ok)
{
	struct pt_rsp_stream *stream = pt_upstream_stream(p->upstream);
	struct pt_rsp_shared *shared = pt_rsp_stream_lock(stream);
	bool begins_it = strcmp(p->head, "?") == 0;

	if (begins_it)
		shared->run.told = 0;
	p->asks_stops |= begins_it;
	if (ok && p->asks_stops)
		pt_rsp_all_told(&shared->run);
	p->asks_stops &= !ok;
	pt_rsp_stream_unlock(stream);
}

static void note_detached(struct pt_gdb_proxy *p, struct pt_rsp_shared *shared)
{
	if (strcmp(p->server, "OpenOCD") == 0)
		shared->run.running = false;
	else
		pt_rsp_resume_read(&shared->run, "c", false);	/* nobody will be told that it stops */
	snprintf(shared->resume, sizeof(shared->resume), "c");
	p->n_breaks = 0;
}

static bool tells_of_stop(const struct pt_gdb_proxy *p, const struct pt_rsp_raw *raw)
{
	return (p->await == PT_PROXY_STOP && raw->bytes[1] != 'F') || strcmp(p->head, "?") == 0 ||
	       strncmp(p->head, "vRun", 4) == 0 || strncmp(p->head, "vAttach", 7) == 0 ||
	       (p->non_stop && strcmp(p->head, "vStopped") == 0);
}

/* Breakpoints that the client leaves behind when it goes without a word are taken out. */
static void note_break(struct pt_gdb_proxy *p, const struct pt_rsp_packet *packet)
{
	const char *what = (const char *)packet->bytes + 1;
	size_t len = strcspn(what, ";"), i = 0;

	if ((packet->bytes[0] != 'Z' && packet->bytes[0] != 'z') || len >= PT_PROXY_BREAK_BYTES)
		return;
	while (i < p->n_breaks && (strncmp(p->breaks[i], what, len) != 0 || p->breaks[i][len] != '\0'))
		i++;
	if (packet->bytes[0] == 'Z' && i == p->n_breaks && i < PT_PROXY_BREAKS)
		snprintf(p->breaks[p->n_breaks++], PT_PROXY_BREAK_BYTES, "%.*s", (int)len, what);
	else if (packet->bytes[0] == 'z' && i < p->n_breaks)
		memmove(p->breaks[i], p->breaks[--p->n_breaks], PT_PROXY_BREAK_BYTES);
}

void pt_proxy_note_answer(struct pt_gdb_proxy *p, const struct pt_rsp_raw *raw)
{
	struct pt_rsp_stream *stream = pt_upstream_stream(p->upstream);
	bool ok = raw->len_bytes == 6 && memcmp(raw->bytes, "$OK#", 4) == 0;
	struct pt_rsp_shared *shared;

	if (p->non_stop && (strcmp(p->head, "?") == 0 || strcmp(p->head, "vStopped") == 0))
		note_roll(p, ok);
	if (tells_of_stop(p, raw))
		pt_proxy_note_stop(p, raw, 0);
	if (!ok)
		return;
	shared = pt_rsp_stream_lock(stream);
	if (strncmp(p->head, "QNonStop:", 9) == 0)
		p->non_stop = shared->run.non_stop = p->head[9] == '1';
	if (p->head[0] == 'D' && (p->head[1] == '\0' || p->head[1] == ';'))
		note_detached(p, shared);
	pt_rsp_stream_unlock(stream);
	note_break(p, p->client->rsp.current);
	if (p->non_stop)
		note_non_stop(p, (const char *)p->client->rsp.current->bytes);
}
