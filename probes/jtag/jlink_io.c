/* An answer has no length and no mark: the command says how long it is, and it may come in parts, with zero-length
 * packets between them, and with bytes behind it that nothing asked for. One that is late would be taken for the next:
 * so after a call that ended early, whatever comes before the answer to a question of its own shape is thrown away.
 * That is the version, whose text says when it was compiled. */
#include <string.h>

#include "base/util.h"
#include "probes/jtag/jlink.h"
#include "probes/links/links.h"

static size_t question(uint8_t *out)
{
	out[0] = JLINK_VERSION;
	return 1;
}

/* Its length may come in front of it, or by itself before. */
static bool answers(const uint8_t *in, size_t n_in)
{
	static const char word[] = "compiled";
	bool found = false;

	for (size_t i = 0; !found && i + strlen(word) <= n_in; i++)
		found = memcmp(in + i, word, strlen(word)) == 0;
	return found;
}

void jlink_io_init(struct jlink *j, struct pt_link *link)
{
	j->exchange = (struct pt_exchange){ .link = link, .name = "jlink", .question = question, .answers = answers };
}

/* A part of an answer that was not taken is as bad as one that may come late. */
int jlink_settle(struct jlink *j, struct pt_err *err)
{
	j->exchange.out_of_step |= j->exchange.debt > 0;
	return pt_exchange_settle(&j->exchange, err);
}

static int ended(struct jlink *j, size_t n_want, struct pt_err *err)
{
	pt_exchange_mistrust(&j->exchange, NULL);
	return pt_fail(err, PT_EPROTO, "the J-Link's answer ends after %zu of %zu bytes", j->in_bytes, n_want);
}

/* Up to n_want bytes in j->in, and what came with the last of them. */
static int gather(struct jlink *j, size_t n_want, uint64_t deadline_ns, struct pt_err *err)
{
	bool begun = j->in_bytes > 0;

	while (j->in_bytes < n_want) {
		int n = pt_exchange_receive(&j->exchange, deadline_ns, err);

		if (n < 0 && begun)
			j->exchange.out_of_step = true;
		if (n == PT_ETIMEOUT && begun)
			return ended(j, n_want, err);
		if (n < 0)
			return n;
		begun = true;
		if (j->in_bytes + (size_t)n > sizeof(j->in))
			return pt_exchange_mistrust(&j->exchange, err);
		memcpy(j->in + j->in_bytes, j->exchange.in, (size_t)n);
		j->in_bytes += (size_t)n;
	}
	return 0;
}

int jlink_receive(struct jlink *j, size_t n_want, uint64_t deadline_ns, struct pt_err *err)
{
	j->in_bytes = 0;
	return gather(j, n_want, deadline_ns, err);
}

static uint64_t soon_ns(const struct jlink *j)
{
	return pt_link_now_ns(j->exchange.link) + PT_EXCHANGE_ANSWER_MS * PT_NS_PER_MS;
}

int jlink_tell(struct jlink *j, const uint8_t *command, size_t n_bytes, struct pt_err *err)
{
	int rc = jlink_settle(j, err);

	return rc < 0 ? rc : pt_link_submit_part(j->exchange.link, command, n_bytes, soon_ns(j), err);
}

int jlink_ask(struct jlink *j, const uint8_t *command, size_t n_bytes, size_t n_want, struct pt_err *err)
{
	int rc = jlink_settle(j, err);

	if (rc == 0)
		rc = pt_exchange_send(&j->exchange, command, n_bytes, err);
	return rc < 0 ? rc : jlink_receive(j, n_want, soon_ns(j), err);
}

/* Of what came beyond n bytes that were asked for before, the rest may be there already. */
int jlink_ask_more(struct jlink *j, size_t n_taken, size_t n_want, struct pt_err *err)
{
	j->in_bytes -= n_taken;
	memmove(j->in, j->in + n_taken, j->in_bytes);
	return gather(j, n_want, soon_ns(j), err);
}

/* --- over TCP ------------------------------------------------------------------------------------------------------ */

/* Source: libjaylink, transport_tcp.c */
enum { CLIENT = 0x07, HELLO = 0x00, NO_CONNECTION = 0xfe, HELLO_HEAD = 4 };

static const uint8_t head[] = { CLIENT };

const struct pt_framing jlink_framing = { .protocol = "the J-Link protocol", .port = JLINK_NETWORK_PORT, .unframed = true,
					  .head = head, .head_bytes = sizeof(head) };

/* 00, two bytes of version, one that says how long its name is, the name. */
int jlink_await_hello(struct jlink *j, struct pt_err *err)
{
	int rc = jlink_receive(j, 1, soon_ns(j), err);

	if (rc < 0)
		return rc;
	if (j->in[0] == NO_CONNECTION)
		return pt_fail(err, PT_EBUSY, "the J-Link has no free connection: end the other programs that use it");
	if (j->in[0] != HELLO)
		return pt_fail(err, PT_EPROTO, "this server is no J-Link: it begins with 0x%02x", j->in[0]);
	rc = jlink_ask_more(j, 0, HELLO_HEAD, err);
	return rc < 0 ? rc : jlink_ask_more(j, 0, HELLO_HEAD + j->in[HELLO_HEAD - 1], err);
}
