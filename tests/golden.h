/* Golden files: what a recorded input prints as, kept beside it in tests/golden. */
#ifndef PT_TESTS_GOLDEN_H
#define PT_TESTS_GOLDEN_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The input tests/golden/NAME + in_ext, printed by print(), must equal tests/golden/NAME + out_ext. With
 * PT_UPDATE_GOLDEN=1 in the environment the file is rewritten instead. Files are found through $srcdir. */
void expect_golden(const char *name, const char *in_ext, const char *out_ext,
		   void (*print)(const uint8_t *bytes, size_t len_bytes, FILE *out));

/* The same for bytes that the test has made: they must equal tests/golden/NAME. */
void expect_golden_bytes(const char *name, const void *got, size_t got_bytes);

/* The same for what must never change: PT_UPDATE_GOLDEN=1 writes the file only where there is none. */
void expect_golden_kept(const char *name, const void *got, size_t got_bytes);

#endif
