/* proftap probes: lists the probes that are plugged in. */
#include <jansson.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "host/log.h"
#include "host/owners.h"
#include "probes/registry.h"
#include "cli/app.h"
#include "base/util.h"
#include "cli/subcommands.h"

enum { MAX_PROBES = 64, MAX_ON_NETWORK = 256, MAX_ANALYSERS = 16 };

enum state { FREE, BUSY, DENIED, FAILED };

struct row {
	const struct pt_probe_found *found;
	char alias[64];			/* from the configuration file; "": none */
	struct pt_probe_info info;	/* only if FREE: most of it comes from the probe itself */
	enum state state;
	struct pt_err why;
	bool measured;			/* speed was, or bdc_speed of a probe for BDC; else cannot has the reason */
	bool by_bdc;
	struct pt_probe_speed speed;
	struct pt_probe_bdc_speed bdc_speed;
	struct pt_probe_limit limit;
	struct pt_err cannot;
	struct pt_owner owners[4];	/* BUSY only */
	size_t n_owners;
};

/* Reads only the debug port's identification, or BDCCSR: core and memory are not affected. The firmware of USBDM sets
 * ENBDC on each connection, whatever the host does. */
static void measure(struct row *row, struct pt_probe *probe)
{
	void *wire;
	const struct pt_dap_ops *dap = pt_probe_dap(probe, &wire);
	const struct pt_bdc_ops *bdc = dap == NULL ? pt_probe_bdc(probe, &wire) : NULL;
	uint32_t bdcsi_hz;

	row->by_bdc = bdc != NULL;
	if (dap != NULL)
		row->measured = dap->connect(wire, PT_DAP_SWD, &row->cannot) == 0 &&
				pt_probe_measure(probe, &row->speed, &row->cannot) == 0;
	else if (bdc != NULL)
		row->measured = bdc->connect(wire, &bdcsi_hz, &row->cannot) == 0 &&
				pt_probe_measure_bdc(probe, &row->bdc_speed, &row->cannot) == 0;
	else
		pt_fail(&row->cannot, PT_EUNSUPPORTED, "it has neither SWD, nor JTAG to a debug port, nor BDC");
	pt_probe_limit(probe, &row->limit);	/* some know their clock only when they are connected */
}

static void find_alias(struct row *row, const struct pt_options *options)
{
	for (size_t i = 0; i < options->n_aliases && row->alias[0] == '\0'; i++) {
		size_t len = strcspn(options->aliases[i], "=");
		char where[64];

		if (pt_probe_where(options->aliases[i] + len + 1, where, sizeof(where)) &&
		    strcmp(where, row->found->where) == 0)
			snprintf(row->alias, sizeof(row->alias), "%.*s", (int)len, options->aliases[i]);
	}
}

/* Facts that are known without opening the probe. */
static void look(struct row *row, const char *const *nodes, size_t n_nodes)
{
	if (!row->found->permitted)
		pt_fail(&row->why, PT_EPERM, "no permission for %s; the line for udev is  %s", nodes[0],
			row->found->udev_rule);
	else if (row->why.code == 0 && pt_owners_of(nodes, n_nodes, row->owners, PT_LEN(row->owners)) > 0)
		pt_probe_busy(row->found, &row->why);
}

/* Only the probe itself knows packet size, packet count and SWO: it is opened, unless another process uses it. */
static void ask(struct row *row, bool measures)
{
	const char *const nodes[] = { row->found->node[0], row->found->node[1] };
	struct pt_probe *probe = NULL;

	if (pt_probe_noted(row->found, &row->why) == 0 && row->found->left_alone == NULL)
		probe = pt_probe_open(row->found->uri, NULL, &row->why);
	if (row->found->left_alone != NULL)
		look(row, nodes, PT_LEN(nodes));
	if (probe != NULL && measures)
		measure(row, probe);
	if (probe != NULL)
		pt_probe_info(probe, &row->info);
	else if (row->why.code != 0)
		row->state = row->why.code == PT_EBUSY ? BUSY : row->why.code == PT_EPERM ? DENIED : FAILED;
	if (row->state == BUSY)
		row->n_owners = pt_owners_of(nodes, PT_LEN(nodes), row->owners, PT_LEN(row->owners));
	pt_probe_close(probe);
}

