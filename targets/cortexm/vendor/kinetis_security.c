/* The Kinetis MDM-AP: checks whether the chip is secured, mass erase, holds the core at its reset vector. Source: NXP
 * AN4835, 4; the counting of 32 reads as OpenOCD and pyOCD agree on it. */
#include "base/door.h"
#include "targets/cortexm/core/cortexm.h"
#include "targets/cortexm/vendor/kinetis_security.h"
#include "targets/cortexm/vendor/kinetis.h"
#include "base/util.h"

enum { MDM_STATUS = 0x00, MDM_CONTROL = 0x04 };
enum {
	STATUS_ERASE_ACK = 1 << 0, STATUS_FLASH_READY = 1 << 1, STATUS_SECURE = 1 << 2, STATUS_NOT_IN_RESET = 1 << 3,
	STATUS_ERASE_ENABLED = 1 << 5,
};
enum { CONTROL_ERASE = 1 << 0, CONTROL_RESET = 1 << 3, CONTROL_HOLD = 1 << 4 };
enum { READS = 32, FEW = 8, MOST = 24, LOOK_AGAIN_MS = 1, HOLD_MS = 1000, ERASE_MS = 16000 };

static int pause_ms(struct pt_cortexm *cm, struct pt_err *err)
{
	return pt_link_wait(cm->adi.link, pt_link_now_ns(cm->adi.link) + LOOK_AGAIN_MS * PT_NS_PER_MS, err);
}

static int read_often(struct pt_cortexm *cm, uint32_t words[READS], struct pt_err *err)
{
	return pt_adi_read_ap_often(&cm->adi, pt_kinetis_mdm_ap(&cm->found), MDM_STATUS, words, READS, err);
}

/* The number of words whose bits under mask match. */
static unsigned count(const uint32_t words[READS], uint32_t mask, uint32_t match)
{
	unsigned n = 0;

	for (int i = 0; i < READS; i++)
		n += (words[i] & mask) == match;
	return n;
}

/* One read that says ready and open is sufficient: only the other answer may be wrong. */
static bool is_open_at_once(struct pt_cortexm *cm)
{
	struct pt_err ignored = { 0 };
	uint32_t status;

	return pt_adi_read_ap(&cm->adi, pt_kinetis_mdm_ap(&cm->found), MDM_STATUS, &status, &ignored) == 0 &&
	       (status & (STATUS_FLASH_READY | STATUS_SECURE)) == STATUS_FLASH_READY;
}

/* STATUS.SECURE is wrong while the flash controller starts up, which a blank chip that resets itself does
 * repeatedly. */
int pt_kinetis_security_check(struct pt_cortexm *cm, struct pt_err *err)
{
	uint32_t words[READS];

	if (pt_kinetis_mdm_ap(&cm->found) == PT_MDM_NONE || is_open_at_once(cm))
		return 0;
	if (read_often(cm, words, err) < 0)
		return pt_wrap(err, "read the state of the MDM-AP");
	if (count(words, STATUS_FLASH_READY, 0) > FEW || count(words, STATUS_SECURE, STATUS_SECURE) <= MOST)
		return 0;
	if (count(words, STATUS_ERASE_ENABLED, STATUS_ERASE_ENABLED) <= FEW)
		return pt_fail(err, PT_ESTATE,
			       "the chip is secured, and its mass erase is disabled (FSEC.MEEN): nothing opens "
			       "it from outside any more");
	return pt_fail(err, PT_ESTATE,
		       "the chip is secured: nothing but a mass erase (%s) opens it, and that deletes its flash",
		       pt_by_door("proftap monitor erase everything", "monitor erase everything"));
}

static int control(struct pt_cortexm *cm, uint32_t value, struct pt_err *err)
{
	return pt_adi_write_ap(&cm->adi, pt_kinetis_mdm_ap(&cm->found), MDM_CONTROL, value, err);
}

