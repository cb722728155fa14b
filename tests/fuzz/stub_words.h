/* Lines for fuzz_stub.c, made from the tables that the server itself has: a packet, a command or a parameter that is added
 * there is tried here. Used as libFuzzer's mutator, which otherwise rarely makes a packet that means something. */
#ifndef PT_FUZZ_STUB_WORDS_H
#define PT_FUZZ_STUB_WORDS_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/params.h"
#include "base/util.h"
#include "control/commands.h"
#include "gdbstub/packet_tables.h"
#include "report/report.h"
#include "report/views/views.h"

enum { WORDS_LINE_BYTES = 400 };

static inline uint32_t words_next(uint32_t *state)	/* xorshift32 */
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	return *state ^= *state << 5;
}

/* One of a NULL-ended list of pointers. */
#define WORDS_PICK(state, list, out) do { \
	size_t n_ = 0; \
	while ((list)[n_] != NULL) \
		n_++; \
	(out) = (list)[words_next(state) % n_]; \
} while (0)

/* What stands behind names of packets: numbers, ranges, threads, annexes, hex text, agent expressions. */
static const char *const words_arguments[] = {
	"0", "1", "-1", "p1.1", "p-1.-1", "20000000,4", "0,100", "1fffe000,2000", "20000000,4:00000000", "ffffffff,ffffffff",
	":", ";", ",", "c", "s", ";c", ";c:1", ";s:p1.1", ";r100,120", ";t", ";C05;c", "0,100,2", "1,100,2", "2,20000000,4",
	"3,20000000,4", "4,20000000,4", "100,2", ";X1,27", ";X3,220027", ";X5,2200002227", ";X7,220122001527",
	";X6,220320070027", ";X4,26000027", ";cmds:0,X1,27", "f", "10", "0=00000000", "f=00000100",
	"features:read:target.xml:0,fff", "memory-map:read::0,fff", "osdata:read::0,fff", "osdata:read:profile:0,fff",
	"osdata:read:processes:0,fff", "threads:read::0,fff", "btrace:read:all:0,fff", "btrace-conf:read::0,fff",
	"exec-file:read:1:0,fff", "exec-file:read::0,fff", "auxv:read::0,fff", "open:666972,0,0", "open:2f6669726d776172652e656c66,0,0",
	"open:70726f66696c652f66756e6374696f6e732e637376,0,0", "open:636170747572652f61,0,0", "open:61,602,1ff", "pread:0,fff,0",
	"pread:1,10,0", "pwrite:0,0,abcdef", "pwrite:1,ffffffff,a", "fstat:0", "close:0", "close:1", "unlink:61", "readlink:61",
	"setfs:0", "stat:61", "Erase:0,400", "Erase:8000,400", "Write:8000:abcd", "Done", "MultiRead:0,4;20000000,4",
	"swbreak+;hwbreak+;multiprocess+;vContSupported+;QThreadEvents+;no-resumed+;memory-tagging+;xmlRegisters=arm",
	"crc:0,100", "Search:memory:0;1000;00", "bts", "off", "bts:size=1000",
};

static const char *const words_values[] = { "0", "1", "on", "off", "-1", "10ms", "1us", "1000000s", "0x20000000:0x1000", "all",
	"0x0", "0xffffffff", "48M", "1k", "main", "files:x", "a.ptcap", "main,idle", "json", "1e99", "", "=", "%s%n" };

static inline const char *words_one_of(uint32_t *state, const char *const *list, size_t n)
{
	return list[words_next(state) % n];
}

static inline size_t words_packet(uint32_t *state, char *out, size_t room)
{
	const struct pt_packet_row *table;
	size_t n = 0;

	WORDS_PICK(state, pt_packet_tables, table);
	while (table[n].name != NULL)
		n++;
	n = (size_t)snprintf(out, room, ">%s", table[words_next(state) % n].name);
	for (unsigned more = words_next(state) % 3; more > 0 && n < room; more--)
		n += (size_t)snprintf(out + n, room - n, "%s",
				      words_one_of(state, words_arguments, PT_LEN(words_arguments)));
	return n < room ? n : room - 1;
}

