/* Parse the words, read the firmware, make the board, put the probe in front of it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probes/virtual/boards.h"
#include "probes/virtual/probe/bdc_pipe.h"
#include "probes/virtual/probe/cmsis_dap.h"
#include "probes/virtual/probe/jlink.h"
#include "probes/virtual/probe/mpsse.h"
#include "probes/virtual/probe/osbdm.h"
#include "probes/virtual/probe/remote_bitbang.h"
#include "probes/virtual/setup.h"
#include "probes/virtual/rsp/rsp_stub.h"
#include "probes/virtual/probe/stlink.h"
#include "probes/virtual/probe/usbdm.h"
#include "probes/virtual/probe/xvc.h"
#include "base/util.h"

enum { MAX_QUERY_BYTES = 4096, MAX_FIRMWARE_BYTES = 64 << 20 };
#define HEAD_START_MAX_NS (20 * PT_NS_PER_MS)

static const struct pt_vlink_kind kinds[] = {
	{ "hid-fs", 64, 64, 8, 1000000, 1000000, true, 0 },
	{ "bulk-fs", 64, 64, 8, 52000, 250000, false, 64 },
	{ "bulk-hs", 512, 512, 4, 10000, 125000, false, 512 },
	{ "tcp", 1024, 1024, 1, 10000, 200000, false, 0 },
};

static const struct pt_vlink_kind *kind_of(const char *name)
{
	for (size_t i = 0; i < PT_LEN(kinds); i++)
		if (strcmp(kinds[i].name, name) == 0)
			return &kinds[i];
	return NULL;
}

/* The probes that a board may have in front of it. */
static uint32_t fastest_hz(const struct pt_vsetup *setup)
{
	return (uint32_t)pt_params_number(setup->settings, pt_vboard_param("swclk"));
}

static void *new_dap(struct pt_vsetup *setup)
{
	const struct pt_vdap_config config = {
		.packet_bytes = setup->link->packet_bytes,
		.packet_count = setup->link->depth,
		.max_swclk_hz = fastest_hz(setup),
		.product = setup->product,
		.serial = "V0001",
		.swo_bytes = PT_VDAP_SWO_BYTES,
		.swo_endpoint = setup->link->trace_bytes > 0,
		.swo_index = true,
	};

	return pt_vdap_new(&config, &setup->pace, &setup->faults);
}

static void *new_pipe(struct pt_vsetup *setup)
{
	const struct pt_vpipe_config config = {
		.packet_bytes = setup->link->packet_bytes,
		.packet_count = setup->link->depth,
		.product = setup->product,
		.pins = pt_params_flag(setup->settings, pt_vboard_param("pins")),
	};

	return pt_vpipe_new(&config, &setup->pace, &setup->faults);
}

static void *new_osbdm(struct pt_vsetup *setup)
{
	return pt_vosbdm_new(&setup->pace, &setup->faults);
}

static void *new_usbdm(struct pt_vsetup *setup)
{
	const struct pt_param *row = pt_vboard_row(setup->ops, "usbdm");
	const char *which = row != NULL ? pt_params_text(setup->settings, row) : "v5";
	enum pt_vusbdm_generation generation = strcmp(which, "v4") == 0	       ? PT_VUSBDM_V4
					       : strcmp(which, "v5-busy") == 0 ? PT_VUSBDM_V5_BUSY
									       : PT_VUSBDM_V5;

	return pt_vusbdm_new(generation, &setup->pace, &setup->faults);
}

static const struct pt_vstlink_kind *stlink_kind(const struct pt_vsetup *setup)
{
	return pt_vstlink_kind(pt_params_text(setup->settings, pt_vboard_param("stlink")));
}

/* A V3 is a high-speed device. */
static const char *stlink_link(const struct pt_vsetup *setup)
{
	return stlink_kind(setup)->v >= 3 ? "bulk-hs" : "bulk-fs";
}

static void *new_stlink(struct pt_vsetup *setup)
{
	return pt_vstlink_new(stlink_kind(setup), fastest_hz(setup), &setup->pace, &setup->faults);
}

static void *new_xvc(struct pt_vsetup *setup)
{
	return pt_vxvc_new(fastest_hz(setup), &setup->pace);
}

static void *new_bitbang(struct pt_vsetup *setup)
{
	return pt_vbitbang_new(fastest_hz(setup), &setup->pace, &setup->faults);
}

static const struct pt_vjlink_kind *jlink_kind(const struct pt_vsetup *setup)
{
	return pt_vjlink_kind(pt_params_text(setup->settings, pt_vboard_param("jlink")));
}

static const char *jlink_link(const struct pt_vsetup *setup)
{
	return jlink_kind(setup)->high_speed ? "bulk-hs" : "bulk-fs";
}

