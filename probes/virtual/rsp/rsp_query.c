/* q and Q packets. */
#include <stdio.h>
#include <string.h>

#include "probes/virtual/rsp/rsp_parts.h"

static bool starts(const char *packet, const char *with)
{
	return strncmp(packet, with, strlen(with)) == 0;
}

static void supported(struct stub *stub)
{
	if (stub->habit == PT_VRSP_QEMU)
		pt_stub_say(stub, "PacketSize=%x;qXfer:features:read-;vContSupported+", PT_VRSP_PACKET_BYTES);
	else
		pt_stub_say(stub,
			    "PacketSize=%x;qXfer:features:read%c;QStartNoAckMode+;QNonStop+;vContSupported+;"
			    "swbreak-;hwbreak-",
			    PT_VRSP_PACKET_BYTES, stub->habit == PT_VRSP_MODERN ? '+' : '-');
}

/* qXfer:features:read:target.xml:OFFSET,LENGTH */
static void features(struct stub *stub, const char *range)
{
	uint32_t offset, len;
	const char *end = pt_stub_number(range, &offset);
	size_t all = stub->target.describe(stub->target.arg, stub->xml, sizeof(stub->xml));

	if (*end != ',' || offset > all) {
		pt_stub_say(stub, "E16");
		return;
	}
	pt_stub_number(end + 1, &len);
	if (len > PT_VRSP_PACKET_BYTES - 1)
		len = PT_VRSP_PACKET_BYTES - 1;
	pt_stub_say(stub, "%c%.*s", offset + len < all ? 'm' : 'l', (int)len, stub->xml + offset);
}

static void threads(struct stub *stub)
{
	pt_stub_say(stub, "m");
	for (unsigned i = 0; i < stub->target.n_threads; i++)
		pt_stub_say(stub, "%s%x", i > 0 ? "," : "", i + 1);
}

static void console(struct stub *stub, const char *text)
{
	pt_stub_hex(stub, (const uint8_t *)text, strlen(text));
}

static void command(struct stub *stub, const char *hex)
{
	char text[64];
	size_t n = pt_stub_bytes(hex, (uint8_t *)text, sizeof(text) - 1);

	text[n] = '\0';
	if (strcmp(text, "reset") == 0 || strcmp(text, "reset run") == 0) {
		stub->target.reset(stub->target.arg, false);
		pt_stub_say(stub, "OK");
	} else if (strcmp(text, "reset halt") == 0) {
		stub->target.reset(stub->target.arg, true);
		pt_stub_halt_all(stub);	/* what lets it run may be the next packet */
		pt_stub_say(stub, "OK");
	} else {
		console(stub, "this server knows: reset, reset halt\n");
	}
}

static void set(struct stub *stub, const char *packet)
{
	if (stub->habit == PT_VRSP_QEMU)
		return;
	if (strcmp(packet, "QStartNoAckMode") == 0) {
		stub->no_ack = true;
		pt_stub_say(stub, "OK");
	} else if (starts(packet, "QNonStop:")) {
		stub->non_stop = packet[strlen("QNonStop:")] == '1';
		pt_stub_say(stub, "OK");
	}
}

void pt_stub_query(struct stub *stub, const char *packet)
{
	static const char xml[] = "qXfer:features:read:target.xml:";

	if (packet[0] == 'Q')
		set(stub, packet);
	else if (starts(packet, "qSupported"))
		supported(stub);
	else if (starts(packet, xml) && stub->habit == PT_VRSP_MODERN)
		features(stub, packet + strlen(xml));
	else if (strcmp(packet, "qC") == 0)
		pt_stub_say(stub, "QC%x", stub->g_thread + 1);
	else if (strcmp(packet, "qAttached") == 0)
		pt_stub_say(stub, "1");
	else if (strcmp(packet, "qfThreadInfo") == 0)
		threads(stub);
	else if (strcmp(packet, "qsThreadInfo") == 0)
		pt_stub_say(stub, "l");
	else if (starts(packet, "qRcmd,"))
		command(stub, packet + strlen("qRcmd,"));
}
