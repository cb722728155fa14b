/* control holds what the debugger wrote into DHCSR; the S_ bits are computed when read. Every path into Debug state
 * ends in pt_vscs_debug_halted(), which sets C_HALT and DFSR; every path out starts in resume(). */
#include "probes/virtual/unit/arm/coresight.h"
#include "probes/virtual/unit/arm/scs_debug.h"

/* Offsets inside the system control space, DDI 0419 table C1-5. */
enum { CFSR = 0xd28, DFSR = 0xd30, DHCSR = 0xdf0, DCRSR = 0xdf4, DCRDR = 0xdf8, DEMCR = 0xdfc };

#define KEY UINT32_C(0xa05f)		/* DHCSR[31:16] of a write */
#define C_DEBUGEN (UINT32_C(1) << 0)
#define C_HALT (UINT32_C(1) << 1)
#define C_STEP (UINT32_C(1) << 2)
#define C_MASKINTS (UINT32_C(1) << 3)
#define S_REGRDY (UINT32_C(1) << 16)
#define S_HALT (UINT32_C(1) << 17)
#define S_SLEEP (UINT32_C(1) << 18)
#define S_LOCKUP (UINT32_C(1) << 19)
#define S_RETIRE_ST (UINT32_C(1) << 24)
#define S_RESET_ST (UINT32_C(1) << 25)
#define DCRSR_WRITE (UINT32_C(1) << 16)
#define VC_CORERESET (UINT32_C(1) << 0)
#define VC_HARDERR (UINT32_C(1) << 10)
/* ARMv7-M: VC_MMERR to VC_BUSERR, VC_INTERR; and MON_EN to MON_REQ, of which MON_STEP and MON_REQ only hold what is
 * written, and a reset of the core clears all (UNVERIFIED that a power-on is not needed) */
#define VC_MMERR (UINT32_C(1) << 4)
#define VC_NOCPERR (UINT32_C(1) << 5)
#define VC_CHKERR (UINT32_C(1) << 6)
#define VC_STATERR (UINT32_C(1) << 7)
#define VC_BUSERR (UINT32_C(1) << 8)
#define MON_EN (UINT32_C(1) << 16)
#define MON_PEND (UINT32_C(1) << 17)
#define MON_BITS UINT32_C(0x000f0000)
#define DEMCR_V7M UINT32_C(0x000f07f0)
#define TRCENA (UINT32_C(1) << 24)
#define DFSR_BITS UINT32_C(0x1f)

/* No instruction of the M0+ takes longer, entry and multiplication included: what has not run by then is asleep. */
enum { SKID_CYCLES = 64 };

static const struct pt_vcoresight ids_v6m = { .pidr4 = 0x04, .part = 0x008, .jep106 = 0x3b, .class = 0xe };
static const struct pt_vcoresight ids_m4f = { .pidr4 = 0x04, .part = 0x00c, .jep106 = 0x3b, .class = 0xe };

static bool mainline(const struct pt_vscs_debug *scs)
{
	return pt_vcpu_model(scs->cpu)->mainline;
}

static bool halted(const struct pt_vscs_debug *scs)
{
	return pt_vcpu_state(scs->cpu) == PT_VCPU_HALT;
}

static bool monitors(const struct pt_vscs_debug *scs)
{
	return (scs->control & C_DEBUGEN) == 0 && (scs->demcr & MON_EN) != 0;
}

static void tell(struct pt_vscs_debug *scs)
{
	if (mainline(scs))
		pt_vcpu_enable_monitor(scs->cpu, monitors(scs));
	if (scs->enabled != NULL)
		scs->enabled(scs->arg, (scs->demcr & TRCENA) != 0, (scs->control & C_DEBUGEN) != 0);
}

/* --- the external request: HALTREQ of the MTB, with its skid */

static void end_skid(struct pt_vscs_debug *scs)
{
	scs->skid_until = PT_VNEVER;
	if (scs->observer.insn == NULL)
		return;
	scs->observer.insn = NULL;
	pt_vwires_taps_changed(scs->wires);
}

static void halt_external(struct pt_vscs_debug *scs)
{
	end_skid(scs);
	pt_vcpu_request_halt(scs->cpu, PT_VHALT_EXTERNAL);
}

static void on_insn(void *arg, uint32_t pc)
{
	struct pt_vscs_debug *scs = arg;

	(void)pc;
	if (--scs->skid_left == 0)
		halt_external(scs);	/* behind this instruction */
}

/* The level counts, as long as halting debug is allowed and the core is not halted already. */
static void serve_external(struct pt_vscs_debug *scs)
{
	if (!scs->external || (scs->control & C_DEBUGEN) == 0) {
		end_skid(scs);
		pt_vcpu_cancel_halt(scs->cpu, PT_VHALT_EXTERNAL);
		return;
	}
	if (scs->observer.insn != NULL)
		return;
	scs->skid_left = scs->skid;
	scs->skid_until = pt_vwires_now(scs->wires) + (uint64_t)SKID_CYCLES * scs->skid;
	scs->observer.insn = on_insn;
	pt_vwires_taps_changed(scs->wires);
	pt_vbus_reschedule(scs->wires->bus);
}

