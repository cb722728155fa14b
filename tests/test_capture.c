/* Capture files: what is written is read again, and whatever happens to the file, what is sound in it comes out and
 * what is not is accounted for. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/read.h"
#include "capture/write.h"
#include "harness.h"
#include "base/sha256.h"
#include "trace/loss.h"

enum { MOST_CHUNKS = 64, FILE_BYTES = 1 << 20 };

struct any_chunk { struct pt_chunk chunk; uint8_t bytes[PT_CHUNK_BYTES]; };

static char folder[64], path[96];
static struct pt_err err;
static struct any_chunk one;
static char notes[4096];
static uint8_t file[FILE_BYTES];
static size_t file_bytes;

static void setup(void)
{
	snprintf(folder, sizeof(folder), "/tmp/proftap-test-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/a.ptcap", folder);
	signal(SIGXFSZ, SIG_IGN);	/* as the program does */
}

static void teardown(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf '%s'", folder);
	ck_assert_int_eq(system(command), 0);
}

/* --- a session ---------------------------------------------------------------------------------------------------- */

static const char config_text[] =
	"format=mtb\nsource=mtb\nmode=burst\ntarget=KL27\nprobe=a model\nvirtual=1\ncore_hz=48000000\n";

/* One source: CONFIG, a STATE, then DATA and LOSS in turn, tiling 10 ns each; payloads of some lengths; END. */
static const struct any_chunk *session_chunk(unsigned i, unsigned n)
{
	static const uint32_t lens[] = { 8, 0, 300, 64, 1024, PT_CHUNK_BYTES };
	struct pt_chunk *c = &one.chunk;

	*c = (struct pt_chunk){ .from_ns = 1000 + 10 * i, .to_ns = 1010 + 10 * i, .kind = PT_CHUNK_DATA, .source = 2, .core = 1 };
	if (i == 0) {
		*c = (struct pt_chunk){ .from_ns = 1000, .to_ns = 1000, .kind = PT_CHUNK_CONFIG, .source = 2, .core = 1 };
		c->len_bytes = (uint32_t)strlen(config_text);
		memcpy(c->bytes, config_text, c->len_bytes);
	} else if (i + 1 == n) {
		c->kind = PT_CHUNK_END;
		c->to_ns = c->from_ns;
	} else if (i % 5 == 2) {
		c->kind = PT_CHUNK_LOSS;
		c->cause = PT_LOSS_REARM;
		c->lost_bytes = PT_UNKNOWN;
	} else {
		c->len_bytes = lens[i % PT_LEN(lens)];
		c->cause = i % 2;
		for (uint32_t b = 0; b < c->len_bytes; b++)
			c->bytes[b] = (uint8_t)(b % 7 == 0 ? i * 31 + b * 17 : i);
	}
	return &one;
}

static struct pt_capture *open_capture(const char *const *words, size_t n_words)
{
	struct pt_params *settings = pt_params_new();
	struct pt_capture *capture;

	for (size_t i = 0; i < n_words; i++)
		ck_assert_int_eq(pt_params_add(settings, pt_capture_params, pt_n_capture_params, words[i], &err), 0);
	capture = pt_capture_new(settings, "program=proftap\nset.clock=cycles\n", &err);
	pt_params_free(settings);
	return capture;
}

static struct pt_capture *open_file(bool compress)
{
	char word[128];
	const char *words[] = { word, compress ? "capture-compress=on" : "capture-compress=off", "capture-replace=on" };

	snprintf(word, sizeof(word), "capture=%s", path);
	return open_capture(words, 3);
}

static void write_session(unsigned n, bool compress)
{
	struct pt_capture *capture = open_file(compress);

	ck_assert_msg(capture != NULL, "%s", err.msg);
	for (unsigned i = 0; i < n; i++)
		pt_capture_put(capture, &session_chunk(i, n)->chunk);
	pt_capture_unref(capture);
}

static void load(const char *name)
{
	int fd = open(name, O_RDONLY);

	ck_assert_int_ge(fd, 0);
	file_bytes = (size_t)read(fd, file, sizeof(file));
	close(fd);
}

/* --- reading ------------------------------------------------------------------------------------------------------ */

static void on_note(void *arg, const char *text)
{
	size_t len = strlen(notes);

	(void)arg;
	snprintf(notes + len, sizeof(notes) - len, "%s\n", text);
}

static struct pt_capture_reader *read_bytes(const uint8_t *bytes, size_t n)
{
	notes[0] = '\0';
	return pt_capture_read(pt_infile_from_bytes(bytes, n), on_note, NULL, &err);
}

static bool same(const struct pt_chunk *a, const struct pt_chunk *b)
{
	return memcmp(a, b, sizeof(*a)) == 0 && memcmp(a->bytes, b->bytes, a->len_bytes) == 0;
}

static bool is_damage(const struct pt_chunk *c)
{
	return c->kind == PT_CHUNK_LOSS && c->cause == PT_LOSS_DAMAGED;
}

