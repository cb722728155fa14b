#include "base/door.h"

static enum pt_door this_door;	/* of the whole process, like its locale: all users of a daemon type in GDB */

void pt_door_set(enum pt_door door)
{
	this_door = door;
}

const char *pt_by_door(const char *command_line, const char *in_gdb)
{
	return this_door == PT_DOOR_GDB ? in_gdb : command_line;
}

const char *pt_setting_by_door(const char *option, const char *word)
{
	return this_door == PT_DOOR_OPTIONS ? option : word;
}
