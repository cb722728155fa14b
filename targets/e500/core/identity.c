/* Identifies the core: by a setting, by its PVR, by what its kernel or the server reports, or by assumption. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "targets/e500/core/e500.h"
#include "base/util.h"

static const struct { const char *architecture; enum pt_e500_core core; } architectures[] = {
	{ "powerpc:e500", PT_E500_V2 },	/* v1 has the same, except TBSEL and TBEE: only the PVR distinguishes it */
	{ "powerpc:e500mc", PT_E500_MC }, { "powerpc:e500mc64", PT_E500_E5500 },
	{ "powerpc:e5500", PT_E500_E5500 }, { "powerpc:e6500", PT_E500_E6500 },
};

static const char *const words[PT_E500_CORES] = { "v1", "v2", "mc", "e5500", "e6500" };

bool pt_e500_core_by_setting(struct pt_e500_target *e500)
{
	const char *word = pt_params_text(e500->settings, &pt_e500_settings[PT_E500_SET_CORE]);

	for (unsigned i = 0; i < PT_E500_CORES; i++)
		if (strcmp(word, words[i]) == 0) {
			e500->core = (enum pt_e500_core)i;
			e500->how_known = "as e500.core says";
			return true;
		}
	return false;
}

static bool find_row(const struct pt_remote *r, const char *name, uint16_t *row)
{
	for (size_t i = 0; i < r->n_server; i++)
		if (strcmp(r->rows[i].name, name) == 0) {
			*row = (uint16_t)i;
			return true;
		}
	return false;
}

/* 1: a supported core; 0: PVR not readable (no such register, or the core runs); -1: another core. */
static int core_by_pvr(struct pt_e500_target *e500)
{
	struct pt_err ignored = { 0 };
	uint64_t pvr;
	uint16_t row;

	if (!find_row(&e500->remote, "pvr", &row) ||
	    pt_remote_read_registers(&e500->remote, 0, &row, 1, &pvr, &ignored) < 0 || pvr == 0)
		return 0;
	e500->pvr = (uint32_t)pvr;
	for (unsigned i = 0; i < PT_E500_CORES; i++)
		if (pt_e500_kinds[i].pvr == e500->pvr >> 16) {
			e500->core = (enum pt_e500_core)i;
			e500->how_known = "by its PVR";
			return 1;
		}
	return -1;
}

/* Rejects a setting that contradicts the PVR: with the wrong core, registers that do not exist would be accessed. */
int pt_e500_check_setting(const struct pt_e500_target *e500, struct pt_err *err)
{
	const char *word = pt_params_text(e500->settings, &pt_e500_settings[PT_E500_SET_CORE]);

	for (unsigned i = 0; i < PT_E500_CORES; i++)
		for (unsigned k = 0; k < PT_E500_CORES; k++)
			if (i != k && strcmp(word, words[i]) == 0 && pt_e500_kinds[k].pvr == e500->pvr >> 16)
				return pt_fail(err, PT_EARG,
					       "e500.core=%s, but the PVR of the core is 0x%08" PRIx32
					       ", which is an %s's: leave e500.core away",
					       words[i], e500->pvr, pt_e500_kinds[k].name);
	return 0;
}

bool pt_e500_core_of_pvr(const struct pt_e500_target *e500, enum pt_e500_core *core)
{
	for (unsigned i = 0; i < PT_E500_CORES; i++)
		if (e500->pvr != 0 && pt_e500_kinds[i].pvr == e500->pvr >> 16) {
			*core = (enum pt_e500_core)i;
			return true;
		}
	return false;
}

/* If the number of counters differs, the core stays as assumed, because GDB already has its register description. */
void pt_e500_learn_pvr(struct pt_e500_target *e500, uint32_t pvr)
{
	enum pt_e500_core taken = e500->core;
	const char *how = e500->how_known;

	e500->pvr = pvr;
	for (unsigned i = 0; i < PT_E500_CORES; i++)
		if (pt_e500_kinds[i].pvr == pvr >> 16) {
			e500->core = (enum pt_e500_core)i;
			e500->how_known = "by its PVR";
		}
	if (pt_e500_kinds[e500->core].n_pmcs == pt_e500_kinds[taken].n_pmcs && !pt_e500_core_by_setting(e500))
		return;
	e500->core = taken;
	e500->how_known = how;
}

static bool core_by_architecture(struct pt_e500_target *e500)
{
	const struct pt_remote *r = &e500->remote;
	uint16_t row;

	if (!r->facts.features)
		return false;		/* the architecture is then only our own assumption */
	for (size_t i = 0; i < PT_LEN(architectures); i++)
		if (strcmp(r->architecture, architectures[i].architecture) == 0) {
			e500->core = architectures[i].core;
			e500->how_known = "as the server describes it";
			return true;
		}
	if (strncmp(r->architecture, "powerpc", strlen("powerpc")) != 0 || !find_row(r, "ev0h", &row))
		return false;
	e500->core = PT_E500_V2;
	e500->how_known = "as it has SPE";
	return true;
}

/* For a server without a description: the length of GDB's built-in e500 layout is unique. */
static bool core_by_length(struct pt_e500_target *e500)
{
	enum { OF_SPE = 292 };

	if (e500->g_bytes != OF_SPE)
		return false;
	e500->core = PT_E500_V2;
	e500->how_known = "by the length of its g packet";
	return true;
}

static bool is_other(const struct pt_e500_target *e500)
{
	const char *architecture = e500->remote.architecture;

	return e500->remote.facts.features && architecture[0] != '\0' &&
	       strncmp(architecture, "powerpc", strlen("powerpc")) != 0;
}

int pt_e500_find_core(struct pt_e500_target *e500, struct pt_err *err)
{
	int by_pvr = is_other(e500) ? -1 : core_by_pvr(e500);

	if (is_other(e500))
		return pt_fail(err, PT_EUNSUPPORTED, "the GDB server serves %s, not PowerPC",
			       e500->remote.architecture);
	if (pt_e500_check_setting(e500, err) < 0)
		return err->code;
	if (pt_e500_core_by_setting(e500) || by_pvr > 0)
		return 0;
	if (by_pvr < 0 && !e500->remote.target->by_name)
		return pt_fail(err, PT_EUNSUPPORTED, "PVR 0x%08" PRIx32 " is no e500's", e500->pvr);
	if (pt_e500_core_by_auxv(e500) || core_by_architecture(e500) || core_by_length(e500))
		return 0;
	if (!e500->remote.target->by_name)
		return pt_fail(err, PT_EUNSUPPORTED,
			       "nothing says that the GDB server serves an e500; if it does, "
			       "target=e500 and e500.core say so");
	e500->core = PT_E500_V2;
	e500->how_known = "taken for one, as nothing says which it is: e500.core does";
	return 0;
}
