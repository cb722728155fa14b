/* Two buffers: put() appends to one while the thread writes the other. Both hold complete records, so after a failure
 * the buffer that was being written shows where the last complete record in the file ends. */
#include "capture/write.h"

#include <errno.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>
#include <uv.h>
#include <zstd.h>

#include "base/alloc.h"
#include "capture/file.h"
#include "capture/read.h"
#include "host/log.h"
#include "host/named_file.h"
#include "trace/config.h"
#include "base/util.h"

enum { CAPTURE, REPLACE, COMPRESS, SPOOL };

const struct pt_param pt_capture_params[] = {
	[CAPTURE] = { "capture", PT_PARAM_TEXT, NULL, NULL, 0, 0,
		      "write the raw trace to this file, for proftap decode" },
	[REPLACE] = { "capture-replace", PT_PARAM_FLAG, "off", NULL, 0, 0,
		      "replace an older capture of that name; otherwise the file is named FILE.1, FILE.2 ..." },
	[COMPRESS] = { "capture-compress", PT_PARAM_FLAG, "on", NULL, 0, 0, "compress the capture (zstd)" },
	[SPOOL] = { "spool", PT_PARAM_NUMBER, "512Mi", NULL, 0, 0,
		    "bytes of trace kept in a temporary file for profile save, if capture= is not given; 0: none" },
};
const size_t pt_n_capture_params = PT_LEN(pt_capture_params);

bool pt_capture_knows(const char *word)
{
	size_t len = strcspn(word, "=");

	for (size_t i = 0; i < PT_LEN(pt_capture_params); i++)
		if (strlen(pt_capture_params[i].key) == len && memcmp(pt_capture_params[i].key, word, len) == 0)
			return true;
	return false;
}

const char *pt_capture_file_of(const char *word)
{
	const char *key = pt_capture_params[CAPTURE].key;
	size_t len = strlen(key);

	return strncmp(word, key, len) == 0 && word[len] == '=' ? word + len + 1 : NULL;
}

bool pt_capture_spools_more(const char *word)
{
	const struct pt_param *row = &pt_capture_params[SPOOL];
	size_t len = strlen(row->key);
	uint64_t bytes, most;

	return strncmp(word, row->key, len) == 0 && word[len] == '=' &&
	       pt_params_parse(row->type, word + len + 1, &bytes, NULL) == 0 &&
	       pt_params_parse(row->type, row->standard, &most, NULL) == 0 && bytes > most;
}

bool pt_capture_wanted(const struct pt_params *settings)
{
	return pt_params_given(settings, &pt_capture_params[CAPTURE]);
}

bool pt_capture_any(const struct pt_params *settings)
{
	return pt_params_text(settings, &pt_capture_params[CAPTURE]) != NULL ||
	       pt_params_number(settings, &pt_capture_params[SPOOL]) != 0;
}

enum { SYNC_MS = 500, ZSTD_LEVEL = 3, LEAST_ZSTD_BYTES = 64, CUT_BYTES = PT_CAPTURE_HEAD_BYTES + 256 };

struct buffer { uint8_t *bytes; size_t n_bytes, room_bytes; };

/* The complete records in the file. */
struct written { uint64_t bytes, records, chunks, from_ns, to_ns; };

struct pt_capture {
	atomic_uint refs;
	int fd;
	char *path;			/* NULL: a temporary file */
	bool created, compress;
	char *head;
	uint64_t quota_bytes;		/* 0: none */
	uint32_t id;
	uv_thread_t thread;

	/* of the next record; used by the thread that puts */
	uint32_t number;
	bool begun;
	ZSTD_CCtx *zstd;
	uint8_t stored[PT_CHUNK_BYTES];

	uv_mutex_t lock;		/* guards all members below */
	uv_cond_t work, news;
	struct buffer filling;
	uint64_t put_bytes;
	struct written written;
	uint64_t synced_bytes, synced_ns;	/* synced_ns: on the host's clock */
	bool cut;			/* no more records are accepted */
	bool sync_wanted, quit;
	struct pt_err error;		/* as reported to the user; code 0: none */
	char why[128];			/* reason for the cut, in short; "": it is not cut */

