/* The GDB server behind another GDB server (the proxy) that answers anything: fuzz_stub.c with a server of upstream_server.h in the
 * place of a virtual board. Lines "<text" of the input are the server's answers, in turn; then it answers as a small one would. */
#define PT_FUZZ_UPSTREAM
#include "upstream_server.h"

#include "fuzz_stub.c"
