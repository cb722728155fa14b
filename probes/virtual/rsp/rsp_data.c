/* Registers, memory and breakpoints. */
#include <string.h>

#include "probes/virtual/rsp/rsp_parts.h"
#include "base/util.h"

static size_t size_of(const struct stub *stub, unsigned n)
{
	if (n >= stub->target.n_regs + stub->target.n_more_regs)
		return 0;
	return stub->target.reg_bytes != NULL ? stub->target.reg_bytes(n) : 4;
}

/* Where byte i of size stands in a number, in bits. */
static unsigned shift(const struct stub *stub, size_t i, size_t size)
{
	return 8 * (unsigned)(stub->target.big_endian ? size - 1 - i : i);
}

static void say_register(struct stub *stub, unsigned n)
{
	uint64_t value = stub->target.reg(stub->target.arg, stub->g_thread, n);
	size_t size = size_of(stub, n);
	uint8_t bytes[8];

	for (size_t i = 0; i < size; i++)
		bytes[i] = (uint8_t)(value >> shift(stub, i, size));
	pt_stub_hex(stub, bytes, size);
}

static bool runs(struct stub *stub)
{
	struct pt_vrsp_stop stop;

	return !stub->target.halted(stub->target.arg, stub->g_thread, &stop);
}

static void set_register(struct stub *stub, unsigned n, const char *hex)
{
	size_t size = size_of(stub, n);
	uint64_t value = 0;
	uint8_t bytes[8];

	if (size == 0 || pt_stub_bytes(hex, bytes, size) != size)
		return;
	for (size_t i = 0; i < size; i++)
		value |= (uint64_t)bytes[i] << shift(stub, i, size);
	stub->target.set_reg(stub->target.arg, stub->g_thread, n, value);
}

static void one_register(struct stub *stub, const char *packet)
{
	uint32_t n;
	const char *end = pt_stub_number(packet + 1, &n);

	if (stub->habit == PT_VRSP_QEMU)
		return;		/* an empty packet */
	if (size_of(stub, n) == 0 || (packet[0] == 'P' && *end != '=')) {
		pt_stub_say(stub, "E01");
	} else if (packet[0] == 'p') {
		say_register(stub, n);
	} else {
		set_register(stub, n, end + 1);
		pt_stub_say(stub, "OK");
	}
}

void pt_stub_registers(struct stub *stub, const char *packet)
{
	size_t len, at = 1;

	if (runs(stub)) {
		pt_stub_say(stub, "E0b");
		return;
	}
	if (packet[0] == 'p' || packet[0] == 'P') {
		one_register(stub, packet);
		return;
	}
	len = strlen(packet);
	for (unsigned n = 0; n < stub->target.n_regs; n++) {
		if (packet[0] == 'g')
			say_register(stub, n);
		else if (len >= at + 2 * size_of(stub, n))
			set_register(stub, n, packet + at);
		at += 2 * size_of(stub, n);
	}
	if (packet[0] == 'G')
		pt_stub_say(stub, "OK");
}

/* --- memory */

enum { MOST = PT_VRSP_PACKET_BYTES / 2 };

static size_t unescape(const char *from, size_t len_bytes, uint8_t *to, size_t room)
{
	size_t n = 0;

	for (size_t i = 0; i < len_bytes && n < room; i++) {
		bool escaped = from[i] == 0x7d && i + 1 < len_bytes;

		i += escaped;
		to[n++] = (uint8_t)(escaped ? from[i] ^ 0x20 : from[i]);
	}
	return n;
}

static void write_memory(struct stub *stub, const char *packet, size_t len_bytes, uint32_t addr, uint32_t n_bytes,
			 const char *data)
{
	uint8_t bytes[PT_VRSP_PACKET_BYTES];
	size_t n = packet[0] == 'X' ? unescape(data, len_bytes - (size_t)(data - packet), bytes, sizeof(bytes))
				    : pt_stub_bytes(data, bytes, sizeof(bytes));

	if (stub->target.is_timely != NULL && stub->target.is_timely(stub->target.arg, addr))
		pt_vpace_to(stub->pace, stub->at_ns);
	if (n != n_bytes)
		pt_stub_say(stub, "E16");
	else
		pt_stub_say(stub, stub->target.write(stub->target.arg, stub->g_thread, addr, bytes, n) ? "OK" : "E0e");
}

void pt_stub_memory(struct stub *stub, const char *packet, size_t len_bytes)
{
	uint8_t bytes[MOST];
	uint32_t addr, n_bytes;
	const char *end = pt_stub_number(packet + 1, &addr);

	if (*end != ',') {
		pt_stub_say(stub, "E16");
		return;
	}
	end = pt_stub_number(end + 1, &n_bytes);
	if (packet[0] != 'm') {
		if (*end == ':')
			write_memory(stub, packet, len_bytes, addr, n_bytes, end + 1);
		else
			pt_stub_say(stub, "E16");
		return;
	}
	if (n_bytes > MOST)
		n_bytes = MOST;		/* fewer than asked for is allowed */
	if (!stub->target.read(stub->target.arg, stub->g_thread, addr, bytes, n_bytes))
		pt_stub_say(stub, "E0e");
	else
		pt_stub_hex(stub, bytes, n_bytes);
}

void pt_stub_breakpoint(struct stub *stub, const char *packet)
{
	uint32_t type, addr, len;
	const char *end = pt_stub_number(packet + 1, &type);
	int rc;

	if (*end != ',' || type > 4)
		return;
	end = pt_stub_number(end + 1, &addr);
	if (*end != ',')
		return;
	pt_stub_number(end + 1, &len);
	rc = stub->target.breakpoint(stub->target.arg, type, packet[0] == 'Z', addr, len);
	if (rc >= 0)
		pt_stub_say(stub, rc == 0 ? "OK" : "E1c");
}
