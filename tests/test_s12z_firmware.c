/* Committed S12Z firmware on the virtual core: the demo's counters against the calls that a tap saw, and the firmware
 * that checks the core by itself. */
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "harness.h"
#include "s12z_rig.h"

enum { MAX_FUNCTIONS = 40 };

static struct s12z_rig rig;
static struct function { char name[40]; uint32_t addr, counter; uint64_t n_calls; } functions[MAX_FUNCTIONS];
static size_t n_functions;

static const char *firmware(const char *file)
{
	static char path[1024];
	const char *srcdir = getenv("srcdir");

	snprintf(path, sizeof(path), "%s/tests/firmware/%s", srcdir != NULL ? srcdir : ".", file);
	return path;
}

/* Calls see for each symbol of the file. */
static void each_symbol(const char *path, void (*see)(const char *name, uint32_t value, unsigned type))
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	GElf_Sym symbol;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	ck_assert_ptr_nonnull(elf);
	while ((section = elf_nextscn(elf, section)) != NULL) {
		if (gelf_getshdr(section, &header) == NULL || header.sh_type != SHT_SYMTAB)
			continue;
		for (int i = 0; gelf_getsym(elf_getdata(section, NULL), i, &symbol) != NULL; i++)
			see(elf_strptr(elf, header.sh_link, symbol.st_name), (uint32_t)symbol.st_value,
			    GELF_ST_TYPE(symbol.st_info));
	}
	elf_end(elf);
	close(fd);
}

static void see_function(const char *name, uint32_t value, unsigned type)
{
	if (type != STT_FUNC || strcmp(name, "start") == 0 || strcmp(name, "unexpected") == 0)
		return;
	ck_assert_uint_lt(n_functions, MAX_FUNCTIONS);
	snprintf(functions[n_functions].name, sizeof(functions[0].name), "%s", name);
	functions[n_functions++].addr = value;
}

static void see_counter(const char *name, uint32_t value, unsigned type)
{
	(void)type;
	for (size_t i = 0; i < n_functions; i++)
		if (strncmp(name, "n_", 2) == 0 && strcmp(name + 2, functions[i].name) == 0)
			functions[i].counter = value;
}

static uint32_t found;
static const char *wanted;

static void see_wanted(const char *name, uint32_t value, unsigned type)
{
	(void)type;
	if (strcmp(name, wanted) == 0)
		found = value;
}

static uint32_t symbol(const char *path, const char *name)
{
	wanted = name;
	found = 0;
	each_symbol(path, see_wanted);
	ck_assert_msg(found != 0, "no symbol %s", name);
	return found;
}

static void on_insn(void *arg, uint32_t pc)
{
	(void)arg;
	for (size_t i = 0; i < n_functions; i++)
		functions[i].n_calls += functions[i].addr == pc;
}

static const uint8_t nothing[1];

/* With the pace that the trace pins can follow, and without. A function counts with its first instruction, which the
 * tap sees, too: the numbers agree between any two instructions. */
START_TEST(demo_counts_what_it_does)
{
	const char *path = firmware("s12z_demo.elf");
	struct pt_vobserver observer = { .insn = on_insn };

	n_functions = 0;
	memset(functions, 0, sizeof(functions));
	each_symbol(path, see_function);
	each_symbol(path, see_counter);
	ck_assert_uint_eq(n_functions, 23);
	s12z_make(&rig, NULL, nothing, sizeof(nothing));
	pt_vs12z_remove_observer(rig.cpu, &rig.observer);
	pt_vs12z_add_observer(rig.cpu, &observer);
	s12z_load(&rig, path);
	rig.timer_at = rig.timer_period = 20000;
	pt_vs12z_run(rig.cpu, 10000);
	if (_i == 1)
		s12z_put(&rig, symbol(path, "pace"), 2, 0);
	pt_vs12z_run(rig.cpu, 3000000);
	for (size_t i = 0; i < n_functions; i++) {
		uint32_t counted = s12z_get(&rig, functions[i].counter, 4);

		ck_assert_msg(functions[i].counter != 0, "no counter of %s", functions[i].name);
		ck_assert_msg(counted > 0, "%s never ran", functions[i].name);
		ck_assert_msg(counted == functions[i].n_calls, "%s counted %u, the tap %llu", functions[i].name,
			      counted, (unsigned long long)functions[i].n_calls);
	}
	ck_assert_uint_eq(rig.n_illegal, 0);
	ck_assert_uint_gt(pt_vs12z_sleep_cycles(rig.cpu), 0);
	s12z_done(&rig);
}
END_TEST

/* The firmware's own verdict; with what no source says about machine exceptions both ways, and with a constant in flash
 * changed under its hands, so that it has something to complain about. */
START_TEST(checks_itself)
{
	static const struct pt_vs12z_options options[] = { { 0 }, { .machine_stacks = true }, { 0 } };
	const char *path = firmware("s12z_selfcheck.elf");

	s12z_make(&rig, &options[_i], nothing, sizeof(nothing));
	pt_vs12z_remove_observer(rig.cpu, &rig.observer);
	s12z_load(&rig, path);
	if (_i == 2)
		s12z_put(&rig, symbol(path, "constant"), 1, 0xcb);
	pt_vs12z_run(rig.cpu, 2000000);
	ck_assert_uint_eq(pt_vs12z_pc(rig.cpu), symbol(path, "done"));
	ck_assert_uint_eq(s12z_get(&rig, symbol(path, "n_checks"), 2), 437);
	ck_assert_msg(s12z_get(&rig, symbol(path, "n_failed"), 2) == (_i == 2 ? 1 : 0), "check %u failed, and %u more",
		      s12z_get(&rig, symbol(path, "first_failed"), 2), s12z_get(&rig, symbol(path, "n_failed"), 2) - 1);
	ck_assert_uint_eq(rig.n_illegal, 1);
	s12z_done(&rig);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("s12z_firmware");
	TCase *tc = tcase_create("s12z_firmware");

	tcase_add_loop_test(tc, demo_counts_what_it_does, 0, 2);
	tcase_add_loop_test(tc, checks_itself, 0, 3);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
