/* The MDM by scans of its USER chain. See mdm.h.
 *
 * The framing of a command and its data is not documented (UG984 and PG115 only name the signals). So all of it is a
 * setting, and nothing else is done until the configuration register reads a valid value: 0x42 at the top, a protocol
 * version at the bottom. Two DR scans, the command and then the data, are tried first. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "targets/microblaze/mdm.h"
#include "targets/microblaze/settings.h"
#include "base/util.h"

enum {
	TIMEOUT_MS = 1000,
	MOST = 1040,		/* accesses of one list: a profiling buffer of 4 KiB, and its set-up */
	BYTES = 32,		/* of the longest scan */
};

/* A command is one or two scans. Each goes directly to the next: the path through Run-Test/Idle would take one more
 * clock. */
struct scans {
	struct pt_jtag_op *op;
	uint8_t (*out)[BYTES], (*in)[BYTES];
	size_t n;
};

static int scans_init(struct scans *s, size_t n, struct pt_err *err)
{
	*s = (struct scans){ .op = calloc(n, sizeof(*s->op)), .out = calloc(n, BYTES), .in = calloc(n, BYTES) };
	if (s->op != NULL && s->out != NULL && s->in != NULL)
		return 0;
	return pt_fail(err, PT_ENOMEM, "no memory for %zu scans", n);
}

static void scans_fini(struct scans *s)
{
	free(s->op);
	free(s->out);
	free(s->in);
}

static void put_bit(uint8_t *bytes, unsigned at, unsigned bit)
{
	if (bit != 0)
		bytes[at / 8] |= (uint8_t)(1u << at % 8);
}

static unsigned put_bits(uint8_t *bytes, unsigned at, uint64_t value, unsigned n, bool msb_first)
{
	for (unsigned i = 0; i < n; i++)
		put_bit(bytes, at + i, value >> (msb_first ? n - 1 - i : i) & 1);
	return at + n;
}

static uint64_t get_bits(const uint8_t *bytes, unsigned at, unsigned n, bool msb_first)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < n; i++)
		value |= (uint64_t)(bytes[(at + i) / 8] >> (at + i) % 8 & 1) << (msb_first ? n - 1 - i : i);
	return value;
}

static unsigned put_command(const struct pt_mdm_jtag *j, uint8_t *bytes, uint8_t command)
{
	unsigned at = 0;

	for (; at < j->n_sync; at++)
		put_bit(bytes, at, j->sync[at]);
	return put_bits(bytes, at, command, j->framing.cmd_bits, j->framing.cmd_msb);
}

static struct pt_jtag_op *add_scan(struct scans *s)
{
	struct pt_jtag_op *op = &s->op[s->n];

	*op = (struct pt_jtag_op){
		.what = PT_JTAG_DR, .out = s->out[s->n], .in = s->in[s->n], .end = PT_JTAG_TO_NEXT,
	};
	s->n++;
	return op;
}

/* Bit offset of the data in the last scan of an access. */
static unsigned data_at(const struct pt_mdm_jtag *j)
{
	return j->pad + (j->framing.one_scan ? j->n_sync + j->framing.cmd_bits : 0u);
}

static void put_access(const struct pt_mdm_jtag *j, struct scans *s, const struct pt_mdm_op *op, uint32_t i)
{
	struct pt_jtag_op *scan = add_scan(s);
	unsigned data = data_at(j);

	scan->n_bits = put_command(j, s->out[s->n - 1], op->command);
	if (!j->framing.one_scan)
		scan = add_scan(s);
	if (op->what == PT_MDM_WRITE)
		put_bits(s->out[s->n - 1], data, op->values != NULL ? op->values[i] : op->value, op->bits,
			 j->framing.data_msb);
	scan->n_bits = data + op->bits;
}

static void take_value(const struct pt_mdm_jtag *j, struct pt_mdm_op *op, uint32_t i, const uint8_t *in)
{
	op->value = get_bits(in, data_at(j), op->bits, j->framing.data_msb);
	if (op->values != NULL)
		op->values[i] = op->value;
}

/* The next access: the i-th of an operation. */
struct place {
	size_t op;
	uint32_t i;
};

static void step(const struct pt_mdm_op *ops, struct place *at)
{
	uint32_t n = ops[at->op].n > 0 ? ops[at->op].n : 1;

	if (++at->i == n)
		*at = (struct place){ .op = at->op + 1 };
}

/* Number of accesses from `from` on that fit in one list, across operations. */
static size_t accesses(const struct pt_mdm_op *ops, size_t n_ops, struct place from)
{
	size_t n = 0;

	for (; n < MOST && from.op < n_ops; n++)
		step(ops, &from);
	return n;
}

