#include "fake_cmsis_dap.h"

#include <string.h>

#include "base/util.h"

enum { OK = 1, WAIT = 2, FAULT = 4, NO_ACK = 7, MISMATCH = 0x10 };
enum { AP = 1, READ = 2, VALUE = 0x10, MASK = 0x20, RDBUFF = READ | 0xc };

void fake_cmsis_dap_init(struct fake_cmsis_dap *fake, uint16_t packet_bytes, uint8_t packet_count)
{
	*fake = (struct fake_cmsis_dap){
		.packet_bytes = packet_bytes, .packet_count = packet_count, .capabilities = 0x11, .protocol = "2.1.1",
		.wait_retry = 64, .match_retry = 1024,
	};
	for (uint32_t i = 0; i < FAKE_DAP_WORDS; i++)
		fake->words[i] = 0x5a000000 + i;
}

/* --- the target */

static uint32_t *word_at(struct fake_cmsis_dap *fake, uint32_t addr)
{
	uint32_t i = (addr - FAKE_DAP_BASE) / 4;

	if (addr < FAKE_DAP_BASE || i >= FAKE_DAP_WORDS || addr == fake->fault_addr) {
		fake->sticky = true;
		return NULL;
	}
	return &fake->words[i];
}

static void next_tar(struct fake_cmsis_dap *fake)
{
	if ((fake->csw & 0x30) == 0x10)
		fake->tar = (fake->tar & ~0x3ffu) | ((fake->tar + 4) & 0x3ff);	/* wraps inside 1 KiB */
}

static uint32_t ap_read(struct fake_cmsis_dap *fake, uint8_t reg)
{
	uint32_t *word;

	switch (reg) {
	case 0x00: return fake->csw;
	case 0x04: return fake->tar;
	case 0x0c:
		word = word_at(fake, fake->tar);
		next_tar(fake);
		return word != NULL ? *word : 0;
	case 0x14:
		if (fake->poll_reads == 0)
			return fake->bd1_after;
		fake->poll_reads--;
		return 0x80000000;
	case 0xfc: return 0x04770031;
	default: return 0;
	}
}

static void ap_write(struct fake_cmsis_dap *fake, uint8_t reg, uint32_t value)
{
	uint32_t *word;

	if (reg == 0x00)
		fake->csw = value;
	if (reg == 0x04)
		fake->tar = value;
	if (reg != 0x0c)
		return;
	word = word_at(fake, fake->tar);
	next_tar(fake);
	if (word != NULL)
		*word = value;
}

static uint8_t dp_access(struct fake_cmsis_dap *fake, uint8_t req, uint32_t *data)
{
	uint8_t a = req & 0xc;

	if ((req & READ) != 0) {
		if (a == 0xc && fake->sticky)
			return FAULT;
		*data = a == 0 ? 0x0bc11477 : a == 4 ? fake->ctrl_stat : a == 0xc ? fake->rdbuff : 0;
	} else if (a == 0) {
		fake->sticky = false;
	} else if (fake->sticky) {
		return FAULT;
	} else if (a == 4) {
		fake->ctrl_stat = *data | (*data & 0x50000000) << 1;
	} else if (a == 8) {
		fake->select = *data;
	}
	return OK;
}

static uint8_t ap_access(struct fake_cmsis_dap *fake, uint8_t req, uint32_t *data)
{
	uint8_t reg = (uint8_t)((fake->select & 0xf0) | (req & 0xc));

	if (fake->sticky)
		return FAULT;
	if ((req & READ) == 0) {
		ap_write(fake, reg, *data);
	} else {	/* posted: the word of the access before */
		*data = fake->rdbuff;
		fake->rdbuff = ap_read(fake, reg);
	}
	return OK;
}

/* One SWD transfer. An access counts as one of the AP when it may have to wait for the AP. */
static uint8_t swd(struct fake_cmsis_dap *fake, uint8_t req, uint32_t *data)
{
	uint32_t unused = 0;
	bool waits = (req & AP) != 0 || (req & 0xf) == RDBUFF;

	fake->took_ns += fake->clock_ns * UINT64_C(46);
	if (fake->absent)
		return NO_ACK;
	if (waits && fake->n_accesses >= fake->wait_from && fake->wait_acks > 0) {
		fake->wait_acks--;
		return WAIT;
	}
	fake->n_accesses += waits;
	return (req & AP) != 0 ? ap_access(fake, req, data != NULL ? data : &unused)
			       : dp_access(fake, req, data != NULL ? data : &unused);
}

