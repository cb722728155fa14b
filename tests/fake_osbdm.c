#include "fake_osbdm.h"

#include <string.h>

#include "base/util.h"

enum { BIT_NS = 2000 };		/* 16 cycles at 8 MHz */

void fake_osbdm_init(struct fake_osbdm *fake)
{
	memset(fake, 0, sizeof(*fake));
	fake_bdc_init(&fake->bdc);
	fake->target_type = 9;
}

static size_t put_be(uint8_t *out, uint32_t value, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		out[i] = (uint8_t)(value >> (8 * (n - 1 - i)));
	return n;
}

static void script(struct fake_osbdm *fake, const uint8_t *input, size_t n_input, uint8_t *response, uint64_t *took_ns)
{
	size_t n = 0;

	for (size_t i = 1; i + 1 < n_input; i += 2) {	/* the first byte means nothing */
		uint8_t byte = 0x55;

		*took_ns += 9 * BIT_NS;
		if (input[i] == 0)
			fake_bdc_send(&fake->bdc, input[i + 1]);
		else if (input[i] == 1)
			byte = fake_bdc_receive(&fake->bdc);
		else
			fake->n_bad++;
		if (input[i] == 1 || fake->gaps)
			response[4 + n++] = byte;
	}
	put_be(response + 2, (uint32_t)n, 2);
}

static void special(struct fake_osbdm *fake, const uint8_t *request, size_t len_bytes, uint8_t *response,
		    uint64_t *took_ns)
{
	size_t n_input = len_bytes < 4 ? 0 : (size_t)request[2] << 8 | request[3];

	if (n_input + 4 > len_bytes || n_input > 60) {
		fake->n_bad++;
		return;
	}
	if (request[1] == 0x01)
		fake->ticks = fake_bdc_sync(&fake->bdc) != 0 ? 60000000ull * 128 / FAKE_BDC_HZ : 0;
	else if (request[1] == 0x2d)
		script(fake, request + 4, n_input, response, took_ns);
	else
		fake->n_bad++;
}

size_t fake_osbdm_answer(void *arg, const uint8_t *request, size_t len_bytes, uint8_t *response, uint64_t *took_ns)
{
	struct fake_osbdm *fake = arg;
	size_t n = 2;

	fake->n_commands[request[0]]++;
	fake->n_bad += len_bytes > 64;
	memset(response, 0, 64);
	response[0] = request[0];
	switch (request[0]) {
	case 0x10:
		n = 12;
		response[4] = fake->ticks != 0;
		break;
	case 0x1b:
		if (request[1] == 2 || request[1] == 3)
			fake_bdc_reset(&fake->bdc, request[1] == 2);
		break;
	case 0x26:
		n = 2 + put_be(response + 2, fake->ticks, 4);
		break;
	case 0x27:
		special(fake, request, len_bytes, response, took_ns);
		return 64;
	case 0x50:
		n = 12;
		memcpy(response + 2, (const uint8_t[]){ 1, 2, 31, fake->target_type, 0, 26, 3, 4 }, 8);
		break;
	case 0x20: case 0x21: case 0x22:	/* these answer well and do nothing */
		fake->n_bad++;
		break;
	case 0x30: case 0x31: case 0x32: case 0x33:
		response[0] = 1;
		break;
	default:
		response[0] = 2;
		break;
	}
	response[1] = (uint8_t)n;
	return n;
}
