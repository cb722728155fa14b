/* The registry of virtual boards and the words that their addresses take. */
#include <stdio.h>
#include <string.h>

#include "probes/virtual/board.h"
#include "base/util.h"

static const struct pt_vboard_ops *const boards[] = {
#define X(board) &pt_vboard_##board,
	PT_VBOARDS(X)
#undef X
};

const struct pt_param pt_vboard_params[] = {
	{ .key = "elf", .type = PT_PARAM_TEXT,
	  .help = "firmware to run, an ELF file; without it the board's built-in demo" },
	{ .key = "clock", .type = PT_PARAM_CHOICE, .standard = "wall", .choices = "wall|virtual",
	  .help = "wall: real time, as near as the model's speed allows; virtual: time passes only with link traffic "
		  "and waits, repeatable" },
	{ .key = "swclk", .type = PT_PARAM_HZ, .standard = "4000000", .min = 1000, .max = 100000000,
	  .help = "fastest clock of the probe, SWCLK or TCK, and its clock until the host sets a slower one" },
	{ .key = "link", .type = PT_PARAM_CHOICE, .standard = "bulk-hs", .choices = "hid-fs|bulk-fs|bulk-hs|tcp",
	  .help = "packet size, depth and times of the link to the probe" },
	{ .key = "seed", .type = PT_PARAM_NUMBER, .standard = "0",
	  .help = "a number other than 0 lets the board run a pseudo-random time under 20 ms before the host comes" },
	{ .key = "core-drift", .type = PT_PARAM_NUMBER, .standard = "0", .max = 10000,
	  .help = "how many ppm the core's clock is faster than it says, as the probe's clock has it; crystals are some "
		  "tens off, and then samples at fixed distances meet every phase of what the core does again and again" },
	{ .key = "fault", .type = PT_PARAM_LIST,
	  .help = "KIND@NUMBER[+COUNT],...: wait, fault, reset, power, clock at an SWD transfer or BDC command; stall, "
		  "short, wrong, unplug at a packet" },
	{ .key = "probe", .type = PT_PARAM_TEXT,
	  .help = "which probe it has on its cable, where it may have several: cmsis-dap, xvc, bitbang, rsp; pipe, "
		  "osbdm, usbdm" },
	{ .key = "pins", .type = PT_PARAM_FLAG, .standard = "on",
	  .help = "off: the probe offers no trace pins, and another one may" },
	{ .key = "variant", .type = PT_PARAM_TEXT,
	  .help = "another chip of the family, or one with something missing; the board lists them" },
};
const size_t pt_n_vboard_params = PT_LEN(pt_vboard_params);

const struct pt_param *pt_vboard_param(const char *key)
{
	for (size_t i = 0; i < PT_LEN(pt_vboard_params); i++)
		if (strcmp(pt_vboard_params[i].key, key) == 0)
			return &pt_vboard_params[i];
	return NULL;
}

uint32_t pt_vboard_drift_ppm(const struct pt_params *settings)
{
	return (uint32_t)pt_params_number(settings, pt_vboard_param("core-drift"));
}

const struct pt_param *pt_vboard_row(const struct pt_vboard_ops *ops, const char *key)
{
	for (size_t i = 0; i < ops->n_params; i++)
		if (strcmp(ops->params[i].key, key) == 0)
			return &ops->params[i];
	return NULL;
}

int pt_vboard_add_word(const struct pt_vboard_ops *ops, struct pt_params *settings, const char *word,
		       struct pt_err *err)
{
	char key[32];

	snprintf(key, sizeof(key), "%.*s", (int)strcspn(word, "="), word);
	if (pt_vboard_row(ops, key) != NULL)
		return pt_params_add(settings, ops->params, ops->n_params, word, err);
	return pt_params_add(settings, pt_vboard_params, pt_n_vboard_params, word, err);
}

