/* Words one by one: a command for a single one, whose reply has its status, and lists of them. In a list a write is two
 * items, its address and its value; the reply has a value and a status of each. So a list takes one round trip, where a
 * block takes two, but each of its words three transfers on the wire. Source: OpenOCD, stlink_usb.c.
 *
 * The firmware may go on behind a word that the target answered with WAIT. So a list has no write but as its first: what
 * came behind a WAIT are reads, and those that have their values need not be made again. */
#include <string.h>

#include "probes/dap/stlink.h"
#include "base/util.h"

enum { WRITE_WORD = 0x35, READ_WORD = 0x36, RUN_LIST = 0x51, LIST_RESULT = 0x52 };
enum { ITEM_ADDRESS = 1, ITEM_WRITE = 2, ITEM_READ = 3, ITEM_AP = 5 };
enum { MOST_ITEMS_V2 = 64, MOST_ITEMS = 1227, MOST_WORDS_V2 = 24, MOST_WORDS = 32, LIST_BYTES = (MOST_ITEMS + 3) / 4 * 4 + 4 * MOST_ITEMS };
enum { DONE = 0x80, WIRE_CLOCKS = 46 * 3, SAFETY = 4 };

/* --- what goes into a list ----------------------------------------------------------------------------------------- */

static size_t most_items(const struct pt_stlink *st)
{
	return st->v >= 3 ? MOST_ITEMS : MOST_ITEMS_V2;
}

static bool fits(const struct pt_stlink_list *list, const struct pt_stlink_access *access)
{
	uint32_t left = access->n - access->done, most = list->st->v >= 3 ? MOST_WORDS : MOST_WORDS_V2;

	return pt_stlink_has(list->st, 32, 2) && access->size == 4 && left <= most &&
	       (!access->write || (access == &list->access[list->head] && left == 1)) &&
	       pt_stlink_default_access(access);
}

/* Where the firmware may be on another port, the first item says which. */
static bool names_ap(const struct pt_stlink_list *list, size_t i)
{
	uint8_t ap = list->access[i].ap;

	return i == list->head ? list->st->used_other_ap || ap != 0 : list->access[i - 1].ap != ap;
}

static size_t items_of(const struct pt_stlink_list *list, size_t i)
{
	const struct pt_stlink_access *access = &list->access[i];

	return (access->n - access->done) * (access->write ? 2 : 1) + (names_ap(list, i) ? 1 : 0);
}

size_t pt_stlink_words_reach(const struct pt_stlink_list *list)
{
	size_t n = 0, items = 0;

	for (size_t i = list->head; i < list->n_access && fits(list, &list->access[i]); i++, n++) {
		items += items_of(list, i);
		if (items > most_items(list->st))
			break;
	}
	return n;
}

/* --- a list -------------------------------------------------------------------------------------------------------- */

struct items {
	size_t n;
	uint8_t what[MOST_ITEMS];
	uint32_t argument[MOST_ITEMS];
	uint32_t *to[MOST_ITEMS];	/* where what is read goes; NULL: it is a poll, or no read */
};

static void add_item(struct items *items, uint8_t what, uint32_t argument, uint32_t *to)
{
	items->what[items->n] = what;
	items->to[items->n] = to;
	items->argument[items->n++] = argument;
}

static void add_access(const struct pt_stlink_list *list, size_t i, struct items *items)
{
	const struct pt_stlink_access *access = &list->access[i];

	if (names_ap(list, i))
		add_item(items, ITEM_AP, access->ap, NULL);
	for (uint32_t k = access->done; k < access->n; k++) {
		add_item(items, access->write ? ITEM_ADDRESS : ITEM_READ, pt_stlink_addr(access, k),
			 access->write || access->poll ? NULL : &access->words[k]);
		if (access->write)
			add_item(items, ITEM_WRITE, access->words[k], NULL);
	}
}

static size_t pack_items(const struct items *items, uint8_t *out)
{
	size_t at = (items->n + 3) / 4 * 4;

	memset(out, 0, at);
	memcpy(out, items->what, items->n);
	for (size_t i = 0; i < items->n; i++)
		pt_put_le32(out + at + 4 * i, items->argument[i]);
	return at + 4 * items->n;
}

static int send_items(struct pt_stlink *st, const struct items *items, struct pt_err *err)
{
	uint8_t bytes[LIST_BYTES];
	struct pt_stlink_command run = { .bytes = { 0xf2, RUN_LIST }, .data = bytes, .n_data = pack_items(items, bytes) };
	struct pt_stlink_command result = {
		.bytes = { 0xf2, LIST_RESULT }, .n_reply = 8 * items->n,
		.busy_ns = items->n * WIRE_CLOCKS * SAFETY * PT_NS_PER_S / (st->speed_hz + 1),
	};
	int rc;

	pt_put_le32(run.bytes + 2, (uint32_t)items->n);
	rc = pt_stlink_tell(st, &run, err);
	return rc < 0 ? rc : pt_stlink_ask(st, &result, err);
}

static uint8_t status_at(const struct pt_stlink *st, const struct items *items, size_t i)
{
	return st->exchange.in[4 * (items->n + i)];
}

/* The result of the element at the head. */
static void take_item(struct pt_stlink_list *list, const struct items *items, size_t i, uint64_t sent_ns)
{
	struct pt_stlink_access *access = &list->access[list->head];
	uint32_t value = pt_le32(list->st->exchange.in + 4 * i);

	if (items->what[i] == ITEM_ADDRESS || items->what[i] == ITEM_AP)
		return;
	if (access->poll) {
		pt_stlink_polled(list, value, sent_ns);
		return;
	}
	if (!access->write)
		access->words[access->done] = value;
	pt_stlink_advance(list, 1, sent_ns);
}

