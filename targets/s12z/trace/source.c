/* Common to the sources of this target. See s12z.h. */
#include "targets/contract/emit.h"
#include "targets/s12z/core/s12z.h"

int pt_source_s12z_failed(struct pt_s12z *z, struct pt_emit *out, int rc)
{
	if (rc == PT_EFAULT && z->wire.asleep)
		return pt_emit_asleep(out, pt_wire_s12z_now_ns(&z->wire));
	return pt_emit_failed(out, pt_wire_s12z_now_ns(&z->wire), rc);
}
