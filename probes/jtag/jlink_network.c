/* J-Links on the network: each answers a broadcast with 128 bytes of what it is. What they claim their address to be is
 * not used: what answered is at the address that the answer came from.
 * Source: libjaylink, discovery_tcp.c. Not verified: how long a busy one takes (there 20 ms), and whether all answer to the
 * port that the question came from. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/harmless.h"
#include "base/util.h"
#include "probes/jtag/jlink.h"
#include "probes/links/broadcast.h"

enum {
	QUESTION_BYTES = 64, WAIT_MS = 500,
	ANSWER_BYTES = 128, SERIAL = 48, PRODUCT = 64, NICKNAME = 96, NAME_BYTES = 32,
};

struct search {
	void (*found)(void *arg, const struct pt_network_probe *at);
	void *arg;
};

/* Into NAME_BYTES + 1; what may harm a terminal is a '?'. */
static void copy_name(char *out, const uint8_t *name)
{
	memcpy(out, name, NAME_BYTES);
	out[NAME_BYTES] = 0;
	pt_harmless(out, "");
}

bool jlink_network_parse(const uint8_t *bytes, size_t n_bytes, struct pt_network_probe *out)
{
	static const char mark[] = "Found";
	char product[NAME_BYTES + 1], nickname[NAME_BYTES + 1];

	if (n_bytes != ANSWER_BYTES || memcmp(bytes, mark, strlen(mark)) != 0)
		return false;
	snprintf(out->serial, sizeof(out->serial), "%" PRIu32, pt_le32(bytes + SERIAL));
	copy_name(product, bytes + PRODUCT);
	copy_name(nickname, bytes + NICKNAME);
	if (product[0] == 0)
		strcpy(product, "J-Link");
	if (nickname[0] != 0)
		snprintf(out->product, sizeof(out->product), "%s (%s)", product, nickname);
	else
		snprintf(out->product, sizeof(out->product), "%s", product);
	return true;
}

static void on_answer(void *arg, const char *from, const uint8_t *bytes, size_t n_bytes)
{
	struct pt_network_probe at = { 0 };
	const struct search *search = arg;

	snprintf(at.address, sizeof(at.address), "%s", from);
	if (jlink_network_parse(bytes, n_bytes, &at))
		search->found(search->arg, &at);
}

int jlink_discover(void (*found)(void *arg, const struct pt_network_probe *at), void *arg, struct pt_err *err)
{
	static const uint8_t question[QUESTION_BYTES] = "Discover";
	struct search search = { found, arg };
	const struct pt_broadcast ask = {
		.port = JLINK_NETWORK_PORT, .question = question, .question_bytes = sizeof(question), .wait_ms = WAIT_MS,
		.answer = on_answer, .arg = &search,
	};

	return pt_broadcast(&ask, err);
}
