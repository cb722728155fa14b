/* The table of connections: a host asks for a handle and gets the table with its own entry; without a free place it
 * finds none, or handle 0. Source: libjaylink, "Connection management". */
#include <string.h>

#include "base/util.h"
#include "probes/virtual/probe/jlink_parts.h"

enum { IDENTITY = 2, HANDLE = 12, HEAD_BYTES = 8, ENTRY_HANDLE = 10, FIRST_HANDLE = 7 };
enum { ADD = 0x64 };

bool jlink_is_registered(const struct pt_vjlink *jlink)
{
	bool any = false;

	for (size_t i = 0; i < JLINK_HOSTS; i++)
		any |= jlink->host[i].handle != 0;
	return any;
}

/* A host that comes again, without a word when it left, has its old place. */
static struct jlink_host *place_for(struct pt_vjlink *jlink, const uint8_t *identity)
{
	struct jlink_host *free_place = NULL;

	for (size_t i = JLINK_HOSTS; i-- > 0;) {
		struct jlink_host *host = &jlink->host[i];

		if (host->handle != 0 && memcmp(host->identity, identity, sizeof(host->identity)) == 0)
			return host;
		if (host->handle == 0)
			free_place = host;
	}
	return free_place;
}

static uint16_t add_host(struct pt_vjlink *jlink, const uint8_t *identity)
{
	struct jlink_host *host = place_for(jlink, identity);

	if (host == NULL || (jlink->config.flaws & PT_VJLINK_FULL) != 0)
		return 0;
	memcpy(host->identity, identity, sizeof(host->identity));
	host->handle = (uint16_t)(FIRST_HANDLE + (host - jlink->host));
	return host->handle;
}

static uint16_t remove_host(struct pt_vjlink *jlink, uint16_t handle)
{
	for (size_t i = 0; i < JLINK_HOSTS; i++)
		if (jlink->host[i].handle == handle)
			jlink->host[i].handle = 0;
	return handle;
}

/* The first part has a fixed length; the rest follows where that is not enough. */
static void reply_table(struct pt_vjlink *jlink, uint16_t handle)
{
	uint8_t out[HEAD_BYTES + JLINK_HOSTS * JLINK_ENTRY_BYTES] = { 0 };
	bool full = (jlink->config.flaws & PT_VJLINK_FULL) != 0;
	size_t n = 0, len;

	for (size_t i = 0; i < JLINK_HOSTS; i++) {
		uint8_t *entry = out + HEAD_BYTES + n * JLINK_ENTRY_BYTES;

		if (jlink->host[i].handle == 0 && !full)
			continue;
		memcpy(entry, jlink->host[i].identity, sizeof(jlink->host[i].identity));
		pt_put_le16(entry + ENTRY_HANDLE, full ? (uint16_t)(1 + i) : jlink->host[i].handle);
		n++;
	}
	pt_put_le16(out, handle);
	pt_put_le16(out + 2, (uint16_t)n);
	pt_put_le16(out + 4, JLINK_ENTRY_BYTES);
	len = HEAD_BYTES + n * JLINK_ENTRY_BYTES;
	if (len > JLINK_TABLE_BYTES)
		jlink_reply_part(jlink, out, JLINK_TABLE_BYTES);
	else
		jlink_reply(jlink, out, JLINK_TABLE_BYTES);
	if (len > JLINK_TABLE_BYTES)
		jlink_reply(jlink, out + JLINK_TABLE_BYTES, len - JLINK_TABLE_BYTES);
}

void jlink_register(struct pt_vjlink *jlink, const uint8_t *command)
{
	reply_table(jlink, command[1] == ADD ? add_host(jlink, command + IDENTITY)
					     : remove_host(jlink, pt_le16(command + HANDLE)));
}
