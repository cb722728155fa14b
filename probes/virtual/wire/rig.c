/* Parse the words, read the firmware, make the board, put the probe in front of it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probes/virtual/wire/rig.h"
#include "util.h"

enum { MAX_QUERY_BYTES = 4096, MAX_FIRMWARE_BYTES = 64 << 20 };
#define HEAD_START_MAX_NS (20 * PT_NS_PER_MS)

static const struct pt_vlink_kind kinds[] = {
	{ "hid-fs", 64, 8, 1000000, 1000000, true },
	{ "bulk-fs", 64, 8, 52000, 250000, false },
	{ "bulk-hs", 512, 4, 10000, 125000, false },
	{ "tcp", 1024, 1, 10000, 200000, false },
};

static const struct pt_vlink_kind *kind_of(const char *name)
{
	for (size_t i = 0; i < PT_LEN(kinds); i++)
		if (strcmp(kinds[i].name, name) == 0)
			return &kinds[i];
	return NULL;
}

static const char *setting(const struct pt_vrig *rig, const char *key)
{
	return pt_params_text(rig->settings, pt_vboard_param(key));
}

static uint64_t number(const struct pt_vrig *rig, const char *key)
{
	return pt_params_number(rig->settings, pt_vboard_param(key));
}

static int add_words(struct pt_vrig *rig, char *query, struct pt_err *err)
{
	char *rest = NULL;

	for (char *word = strtok_r(query, "&", &rest); word != NULL; word = strtok_r(NULL, "&", &rest))
		if (pt_params_add(rig->settings, pt_vboard_params, pt_n_vboard_params, word, err) < 0)
			return err->code;
	return 0;
}

/* Splits "NAME?word&word" and looks both halves up. */
static int parse(struct pt_vrig *rig, const char *name_and_query, struct pt_err *err)
{
	char text[MAX_QUERY_BYTES], *query;

	if (strlen(name_and_query) >= sizeof(text))
		return pt_fail(err, PT_EARG, "virtual board: the address is longer than %d characters",
			       MAX_QUERY_BYTES - 1);
	strcpy(text, name_and_query);
	query = strchr(text, '?');
	if (query != NULL)
		*query++ = '\0';
	rig->ops = pt_vboard_find(text, err);
	if (rig->ops == NULL)
		return err->code;
	rig->settings = pt_params_new();
	if (rig->settings == NULL)
		return pt_fail(err, PT_ENOMEM, "virtual board: no memory");
	if (query != NULL && add_words(rig, query, err) < 0)
		return pt_wrap(err, "virtual board %s", rig->ops->name);
	rig->link = kind_of(setting(rig, "link"));
	return pt_vfaults_parse(&rig->faults, setting(rig, "fault"), err);
}

/* The whole file; NULL with the sentence. The caller frees it. */
static uint8_t *read_whole(FILE *file, const char *path, size_t *len_bytes, struct pt_err *err)
{
	long size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
	uint8_t *bytes;

	if (size <= 0 || size > MAX_FIRMWARE_BYTES) {
		pt_fail(err, PT_EARG, "firmware %s: empty, no plain file, or larger than 64 MiB", path);
		return NULL;
	}
	bytes = malloc((size_t)size);
	if (bytes == NULL) {
		pt_fail(err, PT_ENOMEM, "firmware %s: no memory", path);
		return NULL;
	}
	rewind(file);
	*len_bytes = fread(bytes, 1, (size_t)size, file);
	return bytes;
}

static int make_board(struct pt_vrig *rig, struct pt_err *err)
{
	const char *path = setting(rig, "elf");
	uint8_t *firmware = NULL;
	size_t len_bytes = 0;
	FILE *file;

	if (path != NULL) {
		file = fopen(path, "rb");
		if (file == NULL)
			return pt_fail(err, PT_EARG, "firmware %s: %s", path, strerror(errno));
		firmware = read_whole(file, path, &len_bytes, err);
		fclose(file);
		if (firmware == NULL)
			return err->code;
	}
	rig->board = rig->ops->make(rig->settings, firmware, len_bytes, err);
	free(firmware);
	if (rig->board != NULL)
		return 0;
	return path != NULL ? pt_wrap(err, "virtual board %s with %s", rig->ops->name, path) :
	       pt_wrap(err, "virtual board %s", rig->ops->name);
}

/* Where in its program a board is when the host comes is chance; a seed makes it chance that can be repeated.
 * The mixer is splitmix64. */
static uint64_t head_start_ns(uint64_t seed)
{
	uint64_t z = seed * UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return seed == 0 ? 0 : (z ^ z >> 31) % HEAD_START_MAX_NS;
}

static int make_probe(struct pt_vrig *rig, struct pt_err *err)
{
	struct pt_vdap_config config = {
		.packet_bytes = rig->link->packet_bytes,
		.packet_count = rig->link->depth,
		.max_swclk_hz = (uint32_t)number(rig, "swclk"),
		.product = PT_LINK_VIRTUAL_PRODUCT " CMSIS-DAP",
		.serial = "V0001",
	};

	pt_vpace_init(&rig->pace, rig->ops, rig->board, strcmp(setting(rig, "clock"), "wall") == 0);
	pt_vpace_head_start(&rig->pace, head_start_ns(number(rig, "seed")));
	rig->dap = pt_vdap_new(&config, &rig->pace, &rig->faults);
	return rig->dap != NULL ? 0 : pt_fail(err, PT_ENOMEM, "virtual board %s: no memory", rig->ops->name);
}

int pt_vrig_open(struct pt_vrig *rig, const char *name_and_query, struct pt_err *err)
{
	struct pt_err local;

	if (err == NULL)
		err = &local;
	*rig = (struct pt_vrig){ 0 };
	if (parse(rig, name_and_query, err) < 0 || make_board(rig, err) < 0 || make_probe(rig, err) < 0) {
		pt_vrig_close(rig);
		return err->code;
	}
	return 0;
}

void pt_vrig_close(struct pt_vrig *rig)
{
	pt_vdap_free(rig->dap);
	if (rig->board != NULL)
		rig->ops->free(rig->board);
	pt_params_free(rig->settings);
	*rig = (struct pt_vrig){ 0 };
}
