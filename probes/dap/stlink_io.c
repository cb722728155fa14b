/* Commands of an ST-Link, their replies, and what its version has of them. */
#include <string.h>

#include "host/log.h"
#include "probes/dap/stlink.h"
#include "base/util.h"

enum { OK = 0x80, UNKNOWN_COMMAND = 0x42, STATUS_BYTES = 2, FIRST_WAIT_MS = 1, MOST_WAIT_MS = 64 };

bool pt_stlink_has(const struct pt_stlink *st, unsigned v2j, unsigned v3j)
{
	return st->j >= (st->v >= 3 ? v3j : v2j);
}

int pt_stlink_too_old(const struct pt_stlink *st, const char *what, unsigned v2j, unsigned v3j, struct pt_err *err)
{
	return pt_fail(
		err, PT_EUNSUPPORTED,
		"the ST-Link's firmware %s is too old for %s: V%uJ%u is needed; ST's program STSW-LINK007 updates it",
		st->firmware, what, st->v >= 3 ? 3 : 2, st->v >= 3 ? v3j : v2j);
}

/* Source: pyOCD, stlink.py; probe-rs, stlink/mod.rs; OpenOCD, stlink_usb.c */
static const struct meaning {
	uint8_t status;
	enum pt_stlink_outcome outcome;
	int code;
	const char *text;
} meanings[] = {
	{ OK, PT_STLINK_DONE, 0, NULL },
	{ 0x01, PT_STLINK_FAULT, PT_EFAULT, "the target answers FAULT" },
	{ 0x02, PT_STLINK_LOST, PT_EPROTO, "the probe's SPI failed" },
	{ 0x03, PT_STLINK_LOST, PT_EPROTO, "the probe's DMA failed" },
	{ 0x04, PT_STLINK_LOST, PT_EUNSUPPORTED,
	  "the JTAG chain is not one that an ST-Link knows: it takes a single debug port" },
	{ 0x05, PT_STLINK_LOST, PT_EPROTO, "the probe finds no chip" },
	{ 0x06, PT_STLINK_LOST, PT_EPROTO, "the probe has an internal error" },
	{ 0x07, PT_STLINK_WAIT, PT_ETIMEOUT, "the target answers WAIT" },
	{ 0x08, PT_STLINK_LOST, PT_EPROTO, "the probe reports an error" },
	{ 0x09, PT_STLINK_LOST, PT_EPROTO,
	  "no chip answers: it is off or asleep, the cable is not right, or several debug ports share the wire (multi-drop, "
	  "as an RP2040's), which an ST-Link cannot select" },
	{ 0x0a, PT_STLINK_LOST, PT_EPROTO, "the probe reports an alignment that it does not take" },
	{ 0x0b, PT_STLINK_LOST, PT_EPROTO, "the chip does not power its debug port up" },
	{ 0x0c, PT_STLINK_FAULT, PT_EFAULT, "the target refused a write" },
	{ 0x0d, PT_STLINK_FAULT, PT_EFAULT, "the target refused a write" },
	{ 0x0e, PT_STLINK_LOST, PT_EPROTO, "the probe is in another mode" },
	{ 0x10, PT_STLINK_WAIT, PT_ETIMEOUT, "the target answers WAIT" },
	{ 0x11, PT_STLINK_FAULT, PT_EFAULT, "the target answers FAULT" },
	{ 0x12, PT_STLINK_LOST, PT_EPROTO, "the target does not answer" },
	{ 0x13, PT_STLINK_LOST, PT_EPROTO, "bad parity from the target" },
	{ 0x14, PT_STLINK_WAIT, PT_ETIMEOUT, "the target answers WAIT" },
	{ 0x15, PT_STLINK_FAULT, PT_EFAULT, "the target answers FAULT" },
	{ 0x16, PT_STLINK_LOST, PT_EPROTO, "the target does not answer" },
	{ 0x17, PT_STLINK_LOST, PT_EPROTO, "bad parity from the target" },
	{ 0x18, PT_STLINK_FAULT, PT_EFAULT, "bad parity of a write" },
	{ 0x19, PT_STLINK_FAULT, PT_EFAULT, "the target answers FAULT" },
	{ 0x1a, PT_STLINK_FAULT, PT_EFAULT, "the target answers FAULT (overrun)" },
	{ 0x1d, PT_STLINK_LOST, PT_EUNSUPPORTED, "the probe does not open this access port" },
	{ 0x20, PT_STLINK_LOST, PT_EUNSUPPORTED, "the probe has no SWO" },
	{ 0x40, PT_STLINK_DONE, 0, NULL },	/* a setting changed others */
	{ 0x41, PT_STLINK_LOST, PT_EUNSUPPORTED, "the probe does not have this clock" },
	{ UNKNOWN_COMMAND, PT_STLINK_LOST, PT_EUNSUPPORTED, "the probe does not know the command" },
	{ 0x81, PT_STLINK_FAULT, PT_EFAULT, "the target answers FAULT" },
};

