/* Registers according to the server's target description, else to the target's layout of the g packet. Registers in the
 * g packet are read together; the others by p, one by one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/log.h"
#include "probes/rsp/rsp_stops.h"
#include "base/rsp_frame.h"
#include "targets/remote/description.h"
#include "targets/remote/remote_parts.h"
#include "base/util.h"

enum { PIECE_BYTES = 0x800, G_BYTES = 8192, WORTH_G = 3 };

/* --- the description ---------------------------------------------------------------------------------------------- */

/* Appends the next piece of a qXfer document to text. 1: the last. */
static int fetch_piece(struct pt_remote *r, const char *name, char **text, size_t *len, struct pt_err *err)
{
	size_t piece = r->facts.packet_bytes - 8 < PIECE_BYTES ? r->facts.packet_bytes - 8 : PIECE_BYTES;
	char packet[224], answer[PIECE_BYTES * 2 + 2], *room;
	int n;

	snprintf(packet, sizeof(packet), "qXfer:features:read:%s:%zx,%zx", name, *len, piece);
	n = pt_remote_ask(r, packet, answer, sizeof(answer), err);
	if (n < 0)
		return pt_wrap(err, "%s", name);
	if (answer[0] != 'm' && answer[0] != 'l')
		return pt_fail(err, PT_EPROTO, "%s: the server answers neither m nor l", name);
	if (answer[0] == 'm' && n == 1)
		return pt_fail(err, PT_EPROTO, "%s: the server gives it in pieces of nothing", name);
	if (*len + (size_t)n > PT_DESCRIPTION_BYTES)
		return pt_fail(err, PT_EPROTO, "%s has more than %d bytes", name, PT_DESCRIPTION_BYTES);
	room = realloc(*text, *len + (size_t)n);
	if (room == NULL)
		return pt_fail(err, PT_ENOMEM, "no memory for %s", name);
	memcpy(room + *len, answer + 1, (size_t)n - 1);
	*text = room;
	*len += (size_t)n - 1;
	room[*len] = '\0';
	return answer[0] == 'l';
}

static char *fetch(void *arg, const char *name, struct pt_err *err)
{
	char *text = NULL;
	size_t len = 0;
	int rc;

	do
		rc = fetch_piece(arg, name, &text, &len, err);
	while (rc == 0);
	if (rc > 0)
		return text;
	free(text);
	return NULL;
}

static int compare(const void *a, const void *b)
{
	const struct pt_register *x = a, *y = b;

	return (x->gdb_number > y->gdb_number) - (x->gdb_number < y->gdb_number);
}

/* The number of the layout's registers that the server has: those in its g packet, or all if p reads the next one. If
 * the core runs and the server does not answer: all. */
static size_t count_in_g(struct pt_remote *r, const struct pt_description *d, size_t n)
{
	char *g = n > 0 ? malloc(2 * G_BYTES + 1) : NULL, p[16], value[64];
	struct pt_err ignored = { 0 };
	int len = g != NULL ? pt_remote_ask(r, "g", g, 2 * G_BYTES + 1, &ignored) : 0;
	size_t has = 0;

	free(g);
	while (has < n && d->offset[has] + (d->row[has].bits + 7u) / 8 <= (unsigned)(len > 0 ? len : 0) / 2)
		has++;
	if (len <= 0 || has == 0 || has == n)
		return n;
	snprintf(p, sizeof(p), "p%x", d->row[has].gdb_number);
	return pt_remote_ask(r, p, value, sizeof(value), &ignored) > 0 ? n : has;
}

/* Uses the kind's layout like a description of the server. */
static int take_layout(struct pt_remote *r, struct pt_description *d, struct pt_err *err)
{
	const struct pt_remote_kind *kind = r->kind;
	uint32_t offset = 0;

	d->row = calloc(kind->n_layout + 1, sizeof(d->row[0]));
	d->offset = calloc(kind->n_layout + 1, sizeof(d->offset[0]));
	if (d->row == NULL || d->offset == NULL) {
		pt_description_free(d);
		return pt_fail(err, PT_ENOMEM, "no memory for registers");
	}
	if (kind->n_layout > 0)
		memcpy(d->row, kind->layout, kind->n_layout * sizeof(d->row[0]));
	qsort(d->row, kind->n_layout, sizeof(d->row[0]), compare);
	for (size_t i = 0; i < kind->n_layout; i++) {
		d->offset[i] = offset;
		offset += (d->row[i].bits + 7u) / 8;
	}
	d->n_rows = count_in_g(r, d, kind->n_layout);
	d->next = d->n_rows > 0 ? d->row[d->n_rows - 1].gdb_number + 1u : 0;
	if (kind->architecture != NULL)
		snprintf(d->architecture, sizeof(d->architecture), "%s", kind->architecture);
	return 0;
}

