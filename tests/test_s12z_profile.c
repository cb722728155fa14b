/* From lines of the S12Z's code profiling to a report, with figures counted by hand in s12z_program.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "chunk_feed.h"
#include "probes/virtual/demo/s12zvm_demo.h"
#include "program/code/codemap.h"
#include "program/model/settings.h"
#include "report/views/views.h"
#include "s12z_program.h"

/* main calls leaf and if, goes around, calls leaf, is interrupted before it calls if, and calls it. */
static const uint8_t pdo[] = {
	0x00, 0x00, 0x80, 0xff,					/* main */
	0x01, 0x01, 0x00, 0x00, 0x00, 0x09, 0x80, 0xff,		/* leaf returned */
	0x01, 0x06, 0x00, 0x00, 0x00, 0x0c, 0x80, 0xff,		/* taken, not taken; if returned */
	0x01, 0x03, 0x00, 0x00, 0x00, 0x09, 0x80, 0xff,		/* around; leaf returned */
	0x03, 0x01, 0x00, 0x00, 0x00, 0xea, 0x40, 0x00,		/* IRQ, 64 cycles later */
	0x01, 0x02, 0x00, 0x00, 0x00, 0x50, 0x80, 0xff,		/* not taken; isr returned into if */
	0x01, 0x06, 0x00, 0x00, 0x00, 0x0c, 0x80, 0xff,
	0x17, 0x01, 0x00, 0x00, 0x00, 0x00, 0x10, 0x00,		/* disarmed 16 cycles later */
};

static struct chunk_feed feed_of(const char *const *words, size_t n_words)
{
	struct pt_program *program = s12z_program();
	struct chunk_feed f = chunk_feed_of(program, words, n_words);

	pt_program_unref(program);
	return f;
}

static void session(struct chunk_feed *f, uint64_t from_ns, const uint8_t *bytes, size_t len_bytes)
{
	chunk_put(f, 0, PT_CHUNK_DATA, PT_DATA_RESTARTS, from_ns, from_ns + 1000, bytes, len_bytes);
}

static const struct pt_profile_function *row_of(const struct pt_profile *p, const char *name)
{
	for (size_t i = 0; i < p->n_functions; i++)
		if (p->function[i].function != NULL && strcmp(p->function[i].function->name, name) == 0)
			return &p->function[i];
	ck_abort_msg("no row for %s", name);
}

static const char config[] =
	"format=s12z-profile\nsource=dbg-profile\nmode=pdo\nstream=pdo\nivbr=0xfffe\nbus_hz=32000000\n";

START_TEST(counts_and_instructions_are_exact)
{
	static const struct { const char *name; uint64_t count, instructions; } want[] = {
		{ "main", 1, 9 }, { "leaf", 2, 4 }, { "if", 2, 6 }, { "isr", 1, 4 },
	};
	struct chunk_feed f = feed_of(NULL, 0);
	const struct pt_profile *p;

	chunk_config(&f, 0, config);
	session(&f, 0, pdo, sizeof(pdo));
	chunk_end(&f, 0, 1000);
	p = pt_pipeline_profile(f.pipeline);
	for (size_t i = 0; i < PT_LEN(want); i++) {
		const struct pt_execution_function *run = row_of(p, want[i].name)->run;

		ck_assert_msg(run->count == want[i].count, "%s: %u calls", want[i].name, (unsigned)run->count);
		ck_assert_msg(run->instructions == want[i].instructions, "%s: %u instructions", want[i].name,
			      (unsigned)run->instructions);
	}
	ck_assert_uint_eq(p->instructions, 23);
	ck_assert_uint_eq(p->not_code, 0);
	ck_assert(!p->by_instructions);
	ck_assert_uint_eq(p->core_hz, 32000000);	/* the stamps' clock */
	ck_assert_int_eq(p->counts, PT_BASIS_EXACT);
	ck_assert_int_eq(p->times, PT_BASIS_MODELLED);
	for (int e = 0; e < PT_N_EXECUTION_ERRORS; e++)
		ck_assert_uint_eq(p->errors.n[e], 0);
	chunk_feed_drop(&f);
}
END_TEST

