/* What drives a fuzz target where libFuzzer is not at hand: the files named as arguments, or, without any, the target's
 * corpus ($srcdir/tests/fuzz/corpus/NAME, as it is and with bytes changed) and a fixed sequence of random inputs, the
 * same on every machine. A target whose inputs mostly wait is run by PT_FUZZ_AT_ONCE processes, each of which has its share of them.
 * Link it with one tests/fuzz/fuzz_NAME.c. */
#ifndef PT_LIBFUZZER	/* it has a main() of its own: scripts/fuzz */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef PT_FUZZ_ROUNDS	/* a target whose inputs are dear sets its own (Makefile.am) */
#define PT_FUZZ_ROUNDS 20000
#define PT_FUZZ_CHANGED_ROUNDS 200
#endif
#ifndef PT_FUZZ_AT_ONCE
#define PT_FUZZ_AT_ONCE 1
#endif

/* A file is changed so many times; where there are more than FEW, a share of that, so that the check stays short. */
enum { ROUNDS = PT_FUZZ_ROUNDS, CHANGED_ROUNDS = PT_FUZZ_CHANGED_ROUNDS, FEW = 16, MAX_BYTES = 1024, MAX_FILE_BYTES = 16 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t in_bytes);

static unsigned n_inputs, n_shares = 1, share;

/* One of a sequence that is the same in each process. */
static void run_in_turn(const uint8_t *in, size_t len)
{
	if (n_inputs++ % n_shares == share)
		LLVMFuzzerTestOneInput(in, len);
}

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
		run_in_turn(in, len);
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
	run_in_turn(in, fread(in, 1, MAX_FILE_BYTES, file));
	fclose(file);
	free(in);
	return 0;
}

/* Pieces cut out, doubled or overwritten. */
static size_t change(uint8_t *in, size_t len, uint64_t *state)
{
	size_t from = next(state) % len, n = next(state) % 16, to = next(state) % len;

	n = n < len - from ? n : len - from;
	n = n < len - to ? n : len - to;
	switch (next(state) % 4) {
	case 0:
		in[from] = (uint8_t)next(state);
		return len;
	case 1:
		in[from] ^= (uint8_t)(1 << next(state) % 8);
		return len;
	case 2:
		memmove(in + to, in + from, n);
		return len;
	default:
		memmove(in + from, in + from + n, len - from - n);
		return len - n;
	}
}

static int changed_file(const char *path, int rounds)
{
	static uint8_t good[MAX_FILE_BYTES / 16];
	FILE *file = fopen(path, "rb");
	uint64_t state = 0x2545f4914f6cdd1d;
	uint8_t *in;
	size_t n;

	if (file == NULL) {
		perror(path);
		return 1;
	}
	n = fread(good, 1, sizeof(good), file);
	fclose(file);
	for (int round = 0; n > 0 && round < rounds; round++) {
		size_t len = n;

		in = malloc(n);	/* of its own size, so that a tool sees who reads beyond */
		if (in == NULL)
			return 1;
		memcpy(in, good, n);
		for (int i = 0; len > 0 && i <= round % 8; i++)
			len = change(in, len, &state);
		run_in_turn(in, len);
		free(in);
	}
	return 0;
}

/* "tests/fuzz/fuzz_orti" replays tests/fuzz/corpus/orti; a target without one has no such folder. */
static int corpus(const char *program)
{
	const char *srcdir = getenv("srcdir"), *name = strstr(program, "fuzz_");
	struct dirent **files;
	char folder[512], path[1024];
	int failed = 0, rounds = CHANGED_ROUNDS, n;

	while (name != NULL && strstr(name + 1, "fuzz_") != NULL)
		name = strstr(name + 1, "fuzz_");
	snprintf(folder, sizeof(folder), "%s/tests/fuzz/corpus/%s", srcdir != NULL ? srcdir : ".",
		 name != NULL ? name + strlen("fuzz_") : "");
	n = name != NULL ? scandir(folder, &files, NULL, alphasort) : 0;
	if (n > FEW)
		rounds = (CHANGED_ROUNDS * FEW + n - 1) / n;
	for (int i = 0; i < n; i++) {
		if (files[i]->d_name[0] != '.') {
			snprintf(path, sizeof(path), "%s/%s", folder, files[i]->d_name);
			failed |= one_file(path) | changed_file(path, rounds);
		}
		free(files[i]);
	}
	if (n >= 0 && name != NULL)
		free(files);
	return failed;
}

static int all_inputs(const char *program)
{
	int failed = corpus(program);

	random_inputs();
	return failed;
}

static int in_shares(const char *program)
{
	int failed = 0, status;

	n_shares = PT_FUZZ_AT_ONCE;
	for (share = 0; share < n_shares; share++) {
		pid_t child = fork();

		if (child < 0) {
			perror("fork");
			failed = 1;
		} else if (child == 0) {
			exit(all_inputs(program));
		}
	}
	while (wait(&status) > 0)
		failed |= status != 0;	/* a signal, too */
	return failed;
}

int main(int argc, char **argv)
{
	int failed = 0;

	if (argc < 2)
		failed = PT_FUZZ_AT_ONCE > 1 ? in_shares(argv[0]) : all_inputs(argv[0]);
	for (int i = 1; i < argc; i++)
		failed |= one_file(argv[i]);
	return failed;
}
#else
typedef int pt_not_an_empty_file;
#endif