void pt_vscs_debug_edbgrq(struct pt_vscs_debug *scs, bool level)
{
	scs->external = level;
	if (!halted(scs) || !level)
		serve_external(scs);
}

static uint64_t next_tick(void *unit)
{
	return ((const struct pt_vscs_debug *)unit)->skid_until;
}

static void tick(void *unit, uint64_t now_cycle)
{
	(void)now_cycle;
	halt_external(unit);
}

/* --- into and out of Debug state */

bool pt_vscs_debug_bkpt(void *unit, uint32_t pc)
{
	(void)pc;
	return (((const struct pt_vscs_debug *)unit)->control & C_DEBUGEN) != 0;
}

/* Which bit of DEMCR catches a fault; a UsageFault's by what it was. Source: DDI 0403, C1.6.5 */
static uint32_t catcher(struct pt_vscs_debug *scs, unsigned exception)
{
	struct pt_vaccess access = { 0xe000e000 + CFSR, 4, PT_VMASTER_DEBUG, true };
	uint32_t cfsr = 0;

	switch (exception) {
	case PT_VEX_HARDFAULT: return VC_HARDERR;
	case PT_VEX_MEMMANAGE: return VC_MMERR;
	case PT_VEX_BUSFAULT: return VC_BUSERR;
	case PT_VEX_USAGEFAULT: break;
	default: return 0;
	}
	pt_vbus_read(scs->wires->bus, &access, &cfsr);
	return ((cfsr >> 24 & 3) != 0 ? VC_CHKERR : 0) | ((cfsr >> 19 & 1) != 0 ? VC_NOCPERR : 0) |
	       ((cfsr >> 16 & 7) != 0 ? VC_STATERR : 0);
}

bool pt_vscs_debug_vector_catch(void *unit, unsigned exception)
{
	struct pt_vscs_debug *scs = unit;

	return (scs->control & C_DEBUGEN) != 0 && (scs->demcr & catcher(scs, exception)) != 0;
}

/* Halting debug goes first. Source: DDI 0403, C1.5.1 and C1.6.5 */
bool pt_vscs_debug_monitor(void *unit, uint32_t why)
{
	struct pt_vscs_debug *scs = unit;

	if (!monitors(scs))
		return false;
	scs->dfsr |= why & DFSR_BITS;
	return true;
}

/* MON_PEND is the exception's pending state, whatever MON_EN says. */
static void write_demcr(struct pt_vscs_debug *scs, uint32_t value)
{
	value &= VC_CORERESET | VC_HARDERR | TRCENA | (mainline(scs) ? DEMCR_V7M : 0);
	scs->demcr = value & ~MON_PEND;
	if (mainline(scs))
		pt_vcpu_pend_monitor(scs->cpu, (value & MON_PEND) != 0);
	tell(scs);
}

void pt_vscs_debug_halted(void *unit, uint32_t why)
{
	struct pt_vscs_debug *scs = unit;

	scs->control |= C_HALT;
	scs->dfsr |= why & DFSR_BITS;
	end_skid(scs);
}

void pt_vscs_debug_after_reset(struct pt_vscs_debug *scs)
{
	if ((scs->control & C_DEBUGEN) != 0 && (scs->demcr & VC_CORERESET) != 0)
		pt_vcpu_request_halt(scs->cpu, PT_VHALT_VCATCH);
	if (scs->external)
		serve_external(scs);
}

void pt_vscs_debug_force_halt(struct pt_vscs_debug *scs)
{
	scs->control |= C_DEBUGEN;
	tell(scs);
	pt_vcpu_request_halt(scs->cpu, PT_VHALT_EXTERNAL);
}

static void resume(struct pt_vscs_debug *scs)
{
	bool step = (scs->control & C_STEP) != 0;

	pt_vcpu_resume(scs->cpu, step, (scs->control & C_MASKINTS) != 0);
	if (scs->external && !step)
		serve_external(scs);
}

/* C_HALT, C_STEP and C_MASKINTS read 0 and do nothing without C_DEBUGEN; C_MASKINTS changes only while halted, and a
 * core that loses C_DEBUGEN runs on. */
