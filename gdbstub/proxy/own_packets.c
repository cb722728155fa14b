/* What of a client's packets is ours though the board is behind another GDB server, and what the server's own offer
 * becomes with it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gdbstub/files/hostio.h"
#include "gdbstub/files/hostio_names.h"
#include "gdbstub/proxy/proxy_parts.h"
#include "base/util.h"

/* --- words of monitor --------------------------------------------------------------------------------------------- */

/* First words. What controls the target (halt, go, reset, speed, erase) is the server's, under the same names or
 * others. */
static const char *const words[] = {
	"help", "auth", "profile", "sources", "symbols", "orti", "exits", "status", "history", "threads", "take",
};

bool pt_gdb_pass_is_ours(const char *line)
{
	const char *at = line + strspn(line, " \t");

	for (size_t i = 0; i < PT_LEN(words); i++) {
		size_t len = strlen(words[i]);

		if (strncmp(at, words[i], len) == 0 && strchr(" \t\r\n", at[len]) != NULL)
			return true;
	}
	return false;
}

static bool is_our_word(const struct pt_rsp_packet *packet)
{
	struct pt_rsp_args args = { packet->bytes + 6, packet->bytes + packet->len_bytes };
	char line[64] = "";
	size_t n = pt_rsp_left(&args) / 2;

	n = n < sizeof(line) - 1 ? n : sizeof(line) - 1;
	if (!pt_rsp_bytes(&args, (uint8_t *)line, n))
		return false;
	line[n] = '\0';
	return pt_gdb_pass_is_ours(line);
}

/* --- what is not forwarded ---------------------------------------------------------------------------------------- */

/* What only controls the target. A server's other commands may be a whole language, with files and programs of its
 * host (OpenOCD's Tcl); so no character that means something in one, either. */