static void *new_jlink(struct pt_vsetup *setup)
{
	struct pt_vjlink_config config = { .kind = jlink_kind(setup), .max_hz = fastest_hz(setup) };

	pt_vjlink_flaws(pt_params_text(setup->settings, pt_vboard_param("jlink-flaws")), &config.flaws, NULL);
	return pt_vjlink_new(&config, &setup->pace, &setup->faults);
}

/* The index of a choice among "a|b|c". */
static unsigned chosen(const struct pt_vsetup *setup, const char *key)
{
	const struct pt_param *row = pt_vboard_param(key);
	const char *value = pt_params_text(setup->settings, row);
	size_t len = strlen(value);
	unsigned i = 0;

	for (const char *at = row->choices; strncmp(at, value, len) != 0 || (at[len] != '|' && at[len] != 0); i++)
		at += strcspn(at, "|") + 1;
	return i;
}

/* wiring=auto is the first of its choices. */
static void *new_mpsse(struct pt_vsetup *setup)
{
	unsigned wiring = chosen(setup, "wiring");
	bool has_port = setup->ops->dpidr != NULL;
	const struct pt_vmpsse_config config = {
		.chip = (enum pt_vmpsse_chip)chosen(setup, "ftdi"),
		.wiring = wiring > 0 ? (enum pt_vmpsse_wiring)(wiring - 1)
			  : has_port ? PT_VMPSSE_TIED
				     : PT_VMPSSE_JTAG,
		.max_hz = fastest_hz(setup),
	};

	return pt_vmpsse_new(&config, &setup->pace, &setup->faults);
}

static void *new_rsp(struct pt_vsetup *setup)
{
	const struct pt_param *row = pt_vboard_row(setup->ops, "rsp");
	const char *name = row != NULL ? pt_params_text(setup->settings, row) : "modern";
	enum pt_vrsp_habit habit = strcmp(name, "qemu") == 0   ? PT_VRSP_QEMU
				   : strcmp(name, "bare") == 0 ? PT_VRSP_BARE
							       : PT_VRSP_MODERN;

	return pt_vrsp_new(setup->ops->rsp(setup->board), habit, &setup->pace);
}

/* A firmware with a size of its own takes one request at a time, and is a full-speed device unless the user says
 * otherwise; a server on the network reads on while it works, as far as the socket holds it. */
static const struct kind_of_probe {
	const char *driver;		/* as pt_vboard_probe() has it */
	const struct pt_vengine_ops *engine;
	void *(*make)(struct pt_vsetup *setup);
	size_t request_bytes;		/* 0: a packet of the link, and as many as it takes */
	const char *link;		/* of one with a size of its own, unless the user says otherwise */
	unsigned depth;
	const char *(*link_of)(const struct pt_vsetup *setup);	/* where link does not say it */
} probes[] = {
	{ "cmsis-dap", &pt_vdap_engine, new_dap, 0, NULL, 0, NULL },
	{ "bdc-pipe", &pt_vpipe_engine, new_pipe, 0, NULL, 0, NULL },
	{ "osbdm", &pt_vosbdm_engine, new_osbdm, PT_VOSBDM_PACKET_BYTES, "bulk-fs", 1, NULL },
	{ "usbdm", &pt_vusbdm_engine, new_usbdm, PT_VUSBDM_MOST_BYTES, "bulk-fs", 1, NULL },
	{ "jlink", &pt_vjlink_engine, new_jlink, PT_VJLINK_MOST_BYTES, NULL, 8, jlink_link },
	{ "stlink", &pt_vstlink_engine, new_stlink, PT_VSTLINK_MOST_BYTES, NULL, 1, stlink_link },
	{ "xvc", &pt_vxvc_engine, new_xvc, PT_VXVC_MOST_BYTES, "tcp", 16, NULL },
	{ "bitbang", &pt_vbitbang_engine, new_bitbang, PT_VBITBANG_MOST_BYTES, "tcp", 16, NULL },
	{ "ftdi", &pt_vmpsse_engine, new_mpsse, PT_VMPSSE_MOST_BYTES, "bulk-hs", 8, NULL },
	{ "rsp", &pt_vrsp_engine, new_rsp, PT_VRSP_MOST_BYTES, "tcp", 4, NULL },
};

static const struct kind_of_probe *probe_of(const char *driver)
{
	for (size_t i = 0; i < PT_LEN(probes); i++)
		if (strcmp(probes[i].driver, driver) == 0)
			return &probes[i];
	return NULL;
}

static const char *setting(const struct pt_vsetup *setup, const char *key)
{
	return pt_params_text(setup->settings, pt_vboard_param(key));
}

