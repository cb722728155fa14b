/* What a virtual cm4 or cm7 is made from: the words of its address. */
#include <stddef.h>
#include <string.h>

#include "base/util.h"
#include "probes/virtual/chip/cm4.h"

enum { CORE_CLOCK, TRACE_CLOCK, SWO, TPIU, ITM_FIFO, ITM_STAMP };
const struct pt_param pt_vcm4_params[PT_CM4_WORDS] = {
	[CORE_CLOCK] = { "core-clock", PT_PARAM_HZ, "25000000", NULL, 1000000, 400000000, "of the core, Hz" },
	[TRACE_CLOCK] = { "trace-clock", PT_PARAM_HZ, NULL, NULL, 10000, 400000000, "TRACECLKIN, Hz; the core's clock where it is not given" },
	[SWO] = { "swo", PT_PARAM_CHOICE, "routed", "routed|unrouted|forgets", 0, 0,
		  "unrouted: pin SWO is silent until bit 5 of 0xe0042004 is set, as on an STM32F4; forgets: a system reset clears it; "
		  "both: 0xe0042008 divides TRACECLKIN by one more than it has" },
	[TPIU] = { "tpiu", PT_PARAM_CHOICE, "m4", "m4|coresight", 0, 0,
		   "coresight: its FFCR has EnFTC, which without EnFCont makes frames without synchronisation" },
	[ITM_FIFO] = { "itm-fifo", PT_PARAM_NUMBER, "4", NULL, 1, PT_VITM_MAX_FIFO,
		       "packets of trace that wait for the pin, stamps among them (UNVERIFIED: chips act as if they had 2 to 4)" },
	[ITM_STAMP] = { "itm-stamp", PT_PARAM_NUMBER, "28", NULL, 8, PT_VITM_STAMP_BITS,
			"bits of the counter of local stamps; at its end comes an overflow packet (UNVERIFIED: 21 in a Cortex-M3)" },
};

static const struct pt_param variant_row = { .key = "variant", .type = PT_PARAM_TEXT };

static const struct { const char *word; size_t flag; } flags[] = {
	{ "locked", offsetof(struct pt_cm4_words, locked) },
	{ "trace-sleeps", offsetof(struct pt_cm4_words, trace_sleeps) },
	{ "cyccnt-sleeps", offsetof(struct pt_cm4_words, cyccnt_sleeps) },
	{ "left", offsetof(struct pt_cm4_words, left) },
	{ "rival", offsetof(struct pt_cm4_words, rival) },
	{ "no-exits", offsetof(struct pt_cm4_words, no_exits) },
	{ "dwt-v8", offsetof(struct pt_cm4_words, dwt_v8) },
	{ "ports-by-core", offsetof(struct pt_cm4_words, ports_by_core) },
};

static bool take_word(struct pt_cm4_words *words, const char *word, size_t length)
{
	for (size_t i = 0; i < PT_LEN(flags); i++) {
		if (strlen(flags[i].word) != length || strncmp(word, flags[i].word, length) != 0)
			continue;
		*(bool *)((char *)words + flags[i].flag) = true;
		return true;
	}
	return pt_vsecond_read(word, length, &words->second);
}

static int read_variant(struct pt_cm4_words *words, const char *chip, const char *text, struct pt_err *err)
{
	while (text != NULL && *text != '\0') {
		size_t length = strcspn(text, ",");

		if (!take_word(words, text, length))
			return pt_fail(err, PT_EARG, "%s has no variant \"%.*s\"; there are " PT_CM4_VARIANTS, chip,
				       (int)length, text);
		text += length + (text[length] == ',');
	}
	return 0;
}

static bool is_word(const struct pt_params *settings, unsigned row, const char *word)
{
	return strcmp(pt_params_text(settings, &pt_vcm4_params[row]), word) == 0;
}

int pt_cm4_read_words(struct pt_cm4_words *words, const char *chip, const struct pt_params *settings,
		      struct pt_err *err)
{
	*words = (struct pt_cm4_words){
		.core_hz = (uint32_t)pt_params_number(settings, &pt_vcm4_params[CORE_CLOCK]),
		.trace_hz = (uint32_t)pt_params_number(settings, &pt_vcm4_params[TRACE_CLOCK]),
		.pin_is_off = !is_word(settings, SWO, "routed"), .pin_forgets = is_word(settings, SWO, "forgets"),
		.half_frames = is_word(settings, TPIU, "coresight"),
		.stamp_bits = (unsigned)pt_params_number(settings, &pt_vcm4_params[ITM_STAMP]),
		.fifo_room = (unsigned)pt_params_number(settings, &pt_vcm4_params[ITM_FIFO]),
	};
	return read_variant(words, chip, pt_params_text(settings, &variant_row), err);
}
