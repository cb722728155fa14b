/* Source: the interface files of OpenOCD 0.12 (tcl/interface/ftdi), which have what the makers publish. */
#include "probes/jtag/mpsse_layouts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "base/util.h"

#define PIN(mask) { .data = (mask) }
#define NOT(mask) { .data = (mask), .ndata = true }
#define PULLS_LOW(mask) { .oe = (mask) }		/* a transistor, or a buffer with its input at ground */

/* The first is what is taken of an adapter whose product does not say what it is. */
static const struct pt_mpsse_layout layouts[] = {
	{ .name = "plain", .channel = 'A', .value = 0x0008, .direction = 0x000b },
	{ .name = "virtual", .product = "proftap virtual", .channel = 'A', .value = 0x0038, .direction = 0x003b,
	  .ntrst = PIN(0x0010), .nsrst = PIN(0x0020) },
	{ .name = "tigard", .product = "Tigard", .channel = 'B', .value = 0x0038, .direction = 0x003b,
	  .ntrst = PIN(0x0010), .nsrst = PIN(0x0020) },
	{ .name = "olimex-arm-usb-ocd-h", .product = "Olimex OpenOCD JTAG ARM-USB-OCD-H", .channel = 'A', .value = 0x0908,
	  .direction = 0x0b1b, .nsrst = PULLS_LOW(0x0200), .ntrst = PIN(0x0100), .swd = PT_MPSSE_NO_SWD },
	{ .name = "olimex-arm-jtag-swd", .channel = 'A', .value = 0x0908, .direction = 0x0b1b, .nsrst = PULLS_LOW(0x0200),
	  .swd = PT_MPSSE_SWD_BUFFERED, .swd_en = NOT(0x0100), .swdio_oe = PIN(0x0008) },
	{ .name = "digilent-hs1", .product = "Digilent Adept USB Device", .pid = 0x6010, .channel = 'A', .value = 0x0088,
	  .direction = 0x008b, .swd = PT_MPSSE_NO_SWD },
	{ .name = "digilent-hs2", .product = "Digilent Adept USB Device", .pid = 0x6014, .channel = 'A', .value = 0x00e8, .direction = 0x60eb, .swd = PT_MPSSE_NO_SWD },
	{ .name = "digilent-hs3", .product = "Digilent USB Device", .channel = 'A', .value = 0x2088, .direction = 0x308b,
	  .nsrst = { .data = 0x2000, .oe = 0x1000, .noe = true }, .swd = PT_MPSSE_NO_SWD },
	{ .name = "digilent-smt2", .channel = 'A', .value = 0x20e8, .direction = 0x3feb, .nsrst = PIN(0x2000),
	  .swd = PT_MPSSE_NO_SWD },
	{ .name = "minimodule", .product = "FT2232H MiniModule", .channel = 'A', .value = 0x0008, .direction = 0x000b,
	  .nsrst = { .data = 0x0020, .oe = 0x0020 } },
	{ .name = "um232h", .channel = 'A', .value = 0xfff8, .direction = 0xfffb,
	  .nsrst = PIN(0x0200), .ntrst = PIN(0x0100) },
	{ .name = "ft232h-module", .channel = 'A', .value = 0x0030, .direction = 0x003b, .nsrst = PIN(0x0010),
	  .ntrst = PIN(0x0020) },
	{ .name = "c232hm", .channel = 'A', .value = 0x4008, .direction = 0x400b },
	{ .name = "busblaster", .channel = 'A', .value = 0x0c08, .direction = 0x0f1b,
	  .ntrst = { .data = 0x0100, .oe = 0x0400, .noe = true }, .nsrst = { .data = 0x0200, .oe = 0x0800, .noe = true },
	  .swd = PT_MPSSE_NO_SWD },
	{ .name = "kt-link", .channel = 'A', .value = 0x8c28, .direction = 0xff3b,
	  .ntrst = { .data = 0x0100, .oe = 0x0400, .noe = true }, .nsrst = { .data = 0x0200, .oe = 0x0800, .noe = true },
	  .swd = PT_MPSSE_SWD_BUFFERED, .swd_en = { .data = 0x0020, .ndata = true, .oe = 0x2000 }, .swdio_oe = NOT(0x1000) },
	{ .name = "esp-prog", .channel = 'A', .value = 0x0008, .direction = 0xf00b, .swd = PT_MPSSE_NO_SWD },
};

