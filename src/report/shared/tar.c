#include "report/shared/tar.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 512, NAME = 0, MODE = 100, OWNER = 108, GROUP = 116, SIZE = 124, TIME = 136, SUM = 148, TYPE = 156,
       MAGIC = 257, NAME_BYTES = 100, SIZE_DIGITS = 11, SUM_BYTES = 8 };

static unsigned sum_of(const char *header)
{
	unsigned sum = 0;

	for (size_t i = 0; i < BLOCK; i++)
		sum += i >= SUM && i < SUM + SUM_BYTES ? ' ' : (unsigned char)header[i];
	return sum;
}

void pt_tar_add(struct pt_text *out, const char *name, const void *bytes, size_t len_bytes)
{
	char header[BLOCK] = { 0 }, sum[SUM_BYTES + 1];
	static const char zeros[BLOCK];

	snprintf(header + NAME, NAME_BYTES, "%s", name);
	memcpy(header + MODE, "0000644", 8);
	memcpy(header + OWNER, "0000000", 8);
	memcpy(header + GROUP, "0000000", 8);
	snprintf(header + SIZE, SIZE_DIGITS + 1, "%011llo", (unsigned long long)len_bytes);
	memcpy(header + TIME, "00000000000", 12);
	header[TYPE] = '0';
	memcpy(header + MAGIC, "ustar\00000", 8);
	snprintf(sum, sizeof(sum), "%06o", sum_of(header));
	memcpy(header + SUM, sum, 7);	/* six digits and the 0 */
	header[SUM + 7] = ' ';
	pt_text_bytes(out, header, BLOCK);
	pt_text_bytes(out, bytes, len_bytes);
	pt_text_bytes(out, zeros, (BLOCK - len_bytes % BLOCK) % BLOCK);
}

void pt_tar_end(struct pt_text *out)
{
	static const char zeros[2 * BLOCK];

	pt_text_bytes(out, zeros, sizeof(zeros));
}

bool pt_tar_next(const char *archive, size_t len_bytes, size_t *at, struct pt_tar_file *file)
{
	const char *header = archive + *at;
	char digits[SIZE_DIGITS + 1] = "";
	unsigned long long size;

	if (len_bytes - *at < BLOCK || header[NAME] == '\0' ||
	    (unsigned)strtoul(header + SUM, NULL, 8) != sum_of(header))
		return false;
	memcpy(digits, header + SIZE, SIZE_DIGITS);
	size = strtoull(digits, NULL, 8);
	if (size > len_bytes - *at - BLOCK)
		return false;
	memcpy(file->name, header + NAME, NAME_BYTES - 1);
	file->name[NAME_BYTES - 1] = '\0';
	file->bytes = header + BLOCK;
	file->len_bytes = (size_t)size;
	*at += BLOCK + ((size_t)size + BLOCK - 1) / BLOCK * BLOCK;
	return *at <= len_bytes;
}
