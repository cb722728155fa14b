/* Accesses that the virtual cm4's DWT reports, in each form of its FUNCTION, as the decoder reads them: against what the core did. */
#include <stdio.h>
#include <string.h>

#include "harness.h"
#include "swo_rig.h"

#include "bare_core.h"
#include "config_text.h"
#include "base/util.h"
#include "decode/decoder.h"

enum { COMPARATOR = 2, COMP = RIG_COMP0 + 16 * COMPARATOR, MOST_ACCESSES = 1 << 14, MOST_BYTES = 1 << 20 };
enum { READS = 1, WRITES = 2, BOTH = READS | WRITES };

/* What a form reports, and of which accesses. Source: DDI 0403, table C1-14; 0x20: EMITRANGE. */
static const struct { const char *name; uint32_t function; unsigned of; bool pc, address, value; } forms[] = {
	{ "pc", 1, BOTH, true, false, false },
	{ "address", 0x21, BOTH, false, true, false },
	{ "value", 2, BOTH, false, false, true },
	{ "address and value", 0x22, BOTH, false, true, true },
	{ "pc and value", 3, BOTH, true, false, true },
	{ "value on reads", 0xc, READS, false, false, true },
	{ "value on writes", 0xd, WRITES, false, false, true },
	{ "pc and value on reads", 0xe, READS, true, false, true },
	{ "pc and value on writes", 0xf, WRITES, true, false, true },
	{ "address on reads", 0x2c, READS, false, true, false },
	{ "address on writes", 0x2d, WRITES, false, true, false },
	{ "address and value on reads", 0x2e, READS, false, true, true },
	{ "address and value on writes", 0x2f, WRITES, false, true, true },
};

static struct { uint32_t addr, value, pc; unsigned size_bytes; bool write; } accesses[MOST_ACCESSES];
static size_t n_accesses;
static uint32_t watched;
static unsigned wanted;

static void on_data(void *arg, uint32_t addr, unsigned size_bytes, bool write, uint32_t value, uint32_t pc)
{
	(void)arg;
	if (addr / 8 != watched / 8 || (wanted & (write ? WRITES : READS)) == 0)
		return;
	ck_assert_uint_lt(n_accesses, MOST_ACCESSES);
	accesses[n_accesses].addr = addr;
	accesses[n_accesses].size_bytes = size_bytes;
	accesses[n_accesses].write = write;
	accesses[n_accesses].pc = pc;
	accesses[n_accesses++].value = value;
}

static struct pt_vobserver data_accesses = { .data = on_data };

/* The parallel port takes all, so that nothing is lost. */
static void run_firmware(uint32_t function)
{
	rig_open_firmware(&pt_vboard_cm4, NULL, "cm4_trace.elf");
	watched = pt_elf_symbol(pt_firmware("cm4_trace.elf"), "g_watched");
	rig_run_us(3000);
	rig_trace(0, 0x00010009);
	rig_poke(RIG_TPIU + PT_VTPIU_SPPR, 0);
	rig_poke(RIG_ITM + PT_VITM_TER, 0);
	rig_poke(COMP, watched);
	rig_poke(COMP + 4, 3);
	rig_poke(COMP + 8, function);
	n_accesses = 0;
	pt_vcpu_add_observer(rig.chip->cpu, &data_accesses);
	rig_run_us(5000);
	pt_vcpu_remove_observer(rig.chip->cpu, &data_accesses);
	ck_assert_uint_gt(n_accesses, 100);
}

static size_t sent(uint8_t *bytes)
{
	size_t n = 0;

	for (size_t i = 0; i < rig.log.n; i++)
		for (unsigned k = 0; k < rig.packet[i].n_bytes && !rig.packet[i].lost; k++)
			bytes[n++] = rig.packet[i].bytes[k];
	return n;
}

/* pc: of the event before it, or PT_UNKNOWN. */
static void compare(int form, size_t i, const struct pt_event *e, uint64_t pc)
{
	const char *name = forms[form].name;

	ck_assert_msg(i < n_accesses, "%s: more events than accesses", name);
	ck_assert_msg(pt_value_comparator(e) == COMPARATOR && !pt_value_matched(e), "%s: access %zu", name, i);
	ck_assert_msg(pc == (forms[form].pc ? accesses[i].pc : PT_UNKNOWN), "%s: pc of access %zu", name, i);
	ck_assert_msg(e->value.at == (forms[form].address ? accesses[i].addr : watched), "%s: address of access %zu",
		      name, i);
	ck_assert_msg(e->n == (forms[form].value ? accesses[i].size_bytes : 0), "%s: bytes of access %zu", name, i);
	ck_assert_msg(e->value.value == (forms[form].value ? accesses[i].value : PT_UNKNOWN), "%s: value of access %zu",
		      name, i);
	ck_assert_msg(!forms[form].value || (e->cause & 1) == accesses[i].write, "%s: direction of access %zu", name,
		      i);
}

START_TEST(each_form_is_read)
{
	static uint8_t bytes[MOST_BYTES];
	static uint64_t state[1024];
	static struct pt_batch batch;
	char config[80];
	uint64_t pc = PT_UNKNOWN;
	size_t len, n = 0;

	wanted = forms[_i].of;
	run_firmware(forms[_i].function);
	len = sent(bytes);
	rig_close();
	snprintf(config, sizeof(config), "aligned=1\naddress.%d=%u\n", COMPARATOR, watched);
	decoder_init(&pt_decoder_itm, state, 0, 0, config, strlen(config));
	for (size_t at = 0; at <= len;) {
		batch.n_events = 0;
		if (at < len)
			at += pt_decoder_itm.feed(state, bytes + at, len - at, &batch);
		else if (at++ == len)
			pt_decoder_itm.flush(state, &batch);
		for (size_t i = 0; i < batch.n_events; i++) {
			const struct pt_event *e = &batch.event[i];

			ck_assert_msg(e->kind == PT_EV_VALUE || e->kind == PT_EV_VALUE_PC, "%s: kind %u",
				      forms[_i].name, e->kind);
			if (e->kind == PT_EV_VALUE)
				compare(_i, n++, e, pc);
			pc = e->kind == PT_EV_VALUE_PC ? e->branch.to : PT_UNKNOWN;
		}
	}
	ck_assert_msg(n == n_accesses, "%s: %zu events, %zu accesses", forms[_i].name, n, n_accesses);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("swo_data");
	TCase *tc = tcase_create("data");

	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, each_form_is_read, 0, PT_LEN(forms));
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
