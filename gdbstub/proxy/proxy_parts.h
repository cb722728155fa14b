/* Shared by the files of the proxy: proxy.c has the life of a packet, own_packets.c those that are not forwarded,
 * server.c the start and end of the connection, notes.c what the board must know of forwarded packets. */
#ifndef PT_GDBSTUB_PROXY_PARTS_H
#define PT_GDBSTUB_PROXY_PARTS_H

#include "gdbstub/proxy/proxy.h"
#include "board/upstream.h"

enum {
	PT_PROXY_PACKET_BYTES = 0x20000,	/* the largest payload from a client: as much as any server offers */
	PT_PROXY_BREAKS = 256,
	PT_PROXY_BREAK_BYTES = 48,
	PT_PROXY_SUPPORTED_BYTES = 2048,
	PT_PROXY_SLOW_MS = 60000,	/* for flash, resets, commands of others */
};

enum pt_proxy_await { PT_PROXY_NOTHING, PT_PROXY_ANSWER, PT_PROXY_STOP };

/* A memory packet longer than the server accepts: pieces.c. */
struct pt_proxy_pieces {
	size_t server_bytes;		/* its PacketSize; 0: the client was offered the same, so nothing is split */
	unsigned ahead;			/* how many reads may await answers */
	char kind;			/* kind of packet being split: m, x, M or X; 0: none */
	uint64_t next, got, end;	/* addresses: requested up to, answered up to, end */
	const uint8_t *data;		/* for a write: next data in the client's packet */
	unsigned n_out;			/* requests without answer */
	bool ended;			/* no more requests: one failed, or it takes too long */
	uint64_t since_ms;		/* on the loop's clock */
	uint8_t *packet;		/* room for the largest */
	struct pt_rsp_frame answer;
	uint8_t sum;
};

struct pt_gdb_proxy {
	struct pt_gdbstub *stub;
	struct pt_gdb_client *client;	/* whose packets are forwarded; NULL: no client's */
	struct pt_upstream *upstream;	/* NULL: there is none at present */
	const struct pt_upstream_user *user;	/* proxy.c's */
	struct pt_board_listener listener;
	uv_timer_t timer;
	unsigned n_closing;		/* handles and jobs that are to come back */
	bool closing;

	/* the current packet */
	enum pt_proxy_await await;
	bool unsent;			/* it waits for the turn */
	bool etx;			/* a Ctrl-C does */
	bool sent_etx;
	bool command;			/* qRcmd: console packets come ahead of its answer */
	bool asks_why;			/* "?" of a target that runs: its stop is the answer */
	bool halts_first;		/* the same for a packet of another kind, which is sent behind the stop */
	char head[16];			/* how it begins */
	uint64_t since_ms, rest_ms;	/* of the loop's clock: silent since; how much longer, once that was told */
	bool told;
	struct pt_proxy_pieces pieces;

	/* what the client has chosen: told again to a server that comes back */
	char supported[PT_PROXY_SUPPORTED_BYTES], thread[PT_RSP_THREAD_BYTES + 2];
	bool non_stop, extended;
	bool asks_stops;		/* non-stop: the server tells which threads stand, one by one */
	unsigned replay;		/* the step of telling; 0: done */
	bool late_attach;		/* its attach is to be a "?": late.c */
	char breaks[PT_PROXY_BREAKS][PT_PROXY_BREAK_BYTES];	/* "0,1234,2" */
	size_t n_breaks;

	/* what the target says, from the board */
	char *description;
	uint16_t own_from, own_end;
	char server[32];
	bool is_process;		/* it serves a process of an operating system */
	bool asks_running;		/* it answers while the target runs */
	bool takes_ahead;		/* it hears packets while it answers others */
	char lost[200];			/* why there is no connection */
	bool finding;
	bool offers_osdata, offers_btrace;
	uint8_t *payload;		/* the client's, PT_PROXY_PACKET_BYTES + 1 */
};

/* late.c */
void pt_proxy_promise(struct pt_gdb_client *client);