/* What stands for the end of a file that has none. */
static bool is_cut(const struct pt_chunk *c)
{
	return c->kind == PT_CHUNK_LOSS && c->cause == PT_LOSS_CUT;
}

/* A CONFIG of which only the head is left. */
static bool is_lost_config(const struct pt_chunk *c)
{
	return c->kind == PT_CHUNK_CONFIG && c->len_bytes == 0;
}

static unsigned cuts;	/* in what expect_session() read last */

/* What came out is the session in order, but for stretches that a LOSS stands for; its time has no hole. Returns how
 * many chunks of the session came out. */
static unsigned expect_session(struct pt_capture_reader *reader, unsigned n, unsigned *damage)
{
	static struct any_chunk got;
	unsigned next = 0, came = 0;
	uint64_t told_ns = PT_UNKNOWN;
	bool configured = false, gap = false;
	int item;

	*damage = cuts = 0;
	while ((item = pt_capture_read_next(reader, &got.chunk, &err)) == PT_CAPTURE_CHUNK) {
		struct pt_chunk *c = &got.chunk;

		ck_assert_msg(cuts == 0, "a chunk of kind %u behind the end", c->kind);
		if (is_damage(c)) {
			(*damage)++;
			gap = true;
		} else if (is_cut(c)) {
			ck_assert_uint_eq(c->lost_bytes, PT_UNKNOWN);
			cuts++;
		} else if (!is_lost_config(c)) {
			unsigned was = next;

			while (next < n && !same(&session_chunk(next, n)->chunk, c))
				next++;
			ck_assert_msg(next < n, "a chunk of kind %u that was never put", c->kind);
			ck_assert_msg(next == was || gap || !configured, "%u chunks are missing without a word",
				      next - was);
			next++;
			came++;
			gap = false;
			configured |= c->kind == PT_CHUNK_CONFIG;
		}
		if (configured && (c->kind == PT_CHUNK_DATA || c->kind == PT_CHUNK_LOSS)) {
			ck_assert_msg(told_ns == PT_UNKNOWN || c->from_ns == told_ns, "a hole in time");
			told_ns = c->to_ns;
		}
	}
	ck_assert_int_eq(item, PT_CAPTURE_END);
	return came;
}

START_TEST(what_is_written_is_read)
{
	struct pt_capture_reader *reader;
	unsigned damage;
	char text[64];

	write_session(40, _i == 1);
	load(path);
	reader = read_bytes(file, file_bytes);
	ck_assert_msg(reader != NULL, "%s", err.msg);
	ck_assert_uint_eq(expect_session(reader, 40, &damage), 40);
	ck_assert_uint_eq(damage, 0);
	ck_assert_uint_eq(cuts, 0);
	ck_assert_str_eq(notes, "");
	ck_assert_str_eq(pt_capture_read_head(reader, "set.clock", text, sizeof(text)), "cycles");
	ck_assert_str_eq(pt_capture_read_head(reader, "probe", text, sizeof(text)), "a model");
	ck_assert_str_eq(pt_capture_read_head(reader, "core_hz", text, sizeof(text)), "48000000");
	ck_assert_uint_eq(strlen(pt_capture_read_head(reader, "date", text, sizeof(text))),
			  strlen("2026-01-01T00:00:00Z"));
	pt_capture_read_close(reader);
}
END_TEST

START_TEST(compression_makes_it_smaller)
{
	size_t plain;

	write_session(40, false);
	load(path);
	plain = file_bytes;
	write_session(40, true);
	load(path);
	ck_assert_uint_lt(file_bytes, plain / 2);
}
END_TEST

START_TEST(a_head_may_be_long)
{
	enum { LONG = 20000, LINES = 3000 };
	char *head = malloc(LONG + 40 * LINES), *at = head, *value = malloc(LONG + 1);
	struct pt_params *settings = pt_params_new();
	struct pt_capture_reader *reader;
	struct pt_capture *capture;
	unsigned damage;
	char word[128];

	at += sprintf(at, "set.orti=");
	memset(at, 'x', LONG - 1);
	at += LONG - 1;
	at += sprintf(at, "!\n");
	for (int i = 0; i < LINES; i++)
		at += sprintf(at, "word=number %d\n", i);
	sprintf(at, "set.clock=cycles\n");
	snprintf(word, sizeof(word), "capture=%s", path);
	ck_assert_int_eq(pt_params_add(settings, pt_capture_params, pt_n_capture_params, word, &err), 0);
	capture = pt_capture_new(settings, head, &err);
	for (unsigned i = 0; i < 9; i++)
		pt_capture_put(capture, &session_chunk(i, 9)->chunk);
	pt_capture_unref(capture);
	load(path);
	reader = read_bytes(file, file_bytes);
	ck_assert_uint_eq(strlen(pt_capture_read_head(reader, "set.orti", value, LONG + 1)), LONG);
	ck_assert_int_eq(value[LONG - 1], '!');
	ck_assert_str_eq(pt_capture_read_head(reader, "set.clock", value, LONG), "cycles");
	ck_assert_str_eq(pt_capture_read_head(reader, "probe", value, LONG), "a model");
	ck_assert_uint_eq(expect_session(reader, 9, &damage), 9);
	ck_assert_str_eq(notes, "");
	pt_capture_read_close(reader);
	pt_params_free(settings);
	free(head);
	free(value);
}
END_TEST