	struct buffer writing;		/* the thread's */
};

/* --- telling ------------------------------------------------------------------------------------------------------ */

static const char *name_of(const struct pt_capture *c)
{
	return c->path != NULL ? c->path : "the temporary file";
}

static void print_written(const struct written *w, char *text, size_t size)
{
	bool large = w->bytes >= 1000000;

	snprintf(text, size, "%" PRIu64 " chunks, %.1f %s, %.3f s of the session", w->chunks,
		 (double)w->bytes / (large ? 1e6 : 1e3), large ? "MB" : "kB",
		 w->to_ns > w->from_ns ? (double)(w->to_ns - w->from_ns) / 1e9 : 0.0);
}

/* Call with the lock held. Only the first failure is reported. */
static void fail_with(struct pt_capture *c, int code, const char *why)
{
	char kept[96];

	c->cut = true;
	if (c->error.code != 0)
		return;
	print_written(&c->written, kept, sizeof(kept));
	snprintf(c->why, sizeof(c->why), "%s", why);
	pt_fail(&c->error, code, "%.200s: %s; saved before that: %s", name_of(c), why, kept);
	if (c->path != NULL)
		pt_warn("capture: %s. The profile goes on without a capture", c->error.msg);
	else
		pt_info("profile save: %s", c->error.msg);
}

/* --- the thread --------------------------------------------------------------------------------------------------- */

static void count_record(struct written *w, const uint8_t *bytes)
{
	struct pt_record r;

	if (!pt_record_unpack(&r, bytes))
		return;
	w->records++;
	if (r.kind != PT_RECORD_CHUNK)
		return;
	w->chunks++;
	if (w->from_ns == PT_UNKNOWN)
		w->from_ns = r.chunk.from_ns;
	if (r.chunk.to_ns > w->to_ns)
		w->to_ns = r.chunk.to_ns;
}

/* Counts the complete records among the written bytes. */
static struct written count_whole(struct written w, const struct buffer *b, size_t done)
{
	size_t at = w.bytes == 0 ? PT_CAPTURE_PREAMBLE_BYTES : 0;

	while (at + PT_CAPTURE_HEAD_BYTES <= done) {
		size_t len = PT_CAPTURE_HEAD_BYTES + pt_le32(b->bytes + at + PT_RECORD_STORED);

		if (at + len > done)
			break;
		count_record(&w, b->bytes + at);
		at += len;
	}
	w.bytes += at <= done ? at : 0;
	return w;
}

static size_t pack_cut(const struct pt_capture *c, uint32_t number, const char *why, uint8_t *out)
{
	struct pt_record r = { .id = c->id, .number = number, .kind = PT_RECORD_CUT };
	size_t len = strnlen(why, CUT_BYTES - PT_CAPTURE_HEAD_BYTES);

	memcpy(out + PT_CAPTURE_HEAD_BYTES, why, len);
	r.chunk.len_bytes = r.stored_bytes = (uint32_t)len;
	r.payload_crc = pt_capture_crc(out + PT_CAPTURE_HEAD_BYTES, len);
	pt_record_pack(out, &r);
	return PT_CAPTURE_HEAD_BYTES + len;
}

/* Truncates the file to its last complete record, and adds a CUT record with the reason if there is space. */
static void mend(struct pt_capture *c, struct written *w, const char *why)
{
	uint8_t cut[CUT_BYTES];
	size_t len = pack_cut(c, (uint32_t)w->records, why, cut);

	if (ftruncate(c->fd, (off_t)w->bytes) < 0 || lseek(c->fd, (off_t)w->bytes, SEEK_SET) < 0)
		return;
	if (w->records > 0 && pt_capture_file_write(c->fd, cut, len) == len)
		w->bytes += len;
	else
		(void)!ftruncate(c->fd, (off_t)w->bytes);
}

