/* Each core of the family: what the target reads of its performance monitor, while the program runs, is what the core
 * counted itself: each event that the model counts, chains that carry, and thresholds by each multiplier. */
#include "e500_rig.h"
#include "probes/virtual/cpu/e500/core.h"

enum { READINGS = 4, MOST_PMCS = 6, MOST_CYCLES = 256, CHAIN0 = 82, CHAIN4 = 91, DLFB_MISSES = 76 };

/* own: no older core has it */
static const struct { const char *core, *elf; uint16_t own[10]; } cores[PT_VE500_CORES] = {
	[PT_VE500_CORE_V1] = { "core=v1", NULL, { 0 } },
	[PT_VE500_CORE_V2] = { "core=v2", NULL, { 0 } },
	[PT_VE500_CORE_MC] = { "core=mc", "e500mc_demo", { 91, 110, 111, 114, 127, 148, 155, 176, 179, 180 } },
	[PT_VE500_CORE_E5500] = { "core=e5500", "e500mc_demo", { 110, 111, 113, 117, 150, 177, 179, 180 } },
	[PT_VE500_CORE_E6500] = { "core=e6500", "e500mc_demo", { 14, 68, 127, 129, 185, 193, 222, 224, 456, 508 } },
};

static uint8_t firmware[1 << 16];
static uint64_t before[PT_VE500_EVENTS];
static unsigned n_pmcs;

static void read_firmware(const char *name)
{
	const char *srcdir = getenv("srcdir");
	char file[512];
	FILE *f;

	there.elf = NULL;
	if (name == NULL)
		return;
	snprintf(file, sizeof(file), "%s/tests/firmware/%s.elf", srcdir != NULL ? srcdir : ".", name);
	f = fopen(file, "rb");
	ck_assert_msg(f != NULL, "%s", file);
	there.elf_bytes = fread(firmware, 1, sizeof(firmware), f);
	fclose(f);
	there.elf = firmware;
}

static void begin(int core)
{
	const char *const board_words[] = { cores[core].core, NULL };
	struct pt_err err = { .msg = "" };

	read_firmware(cores[core].elf);
	attach_to("modern", board_words, with_ram, PT_LEN(with_ram));
	ck_assert_str_eq(pt_e500_kinds[e500->core].name, pt_ve500_kinds[core].name);	/* by its PVR */
	n_pmcs = pt_e500_kinds[e500->core].n_pmcs;
	ck_assert_int_eq(target->ops->resume(target->state, 0, &err), 0);
}

static void pass(struct pt_e500_op *ops, size_t n)
{
	struct pt_err err = { .msg = "" };
	struct pt_e500_pass how;

	ck_assert_msg(pt_e500_pass(e500, 0, ops, n, &how, &err) == 0, "%s", err.msg);
}

static struct pt_e500_op set(unsigned pmr, uint32_t value)
{
	return (struct pt_e500_op){ .pmr = (uint16_t)pmr, .write = true, .value = value };
}

/* From 0 on, without our own instructions. */
static void count(const unsigned *numbers, unsigned n)
{
	struct pt_e500_op ops[2 * MOST_PMCS];

	for (unsigned i = 0; i < n; i++) {
		ops[i] = set(PT_E500_PMC0 + i, 0);
		ops[n + i] = set(PT_E500_PMLCA0 + i, FCM1 | numbers[i] << 16);
	}
	pass(ops, 2 * n);
	pthread_mutex_lock(&there.lock);
	memcpy(before, there.all, sizeof(before));
	pthread_mutex_unlock(&there.lock);
}

static void check(const unsigned *numbers, unsigned n)
{
	struct pt_e500_op ops[MOST_PMCS];

	for (unsigned i = 0; i < n; i++)
		ops[i] = (struct pt_e500_op){ .pmr = (uint16_t)(PT_E500_PMC0 + i) };
	pass(ops, n);
	pthread_mutex_lock(&there.lock);
	for (unsigned i = 0; i < n; i++)
		ck_assert_msg(ops[i].value == (uint32_t)(there.all[numbers[i]] - before[numbers[i]]),
			      "event %u: %u, not %llu", numbers[i], ops[i].value,
			      (unsigned long long)(there.all[numbers[i]] - before[numbers[i]]));
	pthread_mutex_unlock(&there.lock);
}

START_TEST(each_event_is_the_cores_own)
{
	unsigned numbers[MOST_PMCS], n = 0;

	begin(_i);
	for (unsigned event = 1; event <= PT_VE500_EVENTS; event++) {
		if (event < PT_VE500_EVENTS && pt_ve500_counts((enum pt_ve500_core)_i, event))
			numbers[n++] = event;
		if (n == 0 || (n < n_pmcs && event < PT_VE500_EVENTS))
			continue;
		count(numbers, n);
		for (unsigned i = 0; i < READINGS; i++)
			check(numbers, n);
		n = 0;
	}
	pthread_mutex_lock(&there.lock);
	for (size_t i = 0; i < PT_LEN(cores[_i].own); i++)
		ck_assert_msg(cores[_i].own[i] == 0 || there.all[cores[_i].own[i]] > 0, "event %u was not seen",
			      cores[_i].own[i]);
	ck_assert_uint_eq(there.n_changed, 0);
	pthread_mutex_unlock(&there.lock);
	leave();
}
END_TEST