START_TEST(a_reset_is_read_where_it_was)
{
	struct pt_capture *capture = open_file(true);
	struct pt_capture_reader *reader;
	static struct any_chunk got;

	pt_capture_reset(capture);	/* before anything: nothing to forget */
	pt_capture_put(capture, &session_chunk(0, 3)->chunk);
	pt_capture_put(capture, &session_chunk(1, 3)->chunk);
	pt_capture_reset(capture);
	pt_capture_put(capture, &session_chunk(2, 3)->chunk);
	pt_capture_unref(capture);
	load(path);
	reader = read_bytes(file, file_bytes);
	ck_assert_int_eq(pt_capture_read_next(reader, &got.chunk, &err), PT_CAPTURE_CHUNK);
	ck_assert_int_eq(pt_capture_read_next(reader, &got.chunk, &err), PT_CAPTURE_CHUNK);
	ck_assert_int_eq(pt_capture_read_next(reader, &got.chunk, &err), PT_CAPTURE_RESET);
	ck_assert_int_eq(pt_capture_read_next(reader, &got.chunk, &err), PT_CAPTURE_CHUNK);
	ck_assert_int_eq(pt_capture_read_next(reader, &got.chunk, &err), PT_CAPTURE_END);
	pt_capture_read_close(reader);
}
END_TEST

/* --- damage ------------------------------------------------------------------------------------------------------- */

enum { SMALL = 9 };	/* chunks; the lengths of their payloads are all there */

/* Ends of records: how many chunks are whole in the first n bytes. */
static unsigned whole_chunks(size_t n)
{
	unsigned chunks = 0;

	for (size_t at = PT_CAPTURE_PREAMBLE_BYTES; at + PT_CAPTURE_HEAD_BYTES <= n;) {
		size_t len = PT_CAPTURE_HEAD_BYTES + pt_le32(file + at + PT_RECORD_STORED);

		if (at + len > n)
			break;
		chunks += pt_le16(file + at + PT_RECORD_KIND) == PT_RECORD_CHUNK;
		at += len;
	}
	return chunks;
}

START_TEST(cut_anywhere_the_rest_is_read)
{
	write_session(SMALL, true);
	load(path);
	for (size_t n = 0; n < file_bytes; n++) {
		struct pt_capture_reader *reader = read_bytes(file, n);
		unsigned damage;

		if (n < PT_CAPTURE_PREAMBLE_BYTES) {
			ck_assert_ptr_null(reader);
			ck_assert_int_eq(err.code, PT_EARG);
			continue;
		}
		ck_assert_uint_eq(expect_session(reader, SMALL, &damage), whole_chunks(n));
		ck_assert_uint_eq(damage, 0);
		ck_assert_uint_eq(cuts, whole_chunks(n) > 0);	/* the end is lost */
		ck_assert_msg(strstr(notes, "it has no end") != NULL, "cut at %zu: %s", n, notes);
		pt_capture_read_close(reader);
	}
	for (size_t n = file_bytes - 70; n < file_bytes; n++)	/* within the last record, or just before it */
		if (whole_chunks(n) == SMALL - 1 && n > file_bytes - PT_CAPTURE_HEAD_BYTES) {
			struct pt_capture_reader *reader = read_bytes(file, n);
			unsigned damage;

			expect_session(reader, SMALL, &damage);
			ck_assert_msg(strstr(notes, "torn at byte") != NULL, "cut at %zu: %s", n, notes);
			pt_capture_read_close(reader);
		}
}
END_TEST

/* Each byte of the file in turn, one bit of it. */
START_TEST(a_flipped_bit_costs_one_record)
{
	write_session(SMALL, true);
	load(path);
	for (size_t at = 0; at < file_bytes; at++) {
		struct pt_capture_reader *reader;
		unsigned damage, came;

		file[at] ^= (uint8_t)(1 << (at + (unsigned)_i) % 8);
		reader = read_bytes(file, file_bytes);
		if (at < 8) {
			ck_assert_ptr_null(reader);
		} else {
			ck_assert_msg(reader != NULL, "byte %zu: %s", at, err.msg);
			came = expect_session(reader, SMALL, &damage);
			ck_assert_msg(came >= SMALL - 1, "byte %zu: %u chunks", at, came);
			ck_assert_msg(strlen(notes) > 0, "byte %zu: nothing was said", at);
			ck_assert_uint_le(damage, 2);
		}
		pt_capture_read_close(reader);
		file[at] ^= (uint8_t)(1 << (at + (unsigned)_i) % 8);
	}
}
END_TEST

