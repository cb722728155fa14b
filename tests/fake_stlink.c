#include "fake_stlink.h"

#include <string.h>

#include "fake_cmsis_dap.h"
#include "scripted_link.h"
#include "base/util.h"

enum { BYTES = 4 * FAKE_STLINK_WORDS, READY = BYTES };
#define CPUID_AT UINT32_C(0xe000ed00)

/* --- memory -------------------------------------------------------------------------------------------------------- */

static bool refused(const struct fake_stlink *fake, const struct pt_vaccess *access)
{
	return fake->fault_addr != 0 && (access->addr & ~3u) == (fake->fault_addr & ~3u);
}

static bool ram_read(void *unit, uint32_t offset, const struct pt_vaccess *access, uint32_t *value)
{
	struct fake_stlink *fake = unit;

	if (refused(fake, access))
		return false;
	if (offset >= READY) {
		*value = fake->ready_after == 0;
		fake->ready_after -= fake->ready_after > 0;
		return true;
	}
	*value = fake->words[offset / 4] >> 8 * (offset & 3);
	if (access->size_bytes < 4)
		*value &= (1u << 8 * access->size_bytes) - 1;
	return true;
}

static bool ram_write(void *unit, uint32_t offset, const struct pt_vaccess *access, uint32_t value)
{
	struct fake_stlink *fake = unit;
	uint32_t mask = access->size_bytes < 4 ? (1u << 8 * access->size_bytes) - 1 : UINT32_MAX;
	unsigned shift = 8 * (offset & 3);

	if (refused(fake, access) || offset >= READY)
		return false;
	fake->words[offset / 4] = (fake->words[offset / 4] & ~(mask << shift)) | (value & mask) << shift;
	return true;
}

static bool cpuid_read(void *unit, uint32_t offset, const struct pt_vaccess *access, uint32_t *value)
{
	(void)offset, (void)access;
	*value = ((struct fake_stlink *)unit)->cpuid;
	return true;
}

static const struct pt_vunit_ops ram_ops = { .name = "words", .read = ram_read, .write = ram_write };
static const struct pt_vunit_ops cpuid_ops = { .name = "CPUID", .read = cpuid_read };

/* --- the access port, which may be busy ---------------------------------------------------------------------------- */

static bool busy(struct fake_stlink *fake)
{
	unsigned n = fake->n_accesses++;

	return n >= fake->wait_from && n - fake->wait_from < fake->wait_acks;
}

static enum pt_vack ap_read(void *arg, uint8_t reg, uint32_t *value)
{
	struct fake_stlink *fake = arg;

	return busy(fake) ? PT_VACK_WAIT : fake->mem_ap.port.read(fake->mem_ap.port.arg, reg, value);
}

static enum pt_vack ap_write(void *arg, uint8_t reg, uint32_t value)
{
	struct fake_stlink *fake = arg;

	return busy(fake) ? PT_VACK_WAIT : fake->mem_ap.port.write(fake->mem_ap.port.arg, reg, value);
}

static struct pt_vap *ap(struct pt_vboard *board, unsigned apsel)
{
	struct fake_stlink *fake = (struct fake_stlink *)board;

	return apsel < fake->n_ports ? &fake->port : NULL;
}

static uint32_t dpidr(struct pt_vboard *board)
{
	(void)board;
	return 0x0bc11477;
}

static void advance(struct pt_vboard *board, uint64_t to_ns)
{
	(void)board, (void)to_ns;
}

static void set_nreset(struct pt_vboard *board, bool low)
{
	((struct fake_stlink *)board)->nreset_low = low;
}

static const struct pt_vboard_ops board_ops = {
	.name = "fake", .ap = ap, .dpidr = dpidr, .advance = advance, .set_nreset = set_nreset,
};

/* --- the device ---------------------------------------------------------------------------------------------------- */

static void add_region(struct fake_stlink *fake, uint32_t base, uint32_t size, const struct pt_vunit_ops *ops)
{
	fake->bus.region[fake->bus.n_regions++] =
		(struct pt_vregion){ .base = base, .size = size, .ops = ops, .unit = fake };
}

void fake_stlink_init(struct fake_stlink *fake, const char *kind)
{
	fake_stlink_fini(fake);
	memset(fake, 0, sizeof(*fake));
	for (uint32_t i = 0; i < FAKE_STLINK_WORDS; i++)
		fake->words[i] = 0x5a000000 + i;
	fake->cpuid = 0x410cc601;
	fake->n_ports = 1;
	add_region(fake, FAKE_DAP_BASE, BYTES + 4, &ram_ops);
	add_region(fake, CPUID_AT, 4, &cpuid_ops);
	pt_vmem_ap_init(&fake->mem_ap, &fake->bus, 0xe00ff003);
	fake->port = (struct pt_vap){ fake, ap_read, ap_write };
	pt_vpace_init(&fake->pace, &board_ops, (struct pt_vboard *)fake, false);
	fake->firmware = pt_vstlink_new(pt_vstlink_kind(kind), 24000000, &fake->pace, &fake->faults);
}

void fake_stlink_fini(struct fake_stlink *fake)
{
	if (fake->firmware != NULL)
		pt_vstlink_engine.free(fake->firmware);
	fake->firmware = NULL;
}

static void on_response(void *arg, const uint8_t *response, size_t len_bytes, uint64_t done_ns)
{
	struct fake_stlink *fake = arg;

	fake->n_in++;
	fake->done_ns = done_ns;
	fake->n_response = len_bytes < PT_SCRIPT_BYTES ? len_bytes : PT_SCRIPT_BYTES;
	memcpy(fake->response, response, fake->n_response);
}

static bool has_data(const uint8_t *command)
{
	static const uint8_t codes[] = { 0x08, 0x0d, 0x48, 0x50, 0x51 };

	return command[0] == 0xf2 && memchr(codes, command[1], sizeof(codes)) != NULL;
}

size_t fake_stlink_answer(void *arg, const uint8_t *request, size_t len_bytes, uint8_t *response, uint64_t *took_ns)
{
	struct fake_stlink *fake = arg;

	(void)took_ns;
	fake->n_out++;
	if (len_bytes == 16 && !fake->data_next)
		memcpy(fake->command[fake->n_commands++ % FAKE_STLINK_COMMANDS], request, 16);
	fake->data_next = !fake->data_next && has_data(request);
	fake->response = response;
	fake->n_response = PT_SCRIPT_NO_ANSWER;
	pt_vstlink_engine.process(fake->firmware, request, len_bytes, fake->at_ns, on_response, fake);
	return fake->n_response;
}