/* The first status from item i on that is worse than WAIT; DONE: none is. */
static uint8_t worst_behind(const struct pt_stlink *st, const struct items *items, size_t i)
{
	for (; i < items->n; i++)
		if (pt_stlink_outcome(status_at(st, items, i)) > PT_STLINK_WAIT)
			return status_at(st, items, i);
	return DONE;
}

static bool plain_reads_behind(const struct items *items, size_t i)
{
	for (; i < items->n; i++)
		if (items->what[i] != ITEM_AP && items->to[i] == NULL)
			return false;
	return true;
}

/* Values that came are kept, the others are left in items. */
static void keep_values(const struct pt_stlink *st, struct items *items, size_t from)
{
	struct items left = { 0 };

	for (size_t i = from; i < items->n; i++)
		if (items->what[i] == ITEM_AP || pt_stlink_outcome(status_at(st, items, i)) == PT_STLINK_WAIT)
			add_item(&left, items->what[i], items->argument[i], items->to[i]);
		else
			*items->to[i] = pt_le32(st->exchange.in + 4 * i);
	*items = left;
}

static bool any_read(const struct items *items)
{
	for (size_t i = 0; i < items->n; i++)
		if (items->what[i] == ITEM_READ)
			return true;
	return false;
}

/* Item i was answered by WAIT: all from there on once more, or those reads alone that were, too. */
static int go_on_after_wait(struct pt_stlink_list *list, struct items *items, size_t i, uint64_t sent_ns,
			    struct pt_err *err)
{
	size_t n_left = 0;
	int rc = 0;

	if (!plain_reads_behind(items, i))
		return pt_stlink_back_off(list->st, &list->patience, list->timeout_ms, err);
	for (size_t k = i; k < items->n; k++)
		n_left += items->what[k] == ITEM_READ;
	for (keep_values(list->st, items, i); rc == 0 && any_read(items); keep_values(list->st, items, 0)) {
		rc = pt_stlink_back_off(list->st, &list->patience, list->timeout_ms, err);
		if (rc == 0)
			rc = send_items(list->st, items, err);
		if (rc < 0)
			return rc;
		if (worst_behind(list->st, items, 0) != DONE)
			return pt_stlink_failed(list, worst_behind(list->st, items, 0), err);
	}
	pt_stlink_advance(list, n_left, sent_ns);
	return rc;
}

/* A poll that did not match leaves the head where it is, and what was read behind it does not count. */
static int take_items(struct pt_stlink_list *list, struct items *items, uint64_t sent_ns, struct pt_err *err)
{
	for (size_t i = 0; i < items->n; i++) {
		uint8_t status = status_at(list->st, items, i);
		bool poll = list->access[list->head].poll && items->what[i] == ITEM_READ;
		size_t head = list->head;

		if (pt_stlink_outcome(status) == PT_STLINK_WAIT && worst_behind(list->st, items, i) != DONE)
			status = worst_behind(list->st, items, i);
		if (pt_stlink_outcome(status) == PT_STLINK_WAIT)
			return go_on_after_wait(list, items, i, sent_ns, err);
		if (pt_stlink_outcome(status) != PT_STLINK_DONE)
			return pt_stlink_failed(list, status, err);
		take_item(list, items, i, sent_ns);
		if (poll && list->head == head)
			return 0;
	}
	return 0;
}

int pt_stlink_run_words(struct pt_stlink_list *list, size_t n_access, struct pt_err *err)
{
	uint64_t sent_ns = pt_link_now_ns(list->st->link);
	struct items items = { 0 };
	int rc;

	for (size_t i = list->head; i < list->head + n_access; i++)
		add_access(list, i, &items);
	for (size_t i = 0; i < items.n; i++)
		list->st->used_other_ap |= items.what[i] == ITEM_AP && items.argument[i] != 0;
	rc = send_items(list->st, &items, err);
	return rc < 0 ? rc : take_items(list, &items, sent_ns, err);
}

/* --- a single one -------------------------------------------------------------------------------------------------- */

int pt_stlink_run_word(struct pt_stlink_list *list, struct pt_err *err)
{
	struct pt_stlink *st = list->st;
	struct pt_stlink_access *access = &list->access[list->head];
	struct pt_stlink_command command = { .bytes = { 0xf2, access->write ? WRITE_WORD : READ_WORD },
					     .n_reply = access->write ? 2 : 8 };
	uint64_t sent_ns = pt_link_now_ns(st->link);
	int rc;

	pt_put_le32(command.bytes + 2, pt_stlink_addr(access, access->done));
	if (access->write)
		pt_put_le32(command.bytes + 6, access->words[access->done]);
	rc = pt_stlink_ask(st, &command, err);
	if (rc < 0)
		return rc;
	if (pt_stlink_outcome(st->exchange.in[0]) == PT_STLINK_WAIT)
		return pt_stlink_back_off(st, &list->patience, list->timeout_ms, err);
	if (pt_stlink_outcome(st->exchange.in[0]) != PT_STLINK_DONE)
		return pt_stlink_failed(list, st->exchange.in[0], err);
	if (access->poll) {
		pt_stlink_polled(list, pt_le32(st->exchange.in + 4), sent_ns);
		return 0;
	}
	if (!access->write)
		access->words[access->done] = pt_le32(st->exchange.in + 4);
	pt_stlink_advance(list, 1, sent_ns);
	return 0;
}
