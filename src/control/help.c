/* monitor help [TOPIC] */
#include <stdio.h>
#include <string.h>

#include "gdbstub/packets/monitor.h"
#include "gdbstub/proxy/proxy.h"

enum { USAGE_COLUMNS = 34 };

struct topic { struct pt_monitor_call *call; char text[64]; bool found; };

/* Of a client whose packets are passed on, only some words are ours; of one without the token, nearly none. */
static bool reaches_us(const struct topic *topic, const struct pt_monitor_word *word)
{
	if (topic->call->client->auth.locked)
		return pt_monitor_is_open(word);
	return !pt_gdb_is_proxied(topic->call->client) || pt_gdb_pass_is_ours(word->name);
}

static void put_word(void *arg, const struct pt_monitor_word *word)
{
	struct topic *topic = arg;
	char usage[128];

	if (strncmp(word->name, topic->text, strlen(topic->text)) != 0 || !reaches_us(topic, word))
		return;
	topic->found = true;
	snprintf(usage, sizeof(usage), "%s %s", word->name, word->args);
	if (strlen(usage) < USAGE_COLUMNS)
		pt_monitor_say(topic->call, "%-*s%s", USAGE_COLUMNS, usage, word->help);
	else
		pt_monitor_say(topic->call, "%s\n%*s%s", usage, USAGE_COLUMNS, "", word->help);
}

static void put_details(void *arg, const struct pt_monitor_word *word)
{
	struct topic *topic = arg;

	if (word->details != NULL && strcmp(word->name, topic->text) == 0 && reaches_us(topic, word))
		word->details(topic->call);
}

static void help(struct pt_monitor_call *call)
{
	struct topic topic = { .call = call };

	for (size_t i = 0; i < call->n_words; i++)
		snprintf(topic.text + strlen(topic.text), sizeof(topic.text) - strlen(topic.text), "%s%s",
			 i > 0 ? " " : "", call->words[i]);
	pt_monitor_each_word(put_word, &topic);
	pt_monitor_each_word(put_details, &topic);
	if (pt_gdb_is_proxied(call->client) && (!topic.found || call->n_words == 0))
		pt_monitor_say(call, "%s the GDB server's: it is passed on, and answered there",
			       topic.found ? "Any other word is" : "That word, if there is one, is");
	if (topic.found || pt_gdb_is_proxied(call->client))
		pt_monitor_done(call, 0, NULL);
	else
		pt_monitor_fail(call, PT_EARG, "no help for \"%s\"; `monitor help` lists everything", topic.text);
}

const struct pt_monitor_word pt_monitor_help_words[] = {
	{ "help", "[TOPIC]", "this list, or what begins with TOPIC", help, NULL, 0 },
	{ 0 },
};