/* Adds the kind's own registers, numbered above the server's. */
static int add_own(struct pt_remote *r, struct pt_description *d, struct pt_err *err)
{
	size_t n = d->n_rows + r->kind->n_own;
	uint32_t first = d->next > r->kind->first_own ? d->next : r->kind->first_own;
	struct pt_register *rows = realloc(d->row, (n + 1) * sizeof(rows[0]));

	if (rows == NULL)
		return pt_fail(err, PT_ENOMEM, "no memory for registers");
	d->row = rows;
	if (first + r->kind->n_own > UINT16_MAX)
		return pt_fail(err, PT_EPROTO, "the server leaves no numbers for registers of ours");
	for (size_t i = 0; i < r->kind->n_own; i++) {
		rows[d->n_rows + i] = r->kind->own[i];
		rows[d->n_rows + i].gdb_number = (uint16_t)(first + i);
	}
	r->rows = d->row;
	r->offset = d->offset;
	r->names = d->names;
	r->n_server = d->n_rows;
	r->n_rows = n;
	memset(d, 0, sizeof(*d));
	return 0;
}

static uint16_t find_pc(const struct pt_remote *r)
{
	static const char *const names[] = { "pc", "rpc", "rip", "eip" };

	for (size_t i = 0; i < r->n_server; i++) {
		if (r->kind->pc != NULL && strcmp(r->rows[i].name, r->kind->pc) == 0)
			return (uint16_t)i;
		for (size_t k = 0; r->kind->pc == NULL && k < PT_LEN(names); k++)
			if (strcmp(r->rows[i].name, names[k]) == 0)
				return (uint16_t)i;
	}
	return UINT16_MAX;
}

/* The byte order by the architecture's name; MicroBlaze and PowerPC may be little-endian: then the user sets
 * upstream-endian. */
static bool is_big_endian(const char *architecture)
{
	static const char *const big[] = { "powerpc", "MicroBlaze", "s12z", "m68k", "sparc", "s390" };

	for (size_t i = 0; i < PT_LEN(big); i++)
		if (strncmp(architecture, big[i], strlen(big[i])) == 0)
			return true;
	return false;
}

/* Makes the description for GDB, if the server's is not enough: with our registers added, or from the kind's layout. */
static int describe(struct pt_remote *r, const char *text, const char *architecture, struct pt_err *err)
{
	const struct pt_register *rows = text != NULL ? r->rows + r->n_server : r->rows;
	size_t n = r->n_rows - (text != NULL ? r->n_server : 0);

	if (n == 0 || (text == NULL && r->kind->architecture == NULL))
		return 0;
	r->description = pt_description_with(text, architecture, rows, n, err);
	return r->description != NULL ? 0 : err->code;
}

int pt_remote_read_description(struct pt_remote *r, struct pt_err *err)
{
	struct pt_description d = { 0 };
	char architecture[sizeof(d.architecture)], *text = NULL;
	int rc;

	if (r->facts.features) {
		text = pt_description_read(fetch, r, err);
		rc = text != NULL ? pt_description_parse(text, &d, err) : err->code;
		/* GDB may still be able to use it */
		if (rc == PT_EPROTO || rc == PT_EFAULT || rc == PT_EUNSUPPORTED) {
			pt_warn("upstream: %s: %s; its registers cannot be read here", r->facts.where, err->msg);
			free(text);
			text = NULL;
			rc = take_layout(r, &d, err);
		}
	} else {
		rc = take_layout(r, &d, err);
	}
	memcpy(architecture, d.architecture, sizeof(architecture));
	if (rc == 0)
		rc = add_own(r, &d, err);
	if (rc == 0)
		rc = describe(r, text, architecture, err);
	pt_description_free(&d);
	free(text);
	if (rc < 0)
		return rc;
	snprintf(r->architecture, sizeof(r->architecture), "%s", architecture);
	r->big_endian = is_big_endian(architecture);
	r->pc_row = find_pc(r);
	if (architecture[0] != '\0')
		snprintf(r->chip, sizeof(r->chip), "%.40s behind %.20s at %.30s", architecture,
			 r->facts.name[0] != '\0' ? r->facts.name : "a GDB server", r->facts.where);
	return 0;
}