static const struct pt_vboard_ops *lookup(const char *name)
{
	for (size_t i = 0; i < PT_LEN(boards); i++)
		if (strcmp(boards[i]->name, name) == 0)
			return boards[i];
	return NULL;
}

const struct pt_vboard_ops *pt_vboard_find(const char *name, struct pt_err *err)
{
	const struct pt_vboard_ops *found = lookup(name);
	char names[200] = "";
	size_t n = 0;

	if (found != NULL)
		return found;
	for (size_t i = 0; i < PT_LEN(boards) && n < sizeof(names); i++)
		n += (size_t)snprintf(names + n, sizeof(names) - n, "%s%s", i > 0 ? ", " : "", boards[i]->name);
	pt_fail(err, PT_EARG, "virtual board \"%s\" is not built in this version; there is %s", name, names);
	return NULL;
}

/* The value of one key of "NAME?key=value&key=value"; false: it is not there. */
static bool query_value(const char *query, const char *key, char *value, size_t room)
{
	size_t len = strlen(key);

	for (const char *at = strchr(query, '?'); at != NULL; at = strchr(at, '&')) {
		at++;
		if (strncmp(at, key, len) != 0 || at[len] != '=')
			continue;
		snprintf(value, room, "%.*s", (int)strcspn(at + len + 1, "&"), at + len + 1);
		return true;
	}
	return false;
}

const char *pt_vboard_probe(const char *name_and_query, struct pt_err *err)
{
	char name[32], wanted[32] = "", names[200] = "";
	const struct pt_vboard_ops *ops;
	size_t n = 0;

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(name_and_query, "?"), name_and_query);
	ops = pt_vboard_find(name, err);
	if (ops == NULL)
		return NULL;
	if (!query_value(name_and_query, "probe", wanted, sizeof(wanted)))
		return ops->probes[0];
	if (strcmp(wanted, "pipe") == 0)
		strcpy(wanted, "bdc-pipe");
	for (size_t i = 0; ops->probes[i] != NULL; i++) {
		if (strcmp(ops->probes[i], wanted) == 0)
			return ops->probes[i];
		if (n < sizeof(names))
			n += (size_t)snprintf(names + n, sizeof(names) - n, "%s%s", i > 0 ? ", " : "", ops->probes[i]);
	}
	pt_fail(err, PT_EARG, "the virtual board %s has no probe \"%s\"; it may have %s", name, wanted, names);
	return NULL;
}

void pt_vboard_told(const char *name_and_query, void (*say)(void *arg, const char *word), void *arg)
{
	struct pt_params *settings = pt_params_new();
	struct pt_err ignored = { 0 };
	const char *driver = pt_vboard_probe(name_and_query, &ignored);
	const struct pt_vboard_ops *ops;
	char word[200];

	snprintf(word, sizeof(word), "%.*s", (int)strcspn(name_and_query, "?"), name_and_query);
	ops = driver != NULL ? lookup(word) : NULL;
	for (const char *at = strchr(name_and_query, '?'); ops != NULL && at != NULL; at = strchr(at, '&')) {
		at++;
		snprintf(word, sizeof(word), "%.*s", (int)strcspn(at, "&"), at);
		pt_vboard_add_word(ops, settings, word, &ignored);
	}
	if (ops != NULL && ops->told != NULL)
		ops->told(settings, driver, say, arg);
	pt_params_free(settings);
}

bool pt_vboard_has_pins(const char *name_and_query)
{
	uint64_t on = 1;
	char value[8];

	if (query_value(name_and_query, "pins", value, sizeof(value)))
		/* what is no flag is refused when the board is made */
		pt_params_parse(PT_PARAM_FLAG, value, &on, NULL);
	return on != 0;
}

const uint8_t *pt_vboard_demo(const char *name, size_t *len_bytes)
{
	const struct pt_vboard_ops *board = lookup(name);

	return board != NULL ? board->demo(len_bytes) : NULL;
}
