/* The models of foreign probes. A model takes its options before it is plugged in; it ends the program with a sentence
 * where it does not know one. */
#ifndef PT_TESTS_FOREIGN_MODELS_H
#define PT_TESTS_FOREIGN_MODELS_H

#include <stdbool.h>
#include <stdint.h>

struct device;

struct model_options {
	const char *serial;		/* NULL: the model's own */
	bool raw_serial;		/* ST-Link: 12 bytes, as of the old loader */
	unsigned firmware;		/* ST-Link: J of V2J37, V3J7; 0: the model's own */
	unsigned pid, release;		/* product id and bcdDevice; 0: the model's own */
	bool unregistered;		/* J-Link: no REGISTER, as of old firmware */
	bool full;			/* J-Link: no handle is left */
	bool jtag;			/* J-Link, FTDI: the pins are a TAP's */
	bool silent;			/* unknown commands are not answered */
};

struct device *stlink_v2(const struct model_options *options);
struct device *stlink_v3(const struct model_options *options);
struct device *jlink(const struct model_options *options);
struct device *cmsis_dap(const struct model_options *options);
struct device *ftdi(const struct model_options *options);

/* A raw string descriptor of ASCII; for good. */
const uint8_t *make_string(const char *text);

#endif