START_TEST(exceptions_have_names_and_bus_cycles)
{
	struct chunk_feed f = feed_of(NULL, 0);
	const struct pt_profile *p;
	struct pt_text text = { 0 };

	chunk_config(&f, 0, config);
	session(&f, 0, pdo, sizeof(pdo));
	chunk_end(&f, 0, 1000);
	p = pt_pipeline_profile(f.pipeline);
	ck_assert_uint_eq(p->n_irqs, 1);
	ck_assert_str_eq(p->irq[0].function->function->name, "isr");
	ck_assert_str_eq(p->irq[0].vectors, "IRQ");
	ck_assert_uint_eq(p->irq[0].since.n, 1);
	ck_assert_uint_eq(p->irq[0].since.min, 64);
	ck_assert_uint_eq(p->n_since, 2);
	ck_assert_str_eq(p->since[0].exception, "IRQ");
	ck_assert_str_eq(p->since[0].handler->name, "isr");
	ck_assert_str_eq(p->since[1].exception, "(none)");
	ck_assert_ptr_null(p->since[1].handler);
	ck_assert_uint_eq(p->since[1].cycles.max, 16);
	ck_assert_ptr_nonnull(strstr(chunk_report(&f, &text, "irqs", "csv"), "since.max"));
	pt_text_free(&text);
	chunk_feed_drop(&f);
}
END_TEST

/* The interrupt came 64 cycles behind the last branch, entry included, and the end 16: whatever the model says. Where the
 * interrupt was its return says: in if, on the way from loop. */
START_TEST(stamps_are_the_time)
{
	static const struct { const char *name; uint64_t cycles; } want[] = {
		{ "main", 4 + 2 + 3 + 2 + 2 + 16 }, { "leaf", 2 * 3 }, { "if", 4 + 53 + 4 }, { "isr", 9 + 12 },
	};
	struct chunk_feed f = feed_of(NULL, 0);
	const struct pt_profile *p;

	chunk_config(&f, 0, config);
	session(&f, 0, pdo, sizeof(pdo));
	chunk_end(&f, 0, 1000);
	p = pt_pipeline_profile(f.pipeline);
	for (size_t i = 0; i < PT_LEN(want); i++)
		ck_assert_msg(row_of(p, want[i].name)->run->cycles == want[i].cycles, "%s: %u cycles", want[i].name,
			      (unsigned)row_of(p, want[i].name)->run->cycles);
	chunk_feed_drop(&f);
}
END_TEST

/* A trace without stamps of what ran leaves out a loop without branches, so no report may call its sums time. */
static const uint8_t lines[] = {
	0x09, 0x80, 0xff, 0xc0, 0x50, 0x80, 0xff, 0x80,		/* leaf returned; a branch in if was taken */
	0x0c, 0x80, 0xff, 0xc0, 0x0e, 0x80, 0xff, 0x80,		/* if returned; around */
};

START_TEST(no_cycles_without_stamps)
{
	struct pt_text text = { 0 };
	struct chunk_feed f = feed_of(NULL, 0);
	const char *report;

	chunk_config(&f, 0, "format=s12z-trace\nsource=trace\nmode=normal\ntrace=normal\nbus_hz=32000000\n");
	session(&f, 0, lines, sizeof(lines));
	chunk_end(&f, 0, 1000);
	report = chunk_report(&f, &text, "functions", "text");
	ck_assert_ptr_nonnull(strstr(report, "Times are in instructions."));
	ck_assert_ptr_null(strstr(report, "modelled"));
	ck_assert_ptr_null(strstr(report, "Cortex"));
	pt_text_free(&text);
	report = chunk_report(&f, &text, "functions", "json");
	ck_assert_ptr_nonnull(strstr(report, "\"cycles\": null"));
	pt_text_free(&text);
	chunk_feed_drop(&f);
}
END_TEST

