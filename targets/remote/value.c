/* One register's value: as hex digits in the target's byte order, and access by p and P. */
#include <stdio.h>

#include "base/rsp_frame.h"
#include "targets/remote/remote_parts.h"

bool pt_remote_value_at(const struct pt_remote *r, const char *hex, size_t len, uint32_t offset, unsigned bits,
			uint64_t *value)
{
	size_t n = (bits + 7) / 8;
	uint8_t bytes[8];
	struct pt_rsp_args args = { (const uint8_t *)hex + 2 * (size_t)offset, (const uint8_t *)hex + len };

	if (n > sizeof(bytes) || 2 * ((size_t)offset + n) > len || !pt_rsp_bytes(&args, bytes, n))
		return false;
	*value = 0;
	for (size_t i = 0; i < n; i++)
		*value |= (uint64_t)bytes[r->big_endian ? n - 1 - i : i] << (8 * i);
	return true;
}

void pt_remote_put_value(const struct pt_remote *r, char *hex, size_t n_bytes, uint64_t value)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < n_bytes; i++) {
		uint8_t byte = (uint8_t)(value >> 8 * (r->big_endian ? n_bytes - 1 - i : i));

		hex[2 * i] = digits[byte >> 4];
		hex[2 * i + 1] = digits[byte & 15];
	}
}

int pt_remote_read_by_p(struct pt_remote *r, uint16_t row, uint64_t *value, struct pt_err *err)
{
	char packet[16], text[64];
	int len;

	snprintf(packet, sizeof(packet), "p%x", r->rows[row].gdb_number);
	len = pt_remote_ask(r, packet, text, sizeof(text), err);
	if (len < 0)
		return pt_wrap(err, "read %s", r->rows[row].name);
	if (!pt_remote_value_at(r, text, (size_t)len, 0, r->rows[row].bits, value))
		return pt_fail(err, PT_EFAULT, "read %s: the server has no value for it (\"%.20s\")", r->rows[row].name,
			       text);
	return 0;
}

int pt_remote_write_by_p(struct pt_remote *r, uint16_t row, uint64_t value, struct pt_err *err)
{
	size_t n = (r->rows[row].bits + 7u) / 8;
	char packet[48];
	int len = snprintf(packet, sizeof(packet), "P%x=", r->rows[row].gdb_number);

	pt_remote_put_value(r, packet + len, n, value);
	if (pt_remote_ask_ok(r, packet, (size_t)len + 2 * n, PT_REMOTE_ASK_MS, err) < 0)
		return pt_wrap(err, "write %s", r->rows[row].name);
	return 0;
}
