#include "targets/contract/shared_link.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "base/util.h"
#include "host/log.h"
#include "probes/wires/probe.h"
#include "targets/contract/target.h"

enum { COST_MS = 1000 };

static uint64_t now_ns(const struct pt_shared_link *t)
{
	return pt_link_now_ns(pt_probe_link(t->target->probe));
}

/* --- what each had of the link ------------------------------------------------------------------------------------ */

static void tell_link(const struct pt_shared_link *t, size_t i, uint64_t time_ns)
{
	struct pt_chunk *chunk = t->sink->take(t->sink);

	if (chunk == NULL)
		return;		/* there will be another */
	chunk->kind = PT_CHUNK_COST;
	chunk->source = t->member[i].source;
	chunk->core = t->member[i].core;
	chunk->cause = 0;
	chunk->from_ns = chunk->to_ns = t->started_ns + time_ns;
	chunk->lost_bytes = 0;
	chunk->len_bytes =
		(uint32_t)snprintf((char *)chunk->bytes, PT_CHUNK_BYTES, "time_ns=%" PRIu64 "\nlink_ns=%" PRIu64 "\n",
				   time_ns, t->member[i].link_ns);
	t->sink->put(t->sink, chunk);
}

static void tell_links(struct pt_shared_link *t, uint64_t ns)
{
	for (size_t i = 0; i < t->n_members; i++)
		if (t->member[i].state != NULL)
			tell_link(t, i, ns - t->started_ns);
	t->told_ns = ns;
}

/* --- members ------------------------------------------------------------------------------------------------------ */

static void end(struct pt_shared_link_member *m, int *rc, struct pt_err *err)
{
	struct pt_err own = { 0 };
	int ended = m->ops->stop(m->state, &own);

	free(m->state);
	m->state = NULL;
	if (ended < 0 && *rc == 0) {
		*rc = ended;
		*err = own;
	}
}

static bool any_left(const struct pt_shared_link *t)
{
	for (size_t i = 0; i < t->n_members; i++)
		if (t->member[i].state != NULL)
			return true;
	return false;
}

/* It failed with rc: it is over with this one, and with all if it was the last. */
static int failed(struct pt_shared_link *t, struct pt_shared_link_member *m, int rc, struct pt_err *err)
{
	struct pt_err ignored = { 0 };
	int ended = 0;

	end(m, &ended, &ignored);
	if (!any_left(t))
		return rc;
	pt_warn("profile: %s ends, the rest goes on: %s", m->ops->name, err->msg);
	return 0;
}

/* What the session says of all of them, with the member's own title. */
static void title_config(const char *config, const struct pt_source_ops *ops, struct pt_text *out)
{
	static const char key[] = "title=";

	for (const char *line = config; line != NULL && *line != '\0';) {
		size_t len = strcspn(line, "\n");

		if (strncmp(line, key, sizeof(key) - 1) == 0 && ops->titles != NULL)
			pt_text_add(out, "%s%.*s\n", key, (int)strcspn(ops->titles, "|"), ops->titles);
		else
			pt_text_add(out, "%.*s\n", (int)len, line);
		line += len + (line[len] == '\n');
	}
}

int pt_shared_link_add(struct pt_shared_link *t, struct pt_target *target, const struct pt_source_setup *setup,
		       const struct pt_source_ops *ops, unsigned weight, struct pt_err *err)
{
	struct pt_shared_link_member *m = &t->member[t->n_members];
	struct pt_source_setup own = *setup;
	struct pt_text config = { 0 };
	int rc;

	t->target = target;
	t->sink = setup->sink;
	*m = (struct pt_shared_link_member){
		.ops = ops, .state = pt_alloc(ops->state_bytes), .weight = weight, .source = setup->source, .core = setup->core,
	};
	own.seed = setup->seed + t->n_members * UINT64_C(0x9e3779b9);	/* no two of them in step */
	own.shares_link = true;
	title_config(setup->config, ops, &config);
	own.config = config.bytes != NULL ? config.bytes : "";
	rc = ops->start(m->state, target, &own, err);
	pt_text_free(&config);
	if (rc < 0) {
		free(m->state);
		m->state = NULL;
		return err->code;
	}
	if (t->n_members++ == 0)
		t->started_ns = t->told_ns = now_ns(t);
	return 0;
}