static void write_dhcsr(struct pt_vscs_debug *scs, uint32_t value)
{
	uint32_t was = scs->control;

	if (value >> 16 != KEY)
		return;
	if ((value & C_DEBUGEN) == 0)
		value = 0;
	if (!halted(scs))
		value = (value & ~C_MASKINTS) | (was & C_MASKINTS);
	scs->control = value & (C_DEBUGEN | C_HALT | C_STEP | C_MASKINTS);
	if (((was ^ scs->control) & C_DEBUGEN) != 0)
		tell(scs);
	if (halted(scs)) {
		if ((scs->control & C_HALT) == 0)
			resume(scs);
		return;
	}
	if ((scs->control & C_HALT) != 0)
		pt_vcpu_request_halt(scs->cpu, PT_VHALT_HALTED);
	else
		pt_vcpu_cancel_halt(scs->cpu, PT_VHALT_HALTED);
	if (((was ^ scs->control) & C_DEBUGEN) != 0)
		serve_external(scs);
}

/* S_RETIRE_ST and S_RESET_ST are cleared by the read; a reset that lasts sets the latter again at once. */
static uint32_t read_dhcsr(struct pt_vscs_debug *scs)
{
	enum pt_vcpu_state state = pt_vcpu_state(scs->cpu);
	uint64_t retired = pt_vcpu_instructions(scs->cpu);
	uint32_t value = scs->control | S_REGRDY;

	if (state == PT_VCPU_HALT)
		value |= S_HALT;
	if (state == PT_VCPU_SLEEP)
		value |= S_SLEEP;
	if (state == PT_VCPU_LOCKUP)
		value |= S_LOCKUP;
	if (retired != scs->retired)
		value |= S_RETIRE_ST;
	if (scs->reset_seen)
		value |= S_RESET_ST;
	scs->retired = retired;
	scs->reset_seen = scs->in_reset;
	return value;
}

static void write_dcrsr(struct pt_vscs_debug *scs, uint32_t value)
{
	unsigned regsel = value & 0x7f;

	if (!halted(scs))
		return;	/* only in Debug state; DCRDR keeps what it has */
	if ((value & DCRSR_WRITE) != 0)
		pt_vcpu_set_reg(scs->cpu, regsel, scs->dcrdr);
	else
		scs->dcrdr = pt_vcpu_reg(scs->cpu, regsel);
}

static bool read(void *unit, uint32_t offset, const struct pt_vaccess *access, uint32_t *value)
{
	struct pt_vscs_debug *scs = unit;

	*value = 0;
	if (access->size_bytes != 4)
		return true;
	switch (offset + (PT_VSCS_BASE & 0xfff)) {
	case DFSR: *value = scs->dfsr; break;
	case DHCSR: *value = read_dhcsr(scs); break;
	case DCRDR: *value = scs->dcrdr; break;
	case DEMCR: *value = scs->demcr | (pt_vcpu_monitor_pends(scs->cpu) ? MON_PEND : 0); break;
	default:
		if (!pt_vcpu_read_system(scs->cpu, offset + (PT_VSCS_BASE & 0xfff), value))
			*value = pt_vcoresight_read(mainline(scs) ? &ids_m4f : &ids_v6m,
						    offset + (PT_VSCS_BASE & 0xfff));
		break;
	}
	return true;
}

static bool write(void *unit, uint32_t offset, const struct pt_vaccess *access, uint32_t value)
{
	struct pt_vscs_debug *scs = unit;

	if (access->size_bytes != 4)
		return true;
	switch (offset + (PT_VSCS_BASE & 0xfff)) {
	case DFSR:
		scs->dfsr &= ~value;
		break;
	case DHCSR:
		if (access->master == PT_VMASTER_DEBUG)
			write_dhcsr(scs, value);
		break;
	case DCRSR:
		write_dcrsr(scs, value);
		break;
	case DCRDR:
		scs->dcrdr = value;
		break;
	case DEMCR:
		write_demcr(scs, value);
		break;
	default:
		pt_vcpu_write_system(scs->cpu, offset + (PT_VSCS_BASE & 0xfff), value);
		break;
	}
	return true;
}

/* Halting debug and its set-up outlive a system reset, which only ends a halt. */
static void reset(void *unit, bool power_on)
{
	struct pt_vscs_debug *scs = unit;

	end_skid(scs);
	scs->reset_seen = true;
	scs->control &= power_on ? 0 : C_DEBUGEN;
	scs->demcr &= ~MON_BITS;
	if (!power_on)
		return;
	scs->external = false;
	scs->dfsr = scs->demcr = scs->dcrdr = 0;
	scs->retired = 0;
	tell(scs);
}

void pt_vscs_debug_init(struct pt_vscs_debug *scs, const struct pt_vwires *wires, struct pt_vcpu *cpu, unsigned skid)
{
	*scs = (struct pt_vscs_debug){
		.wires = wires, .cpu = cpu, .skid = skid > 0 ? skid : 1, .skid_until = PT_VNEVER, .observer = { .arg = scs },
	};
}

const struct pt_vunit_ops pt_vscs_debug_ops = {
	.name = "SCS debug", .read = read, .write = write, .reset = reset, .next_tick = next_tick, .tick = tick,
};