static const struct meaning *meaning_of(uint8_t status)
{
	for (size_t i = 0; i < PT_LEN(meanings); i++)
		if (meanings[i].status == status)
			return &meanings[i];
	return NULL;
}

enum pt_stlink_outcome pt_stlink_outcome(uint8_t status)
{
	const struct meaning *meaning = meaning_of(status);

	return meaning != NULL ? meaning->outcome : PT_STLINK_LOST;
}

int pt_stlink_refused(struct pt_stlink *st, uint8_t status, struct pt_err *err)
{
	const struct meaning *meaning = meaning_of(status);

	if (meaning == NULL)
		return pt_exchange_mistrust(&st->exchange, err);
	st->faulted |= meaning->outcome == PT_STLINK_FAULT;
	return pt_fail(err, meaning->code, "%s (ST-Link status 0x%02x)", meaning->text, status);
}

int pt_stlink_tell(struct pt_stlink *st, const struct pt_stlink_command *command, struct pt_err *err)
{
	uint64_t deadline_ns = pt_link_now_ns(st->link) + PT_EXCHANGE_ANSWER_MS * PT_NS_PER_MS;
	int rc = pt_exchange_settle(&st->exchange, err);

	if (rc == 0)
		rc = pt_link_submit_part(st->link, command->bytes, PT_STLINK_COMMAND_BYTES, deadline_ns, err);
	if (rc == 0 && command->n_data > 0)
		rc = pt_link_submit_part(st->link, command->data, command->n_data, deadline_ns, err);
	pt_debug(PT_LOG_USB, "stlink: command %02x %02x, %zu bytes behind it: %d", command->bytes[0], command->bytes[1],
		 command->n_data, rc);
	return rc;
}

int pt_stlink_ask(struct pt_stlink *st, const struct pt_stlink_command *command, struct pt_err *err)
{
	int n;

	st->exchange.room = command->n_reply;
	n = pt_exchange_ask(&st->exchange, command->bytes, PT_STLINK_COMMAND_BYTES, command->busy_ns, err);
	if (n < 0)
		return n;
	if (n == STATUS_BYTES && command->n_reply != STATUS_BYTES && st->exchange.in[0] == UNKNOWN_COMMAND)
		return pt_stlink_refused(st, UNKNOWN_COMMAND, err);
	if ((size_t)n == command->n_reply)
		return 0;
	st->exchange.out_of_step = true;
	return pt_fail(err, PT_EPROTO, "the probe's reply to command %02x %02x has %d bytes, not %zu",
		       command->bytes[0], command->bytes[1], n, command->n_reply);
}

/* Doubling each time. */
int pt_stlink_back_off(struct pt_stlink *st, struct pt_stlink_patience *patience, uint32_t timeout_ms,
		       struct pt_err *err)
{
	uint64_t now_ns = pt_link_now_ns(st->link);

	if (patience->ms == 0)
		*patience = (struct pt_stlink_patience){ .since_ns = now_ns, .ms = FIRST_WAIT_MS };
	else if (patience->ms < MOST_WAIT_MS)
		patience->ms *= 2;
	if (now_ns - patience->since_ns >= timeout_ms * PT_NS_PER_MS)
		return pt_fail(err, PT_ETIMEOUT, "the target answers WAIT");
	return pt_link_wait(st->link, now_ns + patience->ms * PT_NS_PER_MS, err);
}

int pt_stlink_do(struct pt_stlink *st, const struct pt_stlink_command *command, uint32_t timeout_ms, struct pt_err *err)
{
	struct pt_stlink_patience patience = { 0 };
	int rc = pt_stlink_ask(st, command, err);

	while (rc == 0 && pt_stlink_outcome(st->exchange.in[0]) == PT_STLINK_WAIT) {
		rc = pt_stlink_back_off(st, &patience, timeout_ms, err);
		if (rc == 0)
			rc = pt_stlink_ask(st, command, err);
	}
	if (rc == 0 && pt_stlink_outcome(st->exchange.in[0]) != PT_STLINK_DONE)
		return pt_stlink_refused(st, st->exchange.in[0], err);
	return rc;
}