static bool is_jtag(const struct pt_vsetup *setup)
{
	const char *driver = setup->driver;

	return strcmp(driver, "xvc") == 0 || strcmp(driver, "bitbang") == 0 ||
	       (strcmp(driver, "jlink") == 0 && strcmp(setting(setup, "jlink"), "v5") == 0) ||
	       (strcmp(driver, "ftdi") == 0 &&
		(strcmp(setting(setup, "wiring"), "jtag") == 0 || strcmp(setting(setup, "wiring"), "rtck") == 0));
}

/* The chain has the TAP of the first debug port alone: a core behind another one would be missing without a word. */
static int check_wire(const struct pt_vsetup *setup, struct pt_err *err)
{
	const struct pt_vboard_ops *ops = setup->ops;

	if (ops->second_targetsel == NULL || ops->second_targetsel(setup->board) == 0 || !is_jtag(setup))
		return 0;
	return pt_fail(
		err, PT_EARG,
		"virtual board %s: each core of this variant has a debug port of its own on an SWD wire (multi-drop), and "
		"this probe has JTAG alone: probe=cmsis-dap has SWD, and so have jlink and ftdi by default",
		ops->name);
}

static const char *own_link(const struct pt_vsetup *setup, const struct kind_of_probe *probe)
{
	return probe->link_of != NULL ? probe->link_of(setup) : probe->link;
}

static void choose_link(struct pt_vsetup *setup, const struct kind_of_probe *probe)
{
	const struct pt_param *row = pt_vboard_param("link");
	bool own_size = probe->request_bytes != 0;

	setup->link_kind =
		*kind_of(own_size && !pt_params_given(setup->settings, row) ? own_link(setup, probe)
									    : pt_params_text(setup->settings, row));
	if (own_size) {
		setup->link_kind.packet_bytes = probe->request_bytes;
		setup->link_kind.depth = probe->depth;
	}
	setup->link = &setup->link_kind;
	snprintf(setup->product, sizeof(setup->product), "%s %s", PT_LINK_VIRTUAL_PRODUCT, probe->engine->name);
}

static uint64_t number(const struct pt_vsetup *setup, const char *key)
{
	return pt_params_number(setup->settings, pt_vboard_param(key));
}

static int add_words(struct pt_vsetup *setup, char *query, struct pt_err *err)
{
	char *rest = NULL;

	for (char *word = strtok_r(query, "&", &rest); word != NULL; word = strtok_r(NULL, "&", &rest))
		if (pt_vboard_add_word(setup->ops, setup->settings, word, err) < 0)
			return err->code;
	return 0;
}

