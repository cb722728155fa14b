/* The text of CONFIG: keys are found wherever they stand, the first of two counts, and whatever the bytes, the split text says
 * what a look through its lines says. */
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "targets/contract/emit.h"
#include "trace/config.h"
#include "base/util.h"

static const char text[] =
	"format=mtb\nbuffer=0x20000000\n\nnonsense\nsize=\nsize=3\nformats=2\nform=a=b\nnote=a\tb\nlast=1";

static const struct { const char *key; int len; const char *value; } keys[] = {
	{ "format", 3, "mtb" }, { "buffer", 10, "0x20000000" }, { "size", 0, "" }, { "last", 1, "1" }, { "form", 3, "a=b" },
	{ "formats", 1, "2" }, { "mat", -1, NULL }, { "for", -1, NULL }, { "nonsense", -1, NULL }, { "", -1, NULL },
	{ "form=a", -1, NULL }, { "zzz", -1, NULL },
};

START_TEST(finds_keys)
{
	struct pt_config config, empty;
	const char *value = NULL;
	int len;

	ck_assert(pt_config_init(&config, text, strlen(text)));
	ck_assert(pt_config_init(&empty, text, 0));
	len = pt_config_find(&config, keys[_i].key, &value);
	ck_assert_int_eq(len, keys[_i].len);
	if (len >= 0)
		ck_assert_int_eq(strncmp(value, keys[_i].value, (size_t)len), 0);
	ck_assert_int_eq(pt_config_find(&empty, keys[_i].key, &value), -1);
	pt_config_fini(&config);
	pt_config_fini(&empty);
}
END_TEST

START_TEST(as_text_and_number)
{
	struct pt_config config;
	char out[8];

	ck_assert(pt_config_init(&config, text, strlen(text)));
	ck_assert_uint_eq(pt_config_number(&config, "buffer", 7), 0x20000000);
	ck_assert_uint_eq(pt_config_number(&config, "size", 7), 7);
	ck_assert_uint_eq(pt_config_number(&config, "format", 7), 7);
	ck_assert_uint_eq(pt_config_number(&config, "gone", 7), 7);
	ck_assert_str_eq(pt_config_text(&config, "note", out, sizeof(out)), "a?b");
	ck_assert_str_eq(pt_config_text(&config, "buffer", out, sizeof(out)), "0x20000");
	ck_assert_str_eq(pt_config_text(&config, "gone", out, sizeof(out)), "");
	ck_assert_str_eq(pt_config_texts(&config, "gone", out, sizeof(out)), "");
	pt_config_fini(&config);
}
END_TEST

START_TEST(a_key_that_is_there_several_times)
{
	static const char lines[] = "assumed=one\nx=0\nassumed=two\nassumed=\tthree\n";
	struct pt_config config;
	char out[64], little[7];

	ck_assert(pt_config_init(&config, lines, strlen(lines)));
	ck_assert_str_eq(pt_config_texts(&config, "assumed", out, sizeof(out)), "one; two; ?three");
	ck_assert_str_eq(pt_config_texts(&config, "assumed", little, sizeof(little)), "one; t");
	pt_config_fini(&config);
}
END_TEST

/* Of a few letters, so that keys meet. */
START_TEST(any_bytes)
{
	static const char letters[] = "ab=\n\0c";
	static const char *const asked[] = { "a", "b", "ab", "ba", "", "c", "abc" };
	uint64_t seed = (uint64_t)_i;
	struct pt_config config;
	char bytes[300];

	for (unsigned round = 0; round < 2000; round++) {
		size_t len = (size_t)pt_random(&seed, sizeof(bytes));

		for (size_t i = 0; i < len; i++)
			bytes[i] = letters[pt_random(&seed, sizeof(letters) - 1)];
		ck_assert(pt_config_init(&config, bytes, len));
		for (size_t k = 0; k < PT_LEN(asked); k++) {
			const char *one = NULL, *other = NULL;

			ck_assert_int_eq(pt_config_find(&config, asked[k], &one),
					 pt_config_look_up(bytes, len, asked[k], &other));
			ck_assert_ptr_eq(one, other);
		}
		pt_config_fini(&config);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("config");
	TCase *tc = tcase_create("config");

	tcase_add_loop_test(tc, finds_keys, 0, PT_LEN(keys));
	tcase_add_test(tc, as_text_and_number);
	tcase_add_test(tc, a_key_that_is_there_several_times);
	tcase_add_loop_test(tc, any_bytes, 0, 4);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
