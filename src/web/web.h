/* The HTTP door: reports, figures and the state of boards, for browsers, scrapers and scripts. Read-only. Loop thread; never blocks: a report is rendered on the analysis thread, and its request rests meanwhile. All
 * that a client sends is untrusted. */
#ifndef PT_WEB_H
#define PT_WEB_H

#include <uv.h>

#include "base/error.h"
#include "control/command.h"
#include "host/peers.h"
#include "host/token.h"

struct pt_web;
struct pt_web_board;

struct pt_web_config {
	const char *address;		/* host/listen.h */
	const struct pt_peers *allow;	/* as struct pt_listener has it */
	const struct pt_token *token;	/* every request but /healthz must have it; NULL: none need */
	const char *hosts;		/* "lab,lab.example": names of this machine besides addresses and localhost; or NULL */
	bool allow_remote;		/* an address that other machines can reach; with a token only */
};

/* What the door serves under a name; all of it outlives pt_web_remove(). */
struct pt_web_board_config {
	const char *name;		/* made of [a-z0-9_.-], capitals become small; copied */
	struct pt_board *board;
	struct pt_session *session;
	struct pt_recorder *recorder;
	struct pt_os_tasks *tasks;
	struct pt_changes *changes;
	const struct pt_params *symbols;
};

/* The config's pointers stay the caller's, for as long as the door is there. PT_EARG, PT_EBUSY, PT_EPERM. */
struct pt_web *pt_web_new(uv_loop_t *loop, const struct pt_web_config *config, struct pt_err *err);
const char *pt_web_address(const struct pt_web *web);	/* with the real port */
/* What a user has to know of the address; NULL: only this machine can reach it. */
const char *pt_web_warning(const struct pt_web *web);
/* Never NULL. Boards are listed in the order they were added. */
struct pt_web_board *pt_web_add(struct pt_web *web, const struct pt_web_board_config *config);
/* Requests that wait for the board are answered when its session closes. */
void pt_web_remove(struct pt_web *web, struct pt_web_board *board);
/* Ends all connections, then on_closed, and the door is freed. Sessions and boards are closed after that. */
void pt_web_close(struct pt_web *web, void (*on_closed)(void *arg), void *arg);

#endif
