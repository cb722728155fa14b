/* See rsp_stops.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probes/rsp/rsp_stops.h"

/* "2", "p1.2", "p1": process 0 where none is named, thread "-1" where it is all of them. */
struct id {
	unsigned long process, thread;
	bool all;
};

static struct id read_id(const char *text)
{
	struct id id = { .process = 0 };
	char *end = (char *)text;

	if (*text == 'p') {
		id.all = strncmp(text + 1, "-1", 2) == 0;
		id.process = id.all ? 0 : strtoul(text + 1, &end, 16);
		text = strchr(text, '.');
	}
	id.all |= text == NULL || strncmp(text + (*text == '.'), "-1", 2) == 0;
	if (!id.all)
		id.thread = strtoul(text + (*text == '.'), &end, 16);
	return id;
}

/* A debugger that asked for multiprocess ids writes "p1.2" where we have "2". */
static bool same_thread(struct id a, struct id b)
{
	return !a.all && !b.all && a.thread == b.thread && (a.process == b.process || a.process == 0 || b.process == 0);
}

bool pt_rsp_same_thread(const char *a, const char *b)
{
	return same_thread(read_id(a), read_id(b));
}

static uint32_t all_cores(const struct pt_rsp_run *run)
{
	return (UINT32_C(1) << run->n_cores) - 1;
}

void pt_rsp_set_cores(struct pt_rsp_run *run, const char *const *threads, unsigned n)
{
	run->n_cores = n < PT_RSP_CORES ? n : PT_RSP_CORES;
	for (unsigned i = 0; i < run->n_cores; i++)
		snprintf(run->core[i], sizeof(run->core[i]), "%s", threads[i]);
	run->halted = run->running ? 0 : all_cores(run);
}

/* --- stops -------------------------------------------------------------------------------------------------------- */

static int digit(uint8_t c)
{
	return c >= '0' && c <= '9' ? c - '0' : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10 : -1;
}

/* The thread that a stop reply names, into id (PT_RSP_THREAD_BYTES). */
static bool thread_of(const char *stop, char *id)
{
	const char *at = stop[0] == 'T' ? strstr(stop, "thread:") : NULL;
	size_t len = at != NULL ? strcspn(at + strlen("thread:"), ";") : 0;

	if (len == 0 || len >= PT_RSP_THREAD_BYTES)
		return false;
	memcpy(id, at + strlen("thread:"), len);
	id[len] = '\0';
	return true;
}

int pt_rsp_core_of_stop(const struct pt_rsp_run *run)
{
	char id[PT_RSP_THREAD_BYTES];

	for (unsigned i = 0; thread_of(run->stop, id) && i < run->n_cores; i++)
		if (pt_rsp_same_thread(run->core[i], id))
			return (int)i;
	return -1;
}

/* In non-stop a stop is of the thread that it names. What names none of the cores, and is not the end of all, is of a
 * thread that came later. */
static void note_halted(struct pt_rsp_run *run)
{
	int core = pt_rsp_core_of_stop(run);
	char id[PT_RSP_THREAD_BYTES];

	if (!run->non_stop || !thread_of(run->stop, id))
		run->halted = run->told = all_cores(run);
	else if (core >= 0)
		run->halted |= UINT32_C(1) << core;
	if (run->non_stop && core >= 0)
		run->told |= UINT32_C(1) << core;
	run->running = run->non_stop && run->n_cores > 1 && run->halted != all_cores(run);
}

/* -1: none */
static int signal_of(const uint8_t *payload, size_t len_bytes)
{
	int high = len_bytes > 2 && memchr("TS", payload[0], 2) != NULL ? digit(payload[1]) : -1;
	int low = high >= 0 ? digit(payload[2]) : -1;

	return low >= 0 ? high << 4 | low : -1;
}

bool pt_rsp_is_stop(const uint8_t *payload, size_t len_bytes)
{
	return signal_of(payload, len_bytes) >= 0;
}

bool pt_rsp_stop_read(struct pt_rsp_run *run, const uint8_t *payload, size_t len_bytes)
{
	int signal = signal_of(payload, len_bytes);

	if (len_bytes == 0 || memchr("TSWXN", payload[0], 5) == NULL)
		return false;
	if (payload[0] == 'N' && len_bytes > 1)
		return false;
	run->fresh = true;
	run->signal = signal >= 0 ? (uint8_t)signal : 0;
	snprintf(run->stop, sizeof(run->stop), "%.*s",
		 (int)(len_bytes < sizeof(run->stop) ? len_bytes : sizeof(run->stop)), (const char *)payload);
	note_halted(run);
	return true;
}

void pt_rsp_stop_chooses(const struct pt_rsp_run *run, char thread[PT_RSP_THREAD_BYTES + 2])
{
	char id[PT_RSP_THREAD_BYTES];

	if (thread_of(run->stop, id))
		snprintf(thread, PT_RSP_THREAD_BYTES + 2, "Hg%s", id);
}

void pt_rsp_all_told(struct pt_rsp_run *run)
{
	if (run->n_cores < 2)
		return;		/* a thread that we do not know may stand for it */
	run->halted = run->told;
	run->running = run->halted != all_cores(run);
}

/* --- resumes ------------------------------------------------------------------------------------------------------ */

/* "vCont;s:p1.1;c:p1.-1": the first action that fits a thread is the thread's, and without one it stays as it is. */
static bool lets_run(const char *packet, const char *thread)
{
	struct id mine = read_id(thread);
	const char *at = packet;

	if (strncmp(packet, "vCont", 5) != 0)
		return true;
	while ((at = strchr(at, ';')) != NULL) {
		const char *colon = at + 1 + strcspn(at + 1, ":;");
		struct id of = *colon == ':' ? read_id(colon + 1) : (struct id){ .all = true };

		at++;
		if (same_thread(of, mine) ||
		    (of.all && (of.process == 0 || mine.process == 0 || of.process == mine.process)))
			return *at != '\0' && strchr("cCsSr", *at) != NULL;
	}
	return false;
}

void pt_rsp_resume_read(struct pt_rsp_run *run, const char *packet, bool client)
{
	run->running = true;
	run->stop[0] = '\0';
	run->client_resumes += client;
	for (unsigned i = 0; i < run->n_cores; i++) {
		if (!lets_run(packet, run->core[i]))
			continue;
		run->halted &= ~(UINT32_C(1) << i);
		run->core_resumes[i] += client;
	}
}
