#include "fake_usbdm.h"

#include <string.h>

#include "scripted_link.h"
#include "base/util.h"

enum { FIRST_BYTES = 62, PARAMS = 1, BUSY = 3, ILLEGAL = 4, NO_CONNECTION = 5, NO_SYNC = 21, REFUSED = 42 };

void fake_usbdm_init(struct fake_usbdm *fake, uint8_t version)
{
	memset(fake, 0, sizeof(*fake));
	fake_bdc_init(&fake->bdc);
	fake->version = version;
	fake->caps = 1 << 14;
	fake->most_bytes = version == 4 ? 254 : 250;
	fake->bdc.bdccsr |= 0x0200;	/* UNSEC */
}

static uint32_t be(const uint8_t *in, unsigned n)
{
	uint32_t value = 0;

	while (n-- > 0)
		value = value << 8 | *in++;
	return value;
}

static size_t give_be(uint8_t *response, uint32_t value, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		response[1 + i] = (uint8_t)(value >> (8 * (n - 1 - i)));
	return 1 + n;
}

/* Elements one by one, as DUMP_MEM and FILL_MEM would. */
static size_t memory(struct fake_usbdm *fake, const uint8_t *request, size_t n_request, uint8_t *response)
{
	bool write = (request[1] & 0x3f) == 32;
	unsigned size = request[2], count = request[3];
	uint32_t addr = be(request + 4, 4);

	if ((size != 1 && size != 2 && size != 4) || count == 0 || count % size != 0 || addr + count > 1 << 24 ||
	    n_request != (write ? 8u + count : 8u) || 1u + count > fake->most_bytes) {
		fake->n_bad++;
		response[0] = PARAMS;
		return 1;
	}
	for (unsigned i = 0; i < count && response[0] == 0; i += size)
		if (!(write ? fake_bdc_write(&fake->bdc, addr + i, size, request + 8 + i)
			    : fake_bdc_read(&fake->bdc, addr + i, size, response + 1 + i)))
			response[0] = REFUSED;
	return write || response[0] != 0 ? 1 : 1 + count;
}

static size_t connect_target(struct fake_usbdm *fake, uint8_t *response)
{
	fake->connected = fake->target == 11 && fake_bdc_sync(&fake->bdc) != 0;
	if (!fake->connected)
		response[0] = NO_SYNC;
	else
		fake->bdc.bdccsr |= 0x8000;
	return 1;
}

static size_t perform(struct fake_usbdm *fake, const uint8_t *request, size_t n, uint8_t *response)
{
	uint8_t command = request[1] & 0x3f;
	bool active = (fake->bdc.bdccsr & 0x4000) != 0;

	if (command >= 17 && !fake->connected) {
		response[0] = NO_CONNECTION;
		return 1;
	}
	switch (command) {
	case 1:
		fake->target = request[2];
		fake->connected = false;
		return 1;
	case 5:
		give_be(response, fake->caps, 2);
		response[3] = (uint8_t)(fake->most_bytes >> 8);
		response[4] = (uint8_t)fake->most_bytes;
		memcpy(response + 5, (const uint8_t[]){ fake->version, 12, 1 }, 3);
		return 8;
	case 15:
		return connect_target(fake, response);
	case 17:
		return give_be(response, 60000000ull * 128 / FAKE_BDC_HZ, 2);
	case 18:
		fake->bdc.bdccsr |= 0x0200;
		fake->connected = false;
		return 1;
	case 20:
		return give_be(response, (uint32_t)(fake->bdc.bdccsr >> 8), 4);
	case 21:
		fake->bdc.bdccsr = (uint16_t)((fake->bdc.bdccsr & 0x4300) | (request[5] & 0xbc) << 8);
		return 1;
	case 22:
		fake_bdc_reset(&fake->bdc, (request[2] & 1) == 0);
		fake->bdc.bdccsr |= 0x0200;
		fake->connected = false;
		return 1;
	case 23: case 24:
		response[0] = active ? 0 : REFUSED;
		if (command == 24)
			fake->bdc.bdccsr &= (uint16_t)~0x4000;
		return 1;
	case 25:
		fake->bdc.bdccsr |= 0x4000;
		return 1;
	case 26: case 27:
		response[0] = !active ? REFUSED : be(request + 2, 2) > 12 ? PARAMS : 0;
		if (response[0] == 0 && command == 26)
			fake->bdc.rn[request[3]] = be(request + 4, 4);
		return response[0] == 0 && command == 27 ? give_be(response, fake->bdc.rn[request[3]], 4) : 1;
	case 32: case 33:
		return memory(fake, request, n, response);
	default:
		response[0] = ILLEGAL;
		return 1;
	}
}

static uint8_t tag(struct fake_usbdm *fake, uint8_t command)
{
	uint8_t bits = command & (fake->version == 4 ? 0x80 : 0xc0);

	if (fake->version == 5 && (command & 0x3f) != 5) {	/* one more for each command */
		fake->n_bad += fake->last_sequence != 0xff && bits != (uint8_t)(fake->last_sequence + 0x40);
		fake->last_sequence = bits;
	}
	if ((command & 0x3f) == 5)	/* a host begins */
		fake->last_sequence = 0xff;
	return fake->no_toggle ? 0 : bits;
}

static size_t reply(struct fake_usbdm *fake, const uint8_t *request, size_t n, uint8_t *response)
{
	uint8_t bits = tag(fake, request[1]);
	size_t n_reply;

	fake->n_commands[request[1] & 0x3f]++;
	response[0] = 0;
	n_reply = perform(fake, request, n, response);
	response[0] |= bits;
	for (; fake->busy > 1; fake->busy--)
		pt_script_leave(fake->script, (const uint8_t[]){ (uint8_t)(BUSY | bits) }, 1);
	if (fake->busy == 0)
		return n_reply;
	pt_script_leave(fake->script, response, n_reply);
	fake->busy = 0;
	response[0] = BUSY | bits;
	return 1;
}

size_t fake_usbdm_answer(void *arg, const uint8_t *request, size_t len_bytes, uint8_t *response, uint64_t *took_ns)
{
	struct fake_usbdm *fake = arg;
	size_t n;

	(void)took_ns;
	if (fake->n_request > 0) {
		fake->n_bad += request[0] != 0;
		memcpy(fake->request + fake->n_request, request + 1, len_bytes - 1);
		n = fake->n_request + len_bytes - 1;
		fake->n_request = 0;
	} else {
		memcpy(fake->request, request, len_bytes);
		n = len_bytes;
	}
	if (fake->version == 4 && fake->request[0] > n && n == FIRST_BYTES) {
		fake->n_parts++;
		fake->n_request = n;
		return PT_SCRIPT_NO_ANSWER;
	}
	fake->n_bad += fake->request[0] != n;
	return reply(fake, fake->request, n, response);
}
