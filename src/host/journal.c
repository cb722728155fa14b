/* See journal.h. A field is "NAME=VALUE\n", or, for a value of several lines, NAME, line feed, length (little endian, 64 bits), value,
 * line feed. */
#include "host/journal.h"

#include <endian.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/datagram.h"

enum { MAX_BYTES = 4096 };	/* a message of log.c has at most half of this */

bool pt_journal_is_stderr(void)
{
	const char *stream = getenv("JOURNAL_STREAM");
	unsigned long long device, inode;
	struct stat st;

	return stream != NULL && sscanf(stream, "%llu:%llu", &device, &inode) == 2 && fstat(STDERR_FILENO, &st) == 0 &&
	       st.st_dev == device && st.st_ino == inode;
}

static size_t put_field(char *out, const char *name, const char *value)
{
	uint64_t len = htole64(strlen(value));
	size_t n = (size_t)sprintf(out, "%s\n", name);

	memcpy(out + n, &len, sizeof(len));
	return n + sizeof(len) + (size_t)sprintf(out + n + sizeof(len), "%s\n", value);
}

bool pt_journal_send(int priority, const char *board, const char *text)
{
	char entry[MAX_BYTES];
	size_t n = (size_t)snprintf(entry, sizeof(entry), "PRIORITY=%d\nSYSLOG_IDENTIFIER=proftap\n%s%.64s%s", priority,
				    board[0] != '\0' ? "PROFTAP_BOARD=" : "", board, board[0] != '\0' ? "\n" : "");

	if (n + strlen(text) + 32 > sizeof(entry))
		return false;
	n += put_field(entry + n, "MESSAGE", text);
	return pt_datagram_send("/run/systemd/journal/socket", entry, n);
}