static int core_of(void *state, const char *thread)
{
	const struct pt_remote *r = state;

	if (strcmp(thread, "0") == 0 || strcmp(thread, "-1") == 0 || r->n_cores < 2)
		return 0;
	for (unsigned i = 0; i < r->n_cores; i++)
		if (pt_rsp_same_thread(r->core[i].thread, thread))
			return (int)i;
	return -1;
}

const struct pt_target_upstream *pt_remote_upstream(void *state)
{
	struct pt_remote *r = state;

	r->upstream = (struct pt_target_upstream){
		.core_of = core_of, .description = r->description, .architecture = r->architecture,
		.big_endian = r->big_endian,
	};
	if (r->n_rows > r->n_server) {
		r->upstream.own_from = r->rows[r->n_server].gdb_number;
		r->upstream.own_end = (uint16_t)(r->upstream.own_from + (r->n_rows - r->n_server));
	}
	return &r->upstream;
}

/* --- values ------------------------------------------------------------------------------------------------------- */

const struct pt_register *pt_remote_registers(void *state, size_t *n)
{
	struct pt_remote *r = state;

	*n = r->n_rows;
	return r->rows;
}

/* Reads the g packet once, and by p the registers that are not in it. */
static int read_server(struct pt_remote *r, const uint16_t *rows, size_t n, uint64_t *values, struct pt_err *err)
{
	char *g = n > 1 ? malloc(2 * G_BYTES + 1) : NULL;
	int len = g != NULL ? pt_remote_ask(r, "g", g, 2 * G_BYTES + 1, err) : 0, rc = 0;

	if (len == PT_EFAULT || len == PT_EUNSUPPORTED)
		len = 0;
	rc = len < 0 ? len : 0;
	for (size_t i = 0; rc == 0 && i < n; i++)
		if (len == 0 ||
		    !pt_remote_value_at(r, g, (size_t)len, r->offset[rows[i]], r->rows[rows[i]].bits, &values[i]))
			rc = pt_remote_read_by_p(r, rows[i], &values[i], err);
	free(g);
	if (rc == PT_EUNSUPPORTED && n == 1) {	/* server without p: QEMU's MicroBlaze */
		uint16_t both[2] = { rows[0], rows[0] };
		uint64_t value[2];

		rc = r->no_p ? rc : (r->no_p = true, read_server(r, both, 2, value, err));
		r->no_p = false;
		values[0] = value[0];
	}
	return rc;
}

static int refuse_running(struct pt_remote *r, unsigned core, struct pt_err *err)
{
	struct pt_rsp_run run;

	if (r->rsp->poll(r->wire, 0, &run, err) < 0)
		return err->code;
	if (pt_remote_stands(r, &run, core))
		return 0;
	return pt_fail(err, PT_ESTATE, "the core runs: registers can be reached only while it is halted");
}

static size_t count_server(const struct pt_remote *r, const uint16_t *rows, size_t n)
{
	size_t k = 0;

	while (k < n && rows[k] < r->n_server)
		k++;
	return k;
}

/* Reads a stretch of registers of one kind: the server's or our own. */
static int read_stretch(struct pt_remote *r, unsigned core, const uint16_t *rows, size_t n, uint64_t *values,
			struct pt_err *err)
{
	uint16_t own[PT_REMOTE_MAX_REGISTERS];

	if (rows[0] < r->n_server)
		return read_server(r, rows, n, values, err);
	for (size_t i = 0; i < n; i++)
		own[i] = (uint16_t)(rows[i] - r->n_server);
	return r->kind->read_own(r, core, own, n, values, err);
}

static size_t count_own(const struct pt_remote *r, const uint16_t *rows, size_t n)
{
	size_t k = 0;

	while (k < n && k < PT_REMOTE_MAX_REGISTERS && rows[k] >= r->n_server)
		k++;
	return k;
}

int pt_remote_read_registers(void *state, unsigned core, const uint16_t *rows, size_t n, uint64_t *values,
			     struct pt_err *err)
{
	struct pt_remote *r = state;
	int rc;

	if (r->rsp->hold(r->wire, err) < 0)
		return err->code;
	rc = refuse_running(r, core, err);
	if (rc == 0)
		rc = pt_remote_choose(r, core, err);
	for (size_t at = 0, k; rc == 0 && at < n; at += k) {
		k = rows[at] < r->n_server ? count_server(r, rows + at, n - at) : count_own(r, rows + at, n - at);
		rc = read_stretch(r, core, rows + at, k, values + at, err);
	}
	r->rsp->release(r->wire);
	return rc;
}