/* Where the third chunk's record begins. */
static size_t record_at(unsigned number)
{
	size_t at = PT_CAPTURE_PREAMBLE_BYTES;

	while (number-- > 0)
		at += PT_CAPTURE_HEAD_BYTES + pt_le32(file + at + PT_RECORD_STORED);
	return at;
}

static void insert(size_t at, const uint8_t *bytes, size_t n)
{
	memmove(file + at + n, file + at, file_bytes - at);
	memcpy(file + at, bytes, n);
	file_bytes += n;
}

static void take_out(size_t from, size_t to)
{
	memmove(file + from, file + to, file_bytes - to);
	file_bytes -= to - from;
}

static void insert_zeros(void)
{
	static const uint8_t zeros[5000];

	insert(record_at(4), zeros, sizeof(zeros));
}

static void insert_a_record_of_another_file(void)
{
	uint8_t head[PT_CAPTURE_HEAD_BYTES];
	struct pt_record r = { .id = pt_le32(file + PT_CAPTURE_AT_ID) + 1, .number = 4, .kind = PT_RECORD_CHUNK };

	r.chunk.kind = PT_CHUNK_DATA;
	pt_record_pack(head, &r);
	insert(record_at(4), head, sizeof(head));
}

static void repeat_a_record(void)
{
	uint8_t copy[PT_RECORD_MOST_BYTES];
	size_t len = record_at(4) - record_at(3);

	memcpy(copy, file + record_at(3), len);
	insert(record_at(5), copy, len);
}

static void take_out_two(void) { take_out(record_at(3), record_at(5)); }
static void take_out_half_a_record(void) { take_out(record_at(3) + 40, record_at(5) + 10); }
static void take_out_the_config(void) { take_out(record_at(1), record_at(2)); }
static void take_out_the_head(void) { take_out(record_at(0), record_at(1)); }
static void add_zeros(void) { memset(file + file_bytes, 0, 4096); file_bytes += 4096; }
static void spoil_the_preamble(void) { memset(file + 8, 0x55, 16); }

static void add_an_unknown_record(void)
{
	uint8_t head[PT_CAPTURE_HEAD_BYTES];
	struct pt_record r = { .id = pt_le32(file + PT_CAPTURE_AT_ID), .number = SMALL + 1, .kind = 77 };

	pt_record_pack(head, &r);
	insert(file_bytes, head, sizeof(head));
}

static void a_compressed_bomb(void)
{
	struct pt_record r;
	uint8_t *at = file + record_at(6);

	ck_assert(pt_record_unpack(&r, at));
	r.chunk.len_bytes = 1;		/* less than the frame has in it */
	r.flags = PT_RECORD_ZSTD;
	pt_record_pack(at, &r);
}

static const struct {
	const char *name;
	void (*spoil)(void);
	unsigned came, damage;		/* chunks of the session; LOSS in place of others */
	const char *said;
} spoilt[] = {
	{ "zeros in the middle", insert_zeros, SMALL, 1, "damaged from byte" },
	{ "a record of another file", insert_a_record_of_another_file, SMALL, 1, "damaged from byte" },
	{ "a record twice", repeat_a_record, SMALL, 1, "damaged from byte" },
	{ "two records gone", take_out_two, SMALL - 2, 1, "2 records are missing" },
	{ "from one record into another", take_out_half_a_record, SMALL - 3, 1, "3 records are missing" },
	{ "no CONFIG", take_out_the_config, SMALL - 1, 0, "1 records are missing" },
	{ "no HEAD", take_out_the_head, SMALL, 1, "the head of the file is damaged" },
	{ "zeros at the end", add_zeros, SMALL, 0, "torn at byte" },
	{ "the preamble", spoil_the_preamble, SMALL, 0, "damaged within the first 24 bytes" },
	{ "a kind of record that nobody knows", add_an_unknown_record, SMALL, 0, "" },
	{ "a frame with more in it than it says", a_compressed_bomb, SMALL - 1, 1, "damaged record" },
};

START_TEST(finds_the_next_sound_record)
{
	struct pt_capture_reader *reader;
	unsigned damage, came;

	write_session(SMALL, true);
	load(path);
	spoilt[_i].spoil();
	reader = read_bytes(file, file_bytes);
	ck_assert_msg(reader != NULL, "%s: %s", spoilt[_i].name, err.msg);
	came = expect_session(reader, SMALL, &damage);
	ck_assert_msg(came == spoilt[_i].came, "%s: %u chunks came; %s", spoilt[_i].name, came, notes);
	ck_assert_msg(damage == spoilt[_i].damage, "%s: %u losses; %s", spoilt[_i].name, damage, notes);
	ck_assert_msg(strstr(notes, spoilt[_i].said) != NULL, "%s: %s", spoilt[_i].name, notes);
	ck_assert(spoilt[_i].said[0] != '\0' || notes[0] == '\0');
	pt_capture_read_close(reader);
}
END_TEST

