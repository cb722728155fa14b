/* The text of a CONFIG chunk (formats.h), parsed once: "key=value\n" lines, untrusted. Lines without '=' are ignored. If a
 * key occurs twice, the first one counts. */
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

/* False: no memory, and nothing to free. */
bool pt_config_init(struct pt_config *config, const char *text, size_t len_bytes);
void pt_config_fini(struct pt_config *config);

/* The value of key: its length, and where it starts in *value; -1 without the key. */
int pt_config_find(const struct pt_config *config, const char *key, const char **value);
/* The value as text, at most size - 1 bytes, with blanks in place of control characters; "" without the key. Returns out. */
char *pt_config_text(const struct pt_config *config, const char *key, char *out, size_t size);
/* All values of a key that may occur several times, in order, with "; " between them. Returns out. */
char *pt_config_texts(const struct pt_config *config, const char *key, char *out, size_t size);
/* The value as a number; otherwise: if it is missing or not a number. */
uint64_t pt_config_number(const struct pt_config *config, const char *key, uint64_t otherwise);
/* The frequency of the cycles: core_hz=, else bus_hz= (if cycles are those of a bus); 0: not known. */
uint64_t pt_config_core_hz(const struct pt_config *config);

/* The same as pt_config_find() without parsing all of the text first, for one or two keys. */
int pt_config_look_up(const char *text, size_t len_bytes, const char *key, const char **value);

#endif