static uint8_t patient(struct fake_cmsis_dap *fake, uint8_t req, uint32_t *data)
{
	uint8_t ack = swd(fake, req, data);

	for (unsigned retry = fake->wait_retry; ack == WAIT && retry > 0; retry--)
		ack = swd(fake, req, data);
	return ack;
}

/* --- the commands: as the reference firmware does them, with its way of counting */

static uint8_t match(struct fake_cmsis_dap *fake, uint8_t req, uint32_t want)
{
	unsigned retry = fake->match_retry;
	uint32_t data = 0;
	uint8_t ack = OK;

	if ((req & AP) != 0)
		ack = patient(fake, req & 0xf, NULL);
	if (ack != OK)
		return ack;
	do {
		ack = patient(fake, req & 0xf, &data);
	} while (ack == OK && (data & fake->match_mask) != want && retry-- > 0);
	return ack == OK && (data & fake->match_mask) != want ? OK | MISMATCH : ack;
}

struct transfer {
	const uint8_t *in;
	uint8_t *out;
	bool posted, written;
};

static uint8_t fetch_posted(struct fake_cmsis_dap *fake, struct transfer *t, uint8_t req)
{
	bool again = (req & (AP | READ | VALUE)) == (AP | READ);
	uint32_t data = 0;
	uint8_t ack;

	if (!t->posted)
		return OK;
	ack = patient(fake, again ? req & 0xf : RDBUFF, &data);
	if (ack != OK)
		return ack;
	t->posted = again;
	pt_put_le32(t->out, data);
	t->out += 4;
	return OK;
}

static uint8_t transfer_read(struct fake_cmsis_dap *fake, struct transfer *t, uint8_t req)
{
	bool was_posted = t->posted;
	uint32_t data = 0;
	uint8_t ack = fetch_posted(fake, t, req);

	if (ack != OK)
		return ack;
	t->written = false;
	if ((req & VALUE) != 0) {
		t->in += 4;
		return match(fake, req, pt_le32(t->in - 4));
	}
	if ((req & AP) != 0) {
		if (!(was_posted && t->posted))
			ack = patient(fake, req & 0xf, NULL);
		t->posted = ack == OK;
		return ack;
	}
	ack = patient(fake, req & 0xf, &data);
	if (ack == OK) {
		pt_put_le32(t->out, data);
		t->out += 4;
	}
	return ack;
}

static uint8_t transfer_write(struct fake_cmsis_dap *fake, struct transfer *t, uint8_t req)
{
	uint32_t data = pt_le32(t->in);
	uint8_t ack = fetch_posted(fake, t, req);

	if (ack != OK)
		return ack;
	t->in += 4;
	if ((req & MASK) != 0) {
		fake->match_mask = data;
		return OK;
	}
	t->written = true;
	return patient(fake, req & 0xf, &data);
}

/* Also of those that are skipped after an error. */
static size_t transfer_bytes(const uint8_t *request)
{
	size_t len = 3;

	for (unsigned n = request[2]; n > 0; n--)
		len += (request[len] & READ) == 0 || (request[len] & VALUE) != 0 ? 5 : 1;
	return len;
}

/* Both return the bytes of request taken; *out moves past the response. */
static size_t do_transfer(struct fake_cmsis_dap *fake, const uint8_t *request, uint8_t **out)
{
	struct transfer t = { .in = request + 3, .out = *out + 3 };
	unsigned n = request[2], n_ok = 0;
	uint8_t ack = OK;

	for (; n > 0; n--, n_ok++) {
		uint8_t req = *t.in++;

		ack = (req & READ) != 0 ? transfer_read(fake, &t, req) : transfer_write(fake, &t, req);
		if (ack != OK)
			break;
	}
	if (ack == OK && t.posted)
		ack = fetch_posted(fake, &t, 0);
	else if (ack == OK && t.written)
		ack = patient(fake, RDBUFF, NULL);
	(*out)[0] = 0x05;
	(*out)[1] = (uint8_t)n_ok;
	(*out)[2] = ack;
	*out = t.out;
	return transfer_bytes(request);
}