/* Call with the lock held; it is released while writing. */
static void write_filled(struct pt_capture *c)
{
	struct buffer full = c->filling;
	struct written w = c->written;
	int error = 0;
	size_t done;

	c->filling = c->writing;
	c->filling.n_bytes = 0;
	c->writing = full;
	uv_mutex_unlock(&c->lock);
	if (w.bytes == 0)
		(void)!ftruncate(c->fd, 0);		/* content of the capture that it replaces */
	done = pt_capture_file_write(c->fd, full.bytes, full.n_bytes);
	error = done < full.n_bytes ? errno : 0;
	w = count_whole(w, &full, done);
	if (error != 0)
		mend(c, &w, strerror(error));
	uv_mutex_lock(&c->lock);
	c->written = w;
	if (error != 0)
		fail_with(c, PT_EIO, strerror(error));
	uv_cond_broadcast(&c->news);
}

static bool can_sync(int error)
{
	return error != EINVAL && error != EROFS && error != ENOTSUP && error != ENOSYS;
}

/* The same. */
static void sync_written(struct pt_capture *c)
{
	uint64_t bytes = c->written.bytes;
	bool first = c->synced_bytes == 0;
	int error = 0;

	uv_mutex_unlock(&c->lock);
	if (c->path != NULL && fdatasync(c->fd) < 0 && can_sync(errno))
		error = errno;
	if (c->path != NULL && first)
		pt_capture_file_sync_folder(c->path);
	uv_mutex_lock(&c->lock);
	c->synced_bytes = bytes;
	c->synced_ns = uv_hrtime();
	if (error != 0)
		fail_with(c, PT_EIO, strerror(error));
	uv_cond_broadcast(&c->news);
}

static bool sync_due(const struct pt_capture *c)
{
	return c->written.bytes > c->synced_bytes &&
	       (c->sync_wanted || c->quit || uv_hrtime() - c->synced_ns >= SYNC_MS * PT_NS_PER_MS);
}

static void sleep_until_work(struct pt_capture *c)
{
	if (c->written.bytes > c->synced_bytes)
		uv_cond_timedwait(&c->work, &c->lock, SYNC_MS * PT_NS_PER_MS);
	else
		uv_cond_wait(&c->work, &c->lock);
}

static void capture_thread(void *arg)
{
	struct pt_capture *c = arg;

	uv_mutex_lock(&c->lock);
	while (!c->quit || (c->filling.n_bytes > 0 && c->error.code == 0) || sync_due(c)) {
		if (c->filling.n_bytes > 0 && c->error.code == 0)
			write_filled(c);
		else if (!sync_due(c))
			sleep_until_work(c);
		if (sync_due(c))
			sync_written(c);
	}
	uv_mutex_unlock(&c->lock);
}

/* --- putting ------------------------------------------------------------------------------------------------------ */

static bool grow(struct buffer *b, size_t more)
{
	size_t room = b->room_bytes > 0 ? b->room_bytes : 1 << 16;
	uint8_t *grown;

	while (room < b->n_bytes + more)
		room *= 2;
	if (room == b->room_bytes)
		return true;
	grown = realloc(b->bytes, room);
	if (grown == NULL)
		return false;
	b->bytes = grown;
	b->room_bytes = room;
	return true;
}

static void append(struct pt_capture *c, const void *bytes, size_t len_bytes)
{
	memcpy(c->filling.bytes + c->filling.n_bytes, bytes, len_bytes);
	c->filling.n_bytes += len_bytes;
	c->put_bytes += len_bytes;
}

/* Call with the lock held; waits until the writer thread has made room. */
static void wait_for_room(struct pt_capture *c)
{
	uint64_t since_ns = uv_hrtime();

	while (!c->cut && c->filling.n_bytes > PT_CAPTURE_BEHIND_BYTES) {
		uv_cond_timedwait(&c->news, &c->lock, PT_NS_PER_S);
		if (uv_hrtime() - since_ns >= PT_CAPTURE_PATIENCE_S * PT_NS_PER_S)
			fail_with(c, PT_EIO, "the disk accepts no more data");
	}
}

static bool over_quota(const struct pt_capture *c, size_t more)
{
	return c->quota_bytes != 0 && c->put_bytes + more + CUT_BYTES > c->quota_bytes;
}