/* "swd jtag swo" */
static void name_capabilities(const struct pt_probe_info *info, char *text, size_t room)
{
	const struct { bool has; const char *name; } all[] = {
		{ info->swd, "swd" }, { info->jtag, "jtag" }, { info->bdc, "bdc" }, { info->swo, "swo" },
		{ info->target_mv != 0, "voltage" },
	};
	size_t len = 0;

	text[0] = '\0';
	for (size_t i = 0; i < PT_LEN(all) && len < room; i++)
		if (all[i].has)
			len += (size_t)snprintf(text + len, room - len, "%s%s", len > 0 ? " " : "", all[i].name);
}

static void print_opened(const struct pt_probe_info *info)
{
	char capabilities[64];

	name_capabilities(info, capabilities, sizeof(capabilities));
	printf("    %u packet%s of %zu bytes, %s, ", info->packet_count, info->packet_count == 1 ? "" : "s",
	       info->packet_bytes, capabilities);
	if (info->chip[0] != '\0')
		printf("chip %s", info->chip);
	else
		printf("firmware %s", info->firmware[0] != '\0' ? info->firmware : "not known");
	if (info->target_mv != 0)
		printf(", target at %.2f V", info->target_mv / 1e3);
	printf("\n");
}

/* "    SWO: uart or manchester, up to 2000000 baud, holds 4096 bytes" */
static void print_swo(const struct pt_probe_info *info)
{
	const char *second = strchr(info->swo_codings, ' ');

	if (!info->swo || info->swo_codings[0] == '\0')
		return;
	printf("    SWO: %.*s%s%s", (int)strcspn(info->swo_codings, " "), info->swo_codings,
	       second != NULL ? " or" : "", second != NULL ? second : "");
	if (info->swo_most_bps != 0)
		printf(", up to %" PRIu32 " baud", info->swo_most_bps);
	if (info->swo_ring_bytes != 0)
		printf(", holds %" PRIu32 " bytes", info->swo_ring_bytes);
	printf("\n");
}

/* The slower of the two cables. 0: unknown. */
static uint32_t least_limit(const struct pt_probe_limit *limit, const char **which)
{
	bool link = limit->link_words_per_s != 0 &&
		    (limit->wire_words_per_s == 0 || limit->link_words_per_s < limit->wire_words_per_s);

	*which = link ? "link" : "wire";
	return link ? limit->link_words_per_s : limit->wire_words_per_s;
}

static void print_measured(const struct row *row)
{
	const char *which;
	uint32_t limit = least_limit(&row->limit, &which);

	if (row->measured && row->by_bdc)
		printf("    round trip %.3f ms, %" PRIu32 " commands a second; the target's BDC clock is %.3f MHz",
		       (double)row->bdc_speed.round_trip_ns / 1e6, row->bdc_speed.commands_per_s,
		       row->bdc_speed.bdcsi_hz / 1e6);
	else if (row->measured)
		printf("    round trip %.3f ms, %" PRIu32 " words a second%s", (double)row->speed.round_trip_ns / 1e6,
		       row->speed.words_per_s,
		       row->speed.in_turns ? ", one in a round trip (memory goes in blocks)" : "");
	else
		printf("    not measured: %s", row->cannot.msg);
	if (limit != 0)
		printf("; the %s allows %" PRIu32 "%s at most", which, limit, row->by_bdc ? " words" : "");
	printf("\n");
}

static void print_text(const struct row *row, bool measures)
{
	const struct pt_probe_found *f = row->found;

	printf("%s%s%s\n    %s, serial %s%s, %s, %s\n", f->uri, row->alias[0] != '\0' ? ", alias " : "", row->alias,
	       f->product, f->serial[0] != '\0' ? f->serial : "none",
	       f->shares_serial ? " (another probe has the same)" : "", f->where, f->transports);
	if (row->state == FREE && f->left_alone != NULL && f->on_network)
		printf("    not opened, as it may be another user's (--measure opens it)\n");
	else if (row->state == FREE && f->left_alone != NULL)
		printf("    %s, which is not asked before it is used\n", f->left_alone);
	else if (row->state == FREE)
		print_opened(&row->info);
	if (row->state == FREE && f->left_alone == NULL)
		print_swo(&row->info);
	if (row->state == FREE && f->left_alone == NULL && measures)
		print_measured(row);
	if (row->state != FREE)
		printf("    %s\n", row->why.msg);
}