/* --- at work ------------------------------------------------------------------------------------------------------ */

static bool is_behind(const struct pt_shared_link_member *m)
{
	return m->state != NULL && m->ops->behind != NULL && m->ops->behind(m->state);
}

/* a had less of the link for its weight. */
static bool had_less(const struct pt_shared_link_member *a, const struct pt_shared_link_member *b)
{
	return (double)a->link_ns * b->weight < (double)b->link_ns * a->weight;
}

/* The member to drain next: one that a client waits for comes first. NULL: none has anything to do. */
static struct pt_shared_link_member *next(struct pt_shared_link *t, uint64_t ns)
{
	struct pt_shared_link_member *best = NULL;

	for (size_t i = 0; i < t->n_members; i++) {
		struct pt_shared_link_member *m = &t->member[i];

		if (is_behind(m))
			return m;
		if (m->state != NULL && m->due_ns <= ns && (best == NULL || had_less(m, best)))
			best = m;
	}
	return best;
}

static int rest_us(const struct pt_shared_link *t, uint64_t ns)
{
	uint64_t due_ns = PT_UNKNOWN;

	for (size_t i = 0; i < t->n_members; i++)
		if (t->member[i].state != NULL && t->member[i].due_ns < due_ns)
			due_ns = t->member[i].due_ns;
	return due_ns == PT_UNKNOWN ? 0 : (int)((due_ns - ns + 999) / 1000);
}

int pt_shared_link_drain(void *state, struct pt_err *err)
{
	struct pt_shared_link *t = state;
	uint64_t before_ns = now_ns(t), after_ns;
	struct pt_shared_link_member *m = next(t, before_ns);
	int rc;

	if (m == NULL)
		return rest_us(t, before_ns);
	rc = m->ops->drain(m->state, err);
	after_ns = now_ns(t);
	m->link_ns += after_ns - before_ns;
	m->due_ns = rc > 0 ? after_ns + (uint64_t)rc * 1000 : 0;
	if (after_ns - t->told_ns >= COST_MS * PT_NS_PER_MS)
		tell_links(t, after_ns);
	if (rc == PT_EINTERRUPTED)
		return rc;
	return rc < 0 ? failed(t, m, rc, err) : 0;
}

int pt_shared_link_on_state(void *state, enum pt_state what, unsigned core, uint64_t pc, struct pt_err *err)
{
	struct pt_shared_link *t = state;
	int first = 0;

	for (size_t i = 0; i < t->n_members; i++) {
		struct pt_shared_link_member *m = &t->member[i];
		int rc = m->state != NULL ? m->ops->on_state(m->state, what, core, pc, err) : 0;

		m->due_ns = 0;
		if (rc < 0)
			rc = failed(t, m, rc, err);
		first = first == 0 ? rc : first;
	}
	return first;
}

bool pt_shared_link_behind(const void *state)
{
	const struct pt_shared_link *t = state;

	for (size_t i = 0; i < t->n_members; i++)
		if (is_behind(&t->member[i]))
			return true;
	return false;
}

/* By the first member that can. */
int pt_shared_link_write(void *state, uint64_t addr, const void *bytes, size_t len_bytes, struct pt_err *err)
{
	struct pt_shared_link *t = state;

	for (size_t i = 0; i < t->n_members; i++)
		if (t->member[i].state != NULL && t->member[i].ops->write != NULL)
			return t->member[i].ops->write(t->member[i].state, addr, bytes, len_bytes, err);
	return pt_fail(err, PT_EUNSUPPORTED, "what looks at variables has ended");
}

int pt_shared_link_stop(void *state, struct pt_err *err)
{
	struct pt_shared_link *t = state;
	struct pt_err own = { 0 };
	int rc = 0;

	tell_links(t, now_ns(t));
	for (size_t i = t->n_members; i-- > 0;)
		if (t->member[i].state != NULL)
			end(&t->member[i], &rc, &own);
	if (rc < 0 && err != NULL)
		*err = own;
	return rc;
}