/* Loop1 leaves out what repeats: there is an order, and what ran, but no share of anything. */
START_TEST(no_shares_where_repetitions_are_left_out)
{
	struct chunk_feed f = feed_of(NULL, 0);
	const struct pt_profile *p;

	chunk_config(&f, 0, "format=s12z-trace\nsource=trace\nmode=loop1\ntrace=loop1\n");
	session(&f, 0, lines, sizeof(lines));
	chunk_end(&f, 0, 1000);
	p = pt_pipeline_profile(f.pipeline);
	ck_assert_int_eq(p->shares, PT_BASIS_NONE);
	ck_assert_int_eq(p->times, PT_BASIS_NONE);
	ck_assert_double_nan(row_of(p, "main")->share.share);
	ck_assert_uint_gt(row_of(p, "main")->run->instructions, 0);
	chunk_feed_drop(&f);
}
END_TEST

/* Every view and every format has something to say, or says why not, of code that no library of ours prints. */
START_TEST(all_views_and_formats_work)
{
	static const char *const words[] = { "analysis=all" };
	struct chunk_feed f = feed_of(words, 1);

	chunk_config(&f, 0, config);
	session(&f, 0, pdo, sizeof(pdo));
	chunk_end(&f, 0, 1000);
	for (size_t i = 0; pt_views[i] != NULL; i++)
		for (size_t k = 0; pt_formats[k] != NULL; k++) {
			struct pt_text text = { 0 };
			struct pt_query query = { .top = 0 };
			struct pt_err err = { 0 };

			snprintf(query.view, sizeof(query.view), "%s", pt_views[i]->name);
			snprintf(query.format, sizeof(query.format), "%s", pt_formats[k]->name);
			if (pt_report_render(pt_pipeline_profile(f.pipeline), &query, &text, &err) < 0)
				ck_assert_msg(err.msg[0] != '\0', "%s as %s", query.view, query.format);
			pt_text_free(&text);
		}
	chunk_feed_drop(&f);
}
END_TEST

/* A stream that is cut in a line, damaged, and armed anew: what was collected stays, and the loss is counted. */
START_TEST(damage_is_counted_and_nothing_else_lost)
{
	static const uint8_t noise[] = { 0x55, 0x99, 0xff };
	struct chunk_feed f = feed_of(NULL, 0);
	const struct pt_profile *p;

	chunk_config(&f, 0, config);
	session(&f, 0, pdo, sizeof(pdo) - 12);
	session(&f, 1000, pdo, sizeof(pdo));
	chunk_put(&f, 0, PT_CHUNK_DATA, PT_DATA_FOLLOWS, 2000, 3000, noise, sizeof(noise));
	chunk_end(&f, 0, 3000);
	p = pt_pipeline_profile(f.pipeline);
	ck_assert_uint_eq(row_of(p, "leaf")->run->count, 4);
	ck_assert_uint_eq(row_of(p, "isr")->run->count, 2);
	ck_assert_uint_eq(p->loss.by[PT_LOSS_DAMAGED].events, 2);
	ck_assert_uint_eq(p->loss.by[PT_LOSS_DAMAGED].bytes, 4 + sizeof(noise));
	ck_assert_int_eq(p->counts, PT_BASIS_ESTIMATED);
	chunk_feed_drop(&f);
}
END_TEST

/* SYNC_PC: instructions begin at any byte. */
START_TEST(samples_at_any_byte)
{
	struct chunk_feed f = feed_of(NULL, 0);
	const struct pt_profile *p;
	uint8_t sample[8];

	pt_put_le32(sample, Z_LEAF + 1);
	pt_put_le32(sample + 4, 0xff805b);	/* behind if, between functions */
	chunk_config(&f, 0, "format=pcsr\nsource=sync-pc\nmode=sample\nbit0=1\n");
	chunk_put(&f, 0, PT_CHUNK_DATA, PT_DATA_RESTARTS, 0, 1000, sample, sizeof(sample));
	chunk_end(&f, 0, 1000);
	p = pt_pipeline_profile(f.pipeline);
	ck_assert_uint_eq(row_of(p, "leaf")->samples, 1);
	ck_assert_uint_eq(p->samples, 2);
	chunk_feed_drop(&f);
}
END_TEST