static void put_list(const struct pt_mdm_jtag *j, struct scans *s, uint8_t *ir, const struct pt_mdm_op *ops,
		     struct place at, size_t n)
{
	pt_put_le32(ir, j->user_ir);
	s->op[s->n++] = (struct pt_jtag_op){
		.what = PT_JTAG_IR, .n_bits = j->chain.tap[j->tap].ir_bits, .out = ir, .end = PT_JTAG_TO_NEXT,
	};
	for (; n > 0; n--) {
		put_access(j, s, &ops[at.op], at.i);
		step(ops, &at);
	}
	s->op[s->n++] = s->op[0];	/* checks that the TAP is still there, see pt_jtag_chain_run() */
}

/* Takes the results of the first n accesses of the list, from `at` on, and advances `at`. */
static void take_list(const struct pt_mdm_jtag *j, const struct scans *s, struct pt_mdm_op *ops, struct place *at,
		      size_t n)
{
	size_t per = j->framing.one_scan ? 1 : 2;

	for (size_t k = 0; k < n; k++) {
		struct pt_mdm_op *op = &ops[at->op];
		size_t first = 1 + k * per, last = first + per - 1;

		if (at->i == 0)
			op->sent_ns = s->op[first].sent_ns;
		op->done_ns = s->op[last].done_ns;
		if (op->what == PT_MDM_READ)
			take_value(j, op, at->i, s->in[last]);
		step(ops, at);
	}
}

/* Completed accesses of a list with an IR scan before and after n accesses. */
static size_t accesses_done(size_t n_scans, size_t per, size_t n)
{
	size_t done = n_scans > 0 ? (n_scans - 1) / per : 0;

	return done < n ? done : n;
}

static int run_list(struct pt_mdm *mdm, struct pt_mdm_op *ops, size_t n_ops, struct place *at, struct pt_err *err)
{
	struct pt_mdm_jtag *j = &mdm->jtag;
	size_t n = accesses(ops, n_ops, *at), per = j->framing.one_scan ? 1 : 2, n_done;
	struct scans s;
	uint8_t ir[4];
	int rc = scans_init(&s, 2 + per * n, err);

	if (rc == 0) {
		put_list(j, &s, ir, ops, *at, n);
		rc = pt_jtag_chain_run(&j->chain, j->tap, s.op, s.n, TIMEOUT_MS, &n_done, err);
		take_list(j, &s, ops, at, accesses_done(n_done, per, n));
	}
	scans_fini(&s);
	return rc;
}

/* Uses as few lists as possible: at the end of each the cable waits for the host. */
static int jtag_run(struct pt_mdm *mdm, struct pt_mdm_op *ops, size_t n_ops, size_t *n_done, struct pt_err *err)
{
	struct place at = { .op = *n_done };
	int rc = 0;

	while (rc == 0 && at.op < n_ops)
		rc = run_list(mdm, ops, n_ops, &at, err);
	*n_done = at.op;
	return rc < 0 ? pt_wrap(err, "MDM over JTAG") : 0;
}

/* --- finding out */

/* Combination i of the possible framings; false: the settings exclude it. */
static bool framing_of(const struct pt_params *settings, unsigned i, struct pt_mdm_framing *out)
{
	static const struct {
		enum pt_mb_setting row;
		const char *value[2];
	} rows[] = {
		{ PT_MDM_JTAG_DATA_ORDER, { "lsb_first", "msb_first" } },
		{ PT_MDM_JTAG_CMD_ORDER, { "lsb_first", "msb_first" } },
		{ PT_MDM_JTAG_CMD_BITS, { "8", "4" } },
		{ PT_MDM_JTAG_PHASES, { "two_scans", "one_scan" } },
	};

	for (unsigned r = 0; r < PT_LEN(rows); r++) {
		const char *given = pt_params_text(settings, &pt_mb_settings[rows[r].row]);

		if (strcmp(given, "auto") != 0 && strcmp(given, rows[r].value[i >> r & 1]) != 0)
			return false;
	}
	*out = (struct pt_mdm_framing){ (i & 4) != 0 ? 4 : 8, (i & 2) != 0, (i & 1) != 0, (i & 8) != 0 };
	return true;
}

