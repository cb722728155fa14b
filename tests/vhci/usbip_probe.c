/* usbip_probe BOARD FIFO: the virtual board behind a CMSIS-DAP v2 probe that a real kernel's vhci_hcd takes for a USB device. Lines
 * "pull" and "plug" in FIFO pull its plug and put it in; at first it is in. Run as root where vhci_hcd is loaded (tests/vhci/guest).
 * Source: Linux, Documentation/usb/usbip_protocol.rst; drivers/usb/usbip/vhci_sysfs.c; USB 2.0, chapter 9. */
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <uv.h>

#include "base/util.h"
#include "probes/virtual/setup.h"

enum { CMD_SUBMIT = 1, CMD_UNLINK, RET_SUBMIT, RET_UNLINK, IN = 1 };	/* IN: a direction */
enum { COMMAND = 0, SEQNUM = 4, DIRECTION = 12, ENDPOINT = 16, LENGTH = 24, SETUP = 40, UNLINKED = 20, HEADER_BYTES = 48 };
enum { STATUS = 20, ACTUAL = 24 };	/* of RET_SUBMIT */
enum { GET_DESCRIPTOR = 6, PORT = 0, DEVICE_ID = 1 << 16 | 2, HIGH_SPEED = 3, MOST_WAITING = 64, MOST_BYTES = 1 << 16 };
#define VHCI "/sys/devices/platform/vhci_hcd.0/"
#define STALL (-32)		/* -EPIPE, -ECONNRESET: as the kernel numbers them on all machines of usbip */
#define UNLINKED_STATUS (-104)

static const uint8_t device[] = { 18, 1, 0, 2, 0, 0, 0, 64, 0x09, 0x12, 0x01, 0x00, 0x00, 0x01, 1, 2, 3, 1 };
static const uint8_t config[] = {
	9, 2, 32, 0, 1, 1, 0, 0x80, 50,		/* one interface, 100 mA */
	9, 4, 0, 0, 2, 0xff, 0, 0, 4,		/* of the vendor's class */
	7, 5, 0x01, 2, 0x00, 0x02, 0,		/* bulk OUT and IN, packets of 512 bytes */
	7, 5, 0x81, 2, 0x00, 0x02, 0,
};