/* --- where a handler's address is in its vector ------------------------------------------------------------------ */

/* The demo firmware with its vectors a byte earlier in their entries: the first three of four. */
static void write_shifted(const char *path)
{
	uint8_t *elf = malloc(pt_s12zvm_demo_elf_bytes);
	FILE *f = fopen(path, "wb");
	unsigned n_shifted = 0;

	ck_assert(elf != NULL && f != NULL);
	memcpy(elf, pt_s12zvm_demo_elf, pt_s12zvm_demo_elf_bytes);
	for (uint32_t i = 0, at = pt_be32(elf + 28); i < pt_be16(elf + 44); i++, at += 32) {	/* e_phoff, e_phnum */
		uint32_t offset = pt_be32(elf + at + 4), addr = pt_be32(elf + at + 8), size = pt_be32(elf + at + 16);

		for (uint32_t k = 0; addr >= 0xfffe00 && k + 4 <= size; k += 4, n_shifted++) {
			memmove(elf + offset + k, elf + offset + k + 1, 3);
			elf[offset + k + 3] = 0;
		}
	}
	ck_assert_uint_gt(n_shifted, 100);
	ck_assert_uint_eq(fwrite(elf, 1, pt_s12zvm_demo_elf_bytes, f), pt_s12zvm_demo_elf_bytes);
	fclose(f);
	free(elf);
}

static uint64_t timer_handler(struct pt_program *program, bool *is_entry)
{
	uint64_t addr = pt_program_vector(program, 12);
	struct pt_codemap *map = pt_codemap_new(program, &pt_isa_s12z);
	const struct pt_code_unit *unit = pt_codemap_at(map, addr);

	*is_entry = unit != NULL && unit->len_units > 0 && !unit->plain;
	pt_codemap_free(map);
	return addr;
}

START_TEST(vectors_are_read_where_the_user_says)
{
	struct pt_params *settings = pt_params_new();
	char path[] = "vectors-XXXXXX";
	int fd = mkstemp(path);
	struct pt_err err = { 0 };
	struct pt_program *plain = pt_program_from_bytes("demo", pt_s12zvm_demo_elf, pt_s12zvm_demo_elf_bytes, 0, &err),
			  *shifted;
	bool is_entry;
	uint64_t tick = timer_handler(plain, &is_entry);

	ck_assert(fd >= 0 && is_entry);
	write_shifted(path);
	shifted = pt_program_open(path, 0, &err);
	ck_assert_uint_ne(timer_handler(shifted, &is_entry), tick);
	pt_program_unref(shifted);
	ck_assert_int_eq(pt_params_add(settings, pt_program_params, PT_N_PROGRAM_PARAMS, "vector-offset=0", &err), 0);
	shifted = pt_program_open_with(path, 0, settings, &err);
	ck_assert_uint_eq(timer_handler(shifted, &is_entry), tick);
	ck_assert(is_entry);
	ck_assert_uint_eq(pt_program_vector_in(shifted, 0xfffe00, 12), tick);
	pt_program_unref(shifted);
	pt_program_unref(plain);
	pt_params_free(settings);
	close(fd);
	remove(path);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("s12z_profile");
	TCase *tc = tcase_create("sessions");

	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, counts_and_instructions_are_exact);
	tcase_add_test(tc, exceptions_have_names_and_bus_cycles);
	tcase_add_test(tc, stamps_are_the_time);
	tcase_add_test(tc, no_cycles_without_stamps);
	tcase_add_test(tc, no_shares_where_repetitions_are_left_out);
	tcase_add_test(tc, all_views_and_formats_work);
	tcase_add_test(tc, damage_is_counted_and_nothing_else_lost);
	tcase_add_test(tc, samples_at_any_byte);
	tcase_add_test(tc, vectors_are_read_where_the_user_says);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
