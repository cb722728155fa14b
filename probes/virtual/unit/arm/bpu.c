/* Each comparator names a word and one or both of its halfwords, so it takes two of the core's breakpoint slots; in
 * version 2 the halfword, and one. */
#include "probes/virtual/unit/arm/bpu.h"
#include "probes/virtual/unit/arm/coresight.h"

#define CTRL_ENABLE UINT32_C(1)
#define CTRL_KEY UINT32_C(2)
#define COMP_ENABLE UINT32_C(1)
#define COMP_ADDRESS UINT32_C(0x1ffffffc)
#define COMP_LOWER (UINT32_C(1) << 30)
#define COMP_UPPER (UINT32_C(1) << 31)

static const struct pt_vcoresight ids_v6m = { .pidr4 = 0x04, .part = 0x00b, .jep106 = 0x3b, .class = 0xe };
static const struct pt_vcoresight ids_v7m = { .pidr4 = 0x04, .part = 0x003, .jep106 = 0x3b, .class = 0xe };
static const struct pt_vcoresight ids_m7 = { .pidr4 = 0x04, .part = 0x00e, .jep106 = 0x3b, .class = 0xe };
enum { REMAP = 0x4, REV = 28 };
#define REMAP_BITS UINT32_C(0x1fffffe0)

static bool is_fpb(const struct pt_vbpu *bpu)
{
	return pt_vcpu_model(bpu->cpu)->mainline;
}

static bool is_second(const struct pt_vbpu *bpu)
{
	return pt_vcpu_model(bpu->cpu)->second_fpb;
}

/* The register of a comparator, or NULL. Those for literals, and the remapping, only hold what is written. */
static uint32_t *comparator(struct pt_vbpu *bpu, uint32_t offset)
{
	uint32_t n = (offset - PT_VBPU_COMP0) / 4;

	if (n < bpu->n_comparators)
		return &bpu->comp[n];
	if (!is_fpb(bpu) || is_second(bpu))
		return NULL;
	if (offset == REMAP)
		return &bpu->remap;
	return n - bpu->n_comparators < PT_VBPU_LITERALS ? &bpu->literal[n - bpu->n_comparators] : NULL;
}

static void apply_second(struct pt_vbpu *bpu)
{
	for (unsigned n = 0; n < bpu->n_comparators; n++)
		pt_vcpu_set_breakpoint(bpu->cpu, n, bpu->enabled && (bpu->comp[n] & COMP_ENABLE) != 0,
				       bpu->comp[n] & ~COMP_ENABLE);
}

static void apply_first(struct pt_vbpu *bpu)
{
	for (unsigned n = 0; n < bpu->n_comparators; n++) {
		uint32_t comp = bpu->comp[n], addr = comp & COMP_ADDRESS;
		bool on = bpu->enabled && (comp & COMP_ENABLE) != 0;

		pt_vcpu_set_breakpoint(bpu->cpu, 2 * n, on && (comp & COMP_LOWER) != 0, addr);
		pt_vcpu_set_breakpoint(bpu->cpu, 2 * n + 1, on && (comp & COMP_UPPER) != 0, addr + 2);
	}
}

static void apply(struct pt_vbpu *bpu)
{
	if (is_second(bpu))
		apply_second(bpu);
	else
		apply_first(bpu);
}

static uint32_t control(const struct pt_vbpu *bpu)
{
	uint32_t literals = is_fpb(bpu) && !is_second(bpu) ? PT_VBPU_LITERALS : 0;

	return (uint32_t)is_second(bpu) << REV | literals << 8 | bpu->n_comparators << 4 | bpu->enabled;
}

static uint32_t writable(const struct pt_vbpu *bpu, uint32_t offset)
{
	if (offset == REMAP)
		return REMAP_BITS;
	return is_second(bpu) ? UINT32_MAX : COMP_ENABLE | COMP_ADDRESS | COMP_LOWER | COMP_UPPER;
}

static const struct pt_vcoresight *ids(const struct pt_vbpu *bpu)
{
	return is_second(bpu) ? &ids_m7 : is_fpb(bpu) ? &ids_v7m : &ids_v6m;
}

static bool read(void *unit, uint32_t offset, const struct pt_vaccess *access, uint32_t *value)
{
	struct pt_vbpu *bpu = unit;
	const uint32_t *comp = comparator(bpu, offset);

	*value = 0;
	if (access->size_bytes != 4)
		return true;
	if (offset == PT_VBPU_CTRL)
		*value = control(bpu);
	else
		*value = comp != NULL ? *comp : pt_vcoresight_read(ids(bpu), offset);
	return true;
}

static bool write(void *unit, uint32_t offset, const struct pt_vaccess *access, uint32_t value)
{
	struct pt_vbpu *bpu = unit;
	uint32_t *comp = comparator(bpu, offset);

	if (access->size_bytes != 4)
		return true;
	if (offset == PT_VBPU_CTRL && (value & CTRL_KEY) != 0)
		bpu->enabled = (value & CTRL_ENABLE) != 0;
	else if (comp != NULL)
		*comp = value & writable(bpu, offset);
	apply(bpu);
	return true;
}

void pt_vbpu_init(struct pt_vbpu *bpu, struct pt_vcpu *cpu)
{
	const struct pt_vcpu_model *model = pt_vcpu_model(cpu);

	*bpu = (struct pt_vbpu){ .cpu = cpu, .n_comparators = model->second_fpb ? 8 : model->mainline ? 6 : 2 };
}

static void reset(void *unit, bool power_on)
{
	struct pt_vbpu *bpu = unit;

	if (!power_on)
		return;	/* debug registers outlive a system reset */
	pt_vbpu_init(bpu, bpu->cpu);
	apply(bpu);
}

const struct pt_vunit_ops pt_vbpu_ops = { .name = "BPU", .read = read, .write = write, .reset = reset };
