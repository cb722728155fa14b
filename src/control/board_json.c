#include "control/board_json.h"

#include "report/shared/json_values.h"

static const char *state_name(enum pt_board_state state)
{
	static const char *const names[] = {
		[PT_BOARD_CLOSED] = "absent", [PT_BOARD_OPENING] = "opening", [PT_BOARD_READY] = "attached",
		[PT_BOARD_LOCKED] = "locked"
	};

	return names[state];
}

static const char *profile_name(enum pt_session_state state)
{
	static const char *const names[] = {
		[PT_SESSION_IDLE] = "idle", [PT_SESSION_STARTING] = "starting", [PT_SESSION_RUNNING] = "running",
		[PT_SESSION_STOPPING] = "stopping"
	};

	return names[state];
}

static json_t *describe_profile(const struct pt_session *session)
{
	json_t *out = json_object();
	uint64_t number = pt_session_number(session);

	json_object_set_new(out, "state", json_string(profile_name(pt_session_get_state(session))));
	json_object_set_new(out, "number", json_integer((json_int_t)number));
	json_object_set_new(out, "ended_because",
			    number > 0 ? pt_json_text(pt_session_why_ended(session)) : json_null());
	return out;
}

json_t *pt_board_json(const char *name, const struct pt_board *board, const struct pt_session *session)
{
	json_t *out = json_object(), *probes = json_array();
	const char *why;
	enum pt_board_state state = pt_board_get_state(board, &why);

	for (size_t i = 0; pt_board_probe_uri(board, i) != NULL; i++)
		json_array_append_new(probes, pt_json_text(pt_board_probe_uri(board, i)));
	json_object_set_new(out, "name", json_string(name));
	json_object_set_new(out, "state", json_string(state_name(state)));
	json_object_set_new(out, "details", pt_json_text(why));
	json_object_set_new(out, "probes", probes);
	json_object_set_new(out, "profile", describe_profile(session));
	return out;
}
