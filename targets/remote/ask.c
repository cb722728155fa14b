/* Sends a packet to the other server and takes its answer; turns its errors into ours. */
#include <string.h>

#include "base/rsp_frame.h"
#include "targets/remote/remote_parts.h"

enum { TEXT_BYTES = 256, SLOW_MS = 30000 };

int pt_remote_judge(const char *packet, const struct pt_rsp_answer *answer, struct pt_err *err)
{
	const char *text = (const char *)answer->bytes;
	size_t len = answer->len_bytes;

	if (len == 0)
		return pt_fail(err, PT_EUNSUPPORTED, "the server does not know the packet %.12s", packet);
	if (len > 2 && text[0] == 'E' && text[1] == '.')
		return pt_fail(err, PT_EFAULT, "the server refuses it: %.*s", (int)(len - 2 < 200 ? len - 2 : 200),
			       text + 2);
	if (len == 3 && text[0] == 'E')
		return pt_fail(err, PT_EFAULT, "the server refuses it: error %.2s", text + 1);
	return 0;
}

static int ask_bytes(struct pt_remote *r, const void *packet, size_t len_bytes, struct pt_rsp_answer *answer,
		     uint32_t timeout_ms, struct pt_err *err)
{
	int rc = r->rsp->ask(r->wire, packet, len_bytes, answer, timeout_ms, err);

	return rc == 0 ? pt_remote_judge(packet, answer, err) : rc;
}

int pt_remote_ask(struct pt_remote *r, const char *packet, char *text, size_t room_bytes, struct pt_err *err)
{
	struct pt_rsp_answer answer = { .bytes = (uint8_t *)text, .room_bytes = room_bytes - 1 };
	int rc = ask_bytes(r, packet, strlen(packet), &answer, PT_REMOTE_ASK_MS, err);

	text[rc == 0 ? answer.len_bytes : 0] = '\0';
	return rc == 0 ? (int)answer.len_bytes : rc;
}

int pt_remote_ask_ok(struct pt_remote *r, const void *packet, size_t len_bytes, uint32_t timeout_ms, struct pt_err *err)
{
	uint8_t text[TEXT_BYTES] = { 0 };
	struct pt_rsp_answer answer = { .bytes = text, .room_bytes = sizeof(text) - 1 };
	int rc = ask_bytes(r, packet, len_bytes, &answer, timeout_ms, err);

	if (rc == 0 && (answer.len_bytes != 2 || memcmp(text, "OK", 2) != 0))
		rc = pt_fail(err, PT_EPROTO, "the server answers \"%.*s\", not OK", (int)(answer.len_bytes % 60),
			     (char *)text);
	return rc;
}

int pt_remote_monitor(struct pt_remote *r, const char *line, char *text, size_t room_bytes, struct pt_err *err)
{
	struct pt_rsp_answer answer = { .bytes = (uint8_t *)text, .room_bytes = room_bytes - 1 };
	struct pt_rsp_frame packet = { 0 };
	int rc;

	pt_rsp_text(&packet, "qRcmd,");
	pt_rsp_hex(&packet, line, strlen(line));
	rc = packet.overflow ? pt_fail(err, PT_EARG, "too long a command")
			     : r->rsp->ask(r->wire, packet.bytes, packet.len_bytes, &answer, SLOW_MS, err);
	pt_rsp_free(&packet);
	text[rc == 0 ? answer.len_bytes : 0] = '\0';
	return rc == 0 ? 0 : pt_wrap(err, "monitor %s", line);
}
