/* Accesses that the virtual cm4's DWT reports, in each form of its FUNCTION, as the decoder reads them: against what the core did. */
#include <stdio.h>
#include <string.h>

#include "harness.h"
#include "swo_rig.h"

#include "bare_core.h"
#include "config_text.h"
#include "base/util.h"
#include "decode/decoder.h"

enum { COMPARATOR = 3, COMP = RIG_COMP0 + 16 * COMPARATOR, MOST_ACCESSES = 1 << 14, MOST_BYTES = 1 << 20 };
enum { READS = 1, WRITES = 2, BOTH = READS | WRITES };
enum { PC = 1, ADDRESS = 2, VALUE = 4, MATCH = 8, V8 = 16, LIMIT = 7 };

/* What a form reports, and of which accesses. Source: DDI 0403, table C1-14 (0x20: EMITRANGE); DDI 0553, DWT_FUNCTION<n> (of
 * ARMv8-M: MATCH, and ACTION from 0x10 on; the word, of which DATAVSIZE is 0x800). */
static const struct { const char *name; uint32_t function; unsigned of, reports; } forms[] = {
	{ "pc", 1, BOTH, PC },
	{ "address", 0x21, BOTH, ADDRESS },
	{ "value", 2, BOTH, VALUE },
	{ "address and value", 0x22, BOTH, ADDRESS | VALUE },
	{ "pc and value", 3, BOTH, PC | VALUE },
	{ "value on reads", 0xc, READS, VALUE },
	{ "value on writes", 0xd, WRITES, VALUE },
	{ "pc and value on reads", 0xe, READS, PC | VALUE },
	{ "pc and value on writes", 0xf, WRITES, PC | VALUE },
	{ "address on reads", 0x2c, READS, ADDRESS },
	{ "address on writes", 0x2d, WRITES, ADDRESS },
	{ "address and value on reads", 0x2e, READS, ADDRESS | VALUE },
	{ "address and value on writes", 0x2f, WRITES, ADDRESS | VALUE },
	{ "v8: match", 0x824, BOTH, V8 | MATCH },
	{ "v8: match on writes", 0x825, WRITES, V8 | MATCH },
	{ "v8: match on reads", 0x826, READS, V8 | MATCH },
	{ "v8: pc", 0x834, BOTH, V8 | PC },
	{ "v8: pc on writes", 0x835, WRITES, V8 | PC },
	{ "v8: pc on reads", 0x836, READS, V8 | PC },
	{ "v8: value", 0x82c, BOTH, V8 | VALUE },
	{ "v8: value on writes", 0x82d, WRITES, V8 | VALUE },
	{ "v8: value on reads", 0x82e, READS, V8 | VALUE },
	{ "v8: pc and value", 0x83c, BOTH, V8 | PC | VALUE },
	{ "v8: pc and value on writes", 0x83d, WRITES, V8 | PC | VALUE },
	{ "v8: pc and value on reads", 0x83e, READS, V8 | PC | VALUE },
	{ "v8: match of a range", 0x20 | LIMIT, BOTH, V8 | MATCH },
	{ "v8: address in a range", 0x30 | LIMIT, BOTH, V8 | ADDRESS },
};

static struct { uint32_t addr, value, pc; unsigned size_bytes; bool write; } accesses[MOST_ACCESSES];
static size_t n_accesses;
static uint32_t watched;
static unsigned wanted, range_bytes;

static void on_data(void *arg, uint32_t addr, unsigned size_bytes, bool write, uint32_t value, uint32_t pc)
{
	(void)arg;
	if (addr / range_bytes != watched / range_bytes || (wanted & (write ? WRITES : READS)) == 0)
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
static void run_firmware(int form)
{
	bool v8 = (forms[form].reports & V8) != 0, is_range = v8 && (forms[form].function & 0xf) == LIMIT;

	rig_open_firmware(&pt_vboard_cm4, NULL, "cm4_trace.elf");
	watched = pt_elf_symbol(pt_firmware("cm4_trace.elf"), "g_watched");
	rig_run_us(3000);
	rig_trace(0, 0x00010009);
	rig_poke(RIG_TPIU + PT_VTPIU_SPPR, 0);
	rig_poke(RIG_ITM + PT_VITM_TER, 0);
	rig.chip->dwt.v2 = v8;
	wanted = forms[form].of;
	range_bytes = v8 && !is_range ? 4 : 8;
	rig_poke(COMP - 16, watched & ~7u);		/* the first of a pair */
	rig_poke(COMP - 16 + 8, is_range ? 4 : 0);
	rig_poke(COMP, is_range ? watched | 7 : watched);
	rig_poke(COMP + 4, 3);
	rig_poke(COMP + 8, forms[form].function);
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
	unsigned reports = forms[form].reports;

	ck_assert_msg(i < n_accesses, "%s: more events than accesses", name);
	ck_assert_msg(pt_value_comparator(e) == COMPARATOR, "%s: access %zu", name, i);
	ck_assert_msg(pt_value_matched(e) == ((reports & MATCH) != 0), "%s: match of access %zu", name, i);
	ck_assert_msg(pc == ((reports & PC) != 0 ? accesses[i].pc : PT_UNKNOWN), "%s: pc of access %zu", name, i);
	ck_assert_msg(e->value.at == ((reports & ADDRESS) != 0 ? accesses[i].addr : watched),
		      "%s: address of access %zu", name, i);
	if ((reports & VALUE) == 0) {
		ck_assert_msg(e->n == 0 && e->value.value == PT_UNKNOWN, "%s: value of access %zu", name, i);
		return;
	}
	ck_assert_msg(e->n == accesses[i].size_bytes, "%s: bytes of access %zu", name, i);
	ck_assert_msg(e->value.value == accesses[i].value, "%s: value of access %zu", name, i);
	ck_assert_msg((e->cause & 1) == accesses[i].write, "%s: direction of access %zu", name, i);
}

START_TEST(each_form_is_read)
{
	static uint8_t bytes[MOST_BYTES];
	static uint64_t state[1024];
	static struct pt_batch batch;
	char config[80];
	uint64_t pc = PT_UNKNOWN;
	size_t len, n = 0;

	run_firmware(_i);
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