static int no_mdm(const struct pt_mdm_jtag *j, uint64_t seen, struct pt_err *err)
{
	const struct pt_jtag_tap *tap = &j->chain.tap[j->tap];
	const char *why = seen == UINT32_MAX || seen == 0	   ? ": nothing drives it"
			  : tap->has_idcode && seen == tap->idcode ? ": the TAP's IDCODE"
								   : "";

	return pt_fail(err, PT_EPROTO,
		       "no MDM answers on USER%u of TAP %zu (IDCODE 0x%08" PRIx32 ", instruction 0x%" PRIx32
		       "): it reads 0x%08" PRIx64 "%s, and in no framing 0x42....67. Is the MDM on another chain "
		       "(mdm.jtag.user, C_JTAG_CHAIN of the design), is the code right (jtag.ir.user%u), is the FPGA "
		       "configured?",
		       j->user, j->tap, tap->idcode, j->user_ir, seen, why, j->user);
}

/* Reads only. Another core, or a wrong USER chain, gives no valid answer. */
static int find_framing(struct pt_mdm *mdm, const struct pt_params *settings, struct pt_err *err)
{
	struct pt_mdm_op op = { .what = PT_MDM_READ, .own = true, .command = MDM_CONFIG, .bits = MDM_CONFIG_BITS };
	uint64_t seen = 0;
	bool any = false;
	size_t n_done;

	for (unsigned i = 0; i < 16; i++) {
		if (!framing_of(settings, i, &mdm->jtag.framing))
			continue;
		n_done = 0;
		if (jtag_run(mdm, &op, 1, &n_done, err) < 0)
			return err->code;
		if (pt_mdm_is_config((uint32_t)op.value))
			return 0;
		seen = any ? seen : op.value;
		any = true;
	}
	return no_mdm(&mdm->jtag, seen, err);
}

static int read_settings(struct pt_mdm_jtag *j, const struct pt_params *settings, struct pt_err *err)
{
	const char *sync = pt_params_text(settings, &pt_mb_settings[PT_MDM_JTAG_SYNC]);

	j->user = (unsigned)pt_params_number(settings, &pt_mb_settings[PT_MDM_JTAG_USER]);
	j->pad = (uint8_t)pt_params_number(settings, &pt_mb_settings[PT_MDM_JTAG_PAD]);
	for (; sync != NULL && sync[j->n_sync] != '\0'; j->n_sync++) {
		if (j->n_sync == sizeof(j->sync) || (sync[j->n_sync] != '0' && sync[j->n_sync] != '1'))
			return pt_fail(err, PT_EARG, "mdm.jtag.sync=%.70s: at most %zu of 0 and 1", sync,
				       sizeof(j->sync));
		j->sync[j->n_sync] = sync[j->n_sync] == '1';
	}
	return 0;
}

static int jtag_open(struct pt_mdm *mdm, const struct pt_params *settings, struct pt_err *err)
{
	struct pt_mdm_jtag *j = &mdm->jtag;
	int tap;

	if (!pt_params_flag(settings, &pt_mb_settings[PT_MDM_JTAG_EXPERIMENTAL]))
		return pt_fail(err, PT_EUNSUPPORTED,
			       "the framing of the MDM's commands over JTAG is not documented; "
			       "mdm.jtag.experimental=on tries guesses");
	if (mdm->jtag_ops == NULL)
		return pt_fail(err, PT_EUNSUPPORTED, "this probe offers no JTAG");
	memset(j, 0, sizeof(*j));
	if (read_settings(j, settings, err) < 0 || mdm->jtag_ops->connect(mdm->jtag_wire, err) < 0 ||
	    pt_jtag_chain_find(&j->chain, mdm->jtag_ops, mdm->jtag_wire, settings, err) < 0)
		return err->code;
	tap = pt_jtag_chain_tap(&j->chain, settings, err);
	if (tap < 0)
		return err->code;
	j->tap = (size_t)tap;
	if (pt_jtag_chain_user(&j->chain, j->tap, j->user, settings, &j->user_ir, err) < 0)
		return err->code;
	return find_framing(mdm, settings, err);
}

static void jtag_close(struct pt_mdm *mdm)
{
	(void)mdm;
}

static void jtag_describe(const struct pt_mdm *mdm, char *line, size_t room)
{
	const struct pt_mdm_framing *f = &mdm->jtag.framing;

	snprintf(line, room, "JTAG, USER%u of TAP %zu (experimental: command of %u bits %s, data %s, %s)",
		 mdm->jtag.user, mdm->jtag.tap, f->cmd_bits, f->cmd_msb ? "msb first" : "lsb first",
		 f->data_msb ? "msb first" : "lsb first", f->one_scan ? "one scan" : "two scans");
}

const struct pt_mdm_access pt_mdm_jtag = {
	.name = "jtag",
	.open = jtag_open,
	.close = jtag_close,
	.run = jtag_run,
	.describe = jtag_describe,
};
