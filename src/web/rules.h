/* Who may ask what: the rules that keep web pages of other sites, and names that lead here by trickery, away from the
 * door. Pure. */
#ifndef PT_WEB_RULES_H
#define PT_WEB_RULES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* Of a request's head; NULL: it has no such field. */
struct pt_web_head {
	const char *method, *host, *origin, *fetch_site, *fetch_mode, *content_type, *authorization;
};

struct pt_web_rules {
	const char *hosts;	/* names of this machine, with commas between; or NULL */
	bool any_host;		/* a unix socket, which no browser reaches */
};

/* A HTTP status and its sentence: 0: it may come in. 421: the name in Host is not ours: a page whose name was made to
 * lead to this machine (DNS rebinding) would have it so. 403: a page of another site asks. 415: a POST that a page can send
 * without a question ahead of it. Source: Fetch, "CORS-safelisted request-header"; Fetch Metadata Request Headers. */
unsigned pt_web_refuses(const struct pt_web_rules *rules, const struct pt_web_head *head, struct pt_err *err);

/* The word behind "Bearer "; NULL: there is none. */
const char *pt_web_bearer(const char *authorization);

/* Does a client whose request has this Accept prefer type over text/plain? */
bool pt_web_accepts(const char *accept, const char *type);

#endif
