#include "probes/virtual/chip/arm_second.h"

#include <string.h>

#include "base/util.h"

enum { SLICE_CYCLES = 64, HELD_SLICE_CYCLES = 4096 };	/* how far one core runs ahead of the other */
enum { AP_DRW = 0x0c, AP_BD0 = 0x10, AP_BD3 = 0x1c };

bool pt_vsecond_read(const char *word, size_t length, enum pt_vsecond_kind *kind)
{
	static const struct { const char *word; enum pt_vsecond_kind kind; } words[] = {
		{ "second-core", PT_VSECOND_THERE },
		{ "second-m0plus", PT_VSECOND_SMALL },
		{ "second-locked", PT_VSECOND_LOCKED },
		{ "second-off", PT_VSECOND_OFF },
	};

	for (size_t i = 0; i < PT_LEN(words); i++) {
		if (strlen(words[i].word) != length || strncmp(words[i].word, word, length) != 0)
			continue;
		*kind = words[i].kind;
		return true;
	}
	return false;
}

/* --- the unit between the two */

static void hold(struct pt_varm_second *second, bool held)
{
	second->launched = !held;
	second->scs.in_reset = held;
	second->scs.reset_seen |= held;
	pt_vcpu_hold(second->cpu, held);
	if (!held)
		pt_vscs_debug_after_reset(&second->scs);
}

static bool read_pair(void *unit, uint32_t offset, const struct pt_vaccess *access, uint32_t *value)
{
	const struct pt_vpair *pair = unit;

	(void)access;
	*value = offset == PT_VPAIR_NUMBER ? pair->number : offset == PT_VPAIR_LAUNCH ? pair->second->launched : 0;
	return true;
}

/* A core that is off cannot be let run. */
static bool write_pair(void *unit, uint32_t offset, const struct pt_vaccess *access, uint32_t value)
{
	struct pt_varm_second *second = ((struct pt_vpair *)unit)->second;

	(void)access;
	if (offset == PT_VPAIR_LAUNCH && second->config.kind != PT_VSECOND_OFF && second->launched != (value & 1))
		hold(second, (value & 1) == 0);
	return true;
}

static const struct pt_vunit_ops pair_ops = { .name = "pair", .read = read_pair, .write = write_pair };

/* --- wires */

static void on_reset_request(void *arg)
{
	const struct pt_varm_second *second = arg;

	second->config.reset(second->config.arg);
}

/* Of a core without power the access port answers, and its bus does not. */
static bool is_access(uint8_t reg)
{
	return reg == AP_DRW || (reg >= AP_BD0 && reg <= AP_BD3);
}

static enum pt_vack read_off(void *arg, uint8_t reg, uint32_t *value)
{
	struct pt_vap *ahb = &((struct pt_varm_second *)arg)->ahb.port;

	*value = 0;
	return is_access(reg) ? PT_VACK_ERROR : ahb->read(ahb->arg, reg, value);
}

static enum pt_vack write_off(void *arg, uint8_t reg, uint32_t value)
{
	struct pt_vap *ahb = &((struct pt_varm_second *)arg)->ahb.port;

	return is_access(reg) ? PT_VACK_ERROR : ahb->write(ahb->arg, reg, value);
}

/* --- putting it together */

static bool share_memories(struct pt_varm_second *second)
{
	const struct pt_vbus *first = second->config.first;
	bool done = true;

	for (size_t i = 0; i < first->n_regions; i++)
		if (first->region[i].bytes != NULL)
			done = done && pt_vbus_add(&second->bus, &first->region[i]);
	return done;
}

static void init_debug(struct pt_varm_second *second)
{
	static const uint32_t entries[] = { 0xfff0f003, 0xfff02003, 0xfff03003 };	/* SCS, DWT, BPU */

	second->debug = (struct pt_varm_debug){
		.cpu = second->cpu, .dwt = &second->dwt, .bpu = &second->bpu, .scs = &second->scs, .skid = 1, .arg = second,
		.reset = on_reset_request,
	};
	pt_varm_debug_init(&second->debug, &second->wires);
	second->rom = pt_varm_rom_table(second->config.rom_part, entries, PT_LEN(entries));
	pt_vmem_ap_init(&second->ahb, &second->bus, second->config.rom_table | 3);
	second->ahb.idr = second->config.ap_idr;
	second->ahb.locked = second->config.kind == PT_VSECOND_LOCKED;
}

