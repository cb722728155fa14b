/* Finds the address that failed. A block stops somewhere inside, and a posted write shows at a later access; but TAR
 * stays at the failing address or one access further (it "may or may not have incremented"), and doing the access
 * before TAR once more shows which. */
#include "targets/arm/mem_ap.h"
#include "base/util.h"

static bool is_write(const struct pt_dap_op *dap)
{
	return dap->what == PT_DAP_WRITE || dap->what == PT_DAP_WRITE_BLOCK;
}

static bool is_block(const struct pt_dap_op *dap)
{
	return dap->what == PT_DAP_READ_BLOCK || dap->what == PT_DAP_WRITE_BLOCK;
}

/* Repeats the access alone; a write with the same data. */
static bool fails_again(struct pt_mem_ap *ap, size_t i, uint32_t addr)
{
	const struct pt_access *access = &ap->access[i];
	uint32_t word = ap->dap[i].words[(addr - access->addr) / access->width_bytes];
	struct pt_err ignored = { 0 };

	if (pt_adi_write_ap(ap->adi, ap->ap, AP_TAR, addr, &ignored) < 0)
		return false;
	if (is_write(&ap->dap[i]))
		return pt_adi_write_ap(ap->adi, ap->ap, AP_DRW, word, &ignored) == PT_EFAULT;
	return pt_adi_read_ap(ap->adi, ap->ap, AP_DRW, &word, &ignored) == PT_EFAULT;
}

static uint64_t last_of(const struct pt_access *access, const struct pt_dap_op *dap)
{
	if (!is_block(dap) || access->fixed)
		return access->addr;
	return access->addr + (uint64_t)(dap->n_words - 1) * access->width_bytes;
}

/* Whether tar fits a failure inside access i. Returns the address, else PT_UNKNOWN. */
static uint64_t inside(struct pt_mem_ap *ap, size_t i, uint32_t tar)
{
	const struct pt_access *access = &ap->access[i];
	uint64_t last = last_of(access, &ap->dap[i]);

	if (tar < access->addr || tar > last + access->width_bytes)
		return PT_UNKNOWN;
	if (tar > access->addr && fails_again(ap, i, tar - access->width_bytes))
		return tar - access->width_bytes;
	return tar <= last ? tar : PT_UNKNOWN;
}

uint64_t pt_mem_ap_find_fault(struct pt_mem_ap *ap)
{
	uint64_t first = PT_UNKNOWN, found = PT_UNKNOWN;
	struct pt_err ignored = { 0 };
	bool asked = false, tar_read = false;	/* only if the access does not tell it */
	uint32_t tar = 0;

	for (size_t i = ap->failed_at; i < ap->n_dap && found == PT_UNKNOWN; i++) {
		const struct pt_access *access = &ap->access[i];

		if (access->width_bytes == 0)
			continue;
		if (first == PT_UNKNOWN)
			first = access->addr;
		if (access->in_line || ap->dap[i].what == PT_DAP_READ) {
			found = access->addr;	/* not posted, and one address: it was this one */
			continue;
		}
		if (!asked)
			tar_read = pt_adi_read_ap(ap->adi, ap->ap, AP_TAR, &tar, &ignored) == 0;
		asked = true;
		if (tar_read)
			found = inside(ap, i, tar);
	}
	pt_mem_ap_forget(ap);
	return found != PT_UNKNOWN ? found : first;
}