static void cut_at_quota(struct pt_capture *c)
{
	uint8_t cut[CUT_BYTES] = { 0 };
	size_t len;

	snprintf(c->why, sizeof(c->why), "the temporary file has reached its limit of %" PRIu64 " bytes (spool=BYTES)",
		 c->quota_bytes);
	len = pack_cut(c, c->number, c->why, cut);
	append(c, cut, len);
	c->cut = true;
}

static void put_bytes(struct pt_capture *c, const uint8_t *head, size_t head_bytes, const uint8_t *payload,
		      size_t payload_bytes)
{
	uv_mutex_lock(&c->lock);
	wait_for_room(c);
	if (!c->cut && !grow(&c->filling, head_bytes + payload_bytes + CUT_BYTES))
		fail_with(c, PT_ENOMEM, "not enough memory");
	if (!c->cut && over_quota(c, head_bytes + payload_bytes))
		cut_at_quota(c);
	if (!c->cut) {
		append(c, head, head_bytes);
		append(c, payload, payload_bytes);
		c->number++;
	}
	uv_cond_signal(&c->work);
	uv_mutex_unlock(&c->lock);
}

static size_t compress(struct pt_capture *c, const uint8_t *payload, size_t len_bytes)
{
	size_t n;

	if (!c->compress || c->zstd == NULL || len_bytes < LEAST_ZSTD_BYTES)
		return 0;
	n = ZSTD_compressCCtx(c->zstd, c->stored, sizeof(c->stored), payload, len_bytes, ZSTD_LEVEL);
	return !ZSTD_isError(n) && n < len_bytes ? n : 0;
}

static void put_record(struct pt_capture *c, enum pt_record_kind kind, const struct pt_chunk *fields,
		       const void *payload)
{
	struct pt_record r = { .id = c->id, .number = c->number, .kind = (uint16_t)kind };
	/* HEAD stays readable */
	size_t n = kind == PT_RECORD_CHUNK ? compress(c, payload, fields->len_bytes) : 0;
	const uint8_t *stored = n > 0 ? c->stored : payload;
	uint8_t head[PT_CAPTURE_HEAD_BYTES];

	memcpy(&r.chunk, fields, sizeof(r.chunk));
	r.flags = n > 0 ? PT_RECORD_ZSTD : 0;
	r.stored_bytes = n > 0 ? (uint32_t)n : fields->len_bytes;
	r.payload_crc = pt_capture_crc(stored, r.stored_bytes);
	pt_record_pack(head, &r);
	put_bytes(c, head, sizeof(head), stored, r.stored_bytes);
}

/* --- the front of the file ---------------------------------------------------------------------------------------- */

/* As many whole lines of a longer text as fit into a record. */
static uint32_t piece(const char *text, size_t len)
{
	size_t n = len < PT_CHUNK_BYTES ? len : PT_CHUNK_BYTES;

	while (n > 0 && n < len && text[n - 1] != '\n')
		n--;
	return (uint32_t)(n > 0 ? n : PT_CHUNK_BYTES);		/* a line that is longer is cut in two */
}

static void put_lines(struct pt_capture *c, const char *text)
{
	size_t len = strnlen(text, PT_CAPTURE_MOST_LINES / 2);

	for (size_t at = 0; at < len;) {
		struct pt_chunk fields = { .len_bytes = piece(text + at, len - at) };

		put_record(c, PT_RECORD_HEAD, &fields, text + at);
		at += fields.len_bytes;
	}
}

/* Facts that only the first CONFIG has. */
static void describe_session(const struct pt_chunk *config, char *text, size_t size)
{
	static const char *const keys[] = { "probe", "target", "virtual", "core_hz", "isa" };
	time_t now = time(NULL);
	const char *value;
	struct tm tm;
	size_t len = gmtime_r(&now, &tm) != NULL ? strftime(text, size, "date=%Y-%m-%dT%H:%M:%SZ\n", &tm) : 0;

	text[len] = '\0';
	for (size_t i = 0; config->kind == PT_CHUNK_CONFIG && i < PT_LEN(keys); i++) {
		int n = pt_config_look_up((const char *)config->bytes, config->len_bytes, keys[i], &value);

		if (n >= 0 && len + strlen(keys[i]) + (size_t)n + 3 < size)
			len += (size_t)snprintf(text + len, size - len, "%s=%.*s\n", keys[i], n, value);
	}
}