/* A payload that is damaged, at 1018, behind trace up to 1000: what is read in its place. */
static const struct { enum pt_chunk_kind kind, read; uint64_t from_ns; } spoilt_payloads[] = {
	{ PT_CHUNK_CONFIG, PT_CHUNK_CONFIG, 1018 },
	{ PT_CHUNK_COST, PT_CHUNK_COST, 1018 },
	{ PT_CHUNK_STATE, PT_CHUNK_LOSS, 1000 },
	{ PT_CHUNK_CLOCK, PT_CHUNK_LOSS, 1000 },
};

static void put_at(struct pt_capture *capture, enum pt_chunk_kind kind, uint64_t from_ns, uint64_t to_ns)
{
	one.chunk = (struct pt_chunk){ .kind = kind, .from_ns = from_ns, .to_ns = to_ns, .len_bytes = 24 };
	memcpy(one.chunk.bytes, "format=mtb\nsource=mtb\nx\n", 24);
	pt_capture_put(capture, &one.chunk);
}

START_TEST(a_damaged_payload_is_missing_and_takes_no_time)
{
	static struct any_chunk got;
	struct pt_capture *capture = open_file(false);
	struct pt_capture_reader *reader;

	put_at(capture, PT_CHUNK_CONFIG, 0, 0);
	put_at(capture, PT_CHUNK_DATA, 0, 1000);
	put_at(capture, spoilt_payloads[_i].kind, 1018, 1018);
	put_at(capture, PT_CHUNK_END, 1018, 1018);
	pt_capture_unref(capture);
	load(path);
	file[record_at(3) + PT_CAPTURE_HEAD_BYTES] ^= 1;
	reader = read_bytes(file, file_bytes);
	for (unsigned i = 0; i < 3; i++)
		ck_assert_int_eq(pt_capture_read_next(reader, &got.chunk, &err), PT_CAPTURE_CHUNK);
	ck_assert_uint_eq(got.chunk.kind, spoilt_payloads[_i].read);
	ck_assert_uint_eq(got.chunk.len_bytes, 0);
	ck_assert_uint_eq(got.chunk.from_ns, spoilt_payloads[_i].from_ns);
	ck_assert_uint_eq(got.chunk.to_ns, spoilt_payloads[_i].from_ns);
	pt_capture_read_close(reader);
}
END_TEST

START_TEST(many_damages_are_a_few_notes)
{
	struct pt_capture_reader *reader;
	unsigned damage, lines = 0;

	write_session(60, true);
	load(path);
	for (unsigned i = 3; i < 60; i += 2)
		file[record_at(i) + 5] ^= 1;
	reader = read_bytes(file, file_bytes);
	expect_session(reader, 60, &damage);
	for (const char *c = notes; *c != '\0'; c++)
		lines += *c == '\n';
	ck_assert_uint_eq(lines, PT_CAPTURE_MOST_NOTES + 1);
	ck_assert_msg(strstr(notes, "more like these") != NULL, "%s", notes);
	pt_capture_read_close(reader);
}
END_TEST

START_TEST(a_newer_version_is_refused_by_name)
{
	write_session(3, true);
	load(path);
	pt_put_le32(file + PT_CAPTURE_AT_VERSION, 7);
	pt_put_le32(file + PT_CAPTURE_AT_CRC, pt_capture_crc(file, PT_CAPTURE_AT_CRC));
	ck_assert_ptr_null(read_bytes(file, file_bytes));
	ck_assert_int_eq(err.code, PT_EUNSUPPORTED);
	ck_assert_ptr_nonnull(strstr(err.msg, "version 7"));
	ck_assert_ptr_nonnull(strstr(err.msg, "version 1"));
}
END_TEST

/* --- writing when something is in the way ------------------------------------------------------------------------- */

START_TEST(a_full_disk_leaves_a_sound_file)
{
	struct rlimit limit = { 40000, 40000 };
	struct pt_capture *capture = open_file(false);
	struct pt_capture_reader *reader;
	unsigned damage, came;

	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	for (unsigned i = 0; i < 60; i++)
		pt_capture_put(capture, &session_chunk(i, 60)->chunk);
	pt_capture_sync(capture);
	ck_assert(pt_capture_failed(capture, &err));
	ck_assert_msg(strstr(err.msg, "a.ptcap") != NULL && strstr(err.msg, "saved before that") != NULL, "%s",
		      err.msg);
	pt_capture_unref(capture);
	load(path);
	ck_assert_uint_le(file_bytes, 40000);
	reader = read_bytes(file, file_bytes);
	came = expect_session(reader, 60, &damage);
	ck_assert_uint_gt(came, 5);
	ck_assert_uint_lt(came, 60);
	ck_assert_uint_eq(damage, 0);
	ck_assert_msg(strstr(notes, "torn") == NULL, "%s", notes);	/* cut back to whole records */
	pt_capture_read_close(reader);
}
END_TEST

