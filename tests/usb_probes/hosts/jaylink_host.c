/* A host on libjaylink, for the emulated J-Link: what it is, a second open, shifts of all lengths, the debug port's
 * identity by bits of its own, a command that is never answered. Prints a line of each. */
#include <libjaylink/libjaylink.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BITS_MAX = 65535, BYTES_MAX = (BITS_MAX + 7) / 8 };

static uint8_t driven[BYTES_MAX], sent[BYTES_MAX], got[BYTES_MAX];
static unsigned n_bits;

static void check(const char *what, int result)
{
	if (result == JAYLINK_OK)
		return;
	printf("%s: %s\n", what, jaylink_strerror_name(result));
	exit(1);
}

static void put_bits(uint64_t value, unsigned n, bool drives)
{
	for (unsigned i = 0; i < n; i++, n_bits++) {
		driven[n_bits / 8] |= (uint8_t)(drives << n_bits % 8);
		sent[n_bits / 8] |= (uint8_t)((value >> i & 1) << n_bits % 8);
	}
}

/* Reset, switch, reset, idle, read of DPIDR; its data begin 3 bits behind the turn-around, as ACK comes in that one. */
static uint32_t read_identity(struct jaylink_device_handle *probe)
{
	unsigned at;
	uint32_t value = 0;

	memset(driven, 0, sizeof(driven));
	memset(sent, 0, sizeof(sent));
	n_bits = 0;
	put_bits(UINT64_MAX, 56, true);
	put_bits(0xe79e, 16, true);
	put_bits(UINT64_MAX, 56, true);
	put_bits(0, 8, true);
	put_bits(0xa5, 8, true);
	at = n_bits + 3;
	put_bits(0, 3 + 32 + 1 + 2, false);
	put_bits(0, 8, true);
	check("identity", jaylink_swd_io(probe, driven, sent, got, (uint16_t)n_bits));
	for (unsigned i = 0; i < 32; i++)
		value |= (uint32_t)(got[(at + i) / 8] >> (at + i) % 8 & 1) << i;
	return value;
}

static void shift_all_lengths(struct jaylink_device_handle *probe, uint32_t free_bytes)
{
	static const unsigned bits[] = { 1, 7, 8, 9, 503, 504, 505, 512, 4096, 16384, 32704 };
	unsigned done = 0;

	memset(driven, 0xff, sizeof(driven));
	memset(sent, 0xff, sizeof(sent));
	for (size_t i = 0; i < sizeof(bits) / sizeof(bits[0]); i++)
		if (2 * ((bits[i] + 7) / 8) + 4 <= free_bytes)
			done += jaylink_swd_io(probe, driven, sent, got, (uint16_t)bits[i]) == JAYLINK_OK;
	printf("shifts %u\n", done);
}

static int list_network(struct jaylink_context *context)
{
	struct jaylink_device **found;
	char address[INET_ADDRSTRLEN], product[JAYLINK_PRODUCT_NAME_MAX_LENGTH], nickname[JAYLINK_NICKNAME_MAX_LENGTH];
	uint32_t serial;
	size_t n;

	check("scan", jaylink_discovery_scan(context, JAYLINK_HIF_TCP));
	check("list", jaylink_get_devices(context, &found, &n));
	printf("devices %zu\n", n);
	for (size_t i = n; i-- > 0;) {	/* the last that answered is the first */
		check("address", jaylink_device_get_ipv4_address(found[i], address));
		check("serial", jaylink_device_get_serial_number(found[i], &serial));
		check("product", jaylink_device_get_product_name(found[i], product));
		nickname[0] = '\0';
		jaylink_device_get_nickname(found[i], nickname);
		printf("%s serial %u, %s, %s\n", address, serial, product, nickname);
	}
	jaylink_free_devices(found, true);
	jaylink_exit(context);
	return 0;
}

int main(int argc, char **argv)
{
	struct jaylink_context *context;
	struct jaylink_device **found;
	struct jaylink_device_handle *probe, *second;
	struct jaylink_connection mine = { .hid = "0.0.0.0" }, others[JAYLINK_MAX_CONNECTIONS];
	struct jaylink_hardware_status status;
	uint32_t serial = 0, free_bytes = 0, length = sizeof(got);
	enum jaylink_target_interface before;
	size_t n, n_others;

	check("init", jaylink_init(&context));
	if (argc > 1 && strcmp(argv[1], "network") == 0)
		return list_network(context);
	check("scan", jaylink_discovery_scan(context, JAYLINK_HIF_USB));
	check("list", jaylink_get_devices(context, &found, &n));
	printf("devices %zu\n", n);
	if (n == 0)
		return 1;
	check("serial", jaylink_device_get_serial_number(found[0], &serial));
	check("open", jaylink_open(found[0], &probe));
	printf("serial %u, second open %s\n", serial, jaylink_strerror_name(jaylink_open(found[0], &second)));
	check("register", jaylink_register(probe, &mine, others, &n_others));
	printf("handle %u of %zu\n", mine.handle, n_others);
	check("select", jaylink_select_interface(probe, JAYLINK_TIF_SWD, &before));
	check("speed", jaylink_set_speed(probe, 4000));
	check("status", jaylink_get_hardware_status(probe, &status));
	check("memory", jaylink_get_free_memory(probe, &free_bytes));
	printf("%u mV, %u bytes\n", status.target_voltage, free_bytes);
	printf("DPIDR %08x\n", read_identity(probe));
	shift_all_lengths(probe, free_bytes);
	printf("DPIDR %08x\n", read_identity(probe));
	if (argc > 1 && strcmp(argv[1], "unanswered") == 0)	/* libjaylink waits for 2 s */
		printf("unanswered: %s\n", jaylink_strerror_name(jaylink_emucom_read(probe, 0, got, &length)));
	check("unregister", jaylink_unregister(probe, &mine, others, &n_others));
	jaylink_close(probe);
	jaylink_free_devices(found, true);
	jaylink_exit(context);
	return 0;
}
