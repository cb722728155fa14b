/* Sources: Arm DDI 0403 (ARMv7-M), B3.2 (SCS), C1.6 (debug), C1.8 (DWT), C1.11 (FPB); the table and the parts' numbers as
 * public logs of Cortex-M4 chips have them. */
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "tests/fake_m4.h"

enum { ROM = 0xe00ff000, SCS = 0xe000e000, DWT = 0xe0001000, FPB = 0xe0002000, ARM = 0x43b };
enum { S_REGRDY = 1 << 16, S_HALT = 1 << 17, C_HALT = 2, C_STEP = 4, TRCENA = 1 << 24, DCRSR_WRITE = 1 << 16 };

/* --- ID registers ------------------------------------------------------------------------------------------------- */

static uint32_t id_of(uint32_t offset, unsigned class, unsigned maker, unsigned part)
{
	switch (offset) {
	case 0xfd0: return maker >> 8;
	case 0xfe0: return part & 0xff;
	case 0xfe4: return part >> 8 | (maker & 0xf) << 4;
	case 0xfe8: return 8 | (maker >> 4 & 7);
	case 0xff0: return 0x0d;
	case 0xff4: return class << 4;
	case 0xff8: return 0x05;
	case 0xffc: return 0xb1;
	default: return 0;
	}
}

/* SCS, DWT, FPB, ITM present; TPIU and ETM not. */
static uint32_t read_rom(void *arg, uint64_t addr)
{
	static const uint32_t entry[] = { 0xfff0f003, 0xfff02003, 0xfff03003, 0xfff01003, 0xfff41002, 0xfff42002, 0 };
	const struct fake_m4 *m4 = arg;
	uint32_t offset = (uint32_t)(addr - ROM);

	if (offset < 4 * PT_LEN(entry))
		return entry[offset / 4] & ~(m4->absent >> (offset / 4) & 1);
	return id_of(offset, 1, m4->maker, m4->chip);
}

static uint32_t read_itm(void *arg, uint64_t addr)
{
	const struct fake_m4 *m4 = arg;
	uint32_t offset = (uint32_t)addr & 0xfff;

	return offset >= 0xfd0 ? id_of(offset, 0xe, ARM, 0x001) : offset < 0xfb0 ? m4->itm[offset / 4] : 0;
}

static void write_itm(void *arg, uint64_t addr, uint32_t value)
{
	((struct fake_m4 *)arg)->itm[(addr & 0xfff) / 4] = value;
}

static uint32_t read_tpiu(void *arg, uint64_t addr)
{
	return ((const struct fake_m4 *)arg)->tpiu[(addr & 0xfff) / 4];
}

static void write_tpiu(void *arg, uint64_t addr, uint32_t value)
{
	((struct fake_m4 *)arg)->tpiu[(addr & 0xfff) / 4] = value;
}

/* --- SCS ---------------------------------------------------------------------------------------------------------- */

static uint32_t read_scs(void *arg, uint64_t addr)
{
	const struct fake_m4 *m4 = arg;
	uint32_t offset = (uint32_t)(addr - SCS);

	if (offset >= 0xd28 && offset < 0xd28 + 4 * PT_LEN(m4->fault))
		return offset == 0xd30 ? m4->dfsr : m4->fault[(offset - 0xd28) / 4];
	switch (offset) {
	case 0xd00: return m4->cpuid;
	case 0xd14: return m4->ccr;
	case 0xd44: return m4->pfr1;
	case 0xdf0: return m4->dhcsr | S_REGRDY;
	case 0xdf8: return m4->dcrdr;
	case 0xdfc: return m4->demcr;
	case 0xf40: return m4->mvfr0;
	default: return offset >= 0xfd0 ? id_of(offset, 0xe, ARM, 0x00c) : 0;
	}
}

static void write_dhcsr(struct fake_m4 *m4, uint32_t value)
{
	if (value >> 16 != 0xa05f)
		return;
	if ((value & C_HALT) != 0)
		m4->dfsr |= (m4->dhcsr & S_HALT) == 0;
	m4->dhcsr = (m4->dhcsr & ~UINT32_C(0x2000f)) | (value & 0xf) | ((value & (C_HALT | C_STEP)) != 0 ? S_HALT : 0);
}

static void write_scs(void *arg, uint64_t addr, uint32_t value)
{
	struct fake_m4 *m4 = arg;

	switch (addr - SCS) {
	case 0xd30:
		m4->dfsr &= ~value;
		break;
	case 0xdf0:
		write_dhcsr(m4, value);
		break;
	case 0xdf4:
		if ((value & DCRSR_WRITE) != 0)
			m4->reg[value & 0x7f] = m4->dcrdr;
		else
			m4->dcrdr = m4->reg[value & 0x7f];
		break;
	case 0xdf8:
		m4->dcrdr = value;
		break;
	case 0xdfc:
		m4->demcr = value;
		break;
	case 0xf50:
		m4->iciallu++;
		break;
	default:
		break;
	}
}