/* "bulk hid" as a list. */
static json_t *words(const char *text)
{
	json_t *list = json_array();

	for (text += strspn(text, " "); *text != '\0'; text += strspn(text, " ")) {
		size_t len = strcspn(text, " ");

		json_array_append_new(list, json_stringn(text, len));
		text += len;
	}
	return list;
}

static void add_info(json_t *out, const struct pt_probe_info *info)
{
	char capabilities[64];

	name_capabilities(info, capabilities, sizeof(capabilities));
	json_object_set_new(out, "capabilities", words(capabilities));
	json_object_set_new(out, "packet_bytes", json_integer((json_int_t)info->packet_bytes));
	json_object_set_new(out, "packet_count", json_integer(info->packet_count));
	json_object_set_new(out, "swo", json_boolean(info->swo));
	if (info->swo_codings[0] != '\0')
		json_object_set_new(out, "swo_codings", words(info->swo_codings));
	if (info->swo_most_bps != 0)
		json_object_set_new(out, "swo_most_bits_per_s", json_integer(info->swo_most_bps));
	if (info->swo_ring_bytes != 0)
		json_object_set_new(out, "swo_buffer_bytes", json_integer(info->swo_ring_bytes));
	json_object_set_new(out, "firmware", json_string(info->firmware));
	if (info->chip[0] != '\0')
		json_object_set_new(out, "chip", json_string(info->chip));
	if (info->target_mv != 0)
		json_object_set_new(out, "target_mv", json_integer(info->target_mv));
}

static void add_measured(json_t *out, const struct row *row)
{
	const char *which;
	uint32_t limit = least_limit(&row->limit, &which);
	json_t *measured = json_object();

	if (row->measured && row->by_bdc) {
		json_object_set_new(measured, "round_trip_ns", json_integer((json_int_t)row->bdc_speed.round_trip_ns));
		json_object_set_new(measured, "commands_per_s", json_integer(row->bdc_speed.commands_per_s));
		json_object_set_new(measured, "bdc_clock_hz", json_integer(row->bdc_speed.bdcsi_hz));
	} else if (row->measured) {
		json_object_set_new(measured, "round_trip_ns", json_integer((json_int_t)row->speed.round_trip_ns));
		json_object_set_new(measured, "words_per_s", json_integer(row->speed.words_per_s));
	} else {
		json_object_set_new(measured, "reason", json_string(row->cannot.msg));
	}
	if (limit != 0) {
		json_object_set_new(measured, "limit_words_per_s", json_integer(limit));
		json_object_set_new(measured, "limited_by", json_string(which));
	}
	json_object_set_new(out, "measured", measured);
}

static void add_reason(json_t *out, const struct row *row)
{
	json_t *owners = json_array();

	for (size_t i = 0; i < row->n_owners; i++)
		json_array_append_new(owners, json_pack("{s:i, s:s}", "pid", (int)row->owners[i].pid, "name",
							row->owners[i].name));
	json_object_set_new(out, "reason", json_string(row->why.msg));
	if (row->state == BUSY)
		json_object_set(out, "owners", owners);
	if (row->state == DENIED)
		json_object_set_new(out, "udev_rule", json_string(row->found->udev_rule));
	json_decref(owners);
}

/* usb_path is for usb=, address for tcp=. */
static json_t *to_json(const struct row *row, bool measures)
{
	static const char *const names[] = { [FREE] = "free", [BUSY] = "busy", [DENIED] = "denied", [FAILED] = "failed" };
	const struct pt_probe_found *f = row->found;
	const char *path = strncmp(f->where, "usb ", 4) == 0 ? f->where + 4 : f->where;
	json_t *out = json_pack("{s:s, s:s, s:s, s:s, s:o, s:b, s:s}", "uri", f->uri, "product", f->product, "serial",
				f->serial, f->on_network ? "address" : "usb_path", path, "transports",
				words(f->transports), "permitted", f->permitted, "state", names[row->state]);

	if (out != NULL && !f->on_network) {
		json_object_set_new(out, "vid", json_integer(f->usb_vid));
		json_object_set_new(out, "pid", json_integer(f->usb_pid));
	}
	if (out != NULL && row->alias[0] != '\0')
		json_object_set_new(out, "alias", json_string(row->alias));
	if (out != NULL && row->state == FREE && f->left_alone == NULL)
		add_info(out, &row->info);
	if (out != NULL && row->state == FREE && f->left_alone == NULL && measures)
		add_measured(out, row);
	if (out != NULL && row->state == FREE && f->left_alone != NULL)
		json_object_set_new(out, "left_alone", json_string(f->left_alone));
	if (out != NULL && row->state != FREE)
		add_reason(out, row);
	return out;
}