/* Splits "NAME?word&word" and looks both halves up. */
static int parse(struct pt_vsetup *setup, const char *name_and_query, struct pt_err *err)
{
	char text[MAX_QUERY_BYTES], *query;
	const char *driver = pt_vboard_probe(name_and_query, err);

	if (driver == NULL)
		return err->code;
	if (strlen(name_and_query) >= sizeof(text))
		return pt_fail(err, PT_EARG, "virtual board: the address is longer than %d characters",
			       MAX_QUERY_BYTES - 1);
	strcpy(text, name_and_query);
	query = strchr(text, '?');
	if (query != NULL)
		*query++ = '\0';
	setup->ops = pt_vboard_find(text, err);
	if (setup->ops == NULL)
		return err->code;
	setup->settings = pt_params_new();
	if (setup->settings == NULL)
		return pt_fail(err, PT_ENOMEM, "virtual board: no memory");
	if (query != NULL && add_words(setup, query, err) < 0)
		return pt_wrap(err, "virtual board %s", setup->ops->name);
	setup->driver = driver;
	choose_link(setup, probe_of(driver));
	if (pt_vjlink_flaws(setting(setup, "jlink-flaws"), &(unsigned){ 0 }, err) < 0)
		return err->code;
	return pt_vfaults_parse(&setup->faults, setting(setup, "fault"), err);
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

/* The first board whose demo is an ELF of the same class, byte order and machine; NULL: there is none. */
static const struct pt_vboard_ops *board_for(const uint8_t *firmware, size_t len_bytes)
{
	enum { CLASS_AND_ORDER = 4, MACHINE = 18, MACHINE_END = 20 };	/* Source: System V ABI, ELF header */
	size_t demo_bytes;

	for (size_t i = 0; i < pt_n_vboards && len_bytes >= MACHINE_END; i++) {
		const uint8_t *demo = pt_vboards[i]->demo(&demo_bytes);

		if (memcmp(firmware, demo, CLASS_AND_ORDER + 2) == 0 &&
		    memcmp(firmware + MACHINE, demo + MACHINE, MACHINE_END - MACHINE) == 0)
			return pt_vboards[i];
	}
	return NULL;
}

static int make_board(struct pt_vsetup *setup, struct pt_err *err)
{
	const char *path = setting(setup, "elf");
	uint8_t *firmware = NULL;
	const struct pt_vboard_ops *other;
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
	setup->board = setup->ops->make(setup->settings, firmware, len_bytes, err);
	other = setup->board == NULL && firmware != NULL ? board_for(firmware, len_bytes) : NULL;
	free(firmware);
	if (setup->board != NULL)
		return 0;
	if (other != NULL && other != setup->ops)
		return pt_fail(err, PT_EARG,
			       "%s is no firmware for virtual board %s, but for another processor: --probe "
			       "virtual:%s",
			       path, setup->ops->name, other->name);
	return path != NULL ? pt_wrap(err, "virtual board %s with %s", setup->ops->name, path)
			    : pt_wrap(err, "virtual board %s", setup->ops->name);
}

static int open_flow_log(struct pt_vsetup *setup, struct pt_err *err)
{
	const char *path = setting(setup, "flow-log");
	struct pt_vflow_core core;

	if (path == NULL)
		return 0;
	if (setup->ops->flow_core == NULL)
		return pt_fail(err, PT_EARG, "virtual board %s has no flow-log", setup->ops->name);
	setup->ops->flow_core(setup->board, &core);
	setup->flow_log = pt_vflow_log_open(path, &core, err);
	return setup->flow_log != NULL ? 0 : err->code;
}

static int open_write_log(struct pt_vsetup *setup, struct pt_err *err)
{
	const char *path = setting(setup, "write-log");

	if (path == NULL)
		return 0;
	if (setup->ops->bus == NULL)
		return pt_fail(err, PT_EARG, "virtual board %s has no write-log", setup->ops->name);
	setup->write_log = pt_vwrite_log_open(path, setup->ops->bus(setup->board), err);
	return setup->write_log != NULL ? 0 : err->code;
}

static int open_swo_log(struct pt_vsetup *setup, struct pt_err *err)
{
	const char *path = setting(setup, "swo-log");

	if (path == NULL)
		return 0;
	if (setup->ops->swo == NULL)
		return pt_fail(err, PT_EARG, "virtual board %s has no pin SWO, and so no swo-log", setup->ops->name);
	setup->swo_log = pt_vswo_log_open(path, setup->ops->swo(setup->board), err);
	return setup->swo_log != NULL ? 0 : err->code;
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

static int make_probe(struct pt_vsetup *setup, struct pt_err *err)
{
	const struct kind_of_probe *probe = probe_of(setup->driver);

	if (check_wire(setup, err) < 0)
		return err->code;
	pt_vpace_init(&setup->pace, setup->ops, setup->board, strcmp(setting(setup, "clock"), "wall") == 0);
	pt_vpace_head_start(&setup->pace, head_start_ns(number(setup, "seed")));
	setup->engine = probe->engine;
	setup->engine_state = probe->make(setup);
	return setup->engine_state != NULL ? 0
					   : pt_fail(err, PT_ENOMEM, "virtual board %s: no memory", setup->ops->name);
}

int pt_vsetup_open(struct pt_vsetup *setup, const char *name_and_query, struct pt_err *err)
{
	struct pt_err local;

	if (err == NULL)
		err = &local;
	*setup = (struct pt_vsetup){ .faults_fd = -1 };
	if (parse(setup, name_and_query, err) < 0 || make_board(setup, err) < 0 || open_flow_log(setup, err) < 0 ||
	    open_write_log(setup, err) < 0 || open_swo_log(setup, err) < 0 || make_probe(setup, err) < 0 ||
	    pt_vsetup_open_faults(setup, setting(setup, "faults-from"), err) < 0) {
		pt_vsetup_close(setup);
		return err->code;
	}
	return 0;
}

void pt_vsetup_close(struct pt_vsetup *setup)
{
	if (setup->engine_state != NULL)
		setup->engine->free(setup->engine_state);
	pt_vflow_log_close(setup->flow_log);
	pt_vwrite_log_close(setup->write_log);
	pt_vswo_log_close(setup->swo_log);
	if (setup->board != NULL)
		setup->ops->free(setup->board);
	pt_params_free(setup->settings);
	pt_vsetup_close_faults(setup);
	*setup = (struct pt_vsetup){ .faults_fd = -1 };
}

void pt_vsetup_process(struct pt_vsetup *setup, const uint8_t *request, size_t len_bytes, uint64_t at_ns,
		       pt_vrespond *respond, void *arg)
{
	setup->engine->process(setup->engine_state, request, len_bytes, at_ns, respond, arg);
}

uint64_t pt_vsetup_cable_ns(const struct pt_vsetup *setup, size_t len_bytes)
{
	size_t packets = (len_bytes + setup->link->wire_bytes - 1) / setup->link->wire_bytes;

	return setup->link->packet_ns * (packets > 1 ? packets : 1);
}
