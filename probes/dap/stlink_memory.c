/* Blocks of memory: the next command for what is pending. Accesses that follow each other in memory become one, as long as
 * the firmware's limits and the reach of TAR's increment allow; how it went is asked for behind it.
 *
 * A WAIT leaves unknown how far the command came. It is repeated as a whole, where that does no harm: not where the address
 * stands still, because what is there may count its reads. */
#include <string.h>

#include "probes/dap/stlink.h"
#include "base/util.h"

enum {
	READ_32 = 0x07, WRITE_32 = 0x08, READ_8 = 0x0c, WRITE_8 = 0x0d, READ_16 = 0x47, WRITE_16 = 0x48,
	WRITE_SAME = 0x50, READ_SAME = 0x54, LAST_STATUS = 0x3e,
};
enum { STATUS_BYTES = 12, FEW_WORDS = 8, FEW_WORDS_V3 = 32, BLOCK_BYTES = 1024, BLOCK_BYTES_M4 = 4096, WIRE_CLOCKS = 46 * 3, SAFETY = 4 };
#define CPUID UINT32_C(0xe000ed00)

/* Privileged data as the debugger; whether it may be cached makes no difference on these cores. */
bool pt_stlink_default_access(const struct pt_stlink_access *access)
{
	uint32_t attributes = access->csw >> 24;

	return attributes == 0x22 || attributes == 0x23;
}

/* --- how much goes into one command -------------------------------------------------------------------------------- */

/* TAR of a Cortex-M3 and M4 counts over 4 KiB. Source: OpenOCD, stlink_usb.c, cortex_m.c */
static uint32_t block_of_core(uint32_t cpuid)
{
	uint32_t part = cpuid >> 4 & 0xfff;

	return cpuid >> 24 == 0x41 && (part == 0xc23 || part == 0xc24) ? BLOCK_BYTES_M4 : BLOCK_BYTES;
}

/* Asked for once, and where a command would be the longer for it. Behind other access ports there may be anything. */
static uint32_t block_bytes(struct pt_stlink *st, uint8_t ap)
{
	struct pt_stlink_command command = { .bytes = { 0xf2, 0x36 }, .n_reply = 8 };
	struct pt_stlink_ap *port = &st->ap[ap];

	if (port->block_bytes == 0 && ap == 0) {
		pt_put_le32(command.bytes + 2, CPUID);
		if (pt_stlink_ask(st, &command, NULL) == 0 && pt_stlink_outcome(st->exchange.in[0]) == PT_STLINK_DONE)
			port->block_bytes = block_of_core(pt_le32(st->exchange.in + 4));
	}
	return port->block_bytes != 0 ? port->block_bytes : BLOCK_BYTES;
}

/* Source: OpenOCD, probe-rs */
static size_t most_bytes(const struct pt_stlink *st, unsigned size)
{
	if (size > 1)
		return PT_STLINK_BLOCK_BYTES;
	return st->v < 3 ? 64 : st->j < 6 ? 254 : 512;
}

static bool joins(const struct pt_stlink_access *a, const struct pt_stlink_access *b)
{
	return a->ap == b->ap && a->csw == b->csw && a->write == b->write && a->size == b->size &&
	       a->counts == b->counts && !b->poll && b->addr == pt_stlink_addr(a, a->n);
}

/* Elements of the same kind, one behind the other in memory. */
static size_t elements_ahead(const struct pt_stlink_list *list, size_t most)
{
	const struct pt_stlink_access *head = &list->access[list->head];
	size_t n = head->n - head->done;

	for (size_t i = list->head + 1; n < most && i < list->n_access && joins(&list->access[i - 1], &list->access[i]);
	     i++)
		n += list->access[i].n;
	return n < most ? n : most;
}

static bool repeats_in_one(const struct pt_stlink *st, const struct pt_stlink_access *access)
{
	if (access->size != 4)
		return false;
	return access->write ? pt_stlink_has(st, 26, 0) : pt_stlink_has(st, 32, 2);
}

