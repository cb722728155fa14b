#include "fake_words.h"

enum { CSW = 0x00, TAR = 0x04, DRW = 0x0c, IDR = 0xfc, INCREMENT = 0x30, SINGLE = 0x10 };

static struct fake_words *board;	/* the board's calls name none */

static uint32_t *word_at(struct fake_words *fake)
{
	uint32_t i = (fake->tar - FAKE_DAP_BASE) / 4;

	return fake->tar >= FAKE_DAP_BASE && i < FAKE_DAP_WORDS ? &fake->words[i] : NULL;
}

static void next_tar(struct fake_words *fake)
{
	if ((fake->csw & INCREMENT) == SINGLE)
		fake->tar = (fake->tar & ~0x3ffu) | ((fake->tar + 4) & 0x3ff);	/* wraps inside 1 KiB */
}

static enum pt_vack ap_read(void *arg, uint8_t reg, uint32_t *value)
{
	struct fake_words *fake = arg;
	uint32_t *word = word_at(fake);

	*value = reg == CSW ? fake->csw : reg == TAR ? fake->tar : reg == IDR ? 0x04770031 : 0;
	if (reg != DRW)
		return PT_VACK_OK;
	next_tar(fake);
	if (word == NULL)
		return PT_VACK_ERROR;
	*value = *word;
	return PT_VACK_OK;
}

static enum pt_vack ap_write(void *arg, uint8_t reg, uint32_t value)
{
	struct fake_words *fake = arg;
	uint32_t *word = word_at(fake);

	if (reg == CSW)
		fake->csw = value;
	if (reg == TAR)
		fake->tar = value;
	if (reg != DRW)
		return PT_VACK_OK;
	next_tar(fake);
	if (word == NULL)
		return PT_VACK_ERROR;
	*word = value;
	return PT_VACK_OK;
}

static void advance(struct pt_vboard *none, uint64_t to_ns)
{
	(void)none, (void)to_ns;
}

static struct pt_vap *ap_of(struct pt_vboard *none, unsigned apsel)
{
	(void)none;
	return apsel == 0 ? &board->ap : NULL;
}

static uint32_t dpidr(struct pt_vboard *none)
{
	(void)none;
	return 0x0bc11477;
}

static void set_nreset(struct pt_vboard *none, bool asserted)
{
	(void)none;
	board->in_reset = asserted;
}

void fake_words_init(struct fake_words *fake)
{
	static const struct pt_vboard_ops ops = {
		.name = "words", .advance = advance, .ap = ap_of, .dpidr = dpidr, .set_nreset = set_nreset,
	};

	*fake = (struct fake_words){ .ap = { fake, ap_read, ap_write } };
	for (uint32_t i = 0; i < FAKE_DAP_WORDS; i++)
		fake->words[i] = 0x5a000000 + i;
	board = fake;
	pt_vpace_init(&fake->pace, &ops, NULL, false);
}
