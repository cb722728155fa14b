/* The text of a CONFIG chunk (formats.h), split once: "key=value\n" lines, untrusted. Lines without '=' mean nothing;
 * of a key that is there twice the first counts. */
#ifndef PT_TRACE_CONFIG_H
#define PT_TRACE_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pt_config_key { const char *key; uint32_t key_bytes, value_bytes; };	/* the value follows key's '=' */

struct pt_config {
	const char *text;		/* the caller's, not terminated; outlives this */
	size_t len_bytes;
	struct pt_config_key *key;	/* sorted */
	size_t n_keys;
};

/* False: no memory. Then nothing is to be freed. */
bool pt_config_init(struct pt_config *config, const char *text, size_t len_bytes);
void pt_config_fini(struct pt_config *config);

/* The value of key: its length, and where it starts in *value; -1 without the key. */
int pt_config_find(const struct pt_config *config, const char *key, const char **value);
/* The same as text, at most size - 1 bytes of it, control characters as blanks; "" without the key. Returns out. */
char *pt_config_text(const struct pt_config *config, const char *key, char *out, size_t size);
/* All values of a key that may be there several times, in their order, with "; " between them. Returns out. */
char *pt_config_texts(const struct pt_config *config, const char *key, char *out, size_t size);
/* As a number, or otherwise where it is none. */
uint64_t pt_config_number(const struct pt_config *config, const char *key, uint64_t otherwise);
/* The clock of the core's cycles: core_hz=, else bus_hz=, where they are those of a bus; 0: not known. */
uint64_t pt_config_core_hz(const struct pt_config *config);

/* As pt_config_find(), in a text of such lines that is asked for a key or two. */
int pt_config_look_up(const char *text, size_t len_bytes, const char *key, const char **value);

#endif