START_TEST(a_disk_that_is_full_is_told_once)
{
	struct rlimit limit = { 0, 0 };
	struct pt_capture *capture = open_file(false);
	char text[300];

	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	for (unsigned i = 0; i < 20; i++)
		pt_capture_put(capture, &session_chunk(i, 20)->chunk);
	pt_capture_sync(capture);
	ck_assert(pt_capture_failed(capture, &err));
	ck_assert_ptr_nonnull(strstr(err.msg, strerror(EFBIG)));
	ck_assert_ptr_nonnull(strstr(pt_capture_describe(capture, text, sizeof(text)), "0 chunks"));
	pt_capture_unref(capture);
}
END_TEST

START_TEST(a_device_is_no_capture)
{
	static const char *const names[] = { "capture=/dev/full", "capture=/dev/zero", "capture=/proc/self/mem" };

	for (size_t i = 0; i < PT_LEN(names); i++) {
		const char *words[] = { names[i], "capture-replace=on" };

		ck_assert(open_capture(words, 2) == NULL);
		ck_assert_int_eq(err.code, PT_EARG);
		ck_assert_ptr_nonnull(strstr(err.msg, "it is not a regular file"));
	}
}
END_TEST

static void expect_whole_file(const char *name, unsigned n)
{
	struct pt_capture_reader *reader;
	unsigned damage;

	load(name);
	reader = read_bytes(file, file_bytes);
	ck_assert_msg(reader != NULL, "%s: %s", name, err.msg);
	ck_assert_uint_eq(expect_session(reader, n, &damage), n);
	pt_capture_read_close(reader);
}

START_TEST(a_file_is_never_lost_to_another)
{
	char word[128], name[128];
	const char *words[] = { word };
	struct pt_capture *first, *second;

	write_session(5, true);
	snprintf(word, sizeof(word), "capture=%s", path);
	first = open_capture(words, 1);
	second = open_capture(words, 1);
	snprintf(name, sizeof(name), "%s.1", path);
	ck_assert_str_eq(pt_capture_path(first), name);
	snprintf(name, sizeof(name), "%s.2", path);
	ck_assert_str_eq(pt_capture_path(second), name);
	pt_capture_unref(second);	/* it got no chunk */
	ck_assert_int_ne(access(name, F_OK), 0);
	pt_capture_unref(first);
	expect_whole_file(path, 5);
}
END_TEST

START_TEST(replaces_captures_only)
{
	struct pt_capture *capture;

	write_session(50, true);
	write_session(5, true);		/* shorter: nothing of the old one is left */
	expect_whole_file(path, 5);
	capture = open_file(true);
	pt_capture_unref(capture);	/* a start that failed */
	expect_whole_file(path, 5);
	capture = open_file(true);
	ck_assert_ptr_null(open_file(true));
	ck_assert_int_eq(err.code, PT_EBUSY);
	pt_capture_unref(capture);
	ck_assert_int_eq(truncate(path, 0), 0);
	write_session(5, true);		/* an empty file is nothing to lose */
	ck_assert_int_eq(chmod(path, 0600), 0);
	snprintf(path, sizeof(path), "%s/firmware.c", folder);
	FILE *text = fopen(path, "w");
	fputs("int main(void) { return 0; }\n", text);
	fclose(text);
	ck_assert_ptr_null(open_file(true));
	ck_assert_int_eq(err.code, PT_EARG);
	ck_assert_ptr_nonnull(strstr(err.msg, "is not a capture"));
	snprintf(path, sizeof(path), "%s/no/such/folder", folder);
	ck_assert_ptr_null(open_file(true));
	ck_assert_ptr_nonnull(strstr(err.msg, strerror(ENOENT)));
	ck_assert_ptr_nonnull(strstr(err.msg, "; make its folder first"));
}
END_TEST

START_TEST(the_spool_is_saved_at_any_time)
{
	struct pt_capture *capture = open_capture(NULL, 0);
	char say[300];

	ck_assert_msg(capture != NULL, "%s", err.msg);
	ck_assert_str_eq(pt_capture_path(capture), "");
	ck_assert_int_eq(pt_capture_save(capture, path, false, say, sizeof(say), &err), PT_ESTATE);
	for (unsigned i = 0; i < 30; i++)
		pt_capture_put(capture, &session_chunk(i, 60)->chunk);
	ck_assert_msg(pt_capture_save(capture, path, false, say, sizeof(say), &err) == 0, "%s", err.msg);
	ck_assert_ptr_nonnull(strstr(say, "30 chunks"));
	load(path);
	ck_assert_uint_eq(whole_chunks(file_bytes), 30);
	for (unsigned i = 30; i < 60; i++)
		pt_capture_put(capture, &session_chunk(i, 60)->chunk);
	ck_assert_int_eq(pt_capture_save(capture, path, false, say, sizeof(say), &err), PT_EARG);
	ck_assert_msg(strstr(err.msg, "is a capture, and is kept") != NULL, "%s", err.msg);
	load(path);
	ck_assert_uint_eq(whole_chunks(file_bytes), 30);
	ck_assert_int_eq(pt_capture_save(capture, path, true, say, sizeof(say), &err), 0);
	expect_whole_file(path, 60);
	snprintf(path, sizeof(path), "%s/no/such/folder", folder);
	ck_assert_int_eq(pt_capture_save(capture, path, false, say, sizeof(say), &err), PT_EARG);
	ck_assert_int_eq(pt_capture_save(capture, "/dev/null", false, say, sizeof(say), &err), PT_EARG);
	pt_capture_unref(capture);
}
END_TEST

