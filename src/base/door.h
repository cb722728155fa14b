/* Where the user of this process types: on a command line, or in a GDB that is connected to the daemon. Messages that
 * say what to type next use the form that works there. */
#ifndef PT_BASE_DOOR_H
#define PT_BASE_DOOR_H

enum pt_door {
	PT_DOOR_OPTIONS,	/* proftap profile and the like: settings are options */
	PT_DOOR_WORDS,		/* proftap monitor: a command line, with a profile's settings as key=value, as in GDB */
	PT_DOOR_GDB,
};

/* Call it at most once, before a second thread starts. Without a call it is PT_DOOR_OPTIONS. */
void pt_door_set(enum pt_door door);

/* One of two texts, by where the user types: "--elf FILE", or "monitor symbols FILE" in GDB. */
const char *pt_by_door(const char *command_line, const char *in_gdb);
/* The same for a profile's settings: "--source NAME", or "source=NAME" as part of a command. */
const char *pt_setting_by_door(const char *option, const char *word);

#endif