static bool is_harmless_word(const char *line)
{
	static const char *const harmless[] = { "reset", "halt", "resume", "poll", "targets" };
	size_t len = strcspn(line, " ");

	if (strspn(line, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.- ") != strlen(line))
		return false;
	for (size_t i = 0; i < PT_LEN(harmless); i++)
		if (strlen(harmless[i]) == len && strncmp(line, harmless[i], len) == 0)
			return true;
	return false;
}

static bool is_harmless_command(const struct pt_rsp_packet *packet)
{
	struct pt_rsp_args args = { packet->bytes + 6, packet->bytes + packet->len_bytes };
	size_t n = pt_rsp_left(&args) / 2;
	char line[128];

	if (n >= sizeof(line) || !pt_rsp_bytes(&args, (uint8_t *)line, n))
		return false;
	line[n] = '\0';
	return strlen(line) == n && is_harmless_word(line);
}

bool pt_proxy_may_forward(const struct pt_gdb_client *client)
{
	const char *text = (const char *)client->rsp.current->bytes;

	if (client->rsp.own)
		return true;
	if (strncmp(text, "qRcmd,", 6) == 0)
		return is_harmless_command(client->rsp.current);
	return strncmp(text, "vFile:", 6) != 0 && strncmp(text, "vRun;", 5) != 0;
}

/* --- tables and files --------------------------------------------------------------------------------------------- */

/* Tables of gdbserver's. Without a name it is the list of them: the server's, if it has any. */
static const char *const their_tables[] = {
	"",    "types", "processes", "process groups", "threads", "files", "sockets",
	"shm", "sem",	"msg",	     "modules",	       "cpus",
};

static bool is_our_table(const struct pt_gdb_proxy *p, const char *annex)
{
	size_t len = strcspn(annex, ":");

	if (!p->offers_osdata)
		return true;
	for (size_t i = 0; i < PT_LEN(their_tables); i++)
		if (strlen(their_tables[i]) == len && strncmp(annex, their_tables[i], len) == 0)
			return false;
	return true;
}

static bool is_our_file(const char *packet, size_t len)
{
	struct pt_rsp_args args = { (const uint8_t *)packet + 11, (const uint8_t *)packet + len };
	const char *comma = memchr(packet, ',', len);
	struct pt_hostio_name name;
	struct pt_err ignored;
	char path[256] = "";
	size_t n = comma != NULL ? (size_t)(comma - packet - 11) / 2 : 0;

	if (n == 0 || n >= sizeof(path) || !pt_rsp_bytes(&args, (uint8_t *)path, n))
		return false;
	path[n] = '\0';
	return pt_hostio_parse(path, &name, &ignored) == 0 &&
	       (name.kind == PT_HOSTIO_PROFILE || name.kind == PT_HOSTIO_CAPTURE);
}

/* "vFile:pread:FD,..." and its like: our descriptors lie apart. */
static bool is_our_descriptor(const char *packet)
{
	static const char *const calls[] = { "pread:", "pwrite:", "close:", "fstat:" };

	for (size_t i = 0; i < PT_LEN(calls); i++)
		if (strncmp(packet + 6, calls[i], strlen(calls[i])) == 0)
			return strtoul(packet + 6 + strlen(calls[i]), NULL, 16) >= PT_GDB_OWN_FDS;
	return false;
}

/* --- the target's description ------------------------------------------------------------------------------------- */

static void reply_piece(struct pt_gdb_client *client, const char *text, uint64_t offset, uint64_t len)
{
	size_t total = strlen(text), at = offset < total ? (size_t)offset : total;
	size_t n = pt_rsp_escaped_fit(text + at, total - at, PT_GDB_PACKET_BYTES - 1);

	n = n < len ? n : (size_t)len;
	pt_rsp_begin(&client->rsp.frame, '$');
	pt_rsp_text(&client->rsp.frame, "%c", at + n < total ? 'm' : 'l');
	pt_rsp_binary(&client->rsp.frame, text + at, n);
	pt_gdb_reply(client);
}

static void reply_description(struct pt_gdb_proxy *p)
{
	const struct pt_rsp_packet *packet = p->client->rsp.current;
	struct pt_rsp_args args = { packet->bytes, packet->bytes + packet->len_bytes };
	uint64_t offset, len;

	if (pt_rsp_take(&args, "qXfer:features:read:target.xml:") && pt_rsp_number(&args, &offset) &&
	    pt_rsp_take(&args, ",") && pt_rsp_number(&args, &len))
		reply_piece(p->client, p->description, offset, len);
	else
		pt_gdb_reply_text(p->client, "E00");	/* no such annex: all that the server has is in the first */
}

/* --- the target's own registers ----------------------------------------------------------------------------------- */

/* Rows are in the order of their numbers, ours behind all others. */
static bool find_row(struct pt_target *target, uint64_t number, uint16_t *row, unsigned *bits)
{
	size_t n;
	const struct pt_register *rows = target->ops->registers(target->state, &n);

	for (size_t i = n; i > 0; i--)
		if (rows[i - 1].gdb_number == number) {
			*row = (uint16_t)(i - 1);
			*bits = rows[i - 1].bits;
			return true;
		}
	return false;
}

static bool is_big_endian(const struct pt_target *target)
{
	return target->ops->upstream(target->state)->big_endian;
}

/* The client's choice, or the thread of the last stop. */
int pt_proxy_chosen_core(struct pt_target *target, struct pt_err *err)
{
	const struct pt_target_upstream *what = target->ops->upstream(target->state);
	struct pt_rsp_stream *stream = pt_upstream_of(target);
	char choice[PT_RSP_THREAD_BYTES + 2] = "";
	int core;

	if (stream == NULL)
		return pt_fail(err, PT_EIO, "the GDB server is gone");
	memcpy(choice, pt_rsp_stream_lock(stream)->thread, sizeof(choice));
	pt_rsp_stream_unlock(stream);
	pt_rsp_stream_unref(stream);
	core = choice[0] != '\0' && what->core_of != NULL ? what->core_of(target->state, choice + 2) : 0;
	return core >= 0 ? core : pt_fail(err, PT_EUNSUPPORTED, "thread %s is no core that is known here", choice + 2);
}

/* What cannot be read now is "x" for each digit: GDB shows it as unavailable, and the rest all the same. */
static int read_own(struct pt_gdb_request *rq, struct pt_board *board, struct pt_target *target, struct pt_err *err)
{
	unsigned bits;
	uint64_t value;
	uint16_t row;
	int core;

	(void)board;
	if (target->ops->upstream == NULL || !find_row(target, rq->addr, &row, &bits))
		return pt_fail(err, PT_ESTATE, "no such register");
	core = pt_proxy_chosen_core(target, err);
	if (core < 0 || target->ops->read_registers(target->state, (unsigned)core, &row, 1, &value, err) < 0) {
		for (unsigned i = 0; i < (bits + 7) / 8; i++)
			pt_rsp_text(&rq->frame, "xx");
		return 0;
	}
	for (unsigned i = 0, n = (bits + 7) / 8; i < n; i++)
		pt_rsp_text(&rq->frame, "%02x",
			    (unsigned)(uint8_t)(value >> 8 * (is_big_endian(target) ? n - 1 - i : i)));
	return 0;
}

static int write_own(struct pt_gdb_request *rq, struct pt_board *board, struct pt_target *target, struct pt_err *err)
{
	uint64_t value = 0;
	uint8_t bytes[8];
	unsigned bits, n;
	uint16_t row;
	int core;

	(void)board;
	if (target->ops->upstream == NULL || !find_row(target, rq->addr, &row, &bits))
		return pt_fail(err, PT_ESTATE, "no such register");
	n = (bits + 7) / 8;
	if (n > sizeof(bytes) || !pt_rsp_take(&rq->args, "=") || !pt_rsp_bytes(&rq->args, bytes, n))
		return pt_fail(err, PT_EARG, "malformed packet");
	for (unsigned i = 0; i < n; i++)
		value |= (uint64_t)bytes[i] << 8 * (is_big_endian(target) ? n - 1 - i : i);
	core = pt_proxy_chosen_core(target, err);
	if (core < 0 || target->ops->write_registers(target->state, (unsigned)core, &row, 1, &value, err) < 0)
		return err->code;
	pt_rsp_text(&rq->frame, "OK");
	return 0;
}

static bool take_own_register(struct pt_gdb_proxy *p)
{
	struct pt_gdb_request *rq = &p->client->request;
	const struct pt_rsp_packet *packet = p->client->rsp.current;

	rq->args = (struct pt_rsp_args){ packet->bytes + 1, packet->bytes + packet->len_bytes };
	if (packet->len_bytes < 2 || !pt_rsp_number(&rq->args, &rq->addr) || rq->addr < p->own_from ||
	    rq->addr >= p->own_end)
		return false;
	if (packet->bytes[0] == 'p')
		pt_gdb_post(rq, read_own, NULL);
	else
		pt_gdb_post(rq, write_own, pt_gdb_reply_checked);
	return true;
}

/* --- whose it is -------------------------------------------------------------------------------------------------- */

enum pt_proxy_whose pt_proxy_whose(struct pt_gdb_proxy *p)
{
	const struct pt_rsp_packet *packet = p->client->rsp.current;
	const char *text = (const char *)packet->bytes;
	bool ours = false;

	if (text[0] == 'p' || text[0] == 'P') {
		if (take_own_register(p))
			return PT_PROXY_DONE;
	} else if (strncmp(text, "qXfer:features:read:", 20) == 0 && p->description != NULL) {
		reply_description(p);
		return PT_PROXY_DONE;
	} else if (strncmp(text, "qRcmd,", 6) == 0) {
		ours = is_our_word(packet);
	} else if (strncmp(text, "qXfer:osdata:read:", 18) == 0) {
		ours = is_our_table(p, text + 18);
	} else if (strncmp(text, "Qbtrace", 7) == 0 || strncmp(text, "qXfer:btrace", 12) == 0) {
		ours = !p->offers_btrace;
	} else if (strncmp(text, "vFile:open:", 11) == 0) {
		ours = is_our_file(text, packet->len_bytes);
	} else if (strncmp(text, "vFile:", 6) == 0) {
		ours = is_our_descriptor(text);
	} else {
		ours = strcmp(text, "QStartNoAckMode") == 0;
	}
	return ours ? PT_PROXY_OURS : PT_PROXY_THEIRS;
}

void pt_proxy_supported(struct pt_gdb_proxy *p, const char *theirs, char *out, size_t room)
{
	unsigned long bytes = PT_GDB_PACKET_BYTES;
	bool features = false;
	size_t n = 0;

	p->offers_osdata = p->offers_btrace = false;
	for (const char *at = theirs; *at != '\0'; at += strspn(at, ";")) {
		size_t len = strcspn(at, ";");

		if (strncmp(at, "PacketSize=", 11) == 0)
			bytes = strtoul(at + 11, NULL, 16);
		else if (strncmp(at, "QStartNoAckMode", 15) != 0 && n + len + 1 < room)
			n += (size_t)snprintf(out + n, room - n, "%.*s;", (int)len, at);
		p->offers_btrace |= strncmp(at, "Qbtrace:", 8) == 0;
		p->offers_osdata |= strncmp(at, "qXfer:osdata:read+", 18) == 0;
		features |= strncmp(at, "qXfer:features:read+", 20) == 0;
		at += len;
	}
	bytes = pt_proxy_packet_bytes(p, bytes < 64			 ? 64
					 : bytes > PT_PROXY_PACKET_BYTES ? PT_PROXY_PACKET_BYTES
									 : bytes);
	n += (size_t)snprintf(out + n, room - n, "PacketSize=%lx;QStartNoAckMode+", bytes);
	if (!p->offers_osdata)
		n += (size_t)snprintf(out + n, room - n, ";qXfer:osdata:read+");
	if (!p->offers_btrace)
		n += (size_t)snprintf(out + n, room - n,
				      ";qXfer:btrace:read+;qXfer:btrace-conf:read+;Qbtrace:bts+;"
				      "Qbtrace:off+;Qbtrace-conf:bts:size+");
	if (p->description != NULL && !features)
		snprintf(out + n, room - n, ";qXfer:features:read+");
}
