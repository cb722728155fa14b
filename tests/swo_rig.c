#include "swo_rig.h"

#include <stdio.h>

#include "bare_core.h"
#include "base/params.h"
#include "base/util.h"
#include "harness.h"

struct rig rig;

static void on_byte(void *arg, const struct pt_vswo_byte *byte)
{
	(void)arg;
	ck_assert_uint_lt(rig.n_bytes, RIG_MAX_BYTES);
	rig.byte[rig.n_bytes++] = *byte;
}

static const struct pt_vswo_listener listener = { .byte = on_byte };

static void open_with(const struct pt_vboard_ops *ops, const char *const *words, const uint8_t *elf, size_t len_bytes)
{
	struct pt_params *settings = pt_params_new();
	struct pt_err err = { 0 };

	for (size_t i = 0; words != NULL && words[i] != NULL; i++)
		ck_assert_msg(pt_vboard_add_word(ops, settings, words[i], &err) == 0, "%s", err.msg);
	rig.ops = ops;
	rig.board = ops->make(settings, elf, len_bytes, &err);
	ck_assert_msg(rig.board != NULL, "%s", err.msg);
	pt_params_free(settings);
	rig.chip = pt_cm4_of(rig.board);
	rig.now_ns = 0;
	rig.n_bytes = 0;
	rig.log = (struct pt_vtrace_log){ .packet = rig.packet, .room = RIG_MAX_PACKETS };
	rig.chip->itm.log = &rig.log;
	ops->swo(rig.board)->listener = &listener;
}

void rig_open(const struct pt_vboard_ops *ops, const char *const *words)
{
	open_with(ops, words, NULL, 0);
}

void rig_open_firmware(const struct pt_vboard_ops *ops, const char *const *words, const char *file)
{
	static uint8_t elf[1 << 20];
	FILE *from = fopen(pt_firmware(file), "rb");

	ck_assert_msg(from != NULL, "%s", file);
	open_with(ops, words, elf, fread(elf, 1, sizeof(elf), from));
	fclose(from);
}

void rig_close(void)
{
	rig.ops->free(rig.board);
}

void rig_run_us(uint64_t us)
{
	rig.now_ns += us * UINT64_C(1000);
	rig.ops->advance(rig.board, rig.now_ns);
}

uint32_t rig_peek(uint32_t addr)
{
	struct pt_vaccess access = { addr, 4, PT_VMASTER_DEBUG, true };
	uint32_t value = 0;

	ck_assert_msg(pt_vbus_read(&rig.chip->bus, &access, &value), "0x%x", addr);
	return value;
}

void rig_write(uint32_t addr, uint32_t value, unsigned size_bytes)
{
	struct pt_vaccess access = { addr, (uint8_t)size_bytes, PT_VMASTER_DEBUG, true };

	ck_assert_msg(pt_vbus_write(&rig.chip->bus, &access, value), "0x%x", addr);
}

void rig_poke(uint32_t addr, uint32_t value)
{
	rig_write(addr, value, 4);
}

void rig_halt(void)
{
	rig_poke(RIG_DHCSR, 0xa05f0003);
	rig_run_us(2);
	ck_assert_int_eq(pt_vcpu_state(rig.chip->cpu), PT_VCPU_HALT);
}

void rig_run_code(const uint16_t *code, size_t n_halfwords, const uint32_t r[4])
{
	rig_halt();
	for (size_t i = 0; i < n_halfwords; i++)
		rig_write(RIG_FREE_RAM + 2 * (uint32_t)i, code[i], 2);
	for (unsigned n = 0; n < 4; n++)
		pt_vcpu_set_reg(rig.chip->cpu, n, r[n]);
	pt_vcpu_set_reg(rig.chip->cpu, 15, RIG_FREE_RAM);
	pt_vcpu_set_reg(rig.chip->cpu, 20, 1);		/* PRIMASK */
	rig_poke(RIG_DHCSR, 0xa05f0001);
}

void rig_trace(uint32_t acpr, uint32_t tcr)
{
	rig_poke(RIG_DEMCR, RIG_TRCENA);
	rig_poke(RIG_TPIU + PT_VTPIU_SPPR, 2);
	rig_poke(RIG_TPIU + PT_VTPIU_ACPR, acpr);
	rig_poke(RIG_TPIU + PT_VTPIU_FFCR, 0x100);
	rig_poke(RIG_ITM + PT_VITM_LAR, PT_VITM_KEY);
	rig_poke(RIG_ITM + PT_VITM_TER, UINT32_MAX);
	rig_poke(RIG_ITM + PT_VITM_TCR, tcr);
}

size_t rig_compare(void)
{
	size_t n = 0, n_lost = 0;

	ck_assert_uint_eq(rig.log.n_more, 0);
	for (size_t i = 0; i < rig.log.n; i++) {
		const struct pt_vtrace_packet *packet = &rig.packet[i];

		n_lost += packet->lost;
		for (unsigned k = 0; !packet->lost && k < packet->n_bytes; k++, n++)
			ck_assert_msg(n >= rig.n_bytes || rig.byte[n].byte == packet->bytes[k],
				      "byte %zu of packet %zu: %02x, sent %02x", n, i, rig.byte[n].byte,
				      packet->bytes[k]);
	}
	ck_assert_uint_ge(n, rig.n_bytes);
	ck_assert_uint_le(n - rig.n_bytes, 8 * (rig.chip->itm.fifo_room + 1));
	ck_assert_uint_eq(rig.chip->tpiu.n_bytes, rig.n_bytes);
	return n_lost;
}

void rig_expect(const char *name, const uint8_t *want, size_t n)
{
	ck_assert_msg(rig.n_bytes == n, "%s: %zu bytes, not %zu", name, rig.n_bytes, n);
	for (size_t i = 0; i < n; i++)
		ck_assert_msg(rig.byte[i].byte == want[i], "%s: byte %zu is %02x, not %02x", name, i, rig.byte[i].byte,
			      want[i]);
}