/* Waits until 32 reads in a row have (STATUS & mask) == match. */
static int wait_status(struct pt_cortexm *cm, uint32_t mask, uint32_t match, struct pt_err *err)
{
	uint64_t deadline_ns = pt_link_now_ns(cm->adi.link) + HOLD_MS * PT_NS_PER_MS;
	uint32_t words[READS];

	for (;;) {
		if (read_often(cm, words, err) < 0)
			return err->code;
		if (count(words, mask, match) == READS)
			return 0;
		if (pt_link_now_ns(cm->adi.link) >= deadline_ns)
			return pt_fail(err, PT_ETIMEOUT, "the MDM-AP does not get ready");
		if (pause_ms(cm, err) < 0)
			return err->code;
	}
}

static int wait_erased(struct pt_cortexm *cm, struct pt_err *err)
{
	uint64_t deadline_ns = pt_link_now_ns(cm->adi.link) + ERASE_MS * PT_NS_PER_MS;
	uint32_t value = CONTROL_ERASE;

	while ((value & CONTROL_ERASE) != 0) {
		if (pt_adi_read_ap(&cm->adi, pt_kinetis_mdm_ap(&cm->found), MDM_CONTROL, &value, err) < 0)
			return err->code;
		if ((value & CONTROL_ERASE) == 0)
			break;
		if (pt_link_now_ns(cm->adi.link) >= deadline_ns)
			return pt_fail(err, PT_ETIMEOUT, "the erase does not end");
		if (pause_ms(cm, err) < 0)
			return err->code;
	}
	return 0;
}

int pt_kinetis_security_mass_erase(struct pt_cortexm *cm, struct pt_err *err)
{
	struct pt_err ignored = { 0 };
	uint32_t status = 0;
	int rc;

	if (pt_kinetis_mdm_ap(&cm->found) == PT_MDM_NONE)
		return pt_fail(err, PT_EUNSUPPORTED, "%s: no way to erase this chip is known", cm->chip.name);
	if (pt_adi_read_ap(&cm->adi, pt_kinetis_mdm_ap(&cm->found), MDM_STATUS, &status, err) < 0)
		return pt_wrap(err, "mass erase");
	if ((status & STATUS_ERASE_ENABLED) == 0)
		return pt_fail(err, PT_EPERM,
			       "mass erase is disabled in this chip (FSEC.MEEN): it cannot be opened any more");
	if (control(cm, CONTROL_RESET, err) < 0)
		return pt_wrap(err, "mass erase");
	rc = wait_status(cm, STATUS_ERASE_ENABLED | STATUS_FLASH_READY | STATUS_NOT_IN_RESET,
			 STATUS_ERASE_ENABLED | STATUS_FLASH_READY, err);
	if (rc == 0)
		rc = control(cm, CONTROL_RESET | CONTROL_ERASE, err);
	if (rc == 0)
		rc = wait_erased(cm, err);
	if (rc < 0)
		control(cm, 0, &ignored);	/* release the core from reset after an error, too */
	else
		rc = control(cm, 0, err);
	pt_mem_ap_forget(&cm->ap);
	return rc < 0 ? pt_wrap(err, "mass erase") : 0;
}

int pt_kinetis_security_hold_core(struct pt_cortexm *cm, bool hold, struct pt_err *err)
{
	if (pt_kinetis_mdm_ap(&cm->found) == PT_MDM_NONE)
		return 0;
	if (!hold)
		return control(cm, 0, err);
	if (control(cm, CONTROL_HOLD, err) < 0 || cm->adi.dap->set_reset(cm->adi.wire, false, err) < 0)
		return pt_wrap(err, "hold the core at its reset vector");
	return wait_status(cm, STATUS_FLASH_READY | STATUS_SECURE | STATUS_NOT_IN_RESET,
			   STATUS_FLASH_READY | STATUS_NOT_IN_RESET, err);
}
