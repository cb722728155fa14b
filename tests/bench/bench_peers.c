/* The peers of peers.h for bench_dump, each a process: prints its port, and ends when it is killed.
 * usage: bench_peers serve | bench_peers pass PORT|PATH */
#include <stdio.h>
#include <string.h>

#include "tests/bench/peers.h"

int main(int argc, char **argv)
{
	int port, listener = pt_bench_listen(&port);

	printf("%d\n", port);
	fflush(stdout);
	if (argc == 2 && strcmp(argv[1], "serve") == 0)
		pt_bench_serve(listener);
	if (argc == 3 && strcmp(argv[1], "pass") == 0)
		pt_bench_pass(listener, argv[2]);
	fprintf(stderr, "usage: bench_peers serve | bench_peers pass PORT|PATH\n");
	return 2;
}
