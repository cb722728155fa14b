/* Whom the texts of this process are for: a user at a command line, or one who types into GDB behind a daemon. A text that
 * says what to type next names what works there. */
#ifndef PT_BASE_DOOR_H
#define PT_BASE_DOOR_H

enum pt_door {
	PT_DOOR_OPTIONS,	/* proftap profile and the like: settings are options */
	PT_DOOR_WORDS,		/* proftap monitor: a command line, but what a profile takes are words, as in GDB */
	PT_DOOR_GDB,
};

/* Called once, before there is another thread; else it is PT_DOOR_OPTIONS. */
void pt_door_set(enum pt_door door);

/* The one of two texts that the user can type or do there: "--elf FILE", or "monitor symbols FILE" in GDB. */
const char *pt_by_door(const char *command_line, const char *in_gdb);
/* The same of what only a profile takes: "--source NAME", or "source=NAME" where it is a word of a command. */
const char *pt_setting_by_door(const char *option, const char *word);

#endif
