/* Chooses the access method of the debug registers; code common to all methods. See mdm.h. */
#include "targets/microblaze/mdm.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "targets/microblaze/settings.h"
#include "base/util.h"

enum { LOCK_TRIES = 50, LOCK_WAIT_US = 10000 };

static const struct pt_mdm_access *const ways[] = { &pt_mdm_axi, &pt_mdm_xsdb, &pt_mdm_jtag };

uint64_t pt_mdm_now_ns(const struct pt_mdm *mdm)
{
	return mdm->mem != NULL ? pt_mem_now_ns(mdm->mem) : pt_link_now_ns(mdm->link);
}

void pt_mdm_wait(const struct pt_mdm *mdm, uint64_t us)
{
	uint64_t until_ns = pt_mdm_now_ns(mdm) + us * 1000;
	struct pt_err ignored = { 0 };

	if (mdm->mem != NULL)
		pt_mem_wait(mdm->mem, until_ns, &ignored);
	else
		pt_link_wait(mdm->link, until_ns, &ignored);
}

/* --- the way */

/* With auto, a method that lacks a setting is skipped; one that fails reports its error. */
static int choose(struct pt_mdm *mdm, const struct pt_params *settings, struct pt_err *err)
{
	const char *wanted = pt_params_text(settings, &pt_mb_settings[PT_MDM_ACCESS]);
	bool any = strcmp(wanted, "auto") == 0;

	for (size_t i = 0; i < PT_LEN(ways); i++) {
		if (!any && strcmp(wanted, ways[i]->name) != 0)
			continue;
		mdm->access = ways[i];
		if (ways[i]->open(mdm, settings, err) == 0)
			return 0;
		mdm->access = NULL;
		if (err->code != PT_EUNSUPPORTED || !any)
			return pt_wrap(err, "MDM by %s", ways[i]->name);
	}
	return pt_fail(
		err, PT_EUNSUPPORTED, "%s",
		any ? "no way to the MDM's registers is set: start proftap with --set mdm.axi.base=ADDR (its AXI slave), "
		      "mdm.xsdb=PROGRAM (AMD's xsdb), or mdm.jtag.experimental=on"
		    : "mdm.access=none");
}

/* --- identification */

static int no_mdm(const struct pt_mdm *mdm, struct pt_err *err)
{
	bool dead = mdm->config == UINT32_MAX || mdm->config == 0;
	bool closed = mdm->config == 0 && mdm->access == &pt_mdm_axi; /* not JTAG's lock: see run_part() there */

	return pt_fail(err, PT_EPROTO, "no MDM answers (configuration 0x%08" PRIx32 ", not 0x42....67)%s%s",
		       mdm->config,
		       dead ? ": nothing drives the bits; is the address or the USER chain right, and the FPGA "
			      "configured?"
			    : "",
		       closed ? " DBG_STATUS says that JTAG does not hold the access lock; does DBG_LOCK want a code "
				"(mdm.axi.lock_key)?"
			      : "");
}

static int read_config(struct pt_mdm *mdm, const struct pt_params *settings, struct pt_err *err)
{
	const struct pt_param *ports = &pt_mb_settings[PT_MDM_PORTS];
	uint64_t word = 0;

	if (pt_mdm_get(mdm, true, MDM_CONFIG, MDM_CONFIG_BITS, &word, err) < 0)
		return pt_wrap(err, "read the MDM's configuration");
	mdm->config = (uint32_t)word;
	mdm->n_cores = mdm->config >> 8 & 0xff;
	if (pt_params_given(settings, ports))
		mdm->n_cores = (unsigned)pt_params_number(settings, ports);
	if (!pt_mdm_is_config(mdm->config))
		return no_mdm(mdm, err);
	if (mdm->n_cores == 0 || mdm->n_cores > PT_MDM_MOST_CORES)
		return pt_fail(err, PT_EPROTO, "the MDM claims %u cores; mdm.ports=N says how many there are",
			       mdm->n_cores);
	return 0;
}

/* If the configuration word is valid only in the other byte order, that is the byte order. JTAG's lock bit decides,
 * too: in the wrong order it is not recognised, and registers behind a taken lock read 0. */
static int identify(struct pt_mdm *mdm, const struct pt_params *settings, struct pt_err *err)
{
	struct pt_err other = { 0 };

	if (read_config(mdm, settings, err) == 0)
		return 0;
	if (err->code != PT_EPROTO || mdm->access != &pt_mdm_axi || !mdm->endian_open)
		return err->code;
	mdm->axi.big_endian = !mdm->axi.big_endian;
	if (read_config(mdm, settings, &other) < 0) {
		if (other.code == PT_EBUSY)
			*err = other;
		return err->code;
	}
	mdm->big_endian = mdm->axi.big_endian;
	return 0;
}

int pt_mdm_open(struct pt_mdm *mdm, const struct pt_params *settings, struct pt_err *err)
{
	mdm->selected = -1;
	mdm->n_cores = 1;
	mdm->xsdb.fd = -1;
	if (choose(mdm, settings, err) == 0 && identify(mdm, settings, err) == 0)
		return 0;
	snprintf(mdm->why_none, sizeof(mdm->why_none), "%s", err->msg);
	pt_mdm_close(mdm);
	return err->code;
}