bool pt_mpsse_signal_exists(const struct pt_mpsse_signal *signal)
{
	return signal->data != 0 || signal->oe != 0;
}

static void set_mask(uint16_t *word, uint16_t mask, bool on)
{
	*word = (uint16_t)(on ? *word | mask : *word & ~mask);
}

/* Where oe is the data pin itself, that is what is let go. */
void pt_mpsse_signal_set(const struct pt_mpsse_signal *signal, enum pt_mpsse_level level, uint16_t *pins,
			 uint16_t *outputs)
{
	bool driven = signal->data != 0 ? level != PT_MPSSE_RELEASED : level == PT_MPSSE_LOW;

	set_mask(pins, signal->data, (level != PT_MPSSE_LOW) != signal->ndata);
	set_mask(outputs, signal->data, true);
	if (signal->oe != 0 && signal->oe == signal->data) {
		set_mask(outputs, signal->oe, driven);
		return;
	}
	set_mask(pins, signal->oe, driven != signal->noe);
	set_mask(outputs, signal->oe, true);
}

/* --- by name ------------------------------------------------------------------------------------------------------ */

void pt_mpsse_layout_of(const char *product, uint16_t pid, struct pt_mpsse_layout *out)
{
	*out = layouts[0];
	for (size_t i = 0; i < PT_LEN(layouts); i++)
		if (layouts[i].product != NULL && strstr(product, layouts[i].product) != NULL &&
		    (layouts[i].pid == 0 || layouts[i].pid == pid)) {
			*out = layouts[i];
			return;
		}
}

/* A mask in hexadecimal, with 0x or without. Returns where it ends, NULL: it is none. */
static const char *parse_mask(const char *text, uint16_t *mask)
{
	unsigned long value;
	char *end;

	if (text[0] == 0 || strchr("0123456789abcdefABCDEF", text[0]) == NULL)
		return NULL;
	value = strtoul(text, &end, 16);
	*mask = (uint16_t)value;
	return value <= UINT16_MAX ? end : NULL;
}

static bool parse_own(const char *text, struct pt_mpsse_layout *out)
{
	const char *at;

	*out = layouts[0];
	out->name = "own";
	at = parse_mask(text, &out->value);
	if (at == NULL || *at != ':')
		return false;
	at = parse_mask(at + 1, &out->direction);
	return at != NULL && *at == 0;
}

int pt_mpsse_layout_named(const char *name, struct pt_mpsse_layout *out, struct pt_err *err)
{
	struct pt_question question;
	char names[400] = "";
	size_t n = 0;

	for (size_t i = 0; i < PT_LEN(layouts); i++) {
		if (strcmp(layouts[i].name, name) == 0) {
			*out = layouts[i];
			return 0;
		}
		n += (size_t)snprintf(names + n, sizeof(names) - n, "%s%s", i > 0 ? ", " : "", layouts[i].name);
	}
	if (parse_own(name, out))
		return 0;
	return pt_fail(err, PT_EARG,
		       "layout=%.40s names no layout of an FTDI adapter%sthere are %s, and VALUE:DIRECTION in "
		       "hexadecimal, as 0008:000b",
		       name, pt_did_you_mean(name, names, &question), names);
}

/* --- signals ------------------------------------------------------------------------------------------------------ */

static const char *parse_part(const char *text, struct pt_mpsse_signal *out)
{
	size_t len = strcspn(text, ":");
	bool inverted = text[0] == 'n', data = strncmp(text + inverted, "data:", 5) == 0;

	if (text[len] != ':' || (!data && strncmp(text + inverted, "oe:", 3) != 0))
		return NULL;
	if (data)
		out->ndata = inverted;
	else
		out->noe = inverted;
	return parse_mask(text + len + 1, data ? &out->data : &out->oe);
}

int pt_mpsse_signal_parse(const char *text, struct pt_mpsse_signal *out, struct pt_err *err)
{
	const char *at = text;

	*out = (struct pt_mpsse_signal){ 0 };
	do
		at = parse_part(at, out);
	while (at != NULL && *at++ == ',');
	if (at != NULL && at[-1] == 0 && pt_mpsse_signal_exists(out))
		return 0;
	return pt_fail(
		err, PT_EARG,
		"\"%.40s\" is no line of an FTDI adapter: data:MASK, oe:MASK or both with a comma, ndata and noe where "
		"inverted, as data:0020",
		text);
}