/* For a server without P: writes all of g with one value changed. */
static int write_by_g(struct pt_remote *r, uint16_t row, uint64_t value, struct pt_err *err)
{
	size_t n = (r->rows[row].bits + 7u) / 8, at = 1 + 2 * (size_t)r->offset[row];
	char *g = malloc(2 * G_BYTES + 2);
	int len, rc;

	if (g == NULL)
		return pt_fail(err, PT_ENOMEM, "no memory for registers");
	g[0] = 'G';
	len = pt_remote_ask(r, "g", g + 1, 2 * G_BYTES + 1, err);
	rc = len < 0 ? len : 0;
	if (rc == 0 && at + 2 * n > (size_t)len + 1)
		rc = pt_fail(err, PT_EUNSUPPORTED, "write %s: the server has it in no packet", r->rows[row].name);
	if (rc == 0) {
		pt_remote_put_value(r, g + at, n, value);
		rc = pt_remote_ask_ok(r, g, (size_t)len + 1, PT_REMOTE_ASK_MS, err);
	}
	free(g);
	return rc;
}

static int write_one(struct pt_remote *r, unsigned core, uint16_t row, uint64_t value, struct pt_err *err)
{
	uint16_t own = (uint16_t)(row - r->n_server);
	int rc;

	if (row >= r->n_server && r->kind->write_own == NULL)
		return pt_fail(err, PT_EUNSUPPORTED, "%s cannot be written", r->rows[row].name);
	if (row >= r->n_server)
		return r->kind->write_own(r, core, &own, 1, &value, err);
	rc = pt_remote_write_by_p(r, row, value, err);
	return rc == PT_EUNSUPPORTED ? write_by_g(r, row, value, err) : rc;
}

/* Writes the rows by one g and one G. */
static int write_block(struct pt_remote *r, const uint16_t *rows, size_t n, const uint64_t *values, struct pt_err *err)
{
	struct pt_remote_block b = { 0 };
	int rc = pt_remote_block_read(r, &b, NULL, 0, NULL, err);

	rc = rc == 0 ? pt_remote_block_write(r, &b, rows, n, values, err) : rc;
	pt_remote_block_free(&b);
	return rc;
}

int pt_remote_write_registers(void *state, unsigned core, const uint16_t *rows, size_t n, const uint64_t *values,
			      struct pt_err *err)
{
	struct pt_remote *r = state;
	int rc;

	if (r->rsp->hold(r->wire, err) < 0)
		return err->code;
	rc = refuse_running(r, core, err);
	if (rc == 0)
		rc = pt_remote_choose(r, core, err);
	if (rc == 0 && n >= WORTH_G && count_server(r, rows, n) == n)
		rc = write_block(r, rows, n, values, err);
	else
		for (size_t i = 0; rc == 0 && i < n; i++)
			rc = write_one(r, core, rows[i], values[i], err);
	r->rsp->release(r->wire);
	return rc;
}

/* "T05thread:1;0f:78560000;": many servers send the pc with the stop. */
static bool expedited_pc(const struct pt_remote *r, const struct pt_rsp_run *run, uint64_t *pc)
{
	const char *at = run->stop[0] == 'T' ? run->stop + 3 : "";
	unsigned number = r->rows[r->pc_row].gdb_number;

	while (*at != '\0') {
		char *end;
		unsigned long n = strtoul(at, &end, 16);
		size_t len = strcspn(at, ";");

		if (end > at && *end == ':' && n == number)
			return pt_remote_value_at(r, end + 1, len - (size_t)(end + 1 - at), 0, r->rows[r->pc_row].bits,
						  pc);
		at += len + (at[len] == ';');
	}
	return false;
}

int pt_remote_pc(void *state, unsigned core, uint64_t *pc, struct pt_err *err)
{
	struct pt_remote *r = state;
	struct pt_rsp_run run;

	if (r->pc_row == UINT16_MAX)
		return pt_fail(err, PT_EUNSUPPORTED, "the server does not say which register is the program counter");
	if (r->n_cores < 2 && r->rsp->poll(r->wire, 0, &run, err) == 0 && !run.running && run.fresh &&
	    expedited_pc(r, &run, pc))
		return 0;
	return pt_remote_read_registers(state, core, &r->pc_row, 1, pc, err);
}