static struct pt_vsetup rig;
static uint64_t origin_ns;
static int sock = -1;
static struct packet { uint8_t bytes[PT_VENGINE_MAX_PACKET_BYTES]; size_t len_bytes; } answers[MOST_WAITING];
static size_t n_answers, n_readers;
static struct { uint32_t seqnum, room; } readers[MOST_WAITING];

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static uint32_t be32(const uint8_t *at)
{
	return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static void put_be32(uint8_t *at, uint32_t value)
{
	for (int i = 0; i < 4; i++)
		at[i] = (uint8_t)(value >> (24 - 8 * i));
}

static bool read_all(void *to, size_t n)
{
	for (size_t at = 0; at < n;) {
		ssize_t got = read(sock, (char *)to + at, n - at);

		if (got <= 0)
			return false;
		at += (size_t)got;
	}
	return true;
}

/* What cannot be sent any more is of no interest: the plug was pulled. */
static void answer(uint32_t command, uint32_t seqnum, int status, const void *data, size_t sent, size_t len_bytes)
{
	static uint8_t out[HEADER_BYTES + MOST_BYTES];

	memset(out, 0, HEADER_BYTES);
	put_be32(out + COMMAND, command);
	put_be32(out + SEQNUM, seqnum);
	put_be32(out + STATUS, (uint32_t)status);
	if (command == RET_SUBMIT)
		put_be32(out + ACTUAL, (uint32_t)len_bytes);
	if (sent > 0)
		memcpy(out + HEADER_BYTES, data, sent);
	for (size_t at = 0, n = HEADER_BYTES + sent; at < n;) {
		ssize_t did = send(sock, out + at, n - at, MSG_NOSIGNAL);

		if (did <= 0)
			return;
		at += (size_t)did;
	}
}

/* --- control */

static size_t string_of(unsigned index, uint8_t *out)
{
	const char *texts[] = { "", "proftap", rig.product, "V0001", "CMSIS-DAP v2" };
	size_t n = index < PT_LEN(texts) ? strlen(texts[index]) : 0;

	if (index == 0)
		return (size_t)(memcpy(out, "\004\003\011\004", 4), 4);	/* US English */
	for (size_t i = 0; i < n; i++) {
		out[2 + 2 * i] = (uint8_t)texts[index][i];
		out[3 + 2 * i] = 0;
	}
	out[0] = (uint8_t)(2 + 2 * n);
	out[1] = 3;
	return n > 0 ? 2 + 2 * n : 0;
}

static void control(uint32_t seqnum, const uint8_t *setup)
{
	size_t asked = pt_le16(setup + 6), n = 0;
	uint8_t out[256];

	if ((setup[0] & 0x80) == 0) {		/* SET_CONFIGURATION and the like: no data, done */
		answer(RET_SUBMIT, seqnum, 0, NULL, 0, 0);
		return;
	}
	if (setup[1] == GET_DESCRIPTOR && setup[3] == 1)
		memcpy(out, device, n = sizeof(device));
	else if (setup[1] == GET_DESCRIPTOR && setup[3] == 2)
		memcpy(out, config, n = sizeof(config));
	else if (setup[1] == GET_DESCRIPTOR && setup[3] == 3)
		n = string_of(setup[2], out);
	else if (setup[1] == 0)			/* GET_STATUS */
		memset(out, 0, n = 2);
	n = n < asked ? n : asked;
	answer(RET_SUBMIT, seqnum, n > 0 ? 0 : STALL, out, n, n);
}

/* --- bulk */

static void deliver(void)
{
	while (n_answers > 0 && n_readers > 0) {
		size_t n = answers[0].len_bytes < readers[0].room ? answers[0].len_bytes : readers[0].room;

		answer(RET_SUBMIT, readers[0].seqnum, 0, answers[0].bytes, n, n);
		memmove(answers, answers + 1, --n_answers * sizeof(answers[0]));
		memmove(readers, readers + 1, --n_readers * sizeof(readers[0]));
	}
}

static void on_response(void *arg, const uint8_t *bytes, size_t len_bytes, uint64_t done_ns)
{
	(void)arg;
	(void)done_ns;
	if (n_answers == MOST_WAITING)
		return;
	memcpy(answers[n_answers].bytes, bytes, len_bytes);
	answers[n_answers++].len_bytes = len_bytes;
}

static void submit(uint32_t seqnum, const uint8_t *header)
{
	static uint8_t data[MOST_BYTES];
	uint32_t n = be32(header + LENGTH);
	bool in = be32(header + DIRECTION) == IN;

	if (n > MOST_BYTES || (!in && n > 0 && !read_all(data, n)))
		return;
	if (be32(header + ENDPOINT) == 0) {
		control(seqnum, header + SETUP);
	} else if (in && n_readers < MOST_WAITING) {
		readers[n_readers].seqnum = seqnum;
		readers[n_readers++].room = n;
	} else if (!in) {
		answer(RET_SUBMIT, seqnum, 0, NULL, 0, n);
		pt_vsetup_process(&rig, data, n, uv_hrtime() - origin_ns, on_response, NULL);
	}
	deliver();
}

/* A transfer that is done already is not unlinked: status 0 says so. */
static void unlink_transfer(uint32_t seqnum, uint32_t other)
{
	for (size_t i = 0; i < n_readers; i++) {
		if (readers[i].seqnum != other)
			continue;
		memmove(readers + i, readers + i + 1, (--n_readers - i) * sizeof(readers[0]));
		answer(RET_UNLINK, seqnum, UNLINKED_STATUS, NULL, 0, 0);
		return;
	}
	answer(RET_UNLINK, seqnum, 0, NULL, 0, 0);
}

/* --- the plug */

static void write_sysfs(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		die(path);
	close(fd);
}

static void plug(void)
{
	int ends[2];
	char text[80];

	if (sock >= 0)
		return;
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) < 0)
		die("socketpair");
	n_answers = n_readers = 0;
	sock = ends[0];
	snprintf(text, sizeof(text), "%d %d %d %d", PORT, ends[1], DEVICE_ID, HIGH_SPEED);
	write_sysfs(VHCI "attach", text);
	close(ends[1]);		/* the kernel has its own */
}

static void unplugged(void)
{
	close(sock);
	sock = -1;
}

static void obey(int fifo)
{
	char said[64];
	ssize_t n = read(fifo, said, sizeof(said) - 1);

	said[n > 0 ? n : 0] = '\0';
	if (strncmp(said, "pull", 4) == 0 && sock >= 0) {
		write_sysfs(VHCI "detach", "0");
		unplugged();
	} else if (strncmp(said, "plug", 4) == 0) {
		plug();
	}
}

int main(int argc, char **argv)
{
	struct pt_err err;
	int fifo;

	if (argc != 3)
		return fprintf(stderr, "usage: usbip_probe BOARD FIFO\n"), 2;
	if (pt_vsetup_open(&rig, argv[1], &err) < 0)
		return fprintf(stderr, "usbip_probe: %s\n", err.msg), 1;
	fifo = open(argv[2], O_RDWR | O_CLOEXEC);
	if (fifo < 0)
		die(argv[2]);
	origin_ns = uv_hrtime();
	plug();
	for (;;) {
		struct pollfd of[] = { { fifo, POLLIN, 0 }, { sock, POLLIN, 0 } };
		uint8_t header[HEADER_BYTES];

		poll(of, PT_LEN(of), -1);
		if (of[0].revents != 0) {
			obey(fifo);
		} else if (of[1].revents != 0 && !read_all(header, sizeof(header))) {
			unplugged();
		} else if (of[1].revents != 0) {
			if (be32(header + COMMAND) == CMD_SUBMIT)
				submit(be32(header + SEQNUM), header);
			else if (be32(header + COMMAND) == CMD_UNLINK)
				unlink_transfer(be32(header + SEQNUM), be32(header + UNLINKED));
		}
	}
}
