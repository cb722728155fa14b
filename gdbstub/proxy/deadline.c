/* How long the server may be silent, and what is reported to the client and to others. A late answer belongs to no
 * request: it is discarded. */
#include <stdio.h>
#include <string.h>

#include "gdbstub/proxy/proxy_parts.h"
#include "host/log.h"
#include "host/clock.h"
#include "base/util.h"

/* --- what is owed ------------------------------------------------------------------------------------------------- */

unsigned pt_proxy_owed(struct pt_gdb_proxy *p, uint64_t *silent_ns)
{
	struct pt_rsp_stream *stream = pt_upstream_stream(p->upstream);
	struct pt_rsp_shared *shared = pt_rsp_stream_lock(stream);
	unsigned n = shared->owed;

	*silent_ns = n > 0 ? pt_host_now_ns() - shared->silent_since_ns : 0;
	pt_rsp_stream_unlock(stream);
	return n;
}

int pt_proxy_n_out(const struct pt_gdb_proxy *p)
{
	return p->pieces.kind != '\0' ? (int)p->pieces.n_out : 1;
}

void pt_proxy_owe(struct pt_gdb_proxy *p, int more)
{
	struct pt_rsp_stream *stream = pt_upstream_stream(p->upstream);
	struct pt_rsp_shared *shared = pt_rsp_stream_lock(stream);

	if (shared->owed == 0)
		shared->silent_since_ns = pt_host_now_ns() - (uv_now(p->stub->loop) - p->since_ms) * PT_NS_PER_MS;
	shared->owed += (unsigned)more;
	shared->run.client_waits = false;
	pt_rsp_stream_unlock(stream);
}

/* --- patience ----------------------------------------------------------------------------------------------------- */

uint64_t pt_proxy_standard_ms(const struct pt_gdb_proxy *p)
{
	return p->upstream != NULL ? pt_rsp_stream_patience_ms(pt_upstream_stream(p->upstream))
				   : PT_RSP_STREAM_PATIENCE_MS;
}

/* Silence is told after the patience that is set, though some packets may take longer. */
void pt_proxy_patience(struct pt_gdb_proxy *p, uint64_t ms)
{
	uint64_t first_ms = pt_proxy_standard_ms(p) < ms ? pt_proxy_standard_ms(p) : ms;

	p->since_ms = uv_now(p->stub->loop);
	p->rest_ms = ms - first_ms;
	uv_timer_start(&p->timer, pt_proxy_on_timer, first_ms, 0);
}

static const char interrupt_name[] = "the interrupt";

bool pt_gdb_pass_waits(const struct pt_gdbstub *stub, char *line, size_t room_bytes)
{
	const struct pt_gdb_proxy *p = stub->proxy;
	bool interrupt = p != NULL && p->await == PT_PROXY_STOP;	/* a program that runs owes nothing until then */

	line[0] = '\0';
	if (p == NULL || p->await == PT_PROXY_NOTHING || !uv_is_active((const uv_handle_t *)&p->timer))
		return false;
	snprintf(line, room_bytes, "upstream: the GDB server at %s has not answered %.*s for %.1f s", p->server,
		 (int)strcspn(interrupt ? interrupt_name : p->head, ",:;"), interrupt ? interrupt_name : p->head,
		 (double)(uv_now(stub->loop) - p->since_ms) / 1000);
	return p->told;
}

/* GDB prints console packets while it waits for a stop or for the end of a command; elsewhere they would be the
 * answer. */
static void tell_silence(struct pt_gdb_proxy *p)
{
	char line[160];

	pt_gdb_pass_waits(p->stub, line, sizeof(line) - 1);
	if (p->told || p->client == NULL || line[0] == '\0')
		return;
	p->told = true;
	pt_warn("%s", line);
	strcat(line, "\n");
	if (p->command || p->await == PT_PROXY_STOP)
		pt_gdb_console(p->client, line, strlen(line));
}

static void ask_why(struct pt_gdb_proxy *p)
{
	p->asks_why = p->sent_etx = false;
	p->await = PT_PROXY_ANSWER;
	snprintf(p->head, sizeof(p->head), "?");
	pt_upstream_send(p->upstream, "?", 1);
	pt_proxy_patience(p, pt_proxy_standard_ms(p));
}

void pt_proxy_on_timer(uv_timer_t *timer)
{
	struct pt_gdb_proxy *p = timer->data;

	if (p->rest_ms > 0) {
		uv_timer_start(timer, pt_proxy_on_timer, p->rest_ms, 0);
		p->rest_ms = 0;
		tell_silence(p);
	} else if (p->unsent) {
		pt_proxy_fail(p, "the GDB server at %s cannot be reached at present: %s", p->server,
			      p->upstream == NULL ? "the connection is not open yet" : "it is busy with the profile");
	} else if (p->await == PT_PROXY_STOP && p->asks_why && p->upstream != NULL &&
		   pt_upstream_has_turn(p->upstream)) {
		ask_why(p);	/* it stood still, though nobody said so */
	} else if (p->await != PT_PROXY_NOTHING && p->upstream != NULL) {
		pt_proxy_owe(p, pt_proxy_n_out(p));
		pt_warn("upstream: %s is silent", p->server);
		pt_proxy_fail(p, "the GDB server at %s does not answer%s", p->server,
			      p->sent_etx ? " to the interrupt" : "");
		pt_upstream_idle(p->upstream);
	}
}