START_TEST(the_spool_ends_at_its_quota)
{
	const char *words[] = { "spool=20000", "capture-compress=off" };
	struct pt_capture *capture = open_capture(words, 2);
	struct pt_capture_reader *reader;
	unsigned damage, came;
	char say[300];

	for (unsigned i = 0; i < 60; i++)
		pt_capture_put(capture, &session_chunk(i, 60)->chunk);
	ck_assert_int_eq(pt_capture_save(capture, path, false, say, sizeof(say), &err), 0);
	ck_assert_msg(strstr(say, "not all: the temporary file has reached its limit of 20000 bytes") != NULL, "%s",
		      say);
	load(path);
	ck_assert_uint_le(file_bytes, 20000);
	reader = read_bytes(file, file_bytes);
	came = expect_session(reader, 60, &damage);
	ck_assert_uint_gt(came, 3);
	ck_assert_uint_lt(came, 60);
	ck_assert_msg(strstr(notes, "cut here: the temporary file") != NULL, "%s", notes);
	pt_capture_read_close(reader);
	pt_capture_unref(capture);
	words[0] = "spool=0";
	ck_assert_ptr_null(open_capture(words, 1));
	ck_assert_int_eq(err.code, 0);
}
END_TEST

/* Goes on putting until it is killed; says on the pipe when the first 20 are safe. */
static void put_for_ever(int say)
{
	struct pt_capture *capture = open_file(true);

	for (unsigned i = 0;; i++) {
		pt_capture_put(capture, &session_chunk(i, UINT32_MAX)->chunk);
		if (i == 19) {
			pt_capture_sync(capture);
			if (write(say, "x", 1) != 1)
				_exit(1);
		}
	}
}

START_TEST(killed_all_whole_records_are_there)
{
	struct pt_capture_reader *reader;
	static struct any_chunk got;
	unsigned n = 0;
	int said[2], status, item;
	pid_t child;
	char byte;

	ck_assert_int_eq(pipe(said), 0);
	child = fork();
	if (child == 0)
		put_for_ever(said[1]);
	ck_assert_int_eq(read(said[0], &byte, 1), 1);
	kill(child, SIGKILL);
	waitpid(child, &status, 0);
	ck_assert(WIFSIGNALED(status));
	notes[0] = '\0';
	reader = pt_capture_read(pt_infile_open(path, &err), on_note, NULL, &err);
	ck_assert_msg(reader != NULL, "%s", err.msg);
	for (; (item = pt_capture_read_next(reader, &got.chunk, &err)) == PT_CAPTURE_CHUNK && !is_cut(&got.chunk); n++)
		ck_assert_msg(same(&got.chunk, &session_chunk(n, UINT32_MAX)->chunk), "chunk %u is another", n);
	ck_assert_int_eq(item, PT_CAPTURE_CHUNK);
	ck_assert_int_eq(pt_capture_read_next(reader, &got.chunk, &err), PT_CAPTURE_END);
	ck_assert_uint_ge(n, 20);
	ck_assert_msg(strstr(notes, "it has no end") != NULL, "%s", notes);
	ck_assert_msg(strstr(notes, "damaged") == NULL, "%s", notes);
	pt_capture_read_close(reader);
}
END_TEST

/* --- memory ------------------------------------------------------------------------------------------------------- */

/* A capture of so many MB through a pipe, never on a disk. */
static void generate(int fd, unsigned mb)
{
	static uint8_t bytes[PT_RECORD_MOST_BYTES];
	struct pt_record r = { .id = 1, .kind = PT_RECORD_CHUNK };
	uint8_t preamble[PT_CAPTURE_PREAMBLE_BYTES];

	memset(bytes, 0x5a, sizeof(bytes));
	pt_preamble_pack(preamble, 1);
	if (write(fd, preamble, sizeof(preamble)) != (ssize_t)sizeof(preamble))
		_exit(1);
	r.chunk.kind = PT_CHUNK_DATA;
	r.chunk.len_bytes = r.stored_bytes = PT_CHUNK_BYTES;
	r.payload_crc = pt_capture_crc(bytes + PT_CAPTURE_HEAD_BYTES, PT_CHUNK_BYTES);
	for (uint64_t n = 0; n < (uint64_t)mb * 1000000 / PT_CHUNK_BYTES; n++) {
		r.chunk.from_ns = n;
		r.chunk.to_ns = n + 1;
		r.number = (uint32_t)n;
		pt_record_pack(bytes, &r);
		for (size_t at = 0; at < sizeof(bytes);) {
			ssize_t k = write(fd, bytes + at, sizeof(bytes) - at);

			if (k <= 0)
				_exit(1);
			at += (size_t)k;
		}
	}
	_exit(0);
}

