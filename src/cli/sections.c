#include "cli/sections.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cli/options_parts.h"

static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";

static bool is_name(const char *name)
{
	size_t len = strlen(name);

	return len >= 1 && len <= PT_BOARD_NAME && strchr(letters, name[0]) != NULL &&
	       strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_.-") == len;
}

struct pt_options *pt_section_begin(struct pt_options *options, const char *name, unsigned line, struct pt_err *err)
{
	struct pt_options *section;

	err->code = 0;
	if (options->n_boards == PT_MAX_BOARDS) {
		pt_fail(err, PT_EARG, "more than %d boards", PT_MAX_BOARDS);
		return NULL;
	}
	if (!is_name(name))
		pt_fail(err, PT_EARG,
			"board %.60s: a name has 1 to %d of the characters a-z 0-9 _ . - and begins with a letter or digit",
			name, PT_BOARD_NAME);
	for (size_t i = 0; i < options->n_boards && err->code == 0; i++)
		if (strcmp(options->boards[i]->name, name) == 0)
			pt_fail(err, PT_EARG, "a second board %s: the first is at line %u", name,
				options->boards[i]->line);
	section = pt_alloc(sizeof(*section));
	*section = *options;
	section->n_made = section->n_boards = 0;
	section->line = line;
	section->fault = (struct pt_err){ 0 };
	section->made[section->n_made++] = pt_strdup(name);
	section->name = section->made[0];
	if (!pt_options_given(options, "probe"))
		memset(section->probe, 0, sizeof(section->probe));
	options->boards[options->n_boards++] = section;
	return section;
}

void pt_sections_complete(struct pt_options *options)
{
	for (size_t i = 0; i < options->n_boards; i++) {
		struct pt_options *section = options->boards[i];

		if (section->probe[0] == NULL && section->board == NULL) {
			memcpy(section->probe, options->probe, sizeof(section->probe));
			memcpy(section->probe_line, options->probe_line, sizeof(section->probe_line));
		}
		memcpy(section->aliases, options->aliases, sizeof(section->aliases));
		section->n_aliases = options->n_aliases;
		pt_options_replace_aliases(section);
	}
	pt_options_replace_aliases(options);
}

/* Several sections may use the same virtual board: each gets its own. */
static bool is_virtual(const char *uri)
{
	return strncmp(uri, "virtual:", strlen("virtual:")) == 0;
}

/* What selects the device, without the scheme where it is a serial number or a place on USB: usb:serial=7 is the device of
 * cmsis-dap:serial=7. */
static const char *device(const char *uri)
{
	const char *colon = strchr(uri, ':');

	if (colon != NULL && (strncmp(colon + 1, "serial=", 7) == 0 || strncmp(colon + 1, "usb=", 4) == 0))
		return colon + 1;
	return uri;
}

static bool is_same_device(const char *a, const char *b)
{
	const char *of_a = device(a), *of_b = device(b);
	size_t len = strcspn(of_a, "?&");

	return !is_virtual(a) && len == strcspn(of_b, "?&") && strncmp(of_a, of_b, len) == 0;
}

static int check_probe(const struct pt_options *options, size_t i, size_t p, struct pt_err *err)
{
	const struct pt_options *section = options->boards[i];
	const char *uri = section->probe[p], *rest = strchr(uri, ':');

	if (rest != NULL && (rest[1] == '\0' || rest[1] == '?'))
		return pt_fail(
			err, PT_EARG,
			"probe: %s may be another board's probe: name its serial= or usb= (proftap probes lists them)",
			uri);
	for (size_t before = 0; before < i; before++)
		for (size_t q = 0; q < PT_MAX_PROBES && options->boards[before]->probe[q] != NULL; q++)
			if (is_same_device(options->boards[before]->probe[q], uri))
				return pt_fail(err, PT_EARG, "probe: %s is the probe of board %s (line %u)", uri,
					       options->boards[before]->name, options->boards[before]->probe_line[q]);
	return 0;
}

static bool is_any_port(const char *address)
{
	size_t len = strlen(address);

	return len >= 2 && strcmp(address + len - 2, ":0") == 0;
}

static const char *address_of(const struct pt_options *section, size_t which)
{
	return which == 0 ? section->gdb : which == 1 ? section->swo : section->swo_text;
}

static int check_addresses(const struct pt_options *options, size_t i, struct pt_err *err)
{
	static const char *const names[] = { "gdb", "swo", "swo-text" };

	for (size_t a = 0; a < 3; a++) {
		const char *address = address_of(options->boards[i], a);

		if (address != NULL && strcmp(address, "stdio") == 0)
			return pt_fail(err, PT_EARG, "gdb: stdio is for a daemon of one board");
		for (size_t before = 0; address != NULL && !is_any_port(address) && before < i; before++)
			for (size_t b = 0; b < 3; b++) {
				const char *other = address_of(options->boards[before], b);

				if (other != NULL && strcmp(other, address) == 0)
					return pt_fail(err, PT_EARG, "%s: board %s listens at %s, too", names[a],
						       options->boards[before]->name, address);
			}
	}
	return 0;
}

int pt_section_check(const struct pt_options *options, size_t i, unsigned *line, struct pt_err *err)
{
	const struct pt_options *section = options->boards[i];

	*line = section->line;
	if (options->n_boards == 1)
		return 0;
	if (section->probe[0] == NULL && section->board == NULL)
		return pt_fail(err, PT_EARG,
			       "board %s: which probe? With several boards each has a line probe =", section->name);
	for (size_t p = 0; p < PT_MAX_PROBES && section->probe[p] != NULL; p++)
		if (check_probe(options, i, p, err) < 0) {
			*line = section->probe_line[p] != 0 ? section->probe_line[p] : section->line;
			return err->code;
		}
	return check_addresses(options, i, err);
}

void pt_sections_adopt(struct pt_options *options)
{
	struct pt_options *section = options->boards[0], all = *section;

	memcpy(all.made, options->made, sizeof(all.made));
	all.n_made = options->n_made;
	all.boards[0] = section;
	all.n_boards = 1;
	*options = all;
}
