/* proftap drivers: lists the kinds of probes and targets, as the drivers describe themselves. doc/drivers.md is its
 * output. */
#include <stdio.h>

#include "base/util.h"
#include "cli/app.h"
#include "cli/subcommands.h"
#include "probes/registry.h"
#include "targets/registry.h"

static void print_line(void *arg, const char *line)
{
	(void)arg;
	printf("%s\n", line);
}

static void print_indented(void *arg, const char *line)
{
	(void)arg;
	printf("    %s\n", line);
}

static void print_more_indented(void *arg, const char *line)
{
	(void)arg;
	printf("      %s\n", line);
}

static void print_wires(const struct pt_probe_ops *driver)
{
	const struct { bool has; const char *name; } wires[] = {
		{ driver->dap != NULL, "SWD, JTAG-DP" }, { driver->jtag != NULL, "JTAG" }, { driver->bdc != NULL, "BDC" },
		{ driver->pins != NULL, "pins of a trace port" }, { driver->rsp != NULL, "GDB's remote protocol" },
		{ driver->stream != NULL, "SWO" },
	};
	const char *between = "    ";

	for (size_t i = 0; i < PT_LEN(wires); i++)
		if (wires[i].has) {
			printf("%s%s", between, wires[i].name);
			between = ", ";
		}
	printf("\n");
}

static void print_usb(const struct pt_probe_ops *driver)
{
	for (size_t i = 0; i < driver->n_usb; i++) {
		const struct pt_usb_id *id = &driver->usb[i];

		printf("    %sUSB", id->refused != NULL ? "not " : "");
		if (id->vid != 0)
			printf(" %04x:%s", id->vid, pt_usb_id_pattern(id, (char[PT_USB_ID_PATTERN_BYTES]){ 0 }));
		if (id->name != NULL)
			printf(" \"%s\" in the name of the product, or of an interface", id->name);
		if (id->refused != NULL)
			printf(", %s", id->refused);
		printf("\n");
	}
}

/* Probes without an address exist inside virtual boards only. */
static void print_probes(void)
{
	printf("probes (--probe)\n\n" PT_PROBE_ANY_USB
	       "\n    any of those on USB: the first that fits. serial=S* is a serial number that begins with S; "
	       "A|B is either of two\n");
	for (size_t i = 0; i < pt_n_probe_drivers; i++) {
		const struct pt_probe_ops *driver = pt_probe_drivers[i];

		if (driver->address == NULL)
			continue;
		printf("\n%s\n    %s\n", driver->address, driver->help);
		print_wires(driver);
		print_usb(driver);
		pt_params_help(driver->params, driver->n_params, print_indented, NULL);
	}
	printf("\nsettings of any probe (--set)\n\n");
	pt_params_help(pt_probe_params, pt_n_probe_params, print_indented, NULL);
}

static void print_target(const struct pt_target_ops *target)
{
	printf("\n%s\n    %s\n", target->name, target->help);
	pt_params_help(target->params, target->n_params, print_indented, NULL);
	if (target->chips != NULL) {
		printf("    chips that it identifies, and what that rests on\n");
		target->chips(print_more_indented, NULL);
	}
	for (const struct pt_target_word *word = target->words; word != NULL && word->name != NULL; word++)
		printf("    monitor %s %s\n        %s\n", word->name, word->usage, word->help);
}

static int run_drivers(const struct pt_options *options)
{
	if (options->udev) {
		pt_probe_rules(print_line, NULL);
		return PT_EXIT_DONE;
	}
	print_probes();
	printf("\ntargets (--target; each with its settings)\n");
	for (size_t i = 0; i < pt_n_targets; i++)
		print_target(pt_targets[i]);
	return PT_EXIT_DONE;
}

const struct pt_subcommand pt_subcommand_drivers = { "drivers", "[--udev]", "list the kinds of probes and targets, and their settings",

	"proftap drivers\n"
	"    what may be plugged in, and which settings it takes\n"
	"proftap drivers --udev | sudo tee /etc/udev/rules.d/60-proftap.rules\n"
	"    lets users open probes without being root\n",
	run_drivers };
