/* See pdo_levels.h. The file is read by its own driver, which is asked for these two lines alone. */
#include "import/pdo_levels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/util.h"
#include "import/lines.h"
#include "trace/config.h"
#include "trace/formats.h"
#include "trace/pdo_bits.h"

enum { FRONT_BYTES = 512, BOTH = PT_PDO_DATA | PT_PDO_CLOCK };

static const struct pt_input_ops *const kinds[] = { &pt_input_vcd, &pt_input_sr, &pt_input_csv };

/* --- opening ------------------------------------------------------------------------------------------------------ */

static const struct pt_input_ops *find_kind(struct pt_infile *file)
{
	const uint8_t *bytes;
	size_t n = pt_infile_look(file, FRONT_BYTES, &bytes);

	n = n < FRONT_BYTES ? n : FRONT_BYTES;
	for (size_t i = 0; i < PT_LEN(kinds); i++)
		if (kinds[i]->recognise(bytes, n))
			return kinds[i];
	return NULL;
}

/* What was set for this file and means something to its driver, and the two lines. */
static int hand_on(struct pt_pdo_levels *l, const struct pt_params *given, const char *pdo, const char *pdoclk,
		   struct pt_err *err)
{
	char word[300];

	for (size_t i = 0; i < l->ops->n_params; i++) {
		const struct pt_param *row = &l->ops->params[i];

		if (!pt_params_given(given, row))
			continue;
		snprintf(word, sizeof(word), "%s=%s", row->key, pt_params_text(given, row));
		if (pt_params_add(l->settings, l->ops->params, l->ops->n_params, word, err) < 0)
			return err->code;
	}
	snprintf(word, sizeof(word), "lines=%.120s,%.120s", pdo, pdoclk);
	return pt_params_add(l->settings, l->ops->params, l->ops->n_params, word, err);
}

static int same_line(const char *pdo, struct pt_err *err)
{
	return pt_fail(err, PT_EARG, "pdo= and pdoclk= name the same line, %.60s", pdo);
}

static int find_lines(struct pt_pdo_levels *l, const char *pdo, const char *pdoclk, struct pt_err *err)
{
	const char *const name[] = { pdo, pdoclk };
	const struct pt_chunk *c = l->chunk;
	struct pt_config config;

	if (!pt_config_init(&config, (const char *)c->bytes, c->len_bytes))
		return pt_fail(err, PT_ENOMEM, "no memory for the names of its lines");
	l->tick_hz = pt_config_number(&config, "tick_hz", PT_NS_PER_S);
	for (unsigned i = 0; i < PT_LEN(name); i++) {
		uint64_t n = pt_config_number(&config, "lines", 0), line = 0;
		char key[32], text[PT_LINES_NAME_BYTES] = "";

		for (; line < n; line++) {
			snprintf(key, sizeof(key), "line.%u", (unsigned)line);
			if (pt_lines_is(pt_config_text(&config, key, text, sizeof(text)), name[i], strlen(name[i])))
				break;
		}
		l->line[i] = (uint16_t)line;
	}
	pt_config_fini(&config);
	return l->line[0] != l->line[1] ? 0 : same_line(pdo, err);
}

int pt_pdo_levels_open(struct pt_pdo_levels *l, struct pt_infile *file, const struct pt_input_setup *setup,
		       const char *pdo, const char *pdoclk, struct pt_err *err)
{
	struct pt_input_setup own = *setup;
	const struct pt_input_ops *ops = find_kind(file);

	if (ops == NULL) {
		pt_infile_close(file);
		return pt_fail(err, PT_EARG,
			       "pdo: the levels of PDO and PDOCLK are read from a VCD, a sigrok session or a CSV");
	}
	*l = (struct pt_pdo_levels){ .ops = ops, .settings = pt_params_new(), .state = pt_alloc(ops->state_bytes) };
	l->chunk = pt_alloc(sizeof(*l->chunk) + PT_CHUNK_BYTES);
	own.settings = l->settings;
	if (strcmp(pdo, pdoclk) == 0 ? same_line(pdo, err) < 0 : hand_on(l, setup->settings, pdo, pdoclk, err) < 0) {
		pt_infile_close(file);
		goto drop;
	}
	if (ops->open(l->state, file, &own, err) < 0)
		goto drop;
	if (ops->next(l->state, l->chunk, err) >= 0 && find_lines(l, pdo, pdoclk, err) == 0) {
		l->chunk->len_bytes = 0;
		return 0;
	}
	ops->close(l->state);
drop:
	l->ops = NULL;
	pt_pdo_levels_close(l);
	return err->code;
}

