/* A virtual S12ZVM for tests: by itself, and on the wire of a probe. */
#ifndef PT_TESTS_S12ZVM_RIG_H
#define PT_TESTS_S12ZVM_RIG_H

#include <stdio.h>
#include <string.h>

#include "harness.h"
#include "probes/virtual/chip/s12zvm.h"
#include "probes/virtual/wire/bkgd.h"

struct rig {
	struct pt_vboard *board;
	struct pt_s12zvm *chip;
	struct pt_vpace pace;
	struct pt_vfaults faults;
	struct pt_vbkgd wire;
};

/* words: of the address, separated by '&'; NULL: none. fault: NULL or as fault=. */
static inline struct rig *rig_open(const char *words, const char *fault)
{
	struct rig *rig = calloc(1, sizeof(*rig));
	struct pt_params *settings = pt_params_new();
	struct pt_err err = { 0 };
	char text[300], *rest = NULL;

	snprintf(text, sizeof(text), "%s", words != NULL ? words : "");
	for (char *word = strtok_r(text, "&", &rest); word != NULL; word = strtok_r(NULL, "&", &rest))
		ck_assert_msg(pt_vboard_add_word(&pt_vboard_s12zvm, settings, word, &err) == 0, "%s", err.msg);
	rig->board = pt_vboard_s12zvm.make(settings, NULL, 0, &err);
	ck_assert_msg(rig->board != NULL, "%s", err.msg);
	rig->chip = pt_s12zvm_of(rig->board);
	ck_assert_int_eq(pt_vfaults_parse(&rig->faults, fault, &err), 0);
	pt_vpace_init(&rig->pace, &pt_vboard_s12zvm, rig->board, false);
	pt_vbkgd_init(&rig->wire, &rig->pace, &rig->faults);
	pt_params_free(settings);
	return rig;
}

static inline void rig_close(struct rig *rig)
{
	pt_vboard_s12zvm.free(rig->board);
	free(rig);
}

static inline void rig_run(struct rig *rig, uint64_t ns)
{
	pt_vbkgd_idle_until(&rig->wire, rig->wire.ns + ns);
	pt_vpace_to(&rig->pace, rig->wire.ns);
}

/* --- the wire, ACK off: op-code and arguments, the delay, then the answer */

static inline void rig_send(struct rig *rig, const uint8_t *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		pt_vbkgd_send(&rig->wire, bytes[i]);
}

static inline uint32_t rig_receive(struct rig *rig, unsigned n_bytes)
{
	uint32_t value = 0;

	for (unsigned i = 0; i < n_bytes; i++)
		value = value << 8 | pt_vbkgd_receive(&rig->wire);
	return value;
}

#define RIG_SEND(rig, ...) \
	rig_send(rig, (const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ }))

static inline void rig_delay(struct rig *rig)
{
	pt_vbkgd_cycles(&rig->wire, PT_VBDC_DELAY);
}

static inline uint16_t rig_csr(struct rig *rig)
{
	RIG_SEND(rig, 0x2d);
	return (uint16_t)rig_receive(rig, 2);
}

static inline void rig_set_csr(struct rig *rig, uint16_t value)
{
	RIG_SEND(rig, 0x0d, (uint8_t)(value >> 8), (uint8_t)value);
}

static inline uint32_t rig_read(struct rig *rig, uint32_t addr, unsigned size_bytes)
{
	uint8_t opcode = size_bytes == 4 ? 0x38 : size_bytes == 2 ? 0x34 : 0x30;
	uint32_t value;

	RIG_SEND(rig, opcode, (uint8_t)(addr >> 16), (uint8_t)(addr >> 8), (uint8_t)addr);
	rig_delay(rig);
	value = rig_receive(rig, size_bytes);
	rig_delay(rig);
	return value;
}

static inline void rig_write(struct rig *rig, uint32_t addr, unsigned size_bytes, uint32_t value)
{
	uint8_t opcode = size_bytes == 4 ? 0x18 : size_bytes == 2 ? 0x14 : 0x10;

	RIG_SEND(rig, opcode, (uint8_t)(addr >> 16), (uint8_t)(addr >> 8), (uint8_t)addr);
	for (unsigned i = size_bytes; i-- > 0;)
		pt_vbkgd_send(&rig->wire, (uint8_t)(value >> 8 * i));
	rig_delay(rig);
}

static inline void rig_command(struct rig *rig, uint8_t opcode)
{
	pt_vbkgd_send(&rig->wire, opcode);
	rig_delay(rig);
}

/* SYNC, ENBDC, no flags. */
static inline void rig_attach(struct rig *rig)
{
	ck_assert_uint_ne(pt_vbkgd_sync(&rig->wire), 0);
	rig_set_csr(rig, PT_VBDC_ENBDC | PT_VBDC_FLAGS);
}

static inline void rig_halt(struct rig *rig)
{
	rig_command(rig, 0x04);
	for (int i = 0; i < 1000 && (rig_csr(rig) & PT_VBDC_BDMACT) == 0; i++)
		rig_run(rig, 10000);
	ck_assert_uint_ne(rig_csr(rig) & PT_VBDC_BDMACT, 0);
}

static inline uint32_t rig_reg(struct rig *rig, unsigned crn)
{
	uint32_t value;

	pt_vbkgd_send(&rig->wire, (uint8_t)(0x60 + crn));
	rig_delay(rig);
	value = rig_receive(rig, 4);
	rig_delay(rig);
	return value;
}

#endif