/* The largest memory of a process that reads it, in KiB. */
static long peak_of_reading(unsigned mb)
{
	static struct any_chunk got;
	struct rusage usage;
	int ends[2], status;
	pid_t child, writer;

	ck_assert_int_eq(pipe(ends), 0);
	child = fork();
	if (child == 0) {
		struct pt_capture_reader *reader;
		uint64_t n = 0;

		writer = fork();
		if (writer == 0)
			generate(ends[1], mb);
		close(ends[1]);
		dup2(ends[0], 0);
		reader = pt_capture_read(pt_infile_open("-", &err), NULL, NULL, &err);
		while (reader != NULL && pt_capture_read_next(reader, &got.chunk, &err) == PT_CAPTURE_CHUNK)
			n += got.chunk.kind == PT_CHUNK_DATA;
		_exit(n == (uint64_t)mb * 1000000 / PT_CHUNK_BYTES ? 0 : 1);
	}
	close(ends[0]);
	close(ends[1]);
	ck_assert_int_eq(wait4(child, &status, 0, &usage), child);
	ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "reading %u MB failed", mb);
	return usage.ru_maxrss;
}

START_TEST(memory_does_not_grow_with_the_file)
{
	long little = peak_of_reading(50), much = peak_of_reading(500);

	ck_assert_msg(much < little + 1024, "%ld KiB for 50 MB, %ld KiB for 500 MB", little, much);
#ifndef __SANITIZE_ADDRESS__	/* has a memory of its own */
	ck_assert_msg(much < 64 * 1024, "%ld KiB", much);
#endif
}
END_TEST

/* --- the digest --------------------------------------------------------------------------------------------------- */

/* Source: NIST, SHA-256 example values, and FIPS 180-4 appendix; the lengths around the padding by sha256sum. */
static const struct { size_t a; const char *text, *digest; } digests[] = {
	{ 0, "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
	{ 0, "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
	{ 0, "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
	  "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1" },
	{ 55, NULL, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318" },
	{ 56, NULL, "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a" },
	{ 64, NULL, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb" },
	{ 1000000, NULL, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0" },
};

START_TEST(sha256_is_that_of_the_standard)
{
	size_t n = digests[_i].text != NULL ? strlen(digests[_i].text) : digests[_i].a;
	uint8_t *bytes = malloc(n + 1);
	char text[PT_SHA256_TEXT];

	memset(bytes, 'a', n + 1);
	if (digests[_i].text != NULL)
		memcpy(bytes, digests[_i].text, n);
	ck_assert_str_eq(pt_sha256_text(bytes, n, text), digests[_i].digest);
	free(bytes);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("capture");
	TCase *tc = tcase_create("files"), *pure = tcase_create("pure");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 300);
	tcase_add_loop_test(tc, what_is_written_is_read, 0, 2);
	tcase_add_test(tc, compression_makes_it_smaller);
	tcase_add_test(tc, a_head_may_be_long);
	tcase_add_test(tc, a_reset_is_read_where_it_was);
	tcase_add_test(tc, cut_anywhere_the_rest_is_read);
	tcase_add_loop_test(tc, a_flipped_bit_costs_one_record, 0, 8);
	tcase_add_loop_test(tc, finds_the_next_sound_record, 0, PT_LEN(spoilt));
	tcase_add_loop_test(tc, a_damaged_payload_is_missing_and_takes_no_time, 0, PT_LEN(spoilt_payloads));
	tcase_add_test(tc, many_damages_are_a_few_notes);
	tcase_add_test(tc, a_newer_version_is_refused_by_name);
	tcase_add_test(tc, a_full_disk_leaves_a_sound_file);
	tcase_add_test(tc, a_disk_that_is_full_is_told_once);
	tcase_add_test(tc, a_device_is_no_capture);
	tcase_add_test(tc, a_file_is_never_lost_to_another);
	tcase_add_test(tc, replaces_captures_only);
	tcase_add_test(tc, the_spool_is_saved_at_any_time);
	tcase_add_test(tc, the_spool_ends_at_its_quota);
	tcase_add_test(tc, killed_all_whole_records_are_there);
	tcase_add_test(tc, memory_does_not_grow_with_the_file);
	suite_add_tcase(suite, tc);
	tcase_add_loop_test(pure, sha256_is_that_of_the_standard, 0, PT_LEN(digests));
	suite_add_tcase(suite, pure);
	return pt_run_suite(suite);
}
