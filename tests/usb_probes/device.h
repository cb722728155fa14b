/* An emulated USB device behind umockdev: a model describes it and answers bytes, usbfs.c plays the kernel's part, and
 * testbed.c plugs it in. One device in one process; everything here is called with the lock of usbfs.c held, which the
 * models need not know of. */
#ifndef PT_TESTS_FOREIGN_DEVICE_H
#define PT_TESTS_FOREIGN_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DEVICE_STRINGS = 6, HIGH_SPEED_MBPS = 480 };

struct device {
	const char *name;
	uint8_t *descriptor;			/* 18 bytes */
	const uint8_t *config;			/* with interfaces and endpoints */
	size_t config_bytes;
	const uint8_t *strings[DEVICE_STRINGS];	/* raw string descriptors by index; NULL: stall */
	unsigned speed_mbps;			/* 12 or 480: packets of 64 or 512 bytes */
	unsigned latency_ms;			/* when > 0, stream() is asked each millisecond */
	void (*power_on)(void);
	void (*out)(unsigned endpoint, const uint8_t *bytes, size_t len_bytes);
	bool (*accepts)(unsigned endpoint);	/* there is room for data from the host; NULL: always */
	/* A vendor request: the setup packet, and a data stage of up to len_bytes. Bytes moved, or -1 for a stall. */
	int (*control)(const uint8_t setup[8], uint8_t *data, size_t len_bytes);
	/* The next packet, for a device whose data are a stream; idle_ms: since the host began to wait for one. Bytes, or -1
	 * while it has nothing to say. NULL: what device_reply() queued goes out. */
	int (*stream)(unsigned endpoint, uint8_t *packet, uint64_t idle_ms);
};

/* The device that this process emulates, and its options. */
extern struct device *device;

/* One reply. It ends with a short packet; where its length is a multiple of the packet size, closed adds an empty packet,
 * and else none follows. */
void device_reply(unsigned endpoint, const void *bytes, size_t len_bytes, bool closed);
/* From now on it answers no more, until the file is closed: firmware that hangs. */
void device_hang(void);
/* The host asked for what the device forbids: counted, and said on stderr. */
void device_violation(const char *format, ...) __attribute__((format(printf, 1, 2)));

unsigned device_packet_bytes(void);
unsigned get_le16(const uint8_t *p);
uint32_t get_le32(const uint8_t *p);
void put_le32(uint8_t *p, uint32_t value);

#endif