static bool map_units(struct pt_varm_second *second)
{
	const struct pt_vregion regions[] = {
		{ .base = PT_VPAIR_BASE, .size = PT_VPAIR_BYTES, .ops = &pair_ops, .unit = &second->pair[1] },
		{ .base = 0xe0001000, .size = 0x1000, .ops = &pt_vdwt_ops, .unit = &second->dwt },
		{ .base = 0xe0002000, .size = 0x1000, .ops = &pt_vbpu_ops, .unit = &second->bpu },
		{ .base = 0xe0000000 + PT_VSCS_BASE, .size = PT_VSCS_BYTES, .ops = &pt_vscs_debug_ops,
		  .unit = &second->scs },
		{ .base = second->config.rom_table, .size = 0x1000, .ops = &pt_vrom_table_ops, .unit = &second->rom },
	};
	struct pt_vregion of_first = regions[0];
	bool done = true;

	for (size_t i = 0; i < PT_LEN(regions); i++)
		done = done && pt_vbus_add(&second->bus, &regions[i]);
	of_first.unit = &second->pair[0];
	return done && pt_vbus_add(second->config.first, &of_first);
}

bool pt_varm_second_init(struct pt_varm_second *second, const struct pt_varm_second_config *config)
{
	*second = (struct pt_varm_second){ .config = *config };
	if (config->kind == PT_VSECOND_NONE)
		return true;
	if (config->kind == PT_VSECOND_SMALL) {
		second->config.model = &pt_vcpu_m0plus;
		second->config.rom_part = 0x4c0;
		second->config.ap_idr = PT_VMEM_AP_IDR;
	}
	second->off = (struct pt_vap){ .arg = second, .read = read_off, .write = write_off };
	second->pair[0] = (struct pt_vpair){ 0, second };
	second->pair[1] = (struct pt_vpair){ 1, second };
	second->wires = (struct pt_vwires){
		.bus = &second->bus, .core_hz = config->core_hz, .drift_ppm = config->drift_ppm,
		.arg = &second->debug, .taps_changed = pt_varm_taps_changed,
	};
	if (share_memories(second))
		second->cpu = pt_vcpu_new(&second->bus, second->config.model);
	if (second->cpu == NULL)
		return false;
	config->first->twin = &second->bus;
	second->bus.twin = config->first;
	init_debug(second);
	return map_units(second);
}

void pt_varm_second_fini(struct pt_varm_second *second)
{
	pt_vcpu_free(second->cpu);
}

void pt_varm_second_reset(struct pt_varm_second *second, bool power_on)
{
	if (second->cpu == NULL)
		return;
	pt_vbus_reset(&second->bus, power_on);
	pt_vcpu_reset(second->cpu, power_on);
	if (power_on)
		pt_vmem_ap_reset(&second->ahb);
	hold(second, true);
}

void pt_varm_second_run(struct pt_varm_second *second, struct pt_vcpu *first, uint64_t to)
{
	uint64_t at = pt_vcpu_cycle(first);

	if (second->cpu == NULL) {
		pt_vcpu_run(first, to);
		return;
	}
	while (at < to) {
		uint64_t slice = second->launched ? SLICE_CYCLES : HELD_SLICE_CYCLES;

		at = to - at > slice ? at + slice : to;
		pt_vcpu_run(first, at);
		pt_vcpu_run(second->cpu, at);
	}
}

struct pt_vap *pt_varm_second_ap(struct pt_varm_second *second)
{
	if (second->cpu == NULL)
		return NULL;
	return second->config.kind == PT_VSECOND_OFF ? &second->off : &second->ahb.port;
}