/* By SWD the firmware from V2J32 on sees to the border itself: OpenOCD 0.12 crosses it, on Cortex-M0+, too. */
static uint32_t bytes_to_border(struct pt_stlink *st, const struct pt_stlink_access *head, size_t n_bytes)
{
	uint32_t addr = pt_stlink_addr(head, head->done), to_border = BLOCK_BYTES - addr % BLOCK_BYTES, block;

	if (!st->jtag && pt_stlink_has(st, 32, 2))
		return PT_STLINK_BLOCK_BYTES;
	if (n_bytes <= to_border)
		return to_border;
	block = block_bytes(st, head->ap);
	return block - addr % block;
}

/* Never an odd number of bytes but one: it hung an ST-Link. Source: pyswd, issue 3 */
static size_t elements_of_command(struct pt_stlink_list *list)
{
	const struct pt_stlink_access *head = &list->access[list->head];
	size_t n = elements_ahead(list, most_bytes(list->st, head->size) / head->size), most;

	if (!head->counts)
		return repeats_in_one(list->st, head) ? n : 1;
	most = bytes_to_border(list->st, head, n * head->size) / head->size;
	n = n < most ? n : most;
	return head->size == 1 && n > 1 ? n - n % 2 : n;
}

/* --- bytes and elements -------------------------------------------------------------------------------------------- */

struct place { size_t access; uint32_t element; };

static struct place start(const struct pt_stlink_list *list)
{
	return (struct place){ list->head, list->access[list->head].done };
}

static void step(const struct pt_stlink_list *list, struct place *place)
{
	if (++place->element < list->access[place->access].n)
		return;
	place->element = 0;
	place->access++;
}

/* A word carries its element in the lanes of the address. */
static void gather(const struct pt_stlink_list *list, size_t n, uint8_t *out)
{
	struct place place = start(list);

	for (size_t i = 0; i < n; i++, step(list, &place)) {
		const struct pt_stlink_access *access = &list->access[place.access];
		uint32_t lane = pt_stlink_addr(access, place.element) & (4u - access->size);
		uint32_t value = access->words[place.element] >> 8 * lane;

		for (unsigned b = 0; b < access->size; b++)
			*out++ = (uint8_t)(value >> 8 * b);
	}
}

static void scatter(struct pt_stlink_list *list, size_t n, const uint8_t *in)
{
	struct place place = start(list);

	for (size_t i = 0; i < n; i++, step(list, &place)) {
		struct pt_stlink_access *access = &list->access[place.access];
		uint32_t lane = pt_stlink_addr(access, place.element) & (4u - access->size), value = 0;

		for (unsigned b = 0; b < access->size; b++)
			value |= (uint32_t)*in++ << 8 * b;
		access->words[place.element] = value << 8 * lane;
	}
}

/* --- a block ------------------------------------------------------------------------------------------------------- */

static uint8_t code_of(const struct pt_stlink_access *access, size_t n)
{
	static const uint8_t codes[5][2] = { [1] = { READ_8, WRITE_8 }, [2] = { READ_16, WRITE_16 }, [4] = { READ_32, WRITE_32 } };

	if (!access->counts && n > 1)
		return access->write ? WRITE_SAME : READ_SAME;
	return codes[access->size][access->write];
}

static struct pt_stlink_command block_command(const struct pt_stlink_list *list, size_t n)
{
	const struct pt_stlink_access *head = &list->access[list->head];
	struct pt_stlink_command command = {
		.bytes = { 0xf2, code_of(head, n), [8] = head->ap },
		.busy_ns = n * WIRE_CLOCKS * SAFETY * PT_NS_PER_S / (list->st->speed_hz + 1),
	};