/* --- DWT and FPB -------------------------------------------------------------------------------------------------- */

static uint32_t read_dwt(void *arg, uint64_t addr)
{
	const struct fake_m4 *m4 = arg;
	uint32_t offset = (uint32_t)(addr - DWT);

	if (offset >= 0xfd0)
		return id_of(offset, 0xe, ARM, 0x002);
	if ((m4->demcr & TRCENA) == 0)
		return 0;
	if (offset >= 0x20 && offset < 0x20 + 4 * PT_LEN(m4->dwt))
		return m4->dwt[(offset - 0x20) / 4];
	if (offset >= 0x08 && offset <= 0x18)
		return (uint32_t)(m4->dap.memory.now_ns * m4->count_per_us[(offset - 8) / 4] / 1000) & 0xff;
	switch (offset) {
	case 0x00: return m4->dwt_ctrl;
	case 0x04: return (m4->dwt_ctrl & 1) != 0 ? (uint32_t)(m4->dap.memory.now_ns * m4->cyccnt_per_us / 1000 - m4->cyccnt_stood) : 0;
	case 0x1c: return m4->pcsr;
	default: return 0;
	}
}

static void write_dwt(void *arg, uint64_t addr, uint32_t value)
{
	struct fake_m4 *m4 = arg;
	uint32_t offset = (uint32_t)(addr - DWT);

	if (offset == 0)
		m4->dwt_ctrl = (m4->dwt_ctrl & 0xff000000) | (value & 0xffffff);
	else if (offset >= 0x20 && offset < 0x20 + 4 * PT_LEN(m4->dwt))
		m4->dwt[(offset - 0x20) / 4] = value;
}

static uint32_t read_fpb(void *arg, uint64_t addr)
{
	const struct fake_m4 *m4 = arg;
	uint32_t offset = (uint32_t)(addr - FPB);

	if (offset >= 0xfd0)
		return id_of(offset, 0xe, ARM, 0x003);
	if (offset >= 8 && offset < 8 + 4 * PT_LEN(m4->fp_comp))
		return m4->fp_comp[(offset - 8) / 4];
	return offset == 0 ? m4->fp_ctrl : 0;
}

static void write_fpb(void *arg, uint64_t addr, uint32_t value)
{
	struct fake_m4 *m4 = arg;
	uint32_t offset = (uint32_t)(addr - FPB);

	if (offset == 0 && (value & 2) != 0)
		m4->fp_ctrl = (m4->fp_ctrl & ~UINT32_C(1)) | (value & 1);
	else if (offset >= 8 && offset < 8 + 4 * PT_LEN(m4->fp_comp))
		m4->fp_comp[(offset - 8) / 4] = value;
}

/* --- all of it ---------------------------------------------------------------------------------------------------- */

void fake_m4_init(struct fake_m4 *m4)
{
	struct array_mem *memory = &m4->dap.memory;

	memset(m4, 0, sizeof(*m4));
	m4->cpuid = 0x410fc241;
	m4->mvfr0 = 0x10110021;
	m4->maker = ARM;
	m4->chip = 0x4c4;
	m4->fp_ctrl = 6 << 4 | 2 << 8;		/* version 1: six for code, two for literals */
	m4->dwt_ctrl = UINT32_C(4) << 28;
	m4->pcsr = 0x08000100;
	fake_dap_init(&m4->dap);
	m4->dap.idr[0] = 0x24770011;
	m4->dap.base = ROM | 3;
	m4->ram = array_mem_add(memory, FAKE_M4_RAM, FAKE_M4_RAM_BYTES);
	array_mem_hook(memory, &(struct array_hook){ ROM, 0x1000, read_rom, NULL, m4 });
	array_mem_hook(memory, &(struct array_hook){ SCS, 0x1000, read_scs, write_scs, m4 });
	array_mem_hook(memory, &(struct array_hook){ DWT, 0x1000, read_dwt, write_dwt, m4 });
	array_mem_hook(memory, &(struct array_hook){ FPB, 0x1000, read_fpb, write_fpb, m4 });
	array_mem_hook(memory, &(struct array_hook){ 0xe0000000, 0x1000, read_itm, write_itm, m4 });
	array_mem_hook(memory, &(struct array_hook){ 0xe0040000, 0x1000, read_tpiu, write_tpiu, m4 });
}

void fake_m4_fini(struct fake_m4 *m4)
{
	fake_dap_fini(&m4->dap);
}