void pt_pdo_levels_close(struct pt_pdo_levels *l)
{
	if (l->ops != NULL)
		l->ops->close(l->state);
	pt_params_free(l->settings);
	free(l->state);
	free(l->chunk);
}

/* --- runs --------------------------------------------------------------------------------------------------------- */

static uint64_t to_ticks(const struct pt_pdo_levels *l, uint64_t ns)
{
	return (uint64_t)((unsigned __int128)ns * l->tick_hz / PT_NS_PER_S);
}

/* The levels stood until there. */
static bool run_to(struct pt_pdo_levels *l, uint64_t tick, struct pt_pdo_run *run)
{
	*run = (struct pt_pdo_run){ .from = l->now, .n = tick > l->now ? tick - l->now : 0, .levels = l->levels };
	l->now = tick > l->now ? tick : l->now;
	return run->n > 0 && l->known == BOTH;
}

/* The record takes effect. True: a level is not known any more. */
static bool take_record(struct pt_pdo_levels *l, const uint8_t *record)
{
	unsigned line = pt_le16(record + PT_LINES_LINE);
	bool known = record[PT_LINES_SIZE] != 0, was = l->known == BOTH;
	uint8_t bit = line == l->line[0] ? PT_PDO_DATA : line == l->line[1] ? PT_PDO_CLOCK : 0;

	l->at += PT_LINES_VALUE + record[PT_LINES_SIZE];
	l->known = (uint8_t)(known ? l->known | bit : l->known & ~bit);
	l->levels = (uint8_t)(known && record[PT_LINES_VALUE] != 0 ? l->levels | bit : l->levels & ~bit);
	return was && l->known != BOTH;
}

/* The last levels, which may have stood for no time at all, and the end. */
static int end(struct pt_pdo_levels *l, struct pt_pdo_run *run)
{
	*run = (struct pt_pdo_run){ .from = l->now, .levels = l->levels };
	if (l->known != BOTH)
		return PT_PDO_LEVELS_END;
	l->known = 0;
	return PT_PDO_LEVELS_RUN;
}

int pt_pdo_levels_next(struct pt_pdo_levels *l, struct pt_pdo_run *run, struct pt_err *err)
{
	struct pt_chunk *c = l->chunk;
	int item;

	for (;;) {
		while (c->kind == PT_CHUNK_DATA && l->at < c->len_bytes) {
			if (run_to(l, pt_le64(c->bytes + l->at + PT_LINES_TICKS), run))
				return PT_PDO_LEVELS_RUN;
			if (take_record(l, c->bytes + l->at))
				return PT_PDO_LEVELS_LOST;
		}
		if (c->kind == PT_CHUNK_DATA && run_to(l, to_ticks(l, c->to_ns), run))
			return PT_PDO_LEVELS_RUN;
		if (l->over)
			return end(l, run);
		l->at = 0;
		item = l->ops->next(l->state, c, err);
		if (item < 0)
			return item;
		l->over = item == PT_INPUT_END || c->kind == PT_CHUNK_END;
		if (item == PT_INPUT_END)
			c->kind = PT_CHUNK_END;
		if (c->kind != PT_CHUNK_LOSS)
			continue;
		l->known = 0;
		*run = (struct pt_pdo_run){ .from = l->now, .lost_bytes = c->lost_bytes };
		return PT_PDO_LEVELS_LOST;
	}
}
