/* A virtual KL27 for tests, driven through its access ports as a debug port does, one access after the other. */
#ifndef PT_TESTS_KL27_RIG_H
#define PT_TESTS_KL27_RIG_H

#include <stdio.h>
#include <string.h>

#include "harness.h"
#include "probes/virtual/chip/kl27.h"

struct rig {
	struct pt_vboard *board;
	struct pt_kl27 *chip;
	uint64_t now_ns;
};

enum { CSW = 0x00, TAR = 0x04, DRW = 0x0c, CSW_WORD = 0x22000052, CSW_HALF = 0x22000051, CSW_BYTE = 0x22000050 };
enum { AIRCR = 0xe000ed0c, DFSR = 0xe000ed30, DHCSR = 0xe000edf0, DCRSR = 0xe000edf4, DCRDR = 0xe000edf8,
       DEMCR = 0xe000edfc };
#define S_REGRDY (1u << 16)
#define S_HALT (1u << 17)
#define S_SLEEP (1u << 18)
#define S_LOCKUP (1u << 19)
#define S_RETIRE_ST (1u << 24)
#define S_RESET_ST (1u << 25)

static inline struct rig rig_open(const char *variant, const uint8_t *elf, size_t len_bytes)
{
	static const struct pt_param rows[] = { { .key = "variant", .type = PT_PARAM_TEXT } };
	struct pt_params *settings = pt_params_new();
	struct pt_err err = { 0 };
	struct rig rig = { 0 };
	char word[100];

	if (variant != NULL) {
		snprintf(word, sizeof(word), "variant=%s", variant);
		ck_assert_int_eq(pt_params_add(settings, rows, 1, word, &err), 0);
	}
	rig.board = pt_vboard_kl27.make(settings, elf, len_bytes, &err);
	ck_assert_msg(rig.board != NULL, "%s", err.msg);
	rig.chip = pt_kl27_of(rig.board);
	pt_params_free(settings);
	return rig;
}

static inline void rig_close(struct rig *rig)
{
	pt_vboard_kl27.free(rig->board);
}

static inline void rig_run(struct rig *rig, uint64_t ns)
{
	rig->now_ns += ns;
	pt_vboard_kl27.advance(rig->board, rig->now_ns);
}

/* One AP access, and the time it takes on a wire: 12 us. */
static inline enum pt_vack rig_ap(struct rig *rig, unsigned apsel, uint8_t reg, bool write, uint32_t *value)
{
	struct pt_vap *ap;

	rig_run(rig, 12000);
	ap = pt_vboard_kl27.ap(rig->board, apsel);
	ck_assert_ptr_nonnull(ap);
	return write ? ap->write(ap->arg, reg, *value) : ap->read(ap->arg, reg, value);
}

static inline enum pt_vack rig_access(struct rig *rig, uint32_t csw, uint32_t addr, bool write, uint32_t *value)
{
	ck_assert_int_eq(rig_ap(rig, 0, CSW, true, &csw), PT_VACK_OK);
	ck_assert_int_eq(rig_ap(rig, 0, TAR, true, &addr), PT_VACK_OK);
	return rig_ap(rig, 0, DRW, write, value);
}

static inline uint32_t rig_read(struct rig *rig, uint32_t addr)
{
	uint32_t value = 0;

	ck_assert_int_eq(rig_access(rig, CSW_WORD, addr, false, &value), PT_VACK_OK);
	return value;
}

static inline void rig_write(struct rig *rig, uint32_t addr, uint32_t value)
{
	ck_assert_int_eq(rig_access(rig, CSW_WORD, addr, true, &value), PT_VACK_OK);
}

static inline void rig_write_byte(struct rig *rig, uint32_t addr, uint8_t value)
{
	uint32_t lanes = (uint32_t)value << (addr & 3) * 8;

	ck_assert_int_eq(rig_access(rig, CSW_BYTE, addr, true, &lanes), PT_VACK_OK);
}

static inline uint8_t rig_read_byte(struct rig *rig, uint32_t addr)
{
	uint32_t lanes = 0;

	ck_assert_int_eq(rig_access(rig, CSW_BYTE, addr, false, &lanes), PT_VACK_OK);
	return (uint8_t)(lanes >> (addr & 3) * 8);
}

static inline void rig_halt(struct rig *rig)
{
	rig_write(rig, DHCSR, 0xa05f0003);
	ck_assert_uint_ne(rig_read(rig, DHCSR) & S_HALT, 0);
}

static inline uint32_t rig_reg(struct rig *rig, uint32_t regsel)
{
	rig_write(rig, DCRSR, regsel);
	ck_assert_uint_ne(rig_read(rig, DHCSR) & S_REGRDY, 0);
	return rig_read(rig, DCRDR);
}

static inline void rig_set_reg(struct rig *rig, uint32_t regsel, uint32_t value)
{
	rig_write(rig, DCRDR, value);
	rig_write(rig, DCRSR, regsel | 1u << 16);
}

/* Put halfwords of code into RAM and stand in front of them, halted, with interrupts masked and r0..r7 = 0. */
static inline void rig_code(struct rig *rig, uint32_t addr, const uint16_t *code, size_t n)
{
	rig_halt(rig);
	for (size_t i = 0; i < n; i++)
		pt_put_le16(pt_kl27_bytes(rig->chip, addr + 2 * (uint32_t)i, 2), code[i]);
	pt_vbus_changed(&rig->chip->bus, addr, (uint32_t)(2 * n));
	for (uint32_t r = 0; r < 8; r++)
		rig_set_reg(rig, r, 0);
	rig_set_reg(rig, 16, 0x01000000);
	rig_set_reg(rig, 20, 1);
	rig_set_reg(rig, 15, addr);
}

#endif
