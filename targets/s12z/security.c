/* A secured part: the BDC executes only the commands that are always available, until the whole part has been erased.
 * The probe's driver does the erase, and only on the user's explicit command. Source: ZVHY 5.4.4; p.167
 * (ERASE_FLASH). */
#include "base/door.h"
#include "targets/s12z/core/s12z.h"

int pt_s12z_check_security(struct pt_s12z *z, struct pt_err *err)
{
	if ((z->wire.csr & PT_BDC_UNSEC) != 0)
		return 0;
	return pt_fail(
		err, PT_ESTATE,
		"the part is secured (BDCCSR.UNSEC is 0): nothing but a mass erase (%s) opens it, and that deletes its flash "
		"and EEPROM; tracing and profiling cannot work on a secured part",
		pt_by_door("proftap monitor erase everything", "monitor erase everything"));
}

int pt_s12z_mass_erase(void *state, struct pt_err *err)
{
	struct pt_s12z *z = state;

	if (z->wire.ops->mass_erase == NULL)
		return pt_fail(err, PT_EUNSUPPORTED, "this probe cannot erase an S12Z");
	if (z->wire.ops->mass_erase(z->wire.state, err) < 0)
		return pt_wrap(err, "mass erase");
	z->wire.enabled = z->wire.was_reset = false;
	z->halted = false;
	return 0;
}