static inline const struct pt_command_row *words_command(uint32_t *state)
{
#define X(list) pt_commands_##list,
	static const struct pt_command_row *const lists[] = { PT_COMMAND_LISTS(X) NULL };
#undef X
	const struct pt_command_row *list;
	size_t n = 0;

	WORDS_PICK(state, lists, list);
	while (list[n].name != NULL)
		n++;
	return &list[words_next(state) % n];
}

/* A word behind a command: KEY=VALUE of its own, a view, a format, a piece of its usage, a value. */
static inline size_t words_word(uint32_t *state, const struct pt_command_row *row, char *out, size_t room)
{
	const struct pt_param *(*param)(size_t) = row->param != NULL ? row->param : pt_command_start_param;
	const char *value = words_one_of(state, words_values, PT_LEN(words_values));
	const struct pt_view *view;
	const struct pt_format *format;
	size_t n = 0;

	switch (words_next(state) % 6) {
	case 0:
		WORDS_PICK(state, pt_views, view);
		return (size_t)snprintf(out, room, " %s", view->name);
	case 1:
		WORDS_PICK(state, pt_formats, format);
		return (size_t)snprintf(out, room, " format=%s", format->name);
	case 2:
		return (size_t)snprintf(out, room, " %s", value);
	case 3:
		return row->usage == NULL ? 0
					  : (size_t)snprintf(out, room, " %.60s",
							     row->usage + words_next(state) % (strlen(row->usage) + 1));
	default:
		while (param(n) != NULL)
			n++;
		if (n == 0)
			return 0;
		return (size_t)snprintf(out, room, " %s=%s", param(words_next(state) % n)->key, value);
	}
}

static inline size_t words_monitor(uint32_t *state, char *out, size_t room)
{
	const struct pt_command_row *row = words_command(state);
	size_t n = (size_t)snprintf(out, room, ":%s", row->name);

	for (unsigned more = words_next(state) % 4; more > 0 && n < room; more--)
		n += words_word(state, row, out + n, room - n);
	return n < room ? n : room - 1;
}

/* A line with its line feed; its length. */
static inline size_t words_line(uint32_t *state, char out[WORDS_LINE_BYTES])
{
	static const char *const others[] = { ".", "#", "!\003", "!$", "!}", "!$g#00", "!%Stop:T05#aa", "!-", "!+", ":profile start",
					      ":profile stop", ":report", ":profile run 10ms", ">?", ">QNonStop:1", ">!", ">vCont;c",
					      ">QStartNoAckMode", ">vStopped", ">D;1", ">k", ">R00", ">vRun;" };
	size_t n = 0;

	if (words_next(state) % 5 == 0)
		out[n++] = '2';
	switch (words_next(state) % 5) {
	case 0: case 1:
		n += words_packet(state, out + n, WORDS_LINE_BYTES - n - 1);
		break;
	case 2: case 3:
		n += words_monitor(state, out + n, WORDS_LINE_BYTES - n - 1);
		break;
	default:
		n += (size_t)snprintf(out + n, WORDS_LINE_BYTES - n - 1, "%s",
				      words_one_of(state, others, PT_LEN(others)));
	}
	out[n++] = '\n';
	return n;
}

#ifdef PT_LIBFUZZER
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

/* Every third time libFuzzer's own; else a line more, or one in the place of another. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
	uint32_t state = seed | 1;
	char line[WORDS_LINE_BYTES];
	size_t n, at = size > 1 ? 1 + words_next(&state) % (size - 1) : size;
	uint8_t *feed;

	if (size < 2 || words_next(&state) % 3 == 0)
		return LLVMFuzzerMutate(data, size, max_size);
	n = words_line(&state, line);
	feed = memchr(data + at, '\n', size - at);
	at = feed != NULL ? (size_t)(feed - data) + 1 : size;
	if (words_next(&state) % 4 == 0)	/* in the place of what is behind */
		size = at;
	if (size + n > max_size)
		return LLVMFuzzerMutate(data, size, max_size);
	memmove(data + at + n, data + at, size - at);
	memcpy(data + at, line, n);
	return size + n;
}
#endif

#endif
