#include <string.h>

#include "probes/virtual/unit/e500/e500_dcsr.h"

enum { MSR_COPY = 0x008, PVR = 0x018, PCCL = 0x02c, PMCC0 = 0x030, PMC0 = 0x150, PMLCA0 = 0x170, PMLCB0 = 0x190,
       PMGC0 = 0x1b0, PMSCR = 0x4c8 };

static void capture(struct pt_vdcsr_proxy *d)
{
	d->pcc = pt_ve500_pc(d->cpu);
	for (unsigned n = 0; n < d->pm->n_pmcs; n++)
		pt_ve500_pm_read(d->pm, 16 + n, &d->pmcc[n]);
}

/* The PMR that is at an offset; 0: none. Source: E500CORERM Rev. 1, Table 7-2, for its number. */
static unsigned pmr_at(const struct pt_vdcsr_proxy *d, uint32_t at)
{
	static const struct { uint32_t from; unsigned pmr, n; } rows[] = {
		{ PMC0, 16, PT_VE500_MOST_PMCS }, { PMLCA0, 144, PT_VE500_MOST_PMCS },
		{ PMLCB0, 272, PT_VE500_MOST_PMCS }, { PMGC0, 400, 1 },
	};

	for (unsigned i = 0; pt_ve500_core(d->cpu) == PT_VE500_CORE_E6500 && i < sizeof(rows) / sizeof(rows[0]); i++)
		if (at >= rows[i].from && at < rows[i].from + 4 * rows[i].n)
			return rows[i].pmr + (at - rows[i].from) / 4;
	return 0;
}

/* NULL: there is no core of which it would be. *at: where in its block. */
static struct pt_vdcsr_proxy *proxy_at(struct pt_vdcsr *dcsr, uint32_t offset, uint32_t *at)
{
	uint32_t n = (offset - PT_VDCSR_PROXY) / PT_VDCSR_STRIDE;

	*at = (offset - PT_VDCSR_PROXY) % PT_VDCSR_STRIDE;
	return offset >= PT_VDCSR_PROXY && n < PT_VDCSR_CORES && dcsr->proxy[n].cpu != NULL ? &dcsr->proxy[n] : NULL;
}

static uint32_t value_at(const struct pt_vdcsr_proxy *d, uint32_t at)
{
	uint32_t value = 0;

	if (at == PVR)
		return pt_ve500_kinds[pt_ve500_core(d->cpu)].pvr;
	if (at == MSR_COPY)
		return (uint32_t)pt_ve500_reg(d->cpu, PT_VE500_MSR);
	if (at == PCCL)
		return d->pcc;
	if (at >= PMCC0 && at < PMCC0 + 4 * d->pm->n_pmcs)
		return d->pmcc[(at - PMCC0) / 4];
	if (pmr_at(d, at) != 0)
		pt_ve500_pm_read(d->pm, pmr_at(d, at), &value);
	return value;
}

static bool read(void *unit, uint32_t offset, const struct pt_vaccess *access, uint32_t *value)
{
	struct pt_vdcsr *dcsr = unit;
	uint32_t at;
	struct pt_vdcsr_proxy *d = proxy_at(dcsr, offset, &at);

	*value = 0;
	if (access->size_bytes != 4 || (d == NULL && offset >= PT_VDCSR_PROXY))
		return false;
	dcsr->n_reads++;
	if (d == NULL)
		return true;
	if (dcsr->capture == PT_VDCSR_ALWAYS || (dcsr->capture == PT_VDCSR_BY_PCCL && at == PCCL))
		capture(d);
	*value = value_at(d, at);
	return true;
}

static bool write(void *unit, uint32_t offset, const struct pt_vaccess *access, uint32_t value)
{
	struct pt_vdcsr *dcsr = unit;
	uint32_t at;
	struct pt_vdcsr_proxy *d = proxy_at(dcsr, offset, &at);

	if (access->size_bytes != 4 || (d == NULL && offset >= PT_VDCSR_PROXY))
		return false;
	dcsr->n_writes++;
	if (d == NULL)
		return true;
	if (at == PMSCR && dcsr->capture == PT_VDCSR_BY_WRITE)
		capture(d);
	if (pmr_at(d, at) != 0)
		pt_ve500_pm_write(d->pm, pmr_at(d, at), value);
	return true;
}

static void reset(void *unit, bool power_on)
{
	struct pt_vdcsr *dcsr = unit;

	(void)power_on;
	for (unsigned n = 0; n < PT_VDCSR_CORES; n++) {
		dcsr->proxy[n].pcc = 0;
		memset(dcsr->proxy[n].pmcc, 0, sizeof(dcsr->proxy[n].pmcc));
	}
}

const struct pt_vunit_ops pt_vdcsr_ops = { .name = "DCSR", .read = read, .write = write, .reset = reset };
