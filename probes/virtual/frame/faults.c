/* A handful of rows, searched linearly at each transfer. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "probes/virtual/frame/faults.h"
#include "base/util.h"

static const struct { const char *name; enum pt_vfault kind; } kinds[] = {
	{ "wait", PT_VFAULT_WAIT },	{ "fault", PT_VFAULT_FAULT },	{ "reset", PT_VFAULT_RESET },
	{ "power", PT_VFAULT_POWER },	{ "stall", PT_VFAULT_STALL },	{ "short", PT_VFAULT_SHORT },
	{ "wrong", PT_VFAULT_WRONG },	{ "unplug", PT_VFAULT_UNPLUG },
	{ "clock", PT_VFAULT_CLOCK },	{ "lost", PT_VFAULT_LOST },	{ "late", PT_VFAULT_LATE },
	{ "cut", PT_VFAULT_CUT },
};

static bool hits_packets(enum pt_vfault kind)
{
	return kind >= PT_VFAULT_STALL;
}

static enum pt_vfault kind_of(const char *name, size_t len)
{
	for (size_t i = 0; i < PT_LEN(kinds); i++)
		if (strlen(kinds[i].name) == len && strncmp(kinds[i].name, name, len) == 0)
			return kinds[i].kind;
	return PT_VFAULT_NONE;
}

/* A number of 1 or more after *text; moves *text past it. False: none there. */
static bool number(const char **text, uint64_t *out)
{
	char *end;

	if (**text < '0' || **text > '9')
		return false;
	errno = 0;
	*out = strtoull(*text, &end, 10);
	*text = end;
	return errno == 0 && *out > 0;
}

/* One row; moves *text past it. False: it is not one. */
static bool row(struct pt_vfaults *faults, const char **text)
{
	size_t name_len = strcspn(*text, "@,+"), i = faults->n_rows;

	faults->row[i].kind = kind_of(*text, name_len);
	faults->row[i].count = 1;
	*text += name_len;
	if (faults->row[i].kind == PT_VFAULT_NONE || *(*text)++ != '@' || !number(text, &faults->row[i].at))
		return false;
	if (**text == '+') {
		(*text)++;
		if (!number(text, &faults->row[i].count))
			return false;
	}
	faults->n_rows++;
	return true;
}

int pt_vfaults_parse(struct pt_vfaults *faults, const char *text, struct pt_err *err)
{
	const char *at = text;

	faults->n_rows = 0;
	while (at != NULL && *at != '\0') {
		if (faults->n_rows == PT_VFAULTS_MAX)
			return pt_fail(err, PT_EARG, "fault: more than %d of them", PT_VFAULTS_MAX);
		if (!row(faults, &at) || (*at != '\0' && *at != ','))
			return pt_fail(err, PT_EARG,
				       "fault: \"%s\" is not KIND@NUMBER[+COUNT] with KIND one of wait, fault, reset, "
				       "power, clock (SWD transfers or BDC commands), stall, short, wrong, lost, "
				       "late, cut, unplug (packets)",
				       text);
		at += *at == ',';
	}
	return 0;
}

static uint64_t count_of(const struct pt_vfaults *faults, enum pt_vfault kind)
{
	return hits_packets(kind) ? faults->packets : faults->transfers;
}

int pt_vfaults_from_now(struct pt_vfaults *faults, const char *text, struct pt_err *err)
{
	struct pt_vfaults next = { .transfers = faults->transfers, .packets = faults->packets };

	if (pt_vfaults_parse(&next, text, err) < 0)
		return err->code;
	for (size_t i = 0; i < next.n_rows; i++)
		next.row[i].at += count_of(&next, next.row[i].kind);
	*faults = next;
	return 0;
}

bool pt_vfaults_are_over(const struct pt_vfaults *faults)
{
	for (size_t i = 0; i < faults->n_rows; i++) {
		uint64_t so_far = count_of(faults, faults->row[i].kind);

		if (so_far < faults->row[i].at || so_far - faults->row[i].at < faults->row[i].count)
			return false;
	}
	return true;
}

static enum pt_vfault active(struct pt_vfaults *faults, bool packets, uint64_t number_of_it)
{
	for (size_t i = 0; i < faults->n_rows; i++)
		if (hits_packets(faults->row[i].kind) == packets && number_of_it >= faults->row[i].at &&
		    number_of_it - faults->row[i].at < faults->row[i].count)
			return faults->row[i].kind;
	return PT_VFAULT_NONE;
}

enum pt_vfault pt_vfault_of_transfer(struct pt_vfaults *faults, uint64_t transfer)
{
	faults->transfers = transfer;
	return active(faults, false, transfer);
}

enum pt_vfault pt_vfault_of_packet(struct pt_vfaults *faults, uint64_t packet)
{
	faults->packets = packet;
	return active(faults, true, packet);
}