/* answer.c */
bool pt_proxy_begins(const struct pt_rsp_packet *packet, const char *with);
void pt_proxy_settle(struct pt_gdb_proxy *proxy);	/* nothing is awaited any more */
void pt_proxy_fail(struct pt_gdb_proxy *proxy, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* notes.c */
void pt_proxy_note_resume(struct pt_gdb_proxy *proxy, const struct pt_rsp_packet *packet);	/* the client lets it run */
void pt_proxy_note_thread(struct pt_gdb_proxy *proxy, const struct pt_rsp_packet *packet);	/* Hg: it has chosen one */
/* A packet that tells how the target is: a stop reply from byte skip of its payload on. */
void pt_proxy_note_stop(struct pt_gdb_proxy *proxy, const struct pt_rsp_raw *raw, size_t skip);
void pt_proxy_note_answer(struct pt_gdb_proxy *proxy, const struct pt_rsp_raw *raw);	/* to the client's packet */

/* deadline.c */
uint64_t pt_proxy_standard_ms(const struct pt_gdb_proxy *proxy);	/* what the user has set */
void pt_proxy_patience(struct pt_gdb_proxy *proxy, uint64_t ms);	/* from now on, for the next answer */
unsigned pt_proxy_owed(struct pt_gdb_proxy *proxy, uint64_t *silent_ns);	/* answers that no client waits for any more */
void pt_proxy_owe(struct pt_gdb_proxy *proxy, int more);
int pt_proxy_n_out(const struct pt_gdb_proxy *proxy);	/* answers to the current packet that have yet to come */
void pt_proxy_on_timer(uv_timer_t *timer);

/* pieces.c */
/* PacketSize for the client, of a server that has this one. */
unsigned long pt_proxy_packet_bytes(struct pt_gdb_proxy *proxy, unsigned long server_bytes);
/* Sends the first pieces of it. False: it needs no cutting, or cannot be cut. */
bool pt_proxy_cut(struct pt_gdb_proxy *proxy, const struct pt_rsp_packet *packet);
/* How much of a packet that is not cut the server takes: all of it; less of a write to a file, which may be short;
 * 0: it would not take it. */
size_t pt_proxy_fits(const struct pt_gdb_proxy *proxy, const struct pt_rsp_packet *packet);
/* An answer, while pieces.kind is set. True: it was the last, and whole (valid until the next cut) answers the client;
 * len_bytes 0: the server said more than can be passed on. */
bool pt_proxy_piece(struct pt_gdb_proxy *proxy, const struct pt_rsp_raw *raw, struct pt_rsp_raw *whole);
void pt_proxy_pieces_drop(struct pt_proxy_pieces *pieces);	/* what is on its way is discarded */
void pt_proxy_pieces_fini(struct pt_proxy_pieces *pieces);

/* own_packets.c */
/* OURS: to be handled like on any board; DONE: it is answered */
enum pt_proxy_whose { PT_PROXY_THEIRS, PT_PROXY_OURS, PT_PROXY_DONE };
enum pt_proxy_whose pt_proxy_whose(struct pt_gdb_proxy *proxy);
/* False of a client that is not the daemon's own user where its packet may use files, programs or commands of the
 * server's host. */
bool pt_proxy_may_forward(const struct pt_gdb_client *client);
int pt_proxy_chosen_core(struct pt_target *target, struct pt_err *err);	/* board thread, in a job */
/* The server's answer to qSupported with what is ours: NUL-terminated text into out. */
void pt_proxy_supported(struct pt_gdb_proxy *proxy, const char *theirs, char *out, size_t room);

/* late.c */
void pt_proxy_late_begin(struct pt_gdb_proxy *proxy);	/* the client has just come */
void pt_proxy_late_attach(struct pt_gdb_proxy *proxy);	/* its current packet, before it is passed on */
/* The answer is to be E00. */
bool pt_proxy_late_refuses(const struct pt_gdb_proxy *proxy, const struct pt_rsp_raw *raw);

/* server.c */
enum pt_packet_offer pt_proxy_offer(struct pt_gdb_client *client, const struct pt_upstream_user *user);
void pt_proxy_find(struct pt_gdb_proxy *proxy);			/* the board's connection, if there is one */
bool pt_proxy_replay_next(struct pt_gdb_proxy *proxy);		/* false: GDB has got all of it */

#endif
