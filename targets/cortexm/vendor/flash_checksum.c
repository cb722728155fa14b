/* See flash_checksum.h. The sum is two chains of one multiplication and one fold for each word; every step can be
 * undone, so no single word's difference is ever lost. */
#include <stdlib.h>
#include <string.h>

#include "host/log.h"
#include "targets/cortexm/core/cortexm.h"
#include "targets/cortexm/vendor/loader.h"
#include "targets/cortexm/vendor/flash_checksum.h"
#include "base/util.h"

enum { SECTOR_BYTES = PT_LOADER_SECTOR_BYTES, LONGWORD_BYTES = 4, READ_BYTES = 16384, SUM_MS = 5000,
       DONE = PT_LOADER_CODE_BYTES, SUMS = DONE + 8 };
enum { ROW_R0 = 0, ROW_R1 = 1, ROW_R2 = 2, ROW_R6 = 6, ROW_R8 = 8 };

#define FACTOR UINT32_C(0x9e3779b1)	/* odd, and its bits are everywhere: the prime next to 2^32 / golden ratio */
#define SEED UINT32_C(85)

/* --- one sum ------------------------------------------------------------------------------------------------------ */

static const uint8_t code[] = {
			/*       @ r0 = flash, r1 = sums, r2 = sectors, r6 = FACTOR, r8 = the word that is 0 at the
			 *       end */
	0x55, 0x24,	/* next: movs r4, #85 */
	0x55, 0x25,	/*       movs r5, #85 */
	0x01, 0x23,	/*       movs r3, #1 */
	0x1b, 0x02,	/*       lsls r3, r3, #8	@ words in a sector */
	0x80, 0xc8,	/* word: ldmia r0!, {r7} */
	0x7c, 0x40,	/*       eors r4, r7 */
	0x74, 0x43,	/*       muls r4, r6 */
	0xed, 0x19,	/*       adds r5, r5, r7 */
	0x75, 0x43,	/*       muls r5, r6 */
	0x67, 0x0b,	/*       lsrs r7, r4, #13 */
	0x7c, 0x40,	/*       eors r4, r7 */
	0xef, 0x0b,	/*       lsrs r7, r5, #15 */
	0x7d, 0x40,	/*       eors r5, r7 */
	0x01, 0x3b,	/*       subs r3, #1 */
	0xf4, 0xd1,	/*       bne  word */
	0x30, 0xc1,	/*       stmia r1!, {r4, r5} */
	0x01, 0x3a,	/*       subs r2, #1 */
	0xed, 0xd1,	/*       bne  next */
	0x43, 0x46,	/*       mov  r3, r8 */
	0x1a, 0x60,	/*       str  r2, [r3] */
	0xfe, 0xe7,	/* end:  b    end */
};

uint64_t pt_ftfa_sum(const uint8_t *sector)
{
	uint32_t a = SEED, b = SEED;

	for (size_t i = 0; i < SECTOR_BYTES; i += LONGWORD_BYTES) {
		uint32_t word = pt_le32(sector + i);

		a = (a ^ word) * FACTOR;
		b = (b + word) * FACTOR;
		a ^= a >> 13;
		b ^= b >> 15;
	}
	return a | (uint64_t)b << 32;
}

static int sum_some(struct pt_ftfa_loader *loader, uint32_t addr, size_t n, uint64_t *sums, struct pt_err *err)
{
	static const uint16_t rows[] = { ROW_R0, ROW_R1, ROW_R2, ROW_R6, ROW_R8 };
	const uint64_t values[] = { addr, loader->area + SUMS, n, FACTOR, loader->area + DONE };
	uint8_t bytes[8 * PT_LOADER_MAX_SUMS];
	int rc;

	_Static_assert(sizeof(code) <= PT_LOADER_CODE_BYTES, "the code has its place");
	if (pt_ftfa_loader_run(loader, code, sizeof(code), 1, rows, values, PT_LEN(rows), err) < 0)
		return err->code;
	rc = pt_ftfa_loader_wait(loader, DONE, SUM_MS, err);
	if (rc < 0 || pt_ftfa_loader_halt(loader, err) < 0 ||
	    pt_ftfa_loader_access(loader, PT_MEM_READ, SUMS, bytes, 8 * n, err) < 0)
		return err->code;
	for (size_t i = 0; i < n; i++)
		sums[i] = pt_le32(bytes + 8 * i) | (uint64_t)pt_le32(bytes + 8 * i + 4) << 32;
	return 0;
}

int pt_ftfa_loader_sums(struct pt_ftfa_loader *loader, uint32_t addr, size_t n, uint64_t *sums, struct pt_err *err)
{
	for (size_t i = 0; i < n; i += PT_LOADER_MAX_SUMS) {
		size_t some = n - i < PT_LOADER_MAX_SUMS ? n - i : PT_LOADER_MAX_SUMS;

		if (sum_some(loader, addr + (uint32_t)i * SECTOR_BYTES, some, sums + i, err) < 0)
			return pt_wrap(err, "sum up the flash");
	}
	return 0;
}

/* --- the sectors that somebody asked to erase --------------------------------------------------------------------- */

struct sums { size_t first, n; uint64_t *sum; };	/* of sectors first .. first + n - 1 */

