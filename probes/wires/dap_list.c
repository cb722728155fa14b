/* Splits lists of dap operations into rows of single accesses, for wires that have only these. */
#include "probes/wires/dap_list.h"

#include "host/log.h"
#include "base/util.h"

enum { CTRL_STAT = 0x4, ORUNDETECT = 1 << 0, STICKY = 0xb2 };

/* Of a try of a poll. A debug port acknowledges its power-up within a few clocks, and each read has to be sent. */
enum { POLL_READS = 8, FIRST_DP_READS = 1 };

static bool is_block(const struct pt_dap_op *op)
{
	return op->what == PT_DAP_READ_BLOCK || op->what == PT_DAP_WRITE_BLOCK;
}

static uint32_t words_of(const struct pt_dap_op *op)
{
	return is_block(op) ? op->n_words : 1;
}

static struct pt_dap_access access_of(struct pt_dap_list *list, const struct pt_dap_op *op, uint32_t word)
{
	bool read = op->what == PT_DAP_READ || op->what == PT_DAP_READ_BLOCK || op->what == PT_DAP_POLL;
	struct pt_dap_access access = { .ap = op->ap, .read = read, .a = op->a };

	if (read)
		access.word = op->words != NULL && op->what != PT_DAP_POLL ? op->words + word : NULL;
	else
		access.value = op->what == PT_DAP_WRITE_BLOCK ? op->words[word] : op->value;
	if (!read && !op->ap && op->a == CTRL_STAT) {
		access.value |= ORUNDETECT;
		list->ctrl = access.value & ~(uint32_t)STICKY;
	}
	return access;
}

/* A row ends before operations that must be waited for, or are done in another way: polls, delays, ABORT. */
static bool is_abort(const struct pt_dap_op *op)
{
	return op->what == PT_DAP_WRITE && !op->ap && op->a == 0;
}

static bool in_row(const struct pt_dap_list *list, const struct pt_dap_op *op)
{
	return op->what != PT_DAP_DELAY && op->what != PT_DAP_POLL && (list->aborts_in_row || !is_abort(op));
}

static size_t longest_row(const struct pt_dap_list *list)
{
	return list->most > 0 ? list->most : PT_DAP_LIST_USUAL;
}

/* Adds as many accesses as fit, from the cursor on; an operation of several words may be split. */
static size_t fill(struct pt_dap_list *list, const struct pt_dap_op *ops, size_t n_ops, size_t *op, uint32_t *word)
{
	size_t n = 0;

	while (n < longest_row(list) && *op < n_ops && in_row(list, &ops[*op])) {
		if (*word < words_of(&ops[*op]))
			list->access[n++] = access_of(list, &ops[*op], *word);
		if (++*word >= words_of(&ops[*op])) {
			*word = 0;
			++*op;
		}
	}
	return n;
}

/* Adds the reads of a try of a poll, after the n accesses. */
static size_t put_poll(struct pt_dap_list *list, const struct pt_dap_op *op, size_t n, uint32_t *values, size_t n_reads)
{
	for (size_t i = 0; i < n_reads; i++) {
		list->access[n + i] = access_of(list, op, 0);
		list->access[n + i].word = &values[i];
	}
	return n + n_reads;
}

static int judge_poll(const struct pt_dap_op *op, const uint32_t *values, size_t n_reads)
{
	int met = 0;

	for (size_t i = 0; met == 0 && i < n_reads; i++) {
		if (op->words != NULL)
			*op->words = values[i];
		met = (values[i] & op->mask) == op->value;
	}
	return met;
}

/* 1: the value was read, 0: not within time_us. */
static int poll_register(struct pt_dap_list *list, const struct pt_dap_op *op, uint32_t timeout_ms, struct pt_err *err)
{
	uint64_t until_ns = pt_link_now_ns(list->link) + op->time_us * UINT64_C(1000);
	uint32_t values[POLL_READS] = { 0 };
	int rc = 0, met = 0;

	do {
		put_poll(list, op, 0, values, POLL_READS);
		rc = list->ops->run(list->state, list->access, POLL_READS, timeout_ms, err);
		if (rc == 0)
			met = judge_poll(op, values, POLL_READS);
	} while (rc == 0 && met == 0 && pt_link_now_ns(list->link) < until_ns);
	return rc < 0 ? rc : met;
}

