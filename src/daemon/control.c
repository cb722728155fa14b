#include "daemon/control.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "cli/ctl_client.h"
#include "ctldoor/ctl_door.h"
#include "host/log.h"

struct pt_control {
	struct pt_ctl_door *door;
	struct pt_station *const *stations;
	struct pt_peers allow;
	void (*on_closed)(void *arg);
	void *closed_arg;
};

static const struct pt_station *station_at(const struct pt_control *control, size_t i)
{
	const struct pt_station *station = *control->stations;

	while (station != NULL && i-- > 0)
		station = station->next;
	return station;
}

/* With a token a user who connects elsewhere must give it: here the daemon's own user and root are served alone. */
static const struct pt_peers *who_may(const struct pt_options *options, const struct pt_peers *allow)
{
	return options->allow != NULL && options->token_file == NULL ? allow : NULL;
}

static bool describe(void *arg, size_t i, struct pt_ctl_board *out)
{
	const struct pt_station *station = station_at(arg, i);

	if (station == NULL)
		return false;
	*out = (struct pt_ctl_board){ .name = station->name[0] != '\0' ? station->name : "board" };
	if (station->gdb == NULL) {
		out->why_not = station->err.msg;
		return true;
	}
	out->ctx = (struct pt_command_ctx){
		.loop = station->app.loop, .board = station->app.board, .session = station->app.session,
		.recorder = station->app.recorder, .tasks = station->app.tasks, .changes = station->changes,
		.symbols = station->app.symbols, .options = pt_options_each,
	};
	out->allow = who_may(station->options, &station->allow);
	out->restricted = station->options->restricted;
	out->owner = pt_gdbstub_owner(station->gdb);
	return true;
}

static void add_user(void *list, const struct pt_gdbstub_user *user)
{
	json_array_append_new(list, json_pack("{s:s, s:b, s:I}", "peer", user->peer, "controls", user->has_program,
					      "connected_s", (json_int_t)user->connected_s));
}

static json_t *list_clients(void *arg, size_t i)
{
	json_t *list = json_array();

	pt_gdbstub_each_user(station_at(arg, i)->gdb, add_user, list);
	return list;
}

static int open_door(struct pt_control *control, uv_loop_t *loop, const struct pt_options *options, const char *address,
		     struct pt_err *err)
{
	struct pt_ctl_config config = { .address = address, .board = describe, .clients = list_clients, .arg = control };

	if (options->allow != NULL && pt_peers_parse(&control->allow, options->allow, err) < 0)
		return pt_wrap(err, "--allow");
	config.allow = who_may(options, &control->allow);
	control->door = pt_ctl_door_new(loop, &config, err);
	return control->door != NULL ? 0 : pt_wrap(err, "--control");
}

int pt_control_open(struct pt_control **out, uv_loop_t *loop, const struct pt_options *options,
		    struct pt_station *const *stations, struct pt_err *err)
{
	struct pt_control *control;
	char own[PT_CTL_ADDRESS];
	const char *address = options->control;
	struct pt_err why = { 0 };

	*out = NULL;
	if (address == NULL && ((*stations)->name[0] == '\0' || !pt_ctl_own_address(own, true)))
		return 0;
	control = pt_alloc(sizeof(*control));
	control->stations = stations;
	if (open_door(control, loop, options, address != NULL ? address : own, &why) < 0) {
		free(control);
		if (address != NULL)
			*err = why;
		else
			pt_warn("proftap status and proftap ctl will not find this daemon: %s", why.msg);
		return err->code;
	}
	pt_info("control: listening on %s", pt_ctl_door_address(control->door));
	*out = control;
	return 0;
}

static void on_door_closed(void *arg)
{
	struct pt_control *control = arg;

	control->on_closed(control->closed_arg);
	free(control);
}

void pt_control_close(struct pt_control *control, void (*on_closed)(void *arg), void *arg)
{
	control->on_closed = on_closed;
	control->closed_arg = arg;
	pt_ctl_door_close(control->door, on_door_closed, control);
}