static int take_sums(const struct pt_cortexm *cm, struct pt_ftfa_loader *loader, struct sums *out, struct pt_err *err)
{
	const uint8_t *sector = cm->flash_unit.sector;
	size_t end = cm->chip.flash_bytes / SECTOR_BYTES, first = 0;

	while (first < end && sector[first] == PT_SECTOR_OTHERS)
		first++;
	while (end > first && sector[end - 1] == PT_SECTOR_OTHERS)
		end--;
	*out = (struct sums){ .first = first, .n = end - first };
	out->sum = malloc((out->n + 1) * sizeof(*out->sum));
	if (out->sum == NULL)
		return pt_fail(err, PT_ENOMEM, "out of memory");
	if (pt_ftfa_loader_sums(loader, (uint32_t)(first * SECTOR_BYTES), out->n, out->sum, err) == 0)
		return 0;
	free(out->sum);
	return err->code;
}

static enum pt_sector judge(uint64_t sum, const uint8_t *wanted)
{
	uint8_t blank[SECTOR_BYTES];

	memset(blank, 0xff, sizeof(blank));
	if (sum == pt_ftfa_sum(wanted))
		return PT_SECTOR_SAME;
	return sum == pt_ftfa_sum(blank) ? PT_SECTOR_BLANK : PT_SECTOR_ERASE;
}

int pt_ftfa_judge(struct pt_cortexm *cm, struct pt_ftfa_loader *loader, struct pt_err *err)
{
	size_t n[PT_SECTOR_SAME + 1] = { 0 };
	struct sums sums;

	if (take_sums(cm, loader, &sums, err) < 0)
		return err->code;
	for (size_t i = 0; i < sums.n; i++) {
		uint8_t *sector = &cm->flash_unit.sector[sums.first + i];

		if (*sector != PT_SECTOR_OTHERS)
			*sector = (uint8_t)judge(sums.sum[i], cm->flash_unit.image + (sums.first + i) * SECTOR_BYTES);
		n[*sector]++;
	}
	free(sums.sum);
	pt_info("flash: %zu sectors to erase, %zu blank, %zu the same already", n[PT_SECTOR_ERASE], n[PT_SECTOR_BLANK],
		n[PT_SECTOR_SAME]);
	return 0;
}

/* --- verify ------------------------------------------------------------------------------------------------------- */

static int compare(const struct pt_cortexm *cm, uint32_t addr, const uint8_t *seen, uint32_t len_bytes,
		   struct pt_err *err)
{
	const struct pt_cortexm_flash *flash = &cm->flash_unit;

	for (uint32_t i = 0; i < len_bytes; i += LONGWORD_BYTES) {
		bool ours = flash->written[(addr + i) / LONGWORD_BYTES] ||
			    flash->sector[(addr + i) / SECTOR_BYTES] != PT_SECTOR_OTHERS;

		if (ours && memcmp(flash->image + addr + i, seen + i, LONGWORD_BYTES) != 0)
			return pt_fail(err, PT_EPROTO, "verify: 0x%08x holds 0x%08x instead of 0x%08x",
				       (unsigned)(addr + i), (unsigned)pt_le32(seen + i),
				       (unsigned)pt_le32(flash->image + addr + i));
	}
	return 0;
}

static int read_and_compare(const struct pt_cortexm *cm, size_t first, size_t n, struct pt_err *err)
{
	uint8_t seen[READ_BYTES];
	uint32_t addr = (uint32_t)(first * SECTOR_BYTES), len_bytes = (uint32_t)(n * SECTOR_BYTES);

	if (pt_mem_read(cm->mem, addr, seen, len_bytes, err) < 0)
		return err->code;
	return compare(cm, addr, seen, len_bytes, err);
}

static bool has_words(const struct pt_cortexm *cm, size_t sector)
{
	const uint8_t *written = cm->flash_unit.written + sector * SECTOR_BYTES / LONGWORD_BYTES;

	return memchr(written, 1, SECTOR_BYTES / LONGWORD_BYTES) != NULL;
}

/* Whether the core's sums do not decide about a sector. */
static bool must_read(const struct pt_cortexm *cm, const struct sums *sums, size_t sector)
{
	if (cm->flash_unit.sector[sector] == PT_SECTOR_OTHERS)
		return has_words(cm, sector);
	return sums->sum == NULL ||
	       sums->sum[sector - sums->first] != pt_ftfa_sum(cm->flash_unit.image + sector * SECTOR_BYTES);
}

static int read_the_rest(const struct pt_cortexm *cm, const struct sums *sums, struct pt_err *err)
{
	size_t end = cm->chip.flash_bytes / SECTOR_BYTES, n;
	int rc = 0;

	for (size_t first = 0; rc == 0 && first < end; first += n != 0 ? n : 1) {
		for (n = 0; first + n < end && n < READ_BYTES / SECTOR_BYTES && must_read(cm, sums, first + n);)
			n++;
		if (n > 0)
			rc = read_and_compare(cm, first, n, err);
	}
	return rc;
}

int pt_ftfa_verify(struct pt_cortexm *cm, struct pt_ftfa_loader *loader, struct pt_err *err)
{
	struct sums sums = { 0 };
	struct pt_err why = { 0 };
	int rc;

	if (loader != NULL && take_sums(cm, loader, &sums, &why) < 0) {
		if (why.code == PT_EIO)
			return *err = why, why.code;
		pt_warn("flash: verifying by reading: %s", why.msg);
		sums = (struct sums){ 0 };
	}
	rc = read_the_rest(cm, &sums, err);
	free(sums.sum);
	return rc;
}