static void begin(struct pt_capture *c, const struct pt_chunk *config)
{
	uint8_t preamble[PT_CAPTURE_PREAMBLE_BYTES];
	char session[1024], *lines;

	c->begun = true;
	pt_preamble_pack(preamble, c->id);
	uv_mutex_lock(&c->lock);
	if (!grow(&c->filling, sizeof(preamble)))
		fail_with(c, PT_ENOMEM, "not enough memory");
	else
		append(c, preamble, sizeof(preamble));
	uv_mutex_unlock(&c->lock);
	describe_session(config, session, sizeof(session));
	lines = pt_alloc(strlen(session) + strlen(c->head) + 1);
	put_lines(c, strcat(strcpy(lines, session), c->head));
	free(lines);
}

void pt_capture_put(struct pt_capture *c, const struct pt_chunk *chunk)
{
	if (!c->begun)
		begin(c, chunk);
	put_record(c, PT_RECORD_CHUNK, chunk, chunk->bytes);
}

void pt_capture_reset(struct pt_capture *c)
{
	struct pt_chunk none = { .kind = 0 };

	if (c->begun)
		put_record(c, PT_RECORD_RESET, &none, "");
}

/* Waits until everything that was put is in the file; durable: and on the disk. */
static void wait_until_written(struct pt_capture *c, bool durable)
{
	uint64_t since_ns = uv_hrtime(), upto;

	uv_mutex_lock(&c->lock);
	upto = c->put_bytes;
	c->sync_wanted |= durable;
	uv_cond_signal(&c->work);
	while (c->error.code == 0 && (durable ? c->synced_bytes : c->written.bytes) < upto &&
	       uv_hrtime() - since_ns < PT_CAPTURE_PATIENCE_S * PT_NS_PER_S)
		uv_cond_timedwait(&c->news, &c->lock, PT_NS_PER_S);
	c->sync_wanted = false;
	uv_mutex_unlock(&c->lock);
}

void pt_capture_sync(struct pt_capture *c)
{
	wait_until_written(c, true);
}

/* --- asking ------------------------------------------------------------------------------------------------------- */

const char *pt_capture_path(const struct pt_capture *c)
{
	return c->path != NULL ? c->path : "";
}

bool pt_capture_failed(struct pt_capture *c, struct pt_err *err)
{
	bool failed;

	uv_mutex_lock(&c->lock);
	failed = c->error.code != 0;
	if (failed)
		*err = c->error;
	uv_mutex_unlock(&c->lock);
	return failed;
}

char *pt_capture_describe(struct pt_capture *c, char *text, size_t size)
{
	char kept[96], why[sizeof(c->why)];

	uv_mutex_lock(&c->lock);
	print_written(&c->written, kept, sizeof(kept));
	memcpy(why, c->why, sizeof(why));
	uv_mutex_unlock(&c->lock);
	snprintf(text, size, "%.200s: %s%s%s", name_of(c), kept, why[0] != '\0' ? "; not all: " : "", why);
	return text;
}

int pt_capture_save(struct pt_capture *c, const char *path, bool replace, char *say, size_t room, struct pt_err *err)
{
	char kept[96], why[sizeof(c->why)];
	struct written w;

	wait_until_written(c, false);
	uv_mutex_lock(&c->lock);
	w = c->written;
	memcpy(why, c->why, sizeof(why));
	uv_mutex_unlock(&c->lock);
	if (w.chunks == 0)
		return pt_fail(err, PT_ESTATE, "nothing was recorded yet%s%s", why[0] != '\0' ? ": " : "", why);
	if (pt_capture_file_copy(c->fd, w.bytes, path, replace, err) < 0)
		return err != NULL ? err->code : PT_EIO;
	print_written(&w, kept, sizeof(kept));
	snprintf(say, room, "saved %.200s: %s%s%s\n", path, kept, why[0] != '\0' ? "; not all: " : "", why);
	return 0;
}