	pt_put_le32(command.bytes + 2, pt_stlink_addr(head, head->done));
	pt_put_le16(command.bytes + 6, (uint16_t)(n * head->size));
	if (!pt_stlink_has(list->st, 32, 2))
		return command;
	for (unsigned i = 0; i < 3; i++)
		command.bytes[9 + i] = (uint8_t)(head->csw >> 8 * (i + 1));
	return command;
}

/* The bytes are in exchange.in, and copied, as the status comes there, too. */
static int do_command(struct pt_stlink_list *list, size_t n, uint8_t *bytes, struct pt_err *err)
{
	const struct pt_stlink_access *head = &list->access[list->head];
	struct pt_stlink_command command = block_command(list, n), status = {
		.bytes = { 0xf2, LAST_STATUS }, .n_reply = STATUS_BYTES, .busy_ns = command.busy_ns,
	};
	size_t n_bytes = n * head->size;
	int rc;

	if (head->write) {
		gather(list, n, bytes);
		command.data = bytes;
		command.n_data = n_bytes;
		rc = pt_stlink_tell(list->st, &command, err);
	} else {
		command.n_reply = n_bytes == 1 ? 2 : n_bytes;
		rc = pt_stlink_ask(list->st, &command, err);
		if (rc == 0)
			memcpy(bytes, list->st->exchange.in, n_bytes);
	}
	return rc < 0 ? rc : pt_stlink_ask(list->st, &status, err);
}

/* How many elements lie before the address that the probe names; 0 where that is not in the block. */
static size_t elements_before(const struct pt_stlink_list *list, size_t n)
{
	const struct pt_stlink_access *head = &list->access[list->head];
	uint32_t offset = pt_le32(list->st->exchange.in + 4) - pt_stlink_addr(head, head->done);

	return head->counts && offset < n * head->size ? offset / head->size : 0;
}

static int run_block(struct pt_stlink_list *list, struct pt_err *err)
{
	struct pt_stlink_access *head = &list->access[list->head];
	uint64_t sent_ns = pt_link_now_ns(list->st->link);
	uint8_t bytes[PT_STLINK_BLOCK_BYTES], status;
	size_t n = elements_of_command(list), n_good = n;
	int rc = do_command(list, n, bytes, err);

	if (rc < 0)
		return rc;
	status = list->st->exchange.in[0];
	if (pt_stlink_outcome(status) == PT_STLINK_WAIT) {
		if (head->counts || n == 1)
			return pt_stlink_back_off(list->st, &list->patience, list->timeout_ms, err);
		return pt_fail(err, PT_ETIMEOUT, "the target answers WAIT");
	}
	if (pt_stlink_outcome(status) != PT_STLINK_DONE)
		n_good = pt_stlink_outcome(status) == PT_STLINK_FAULT ? elements_before(list, n) : 0;
	if (head->poll && n_good == n) {
		pt_stlink_polled(list, pt_le32(bytes), sent_ns);
		return 0;
	}
	if (!head->write)
		scatter(list, n_good, bytes);
	pt_stlink_advance(list, n_good, sent_ns);
	return n_good == n ? 0 : pt_stlink_failed(list, status, err);
}

static bool single_word(const struct pt_stlink *st, const struct pt_stlink_access *access)
{
	bool one = access->n - access->done == 1 || (!access->counts && !repeats_in_one(st, access));

	return one && access->size == 4 && access->ap == 0 && pt_stlink_default_access(access);
}

/* A list saves a round trip and has more bytes, of which a high-speed device moves more meanwhile. */
int pt_stlink_step(struct pt_stlink_list *list, struct pt_err *err)
{
	const struct pt_stlink_access *head = &list->access[list->head];
	size_t n_access = pt_stlink_words_reach(list), few = list->st->v >= 3 ? FEW_WORDS_V3 : FEW_WORDS;

	if (n_access > 1 || (n_access == 1 && !single_word(list->st, head) && head->n - head->done <= few))
		return pt_stlink_run_words(list, n_access, err);
	return single_word(list->st, head) ? pt_stlink_run_word(list, err) : run_block(list, err);
}
