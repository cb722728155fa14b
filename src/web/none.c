/* Built without HTTP. */
#include <stddef.h>

#include "web/web.h"

struct pt_web *pt_web_new(uv_loop_t *loop, const struct pt_web_config *config, struct pt_err *err)
{
	(void)loop;
	(void)config;
	pt_fail(err, PT_EARG, "this proftap was built without HTTP (libmicrohttpd)");
	return NULL;
}

const char *pt_web_address(const struct pt_web *web)
{
	(void)web;
	return NULL;
}

const char *pt_web_warning(const struct pt_web *web)
{
	(void)web;
	return NULL;
}

struct pt_web_board *pt_web_add(struct pt_web *web, const struct pt_web_board_config *config)
{
	(void)web;
	(void)config;
	return NULL;
}

void pt_web_remove(struct pt_web *web, struct pt_web_board *board)
{
	(void)web;
	(void)board;
}

void pt_web_close(struct pt_web *web, void (*on_closed)(void *arg), void *arg)
{
	(void)web;
	if (on_closed != NULL)
		on_closed(arg);
}
