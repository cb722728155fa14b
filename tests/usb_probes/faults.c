#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dap.h"
#include "faults.h"
#include "swd_pins.h"

enum { N_ENDPOINTS = 16, TO_HOST = 0x80, MOST_FAULTS = 8 };

static struct {
	struct { enum fault fault; uint64_t at; unsigned value; } row[MOST_FAULTS];
	unsigned n, next;		/* next: the first that has not happened */
	uint64_t seen;			/* transfers since the one before it */
} plan;

static const struct { const char *name; unsigned value; bool to_host; } kinds[] = {
	[FAULT_UNPLUG] = { "unplug" }, [FAULT_STALL] = { "stall" }, [FAULT_MUTE] = { "mute" },
	[FAULT_SHORT] = { "short", .to_host = true }, [FAULT_LATE] = { "late", .value = 300 }, [FAULT_HUNG] = { "hung" },
	[FAULT_WRONG] = { "wrong", .to_host = true }, [FAULT_TWICE] = { "twice", .to_host = true },
};

bool faults_parse(const char *text)
{
	for (enum fault f = FAULT_UNPLUG; f <= FAULT_TWICE && plan.n < MOST_FAULTS; f++) {
		size_t len = strlen(kinds[f].name);
		char *end;

		if (strncmp(text, kinds[f].name, len) != 0 || text[len] != ':')
			continue;
		plan.row[plan.n].fault = f;
		plan.row[plan.n].at = strtoull(text + len + 1, &end, 10);
		plan.row[plan.n].value = *end == ':' ? (unsigned)strtoul(end + 1, &end, 10) : kinds[f].value;
		return plan.row[plan.n++].at > 0 && *end == '\0';
	}
	return false;
}

/* What is wrong with a reply waits for the first IN transfer from there on. */
enum fault faults_at_transfer(bool to_host)
{
	plan.seen++;
	if (plan.next == plan.n || plan.seen < plan.row[plan.next].at)
		return FAULT_NONE;
	if (kinds[plan.row[plan.next].fault].to_host && !to_host)
		return FAULT_NONE;
	plan.seen = 0;
	return plan.row[plan.next++].fault;
}

unsigned faults_value(void)
{
	return plan.next > 0 ? plan.row[plan.next - 1].value : 0;
}

void faults_forget(void)
{
	plan.seen = plan.next > 0 ? plan.seen : 0;
}

/* --- counts */

static struct {
	const char *path;
	uint64_t transfers[2][N_ENDPOINTS], bytes[2][N_ENDPOINTS], turns, idle, violations, crossings;
	bool last_to_host;
} counts;

/* A turn: the host speaks on after it has been answered. Those on endpoint 0 are transfers of their own. */
void count_transfer(unsigned endpoint, size_t len_bytes)
{
	bool to_host = (endpoint & TO_HOST) != 0;
	unsigned number = endpoint % N_ENDPOINTS;

	counts.transfers[to_host][number]++;
	counts.bytes[to_host][number] += len_bytes;
	if (number == 0 || (to_host && !counts.last_to_host))
		counts.turns++;
	if (number != 0)
		counts.last_to_host = to_host;
}

void count_idle(void)
{
	counts.idle++;
}

void count_violation(void)
{
	counts.violations++;
}

void count_crossing(void)
{
	counts.crossings++;
}

void count_set_file(const char *path)
{
	counts.path = path;
}

static void print_counts(FILE *file)
{
	uint64_t transfers = 0, bytes = 0;

	for (unsigned i = 0; i < N_ENDPOINTS; i++) {
		for (unsigned in = 0; in < 2; in++) {
			if (counts.transfers[in][i] == 0)
				continue;
			fprintf(file, "%02x.transfers %llu\n%02x.bytes %llu\n", i | (in != 0 ? TO_HOST : 0),
				(unsigned long long)counts.transfers[in][i], i | (in != 0 ? TO_HOST : 0),
				(unsigned long long)counts.bytes[in][i]);
			transfers += counts.transfers[in][i];
			bytes += counts.bytes[in][i];
		}
	}
	fprintf(file, "transfers %llu\nbytes %llu\nturns %llu\nidle %llu\nviolations %llu\n",
		(unsigned long long)transfers, (unsigned long long)bytes, (unsigned long long)counts.turns,
		(unsigned long long)counts.idle, (unsigned long long)counts.violations);
	fprintf(file, "faults %u\n", plan.next);
	fprintf(file, "crossings %llu\n", (unsigned long long)counts.crossings);
	fprintf(file, "swd-cycles %llu\nswd-errors %llu\ndap-transactions %llu\n",
		(unsigned long long)swd_counts.cycles, (unsigned long long)swd_counts.protocol_errors,
		(unsigned long long)dap_config.transactions);
}

/* Renamed into place, so that a reader never finds half of it. */
void count_write(void)
{
	char temporary[4096];
	FILE *file;

	if (counts.path == NULL ||
	    snprintf(temporary, sizeof(temporary), "%s.part", counts.path) >= (int)sizeof(temporary))
		return;
	file = fopen(temporary, "w");
	if (file == NULL) {
		perror(temporary);
		return;
	}
	print_counts(file);
	fclose(file);
	rename(temporary, counts.path);
}