/* Through the descriptor, as the file may have no name. Source: proc(5), /proc/self/fd. */
struct pt_capture_reader *pt_capture_read_back(struct pt_capture *c, struct pt_err *err)
{
	struct pt_infile *file;
	char path[64], why[sizeof(c->why)];
	bool any;

	wait_until_written(c, false);
	uv_mutex_lock(&c->lock);
	any = c->written.chunks > 0;
	memcpy(why, c->why, sizeof(why));
	uv_mutex_unlock(&c->lock);
	if (!any || why[0] != '\0') {
		pt_fail(err, PT_ESTATE, "not all of its trace was kept%s%s", why[0] != '\0' ? ": " : "", why);
		return NULL;
	}
	snprintf(path, sizeof(path), "/proc/self/fd/%d", c->fd);
	file = pt_infile_open(path, err);
	return file != NULL ? pt_capture_read(file, NULL, NULL, err) : NULL;
}

/* --- life --------------------------------------------------------------------------------------------------------- */

static void make_id(struct pt_capture *c)
{
	if (getrandom(&c->id, sizeof(c->id), GRND_NONBLOCK) != (ssize_t)sizeof(c->id))
		c->id = (uint32_t)(uv_hrtime() * 2654435761u);
}

static int open_file(struct pt_capture *c, const struct pt_params *settings, struct pt_err *err)
{
	const char *path = pt_params_text(settings, &pt_capture_params[CAPTURE]);
	bool replace = pt_params_flag(settings, &pt_capture_params[REPLACE]);

	if (path != NULL) {
		c->fd = pt_capture_file_open(path, replace, &c->path, &c->created, err);
	} else {
		c->quota_bytes = pt_params_number(settings, &pt_capture_params[SPOOL]);
		c->fd = pt_capture_file_spool(err);
	}
	return c->fd;
}

static void free_capture(struct pt_capture *c)
{
	if (c->fd >= 0)
		close(c->fd);
	ZSTD_freeCCtx(c->zstd);
	free(c->filling.bytes);
	free(c->writing.bytes);
	free(c->path);
	free(c->head);
	free(c);
}

struct pt_capture *pt_capture_new(const struct pt_params *settings, const char *head, struct pt_err *err)
{
	struct pt_capture *c;

	err->code = 0;
	if (!pt_capture_any(settings))
		return NULL;
	c = pt_alloc(sizeof(*c));
	c->head = pt_strdup(head);
	if (open_file(c, settings, err) < 0) {
		free_capture(c);
		return NULL;
	}
	atomic_init(&c->refs, 1);
	make_id(c);
	c->compress = pt_params_flag(settings, &pt_capture_params[COMPRESS]);
	c->zstd = c->compress ? ZSTD_createCCtx() : NULL;
	c->written.from_ns = PT_UNKNOWN;
	uv_mutex_init(&c->lock);
	uv_cond_init(&c->work);
	uv_cond_init(&c->news);
	if (uv_thread_create(&c->thread, capture_thread, c) == 0)
		return c;
	pt_fail(err, PT_ENOMEM, "no thread for a capture");
	free_capture(c);
	return NULL;
}

struct pt_capture *pt_capture_ref(struct pt_capture *c)
{
	atomic_fetch_add_explicit(&c->refs, 1, memory_order_relaxed);
	return c;
}

void pt_capture_unref(struct pt_capture *c)
{
	if (c == NULL || atomic_fetch_sub_explicit(&c->refs, 1, memory_order_acq_rel) != 1)
		return;
	uv_mutex_lock(&c->lock);
	c->quit = true;
	uv_cond_signal(&c->work);
	uv_mutex_unlock(&c->lock);
	uv_thread_join(&c->thread);
	if (!c->begun && c->created)
		pt_named_remove(c->path);
	uv_cond_destroy(&c->work);
	uv_cond_destroy(&c->news);
	uv_mutex_destroy(&c->lock);
	free_capture(c);
}
