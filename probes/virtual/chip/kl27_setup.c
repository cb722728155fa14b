/* What a virtual KL27 is made from: the words of variant=, and an ELF. */
#include <stddef.h>
#include <string.h>

#include "probes/virtual/demo/kl27_demo.h"
#include "probes/virtual/chip/kl27_parts.h"
#include "probes/virtual/frame/elf.h"
#include "base/util.h"

enum { FSEC_SECURED = 0xff, FSEC_NO_MASS_ERASE = 0xef };

/* --- variants */

static const struct pt_param variant_row = { .key = "variant", .type = PT_PARAM_TEXT };

static const struct { const char *word; size_t flag; } flags[] = {
	{ "secured", offsetof(struct pt_kl27_variant, secured) },
	{ "no-mass-erase", offsetof(struct pt_kl27_variant, no_mass_erase) },
	{ "no-mtb", offsetof(struct pt_kl27_variant, no_mtb) },
	{ "mtb-base-0", offsetof(struct pt_kl27_variant, base_reads_0) },
	{ "mtb-in-use", offsetof(struct pt_kl27_variant, mtb_in_use) },
	{ "mtb-32", offsetof(struct pt_kl27_variant, own_trace_ram) },
	{ "mtb-match-on-step", offsetof(struct pt_kl27_variant, match_on_step_only) },
	{ "mtb-tail-single", offsetof(struct pt_kl27_variant, tail_single) },
	{ "multi-drop", offsetof(struct pt_kl27_variant, multi_drop) },
	{ "watchdog", offsetof(struct pt_kl27_variant, watchdog) },
};

static bool take_word(struct pt_kl27_variant *variant, const char *word, size_t length)
{
	if (length == 6 && strncmp(word, "skid-", 5) == 0 && word[5] >= '1' && word[5] <= '8') {
		variant->skid = (unsigned)(word[5] - '0');
		return true;
	}
	if (pt_vsecond_read(word, length, &variant->second)) {
		variant->multi_drop = true;
		return true;
	}
	for (size_t i = 0; i < PT_LEN(flags); i++) {
		if (strlen(flags[i].word) != length || strncmp(word, flags[i].word, length) != 0)
			continue;
		*(bool *)((char *)variant + flags[i].flag) = true;
		return true;
	}
	return false;
}

int pt_kl27_read_variant(struct pt_kl27_variant *variant, const struct pt_params *settings, struct pt_err *err)
{
	const char *text = pt_params_text(settings, &variant_row);

	variant->skid = 1;
	while (text != NULL && *text != '\0') {
		size_t length = strcspn(text, ",");

		if (!take_word(variant, text, length))
			return pt_fail(err, PT_EARG, "kl27 has no variant \"%.*s\"; there are %s", (int)length, text,
				       PT_KL27_VARIANT_WORDS);
		text += length + (text[length] == ',');
	}
	return 0;
}

/* --- firmware */

static int place(void *arg, uint32_t addr, const uint8_t *bytes, size_t n_bytes, struct pt_err *err)
{
	uint8_t *to = n_bytes <= UINT32_MAX ? pt_kl27_bytes(arg, addr, (uint32_t)n_bytes) : NULL;

	if (to == NULL)
		return pt_fail(err, PT_EARG, "%zu bytes at 0x%x do not fit into the flash or RAM of kl27", n_bytes,
			       addr);
	memcpy(to, bytes, n_bytes);
	return 0;
}

/* Firmware that says nothing about security is programmed as unsecured, as programmers do. What has something else
 * where the chip keeps its security was linked for another one, and would lock this one up. */
int pt_kl27_load(struct pt_kl27 *chip, const uint8_t *elf, size_t len_bytes, struct pt_err *err)
{
	uint8_t *fsec = &chip->flash[PT_VFTFA_CONFIG + 0xc];

	if (elf == NULL) {
		elf = pt_kl27_demo_elf;
		len_bytes = pt_kl27_demo_elf_bytes;
	}
	memset(chip->flash, 0xff, sizeof(chip->flash));
	*fsec = PT_VFSEC_SAFE;
	if (pt_velf_load(elf, len_bytes, PT_VELF_ARM, place, chip, err) < 0)
		return pt_wrap(err, "firmware for kl27");
	if (chip->variant.secured || chip->variant.no_mass_erase)
		*fsec = chip->variant.no_mass_erase ? FSEC_NO_MASS_ERASE : FSEC_SECURED;
	else if ((*fsec & PT_VFSEC_SEC) != PT_VFSEC_UNSECURED)
		return pt_fail(err, PT_EARG,
			       "firmware for kl27: it has 0x%02x at 0x%x, where this chip keeps its flash security: "
			       "that would secure it. Is it linked for another chip? (variant=secured makes a secured "
			       "one)",
			       *fsec, PT_VFTFA_CONFIG + 0xc);
	return 0;
}
