#include "busy_ap.h"

#include "base/util.h"

static enum pt_vack outcome(const struct busy_ap *busy)
{
	return busy->n_accesses == busy->fault_at ? PT_VACK_ERROR : PT_VACK_OK;
}

/* A busy access is counted when it begins, and ends when nothing is left of it. */
static enum pt_vack look(struct busy_ap *busy)
{
	if (busy->busy_left > 0)
		return --busy->busy_left > 0 ? PT_VACK_WAIT : outcome(busy);
	busy->n_accesses++;
	if (busy->busy_each > 0 && busy->n_accesses % busy->busy_each == 0) {
		busy->busy_left = busy->busy_for;
		return PT_VACK_WAIT;
	}
	return outcome(busy);
}

static enum pt_vack read_word(void *arg, uint8_t reg, uint32_t *value)
{
	struct busy_ap *busy = arg;
	enum pt_vack ack = look(busy);

	(void)reg;
	if (ack == PT_VACK_OK)
		*value = busy->next_word++;
	return ack;
}

static enum pt_vack write_word(void *arg, uint8_t reg, uint32_t value)
{
	struct busy_ap *busy = arg;
	enum pt_vack ack = look(busy);

	(void)reg;
	if (ack == PT_VACK_OK && busy->n_written < PT_LEN(busy->written))
		busy->written[busy->n_written++] = value;
	return ack;
}

void busy_ap_init(struct busy_ap *busy)
{
	*busy = (struct busy_ap){ .ap = { busy, read_word, write_word }, .next_word = 0x5a000000 };
}
