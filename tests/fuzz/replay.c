/* What drives a fuzz target where libFuzzer is not at hand: the files named as arguments, or, without any, a fixed
 * sequence of random inputs, the same on every machine. Link it with one tests/fuzz/fuzz_NAME.c. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 20000, MAX_BYTES = 1024, MAX_FILE_BYTES = 16 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t in_bytes);

static uint64_t next(uint64_t *state)	/* xorshift64 */
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	return *state ^= *state << 17;
}

/* Every second input is text-like, so that formats with marks in ASCII meet them. */
static void random_inputs(void)
{
	static const char marks[] = "$#}*%+-0123456789abcdef:;,=\"<>/\n\003\xff";
	uint64_t state = 0x9e3779b97f4a7c15;
	uint8_t in[MAX_BYTES];

	for (int round = 0; round < ROUNDS; round++) {
		size_t len = next(&state) % (round % 16 == 0 ? MAX_BYTES : 64);

		for (size_t i = 0; i < len; i++)
			in[i] = round % 2 != 0 ? (uint8_t)next(&state)
					       : (uint8_t)marks[next(&state) % (sizeof(marks) - 1)];
		LLVMFuzzerTestOneInput(in, len);
	}
}

static int one_file(const char *path)
{
	uint8_t *in = malloc(MAX_FILE_BYTES);
	FILE *file = fopen(path, "rb");

	if (in == NULL || file == NULL) {
		perror(path);
		free(in);
		return 1;
	}
	LLVMFuzzerTestOneInput(in, fread(in, 1, MAX_FILE_BYTES, file));
	fclose(file);
	free(in);
	return 0;
}

int main(int argc, char **argv)
{
	int failed = 0;

	if (argc < 2)
		random_inputs();
	for (int i = 1; i < argc; i++)
		failed |= one_file(argv[i]);
	return failed;
}