void pt_mdm_close(struct pt_mdm *mdm)
{
	if (mdm->access != NULL)
		mdm->access->close(mdm);
	mdm->access = NULL;
}

int pt_mdm_needs_way(const struct pt_mdm *mdm, struct pt_err *err)
{
	return mdm->access != NULL ? 0 : pt_fail(err, PT_EUNSUPPORTED, "%s", mdm->why_none);
}

int pt_mdm_needs_running(const struct pt_mdm *mdm, struct pt_err *err)
{
	if (pt_mdm_needs_way(mdm, err) < 0)
		return err->code;
	if (mdm->access != &pt_mdm_axi || mdm->mem->ops->while_running)
		return 0;
	return pt_fail(err, PT_EUNSUPPORTED,
		       "the GDB server is not known to read memory while the core runs, so the MDM's slave "
		       "cannot be reached then: upstream-memory=running if it does, or mdm.xsdb=PROGRAM");
}

void pt_mdm_describe(const struct pt_mdm *mdm, char *line, size_t room)
{
	char access[160];

	if (mdm->access == NULL) {
		snprintf(line, room, "MDM: %s", mdm->why_none);
		return;
	}
	mdm->access->describe(mdm, access, sizeof(access));
	snprintf(line, room, "MDM: %s; %u core%s, configuration 0x%08" PRIx32, access, mdm->n_cores,
		 mdm->n_cores == 1 ? "" : "s", mdm->config);
}

/* --- accesses */

int pt_mdm_run(struct pt_mdm *mdm, struct pt_mdm_op *ops, size_t n_ops, size_t *n_done, struct pt_err *err)
{
	size_t ignored = 0;

	n_done = n_done != NULL ? n_done : &ignored;
	*n_done = 0;
	if (pt_mdm_needs_way(mdm, err) < 0)
		return PT_EIO;
	for (size_t i = 0; i < n_ops; i++)
		if (ops[i].bits == 0 || ops[i].bits > (ops[i].what == PT_MDM_WRITE ? 32 : 64))
			return pt_fail(err, PT_EARG, "debug register 0x%02x of %u bits", ops[i].command, ops[i].bits);
	return mdm->access->run(mdm, ops, n_ops, n_done, err);
}

static int one(struct pt_mdm *mdm, struct pt_mdm_op *op, struct pt_err *err)
{
	int rc = pt_mdm_run(mdm, op, 1, NULL, err);

	for (int i = 0; i < LOCK_TRIES && rc == PT_EBUSY; i++) {
		pt_mdm_wait(mdm, LOCK_WAIT_US);
		rc = pt_mdm_run(mdm, op, 1, NULL, err);
	}
	return rc;
}

int pt_mdm_get(struct pt_mdm *mdm, bool own, uint8_t command, uint8_t bits, uint64_t *value, struct pt_err *err)
{
	struct pt_mdm_op op = { .what = PT_MDM_READ, .own = own, .command = command, .bits = bits };
	int rc = one(mdm, &op, err);

	*value = op.value;
	return rc;
}

int pt_mdm_put(struct pt_mdm *mdm, bool own, uint8_t command, uint8_t bits, uint64_t value, struct pt_err *err)
{
	struct pt_mdm_op op = { .what = PT_MDM_WRITE, .own = own, .command = command, .bits = bits, .value = value };

	return one(mdm, &op, err);
}

bool pt_mdm_selects_several(const struct pt_mdm *mdm)
{
	return mdm->access != NULL && mdm->access != &pt_mdm_xsdb && mdm->n_cores > 1;
}

/* With one port the core is always selected. Two to eight ports: eight bits; more: one bit per port (PG115). */
static int write_which(struct pt_mdm *mdm, uint32_t mask, struct pt_err *err)
{
	unsigned n = mdm->n_cores;

	return n > 1 ? pt_mdm_put(mdm, true, MDM_WHICH, (uint8_t)(n <= 8 ? 8 : n), mask, err) : 0;
}

int pt_mdm_select(struct pt_mdm *mdm, unsigned core, struct pt_err *err)
{
	if (core >= mdm->n_cores)
		return pt_fail(err, PT_EARG, "there is no core %u at this MDM; it has %u, from 0", core, mdm->n_cores);
	if (mdm->selected == (int)core)
		return 0;
	if (mdm->access != &pt_mdm_xsdb && write_which(mdm, UINT32_C(1) << core, err) < 0) /* XSDB selects it */
		return pt_wrap(err, "select core %u", core);
	mdm->selected = (int)core;
	return 0;
}

int pt_mdm_select_several(struct pt_mdm *mdm, uint32_t mask, struct pt_err *err)
{
	mdm->selected = -1;
	return write_which(mdm, mask, err) < 0 ? pt_wrap(err, "select cores (mask 0x%" PRIx32 ")", mask) : 0;
}
