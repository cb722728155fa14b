/* The g packet's layout for a GDB server without a description, and our additional registers: those of the profiling
 * unit. Source: GDB, microblaze-core.xml and microblaze-stack-protect.xml. */
#include "targets/microblaze/registers.h"

#include "base/util.h"

#define CORE "org.gnu.gdb.microblaze.core"
#define PROTECT "org.gnu.gdb.microblaze.stack-protect"
#define R(n) { "r" #n, CORE, NULL, NULL, n, 32, n }
#define S(number, name) { name, CORE, NULL, NULL, number, 32, number }

const struct pt_register pt_mb_layout[PT_MB_LAYOUT] = {
	R(0), { "r1", CORE, "data_ptr", NULL, 1, 32, 1 },
	R(2), R(3), R(4), R(5), R(6), R(7), R(8), R(9), R(10), R(11), R(12), R(13), R(14), R(15), R(16), R(17), R(18),
	R(19), R(20), R(21), R(22), R(23), R(24), R(25), R(26), R(27), R(28), R(29), R(30), R(31),
	{ "rpc", CORE, "code_ptr", NULL, PT_MB_RPC, 32, PT_MB_RPC },
	S(33, "rmsr"), S(34, "rear"), S(35, "resr"), S(36, "rfsr"), S(37, "rbtr"),
	S(38, "rpvr0"), S(39, "rpvr1"), S(40, "rpvr2"), S(41, "rpvr3"), S(42, "rpvr4"), S(43, "rpvr5"),
	S(44, "rpvr6"), S(45, "rpvr7"), S(46, "rpvr8"), S(47, "rpvr9"), S(48, "rpvr10"), S(49, "rpvr11"),
	S(50, "redr"), S(51, "rpid"), S(52, "rzpr"), S(53, "rtlbx"), S(54, "rtlbsx"), S(55, "rtlblo"), S(56, "rtlbhi"),
	{ "rslr", PROTECT, NULL, NULL, 57, 32, 57 }, { "rshr", PROTECT, NULL, NULL, 58, 32, 58 },
};

#define OWN(row, name) [row] = { name, "org.proftap.microblaze.prof", NULL, "prof", 0, 32, row }

const struct pt_register pt_mb_own[PT_MB_N_OWN] = {
	OWN(PT_MB_OWN_CONFIG, "mdm_config"), OWN(PT_MB_OWN_XTRIG, "mdm_xtrig"), OWN(PT_MB_OWN_PCTRL, "prof_ctrl"),
	OWN(PT_MB_OWN_PLOW, "prof_low"), OWN(PT_MB_OWN_PHIGH, "prof_high"),
	OWN(PT_MB_OWN_TSTATUS, "trace_status"), OWN(PT_MB_OWN_TCTRL, "trace_ctrl"),
};

static int read_one(struct pt_mb *mb, unsigned row, uint64_t *value, struct pt_err *err)
{
	struct pt_mdm *mdm = &mb->mdm;

	switch (row) {
	case PT_MB_OWN_CONFIG:
		*value = mdm->config;
		return 0;
	case PT_MB_OWN_XTRIG:
		return pt_mdm_get(mdm, true, MDM_XTRIG_STATUS, MDM_XTRIG_STATUS_BITS, value, err);
	case PT_MB_OWN_PCTRL:
		*value = mb->written.pctrlr;
		return 0;
	case PT_MB_OWN_PLOW:
		*value = (uint64_t)mb->written.plar << 2;
		return 0;
	case PT_MB_OWN_PHIGH:
		*value = (uint64_t)mb->written.phar << 2;
		return 0;
	case PT_MB_OWN_TSTATUS:
		return pt_mdm_get(mdm, false, TSR, TSR_BITS, value, err);
	default:
		*value = mb->written.tctrlr;
		return 0;
	}
}

int pt_mb_read_own(void *state, unsigned core, const uint16_t *rows, size_t n, uint64_t *values, struct pt_err *err)
{
	struct pt_mb *mb = state;

	(void)core;
	for (size_t i = 0; i < n; i++) {
		values[i] = 0; /* all read 0 without access to the MDM */
		if (mb->mdm.access != NULL && pt_mdm_select(&mb->mdm, mb->core, err) == 0 &&
		    read_one(mb, rows[i], &values[i], err) < 0)
			return pt_wrap(err, "%s", rows[i] < PT_MB_N_OWN ? pt_mb_own[rows[i]].name : "?");
	}
	return 0;
}
