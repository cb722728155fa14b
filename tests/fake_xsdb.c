/* A stand-in for AMD's xsdb: answers the lines that our driver of it writes, over the registers of a fake_mdm.
 *	fake_xsdb [WORD ...]	prompt (prints one in front), dies=N and mute=N (after N commands), nonsense=N (the Nth
 *				answer is no number), cores=N, talk (prints other lines in between), refuses (connect fails)
*/
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fake_mdm.h"

static struct fake_mdm mdm;
static unsigned dies = UINT32_MAX, mute = UINT32_MAX, nonsense = UINT32_MAX;
static bool prompt, talk, refuses;

static void read_words(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		const char *value = strchr(argv[i], '=');
		unsigned n = value != NULL ? (unsigned)atoi(value + 1) : 0;

		prompt |= strcmp(argv[i], "prompt") == 0;
		talk |= strcmp(argv[i], "talk") == 0;
		refuses |= strcmp(argv[i], "refuses") == 0;
		dies = strncmp(argv[i], "dies=", 5) == 0 ? n : dies;
		mute = strncmp(argv[i], "mute=", 5) == 0 ? n : mute;
		nonsense = strncmp(argv[i], "nonsense=", 9) == 0 ? n : nonsense;
		mdm.n_cores = strncmp(argv[i], "cores=", 6) == 0 ? n : mdm.n_cores;
	}
}

/* Options of the command, then its numbers. False: it is none of the four. */
static bool registers(char *command, char *result, size_t room)
{
	bool own = strncmp(command, "mdm_", 4) == 0, reads = strstr(command, "_drrd") != NULL;
	char *save, *word = strtok_r(command, " ", &save);
	uint64_t number[3];
	unsigned n = 0;

	if (strcmp(word, "mdm_drrd") != 0 && strcmp(word, "mdm_drwr") != 0 && strcmp(word, "mb_drrd") != 0 &&
	    strcmp(word, "mb_drwr") != 0)
		return false;
	while ((word = strtok_r(NULL, " ", &save)) != NULL) {
		if (strcmp(word, "-which") == 0)
			mdm.which = 1u << atoi(strtok_r(NULL, " ", &save));
		else if (word[0] == '-')
			strtok_r(NULL, " ", &save);
		else if (n < 3)
			number[n++] = strtoull(word, NULL, 0);
	}
	if (n != (reads ? 2u : 3u))
		return false;
	if (reads)
		snprintf(result, room, "%0*" PRIX64, (int)(number[1] + 3) / 4,
			 fake_mdm_read(&mdm, own, (unsigned)number[0], (unsigned)number[1]));
	else
		fake_mdm_write(&mdm, own, (unsigned)number[0], (unsigned)number[2], number[1]);
	return true;
}

/* Returns whether it failed. */
static bool run(char *command, char *result, size_t room)
{
	result[0] = '\0';
	if (strncmp(command, "connect ", 8) == 0) {
		snprintf(result, room, refuses ? "Cannot connect to hw_server" : "tcfchan#0");
		return refuses;
	}
	if (strncmp(command, "targets ", 8) == 0)
		return false;
	if (registers(command, result, room)) {
		fake_mdm_hit(&mdm, 0, 0x100, strstr(command, "mb_drwr") != NULL); /* time passes, the program runs */
		return false;
	}
	snprintf(result, room, "invalid command name \"%s\"", command);
	return true;
}

int main(int argc, char **argv)
{
	char line[1024], result[256];

	fake_mdm_init(&mdm);
	read_words(argc, argv);
	for (unsigned n = 0; fgets(line, sizeof(line), stdin) != NULL; n++) {
		char *from = strstr(line, "[catch {"), *end = strstr(line, "} r] $r\""),
		     *number = strstr(line, "proftap ");
		bool failed;

		if (strncmp(line, "exit", 4) == 0)
			return 0;
		if (n == dies) {
			fprintf(stderr, "segmentation violation in the debugger\n");
			return 11;
		}
		if (n >= mute)
			pause();
		if (from == NULL || end == NULL || number == NULL)
			return 12; /* that is no line of ours */
		*end = '\0';
		failed = run(from + 8, result, sizeof(result));
		if (n == nonsense)
			snprintf(result, sizeof(result), "no value here");
		if (talk)
			printf("Info: MicroBlaze #0 (target 3) Running\n");
		printf("%sproftap %u %d %s\n", prompt ? "xsdb% " : "", (unsigned)strtoul(number + 8, NULL, 10), failed,
		       result);
		fflush(stdout);
	}
	return 0;
}
