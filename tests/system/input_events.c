/* Prints the events of files of other instruments, for tests that compare them with another program's reading:
 * input_events FILE[?KEY=VALUE]... */
#include <stdio.h>
#include <stdlib.h>

#include "../input_dump.h"

enum { TEXT_BYTES = 64 << 20 };

static void on_note(void *arg, const char *text)
{
	(void)arg;
	fprintf(stderr, "%s\n", text);
}

int main(int argc, char **argv)
{
	struct pt_inputs_set *set = pt_inputs_new(on_note, NULL);
	char *text = malloc(TEXT_BYTES);
	struct pt_err err;
	int status = 0;

	for (int i = 1; i < argc && status == 0; i++)
		if (pt_inputs_add(set, argv[i], NULL, 0, &err) < 0) {
			fprintf(stderr, "%s\n", err.msg);
			status = 2;
		}
	if (status == 0)
		fputs(input_dump(set, argc > 2, text, TEXT_BYTES), stdout);
	pt_inputs_free(set);
	free(text);
	return status;
}