/* The upper half is in the next counter; on an e6500 also of the two that the others lack. */
START_TEST(chains_carry)
{
	const uint32_t start = UINT32_MAX - 3000;

	begin(_i);
	for (unsigned low = 0; low < n_pmcs; low += 4) {
		struct pt_e500_op up[] = {
			set(PT_E500_PMLCA0 + low + 1, FCM1 | (low == 0 ? CHAIN0 : CHAIN4) << 16),
			set(PT_E500_PMLCA0 + low, FCM1 | 2 << 16),
			set(PT_E500_PMC0 + low, start), set(PT_E500_PMC0 + low + 1, 0),
		};
		uint64_t value = 0;

		pass(up, PT_LEN(up));
		pthread_mutex_lock(&there.lock);
		memcpy(before, there.all, sizeof(before));
		pthread_mutex_unlock(&there.lock);
		for (unsigned i = 0; i < 4 * READINGS; i++) {
			struct pt_e500_op read[] = { { .pmr = (uint16_t)(PT_E500_PMC0 + low + 1) },
						     { .pmr = (uint16_t)(PT_E500_PMC0 + low) } };

			pass(read, 2);
			value = (uint64_t)read[0].value << 32 | read[1].value;
			pthread_mutex_lock(&there.lock);
			ck_assert_uint_eq(value, start + (there.all[2] - before[2]));
			pthread_mutex_unlock(&there.lock);
		}
		ck_assert_uint_gt(value, UINT32_MAX);
	}
	leave();
}
END_TEST

/* --- thresholds, beside what the performance monitor makes of them */

static struct pt_ve500_watcher real;
static uint64_t lasting[MOST_CYCLES], lasted_so[MOST_CYCLES];	/* up to now; up to the last stop */

static void note_lasted(void *arg, unsigned event, uint32_t cycles, uint32_t msr)
{
	if (event == DLFB_MISSES && !there.ours)
		lasting[cycles < MOST_CYCLES ? cycles : MOST_CYCLES - 1]++;
	real.lasted(arg, event, cycles, msr);
}

static void note_stop(void)
{
	memcpy(lasted_so, lasting, sizeof(lasted_so));
}

static uint64_t longer_than(unsigned cycles)
{
	uint64_t n = 0;

	while (++cycles < MOST_CYCLES)
		n += lasted_so[cycles];
	return n;
}

static void listen_to_thresholds(void)
{
	struct pt_ve500_watcher mine;

	pthread_mutex_lock(&there.lock);
	real = mine = there.chip->cpu->watcher;
	mine.lasted = note_lasted;
	pt_ve500_set_watcher(there.chip->cpu, &mine);
	at_stop = note_stop;
	pthread_mutex_unlock(&there.lock);
}

START_TEST(thresholds_are_multiplied)
{
	static const struct { uint8_t threshold; unsigned multiplier; } rows[] = {
		{ 0, 0 }, { 5, 0 }, { 6, 0 }, { 19, 0 }, { 20, 0 }, { 3, 1 }, { 10, 1 }, { 2, 2 }, { 5, 2 }, { 1, 3 },
		{ 1, 4 }, { 1, 5 }, { 1, 6 }, { 1, 7 }, { 63, 7 },
	};

	const bool has_thresholds = _i != PT_VE500_CORE_E6500;	/* it dropped 76 to 81 */

	begin(_i);
	listen_to_thresholds();
	for (size_t i = 0; i < PT_LEN(rows); i++) {
		unsigned cycles = rows[i].threshold << rows[i].multiplier;
		struct pt_e500_op up[] = {
			set(PT_E500_PMLCB0, rows[i].multiplier << 8 | rows[i].threshold), set(PT_E500_PMLCB0 + 1, 0),
			set(PT_E500_PMC0, 0), set(PT_E500_PMC0 + 1, 0),
			set(PT_E500_PMLCA0, FCM1 | DLFB_MISSES << 16), set(PT_E500_PMLCA0 + 1, FCM1 | DLFB_MISSES << 16),
		};
		struct pt_e500_op read[] = { { .pmr = PT_E500_PMC0 }, { .pmr = PT_E500_PMC0 + 1 } };
		uint64_t longer, all;

		pass(up, PT_LEN(up));
		pthread_mutex_lock(&there.lock);
		longer = longer_than(cycles), all = longer_than(0);
		pthread_mutex_unlock(&there.lock);
		pass(read, 2);
		pthread_mutex_lock(&there.lock);
		ck_assert_uint_eq(read[0].value, has_thresholds ? longer_than(cycles) - longer : 0);
		ck_assert_uint_eq(read[1].value, has_thresholds ? longer_than(0) - all : 0);
		pthread_mutex_unlock(&there.lock);
	}
	ck_assert_uint_gt(longer_than(5), 100);
	leave();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("e500_each_core");
	TCase *tc = tcase_create("cores");

	tcase_set_timeout(tc, 300);
	tcase_add_loop_test(tc, each_event_is_the_cores_own, 0, PT_VE500_CORES);
	tcase_add_loop_test(tc, chains_carry, 0, PT_VE500_CORES);
	tcase_add_loop_test(tc, thresholds_are_multiplied, 0, PT_VE500_CORES);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
