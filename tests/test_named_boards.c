/* --board: each row makes sense, what it gives is taken, and a wrong name is answered. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "cli/named_boards.h"
#include "harness.h"
#include "targets/registry.h"

static struct pt_err err;

/* In order, so that a board is found in the list, and each name once. */
START_TEST(rows_are_in_order)
{
	for (size_t i = 1; i < pt_n_named_boards; i++)
		ck_assert_msg(strcmp(pt_named_boards[i - 1].name, pt_named_boards[i].name) < 0, "%s",
			      pt_named_boards[i].name);
}
END_TEST

static void take_word(void *arg, const char *word)
{
	unsigned *n = arg;
	struct pt_params *settings = pt_params_new();

	ck_assert_msg(pt_params_add(settings, pt_cortexm_ops.params, pt_cortexm_ops.n_params, word, &err) == 0,
		      "%s: %s", word, err.msg);
	pt_params_free(settings);
	(*n)++;
}

/* "VID:PID|VID:PID", four digits each; the serial numbers of DAPLink begin with the four digits of the board. */
static void check_probe(const struct pt_named_board *board)
{
	for (const char *at = board->probe->ids; at != NULL; at = strchr(at, '|')) {
		at += *at == '|';
		ck_assert_msg(strcspn(at, "|") == 9 && at[4] == ':' && strspn(at, "0123456789abcdef") == 4 &&
				      strspn(at + 5, "0123456789abcdef") == 4,
			      "%s: %s", board->name, at);
	}
	for (const char *at = board->serials; at != NULL; at = strchr(at, '|')) {
		at += *at == '|';
		ck_assert_msg(strcspn(at, "|") == 5 && at[4] == '*', "%s: %s", board->name, at);
	}
	ck_assert(board->serials == NULL || strcmp(board->probe->name, "DAPLink") == 0);
}

START_TEST(a_row_makes_sense)
{
	const struct pt_named_board *board = &pt_named_boards[_i];
	char uri[200] = "";
	unsigned n = 0;

	ck_assert_ptr_eq(pt_named_board_find(board->name, &err), board);
	check_probe(board);
	pt_named_board_words(board, take_word, &n);
	ck_assert_uint_eq(n, (board->chip != NULL) + (board->core_clock != NULL));
	if (pt_named_board_is_driven(board)) {
		ck_assert_int_eq(pt_named_board_uri(board, uri, sizeof(uri), &err), 0);
		ck_assert_msg(strncmp(uri, "usb:id=", 7) == 0 && strlen(uri) < sizeof(uri) - 1, "%s", uri);
	} else {
		ck_assert_int_eq(pt_named_board_uri(board, uri, sizeof(uri), &err), PT_EARG);
		ck_assert_ptr_nonnull(strstr(err.msg, board->probe->name));
		ck_assert_ptr_nonnull(strstr(err.msg, "--probe usb:"));
		ck_assert_uint_lt(strlen(err.msg), sizeof(err.msg) - 1);	/* whole */
	}
}
END_TEST

START_TEST(names_the_probe_that_it_drives)
{
	char uri[200];

	ck_assert_int_eq(pt_named_board_uri(pt_named_board_find("microbit-v2", &err), uri, sizeof(uri), &err), 0);
	ck_assert_str_eq(uri, "usb:id=0d28:0204&serial=9903*|9904*|9905*|9906*");
	ck_assert_int_eq(pt_named_board_uri(pt_named_board_find("samd21-xplained-pro", &err), uri, sizeof(uri), &err),
			 0);
	ck_assert_str_eq(uri, "usb:id=03eb:2111");
}
END_TEST

static const struct { const char *name, *says; } wrong[] = {
	{ "nucleo-f411er", "did you mean nucleo-f411re?" },
	{ "microbit2", "did you mean microbit" },
	{ "kl27", "its address is --probe virtual:kl27" },
	{ "what-is-this-board", "`proftap boards` lists them" },
	{ "", "`proftap boards` lists them" },
};
START_TEST(answers_a_wrong_name)
{
	ck_assert_ptr_null(pt_named_board_find(wrong[_i].name, &err));
	ck_assert_int_eq(err.code, PT_EARG);
	ck_assert_msg(strstr(err.msg, wrong[_i].says) != NULL, "%s", err.msg);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("named_boards");
	TCase *tc = tcase_create("named_boards");

	tcase_add_test(tc, rows_are_in_order);
	tcase_add_loop_test(tc, a_row_makes_sense, 0, (int)pt_n_named_boards);
	tcase_add_test(tc, names_the_probe_that_it_drives);
	tcase_add_loop_test(tc, answers_a_wrong_name, 0, (int)PT_LEN(wrong));
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