/* A poll after the row usually succeeds at the first try, so its first reads are sent with the row. */
static int run_row(struct pt_dap_list *list, const struct pt_dap_op *ops, size_t n_ops, size_t *op, uint32_t *word,
		   uint32_t timeout_ms, struct pt_err *err)
{
	size_t first = *op, n = fill(list, ops, n_ops, op, word);
	size_t n_reads = *op < n_ops && !ops[*op].ap ? FIRST_DP_READS : POLL_READS;
	bool polls = *op < n_ops && ops[*op].what == PT_DAP_POLL && n > 0 && n + n_reads <= longest_row(list);
	uint32_t values[POLL_READS] = { 0 };
	int rc;

	if (polls)
		n = put_poll(list, &ops[*op], n, values, n_reads);
	rc = n == 0 ? 0 : list->ops->run(list->state, list->access, n, timeout_ms, err);
	if (rc < 0)
		*op = first;
	else if (polls && judge_poll(&ops[*op], values, n_reads) != 0)
		++*op;
	return rc < 0 ? rc : 1;
}

/* Runs the next operations, up to one that must be waited for. 1: continue, 0: a poll expired. */
static int run_some(struct pt_dap_list *list, const struct pt_dap_op *ops, size_t n_ops, size_t *op, uint32_t *word,
		    uint32_t timeout_ms, struct pt_err *err)
{
	const struct pt_dap_op *next = &ops[*op];
	int rc;

	if (in_row(list, next))
		return run_row(list, ops, n_ops, op, word, timeout_ms, err);
	if (next->what == PT_DAP_POLL)
		rc = poll_register(list, next, timeout_ms, err);
	else if (is_abort(next))
		rc = list->ops->write_abort(list->state, next->value, err);
	else
		rc = pt_link_wait(list->link, pt_link_now_ns(list->link) + next->time_us * UINT64_C(1000), err);
	if (rc == 0 && next->what != PT_DAP_POLL)
		rc = 1;
	*op += rc == 1;
	return rc;
}

static const char *what_is_wrong(const struct pt_dap_op *op)
{
	if (op->what < PT_DAP_READ || op->what > PT_DAP_DELAY)
		return "no such operation";
	if (op->what == PT_DAP_DELAY)
		return op->time_us >= 1 && op->time_us <= 65535 ? NULL : "a delay is 1 to 65535 us";
	if ((op->a & ~0xcu) != 0)
		return "a register address is 0, 4, 8 or 0xc";
	if (op->what == PT_DAP_READ && op->words == NULL)
		return "a read needs a place for its word";
	if (is_block(op) && op->words == NULL && op->n_words > 0)
		return "a block needs words";
	return NULL;
}

int pt_dap_check(const struct pt_dap_op *ops, size_t n_ops, struct pt_err *err)
{
	bool polled = false;

	for (size_t i = 0; i < n_ops; i++) {
		const char *wrong = what_is_wrong(&ops[i]);

		if (wrong == NULL && polled && ops[i].what != PT_DAP_READ && ops[i].what != PT_DAP_READ_BLOCK)
			wrong = "after a poll only reads may stand";
		if (wrong != NULL)
			return pt_fail(err, PT_EARG, "operation %zu: %s", i, wrong);
		polled |= ops[i].what == PT_DAP_POLL;
	}
	return 0;
}

int pt_dap_list_run(struct pt_dap_list *list, struct pt_dap_op *ops, size_t n_ops, uint32_t timeout_ms, size_t *n_done,
		    struct pt_err *err)
{
	uint32_t word = 0;
	int rc = pt_dap_check(ops, n_ops, err);

	*n_done = 0;
	while (rc >= 0 && *n_done < n_ops) {
		uint64_t sent_ns = pt_link_now_ns(list->link);
		bool begun = word > 0;
		size_t from = *n_done;

		rc = run_some(list, ops, n_ops, n_done, &word, timeout_ms, err);
		for (size_t i = from; i < n_ops && i <= *n_done; i++) {
			ops[i].sent_ns = i > from || !begun ? sent_ns : ops[i].sent_ns;
			ops[i].done_ns = pt_link_now_ns(list->link);
		}
		if (rc == 0)
			return 0;
	}
	pt_debug(PT_LOG_DAP, "dap: %zu of %zu operations, %d", *n_done, n_ops, rc);
	return rc < 0 ? rc : 0;
}
