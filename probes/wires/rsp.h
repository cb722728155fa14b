/* The wire `rsp`: another GDB server that owns the cable already (OpenOCD, QEMU, gdbserver, hw_server, J-Link), spoken
 * to in GDB's remote protocol. Addresses: rsp:HOST:PORT, rsp:unix:PATH, and rsp:|COMMAND for a child that serves on its
 * standard input and output.
 * Source: GDB manual, appendix "Remote Serial Protocol".
 *
 * There is one connection, and two who use it, by turns: the board thread through this wire, and the loop, which
 * passes a debugger's packets straight through (src/board/upstream.h). ask, resume, interrupt and poll take a turn by
 * themselves; what must stay together is between hold and release. A turn that the loop has is
 * given back within one packet and its answer. What a client's debugger chose (Hg, the packet that resumed it) is
 * restored after each turn.
 *
 * All-stop: nothing but interrupt and poll can be asked while the target runs (PT_ESTATE), unless `asks_running` is
 * known of this server. Board thread only. */
#ifndef PT_PROBES_WIRE_RSP_H
#define PT_PROBES_WIRE_RSP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum {
	PT_RSP_PACKET_BYTES = 0x4000,	/* largest payload that we ask for or send, whatever the server allows */
	PT_RSP_STOP_BYTES = 1024,
	PT_RSP_THREAD_BYTES = 40,
	PT_RSP_CORES = 8,
};

/* What the server said of itself, and what we learnt by asking. */
struct pt_rsp_facts {
	char where[64];			/* "127.0.0.1:3334", "unix:PATH", "|COMMAND" (cut) */
	char name[32];			/* "OpenOCD", "QEMU", "qemu-user", "gdbserver"; "" where it is not known */
	char supported[1024];		/* its answer to qSupported, cut */
	uint32_t patience_ms;		/* what the user waits for it, at least */
	size_t packet_bytes;		/* its PacketSize; 400 where it names none (GDB's own assumption) */
	bool no_ack;			/* in use */
	bool multiprocess, non_stop;	/* non_stop: offered */
	bool features, memory_map;	/* qXfer:...:read+ */
	bool vcont;			/* it knows vCont;c and vCont;s */
	bool takes_ahead;		/* it hears packets while it answers others, and answers in order */
	bool keeps_words;		/* it reads and writes whole words where place and length are multiples of 4 */
	bool process;			/* what it serves is a process of an operating system */
	bool deaf;			/* it hears no stop while the target runs */
	bool asks_running;		/* it answers m while the target runs, and that disturbs nothing */
};

/* Whether the target runs, as far as this connection has seen. */
struct pt_rsp_run {
	bool running;			/* in non-stop: any of its cores does, if they are known */
	bool client_stops;		/* a debugger has asked for a stop, which has not come yet */
	bool non_stop;			/* a debugger chose that: threads stop and go one by one */
	bool client_waits;		/* a debugger resumed it and is to have the stop reply */
	uint32_t client_resumes;	/* how often a debugger has: a run may be over before anybody looks */
	bool fresh;			/* nothing has been written to the target since that stop */
	uint8_t signal;			/* of the last stop: GDB's numbers, 5 = SIGTRAP; 0 unknown */
	char stop[PT_RSP_STOP_BYTES];	/* the last stop reply, cut; "" when there was none */
	/* Which of its threads are cores (set_cores), and a bit for each. All-stop: they stop together. */
	unsigned n_cores;
	char core[PT_RSP_CORES][PT_RSP_THREAD_BYTES];
	uint32_t halted;
	uint32_t told;			/* non-stop: the cores whose stops were reported since a client asked ("?") */
	uint32_t core_resumes[PT_RSP_CORES];	/* as client_resumes */
};

struct pt_rsp_answer {
	uint8_t *bytes;			/* the caller's */
	size_t room_bytes;
	size_t len_bytes;		/* out: escapes undone, runs expanded */
};

struct pt_rsp_ops {
	void (*facts)(void *state, struct pt_rsp_facts *out);
	/* These of its threads are the cores, as the server names them, in this order: what poll says of each of them
	 * is known from now on. At most PT_RSP_CORES. */
	void (*set_cores)(void *state, const char *const *threads, unsigned n);
	/* One packet and its answer. An "E NN" or "E.text" is an answer like others, an empty one says "not supported".
	 * Console output (O packets) that comes ahead of the answer to qRcmd is put in front of it as text.
	 * PT_ETIMEOUT: no answer in time; a late one is thrown away. PT_EPROTO: it is not RSP, or longer than
	 * room_bytes.
	 * PT_ESTATE: the target runs. PT_EBUSY: a debugger's packet has not been answered in time. PT_EIO: gone. */
	int (*ask)(void *state, const void *request, size_t len_bytes, struct pt_rsp_answer *answer,
		   uint32_t timeout_ms, struct pt_err *err);
	/* A packet that makes the target run ("vCont;c", "vCont;s:1", "c"); its answer comes by poll. */
	int (*resume)(void *state, const char *packet, struct pt_err *err);
	/* Like the Ctrl-C of a debugger: 0x03, or vCont;t in non-stop. Its stop comes by poll, which asks for it in
	 * non-stop ("?") if it was waited for and does not come: of one core. PT_EUNSUPPORTED: the server is deaf. */
	int (*interrupt)(void *state, struct pt_err *err);
	/* What is known, after waiting for a stop when it runs: not at all (0), or wait_ms, or the user's patience if
	 * that is longer. timeout_ms of ask is stretched likewise. */
	int (*poll)(void *state, uint32_t wait_ms, struct pt_rsp_run *out, struct pt_err *err);
	/* Several calls in one turn. Within 900 ms: a debugger waits. May be nested. PT_EBUSY as above. */
	int (*hold)(void *state, struct pt_err *err);
	void (*release)(void *state);
	/* Within a hold: let go on what a debugger had resumed and we have interrupted. It hears of neither.
	 * PT_ESTATE: the stop is not ours (a breakpoint, its own Ctrl-C); the debugger has been
	 * told, and it stays so. */
	int (*go_on)(void *state, struct pt_err *err);
	/* Within a hold, while the target is stopped: a packet that makes it run for a purpose of ours ("c" into code
	 * of ours, "s"), until it stops. That stop is not reported: poll says what it said before, and a debugger that
	 * waits for a stop waits on. PT_ESTATE: it runs. PT_ETIMEOUT: it did not stop by itself within timeout_ms (or
	 * the user's patience, if that is longer), was interrupted, and is stopped. PT_EUNSUPPORTED: in non-stop.
	 * PT_EIO: what ran there has ended. */
	int (*run_for)(void *state, const char *packet, uint32_t timeout_ms, struct pt_err *err);
	/* The user says that this server answers while the target runs; or it was seen not to. */
	void (*set_asks_running)(void *state, bool does);
};

#endif
