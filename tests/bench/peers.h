/* Two peers of the benchmarks, each on a port of the kernel's choice: a GDB server that costs nothing (no
 * acknowledgements, memory of zeros), and a plain libuv pass-through, which is the floor of anything between GDB and a
 * server. */
#ifndef PT_TESTS_BENCH_PEERS_H
#define PT_TESTS_BENCH_PEERS_H

#include <stddef.h>

enum { PT_BENCH_PACKET_BYTES = 0x4000 };

void pt_bench_die(const char *what);				/* with errno, and exit */
int pt_bench_listen(int *port);
int pt_bench_dial(const char *address);				/* "PORT" of this machine, or the path of a socket */
void pt_bench_write(int fd, const char *bytes, size_t n);	/* all of it; exits when the peer is gone */
size_t pt_bench_frame(char *out, const char *payload, size_t n);	/* out: n + 5 bytes. Its length. */
void pt_bench_serve(int listener);				/* one after the other, for ever */
void pt_bench_pass(int listener, const char *to);		/* one client, until either is gone */

#endif