static size_t do_block(struct fake_cmsis_dap *fake, const uint8_t *request, uint8_t **out)
{
	unsigned n = pt_le16(request + 2), n_ok = 0;
	uint8_t req = request[4], ack = OK, *p = *out + 4;
	bool posts = (req & (AP | READ)) == (AP | READ);
	size_t taken = 5 + ((req & READ) != 0 ? 0 : (size_t)4 * n);

	if (posts)
		ack = patient(fake, req, NULL);
	for (; ack == OK && n_ok < n; n_ok++) {
		uint32_t data = (req & READ) != 0 ? 0 : pt_le32(request + 5 + 4 * n_ok);

		ack = patient(fake, posts && n_ok + 1 == n ? RDBUFF : req, &data);
		if (ack != OK)
			break;
		if ((req & READ) != 0) {
			pt_put_le32(p, data);
			p += 4;
		}
	}
	if (ack == OK && (req & READ) == 0)
		ack = patient(fake, RDBUFF, NULL);
	(*out)[0] = 0x06;
	pt_put_le16(*out + 1, (uint16_t)n_ok);
	(*out)[3] = ack;
	*out = p;
	return taken;
}

static size_t text(uint8_t *data, const char *from)
{
	return from != NULL ? (size_t)(stpcpy((char *)data, from) - (char *)data) + 1 : 0;
}

static size_t info_of(const struct fake_cmsis_dap *fake, uint8_t id, uint8_t *data)
{
	switch (id) {
	case 0x02: return text(data, fake->product);
	case 0x04: return text(data, fake->protocol);
	case 0x09: return text(data, "1.0");
	case 0xf0: data[0] = fake->capabilities; return 1;
	case 0xfe: data[0] = fake->packet_count; return 1;
	case 0xff: pt_put_le16(data, fake->packet_bytes); return fake->packet_bytes > 0 ? 2 : 0;
	default: return 0;
	}
}

/* A command whose response is its id and a byte. */
static size_t do_simple(struct fake_cmsis_dap *fake, const uint8_t *request, uint8_t **out)
{
	static const uint8_t len[256] = {
		[0x01] = 3, [0x02] = 2, [0x03] = 1, [0x04] = 6, [0x08] = 6, [0x09] = 3, [0x10] = 7, [0x11] = 5, [0x13] = 2,
	};
	uint8_t status = 0;

	switch (request[0]) {
	case 0x02: status = request[1]; break;
	case 0x04: fake->wait_retry = pt_le16(request + 2); fake->match_retry = pt_le16(request + 4); break;
	case 0x08: fake->sticky = false; break;
	case 0x09:
		fake->n_delay_us += pt_le16(request + 1);
		fake->took_ns += pt_le16(request + 1) * UINT64_C(1000);
		break;
	case 0x10: fake->last_pins = pt_le32(request + 1) & 0xffff; status = request[1]; break;
	case 0x11: fake->last_clock = pt_le32(request + 1); break;
	}
	(*out)[0] = request[0];
	(*out)[1] = status;
	*out += 2;
	if (request[0] == 0x12)
		return 2 + (request[1] == 0 ? 32 : (request[1] + 7u) / 8);
	return len[request[0]];
}

static size_t do_command(struct fake_cmsis_dap *fake, const uint8_t *request, uint8_t **out)
{
	size_t n;

	fake->n_commands[request[0]]++;
	switch (request[0]) {
	case 0x00:
		n = info_of(fake, request[1], *out + 2);
		(*out)[0] = 0;
		(*out)[1] = (uint8_t)n;
		*out += 2 + n;
		return 2;
	case 0x05: return do_transfer(fake, request, out);
	case 0x06: return do_block(fake, request, out);
	case 0x01: case 0x02: case 0x03: case 0x04: case 0x08: case 0x09: case 0x10: case 0x11: case 0x12: case 0x13:
		return do_simple(fake, request, out);
	default:
		*(*out)++ = 0xff;
		return 1;
	}
}

size_t fake_cmsis_dap_answer(void *arg, const uint8_t *request, size_t len_bytes, uint8_t *response, uint64_t *took_ns)
{
	struct fake_cmsis_dap *fake = arg;
	unsigned n_commands = 1;
	uint8_t *out = response;

	(void)len_bytes;
	fake->took_ns = 0;
	if (request[0] == 0x7f) {
		n_commands = request[1];
		*out++ = 0x7f;
		*out++ = request[1];
		request += 2;
	}
	while (n_commands-- > 0)
		request += do_command(fake, request, &out);
	*took_ns += fake->took_ns;
	return fake->padded ? fake->packet_bytes : (size_t)(out - response);
}