/* Shows logic analysers, for the pins of a trace port. Returns the number shown. */
static size_t show_analysers(json_t *list)
{
	static struct pt_logic_found found[MAX_ANALYSERS];
	size_t n = pt_probe_list_analysers(found, MAX_ANALYSERS);

	for (size_t i = 0; i < n; i++) {
		const struct pt_logic_found *f = &found[i];

		if (list != NULL)
			json_array_append_new(list,
					      json_pack("{s:s, s:s, s:s, s:s, s:[s], s:i}", "uri", f->uri, "product",
							f->product, "serial", f->serial, "usb_path", f->where,
							"transports", "pins", "lines", (int)f->n_lines));
		else
			printf("%s\n    %s, serial %s%s%s\n    %u lines, to capture trace pins\n", f->uri, f->product,
			       f->serial[0] != '\0' ? f->serial : "none", f->where[0] != '\0' ? ", " : "", f->where,
			       f->n_lines);
	}
	return n;
}

/* list NULL: prints text */
static void show(const struct pt_probe_found *found, int n, const struct pt_options *options, json_t *list)
{
	for (int i = 0; i < n; i++) {
		struct row row = { .found = &found[i] };

		find_alias(&row, options);
		ask(&row, options->measure);
		if (list != NULL)
			json_array_append_new(list, to_json(&row, options->measure));
		else
			print_text(&row, options->measure);
	}
}

/* Returns the number shown, or a negative code. Measuring requires opening the probe. */
static int show_network(const struct pt_options *options, json_t *list)
{
	static struct pt_probe_found found[MAX_ON_NETWORK];
	struct pt_err err = { 0 };
	bool more = false;
	int n = pt_probe_list_network(found, MAX_ON_NETWORK, &more, &err);

	if (n < 0)
		pt_error("%s", err.msg);
	if (more)
		pt_warn("more than %d probes on the network answered: the others are not listed", MAX_ON_NETWORK);
	for (int i = 0; i < n && options->measure; i++)
		found[i].left_alone = NULL;
	show(found, n, options, list);
	if (n == 0 && list == NULL)
		printf("no probe on this machine's networks answered\n");
	return n;
}

static int run_probes(const struct pt_options *options)
{
	static struct pt_probe_found found[MAX_PROBES];
	struct pt_err err = { 0 };
	int n = pt_probe_list(found, MAX_PROBES, &err), n_on_network = 0;
	json_t *list = options->json ? json_array() : NULL;
	size_t n_analysers;

	if (n < 0)
		pt_error("%s", err.msg);
	show(found, n < MAX_PROBES ? n : MAX_PROBES, options, list);
	n_analysers = show_analysers(list);
	if (n == 0 && n_analysers == 0 && list == NULL)
		printf("no probe is plugged in (virtual boards: `proftap boards`)\n");
	if (options->network)
		n_on_network = show_network(options, list);
	if (list != NULL) {
		json_dumpf(list, stdout, JSON_INDENT(2));
		printf("\n");
	}
	json_decref(list);
	return n < 0 || n_on_network < 0 ? PT_EXIT_DEVICE : PT_EXIT_DONE;
}

const struct pt_subcommand pt_subcommand_probes = { "probes", "[--json] [--measure] [--network]", "list what is plugged in",
	"proftap probes --measure\n"
	"    with the address of each, for --probe, and its measured speed\n"
	"proftap probes --network\n"
	"    also the J-Links on this machine's networks, which it asks by broadcast\n",
	run_probes };
