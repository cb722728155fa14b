/* Compares what the program does not change: segments with bytes, at their load address; for .data this is its copy in
 * flash. Writable segments that are loaded directly to where they run are left out. */
#define _GNU_SOURCE /* memmem */
#include "session/acquire/image.h"

#include <stdlib.h>
#include <string.h>

#include "base/util.h"

enum { VECTOR_BYTES = 64, BLOCK_BYTES = 64, N_BLOCKS = 16, PIECE_BYTES = 1024, TIMEOUT_MS = 1000 };

static bool constant(const struct pt_segment *segment)
{
	return segment->bytes != NULL && (!segment->writable || segment->addr != segment->run) && segment->size > 0;
}

static void compare(struct pt_image *image, uint64_t addr, const uint8_t *want, const uint8_t *got, size_t len)
{
	for (size_t i = 0; i < len && !(image->differs && image->at <= addr); i++) {
		if (want[i] == got[i])
			continue;
		image->differs = true;
		image->at = addr + i;
		break;
	}
}

struct spots {
	struct pt_mem_op op[N_BLOCKS + 1];
	const uint8_t *want[N_BLOCKS + 1];
	uint8_t got[N_BLOCKS + 1][BLOCK_BYTES];
	size_t n;
};

static void add_spot(struct spots *spots, const struct pt_segment *segment, uint64_t offset)
{
	uint64_t left = segment->size - offset;
	size_t i = spots->n++;

	spots->want[i] = segment->bytes + offset;
	spots->op[i] = (struct pt_mem_op){
		.what = PT_MEM_READ,
		.addr = segment->addr + offset,
		.bytes = spots->got[i],
		.len_bytes = left < BLOCK_BYTES ? left : BLOCK_BYTES,
	};
}

uint64_t pt_image_size(const struct pt_image *image)
{
	uint64_t there = 0;
	size_t n;
	const struct pt_segment *segments = pt_program_loads(image->program, &n);

	for (size_t i = 0; i < n; i++)
		there += constant(&segments[i]) ? segments[i].size : 0;
	return there;
}

uint64_t pt_image_compared(const struct pt_image *image)
{
	return image->piece_bytes > image->n_bytes ? image->piece_bytes : image->n_bytes;
}

/* Spots may overlap in a small program. */
static uint64_t count_bytes(const struct spots *spots, const struct pt_image *image)
{
	uint64_t read = 0, there = pt_image_size(image);

	for (size_t i = 0; i < spots->n; i++)
		read += spots->op[i].len_bytes;
	return read < there ? read : there;
}

static const struct pt_segment *largest(const struct pt_segment *segments, size_t n)
{
	const struct pt_segment *best = NULL;

	for (size_t i = 0; i < n; i++)
		if (constant(&segments[i]) && (best == NULL || segments[i].size > best->size))
			best = &segments[i];
	return best;
}

int pt_image_spot_check(struct pt_image *image, struct pt_mem *mem, struct pt_err *err)
{
	struct spots spots = { .n = 0 };
	const struct pt_segment *segments, *code;
	size_t n, n_done;

	segments = pt_program_loads(image->program, &n);
	code = largest(segments, n);
	if (code == NULL)
		return 0;
	for (size_t i = 0; i < n && spots.n == 0; i++)
		if (constant(&segments[i]))
			add_spot(&spots, &segments[i], 0);	/* the first segment has the vectors */
	for (uint64_t i = 0; i < N_BLOCKS; i++)
		add_spot(&spots, code, code->size * i / N_BLOCKS & ~(uint64_t)3);
	if (pt_mem_run(mem, spots.op, spots.n, TIMEOUT_MS, &n_done, err) < 0)
		return pt_wrap(err, "compare the ELF with the chip");
	image->compared = true;
	image->n_bytes = count_bytes(&spots, image);
	for (size_t i = 0; i < spots.n; i++)
		compare(image, spots.op[i].addr, spots.want[i], spots.got[i], spots.op[i].len_bytes);
	return 0;
}

int pt_image_check_more(struct pt_image *image, struct pt_mem *mem, struct pt_err *err)
{
	const struct pt_segment *segments;
	uint8_t got[PIECE_BYTES];
	size_t n, len;

	segments = pt_program_loads(image->program, &n);
	while (image->segment < n &&
	       (!constant(&segments[image->segment]) || image->offset >= segments[image->segment].size)) {
		image->segment++;
		image->offset = 0;
	}
	if (image->segment == n || image->differs) {
		image->done = true;
		return 0;
	}
	segments += image->segment;
	len = segments->size - image->offset < PIECE_BYTES ? (size_t)(segments->size - image->offset) : PIECE_BYTES;
	if (pt_mem_read(mem, segments->addr + image->offset, got, len, err) < 0)
		return pt_wrap(err, "compare the ELF with the chip");
	compare(image, segments->addr + image->offset, segments->bytes + image->offset, got, len);
	image->offset += len;
	image->piece_bytes += len;
	return 0;
}

/* --- the build-id ------------------------------------------------------------------------------------------------- */

enum { NAME_BYTES = 4, FEWEST_ID_BYTES = 8, MOST_ID_BYTES = 64 };	/* of a note: "GNU" and its zero; then the id */

/* The end of the build-id note in memory: name and id. Returns its length; 0: the program has no id, or its length is
 * not plausible. */
static size_t note_of(const struct pt_program *program, uint8_t note[NAME_BYTES + MOST_ID_BYTES])
{
	const char *id = pt_program_build_id(program);
	size_t len = strlen(id) / 2;

	if (len < FEWEST_ID_BYTES || len > MOST_ID_BYTES)
		return 0;
	memcpy(note, "GNU", NAME_BYTES);
	for (size_t i = 0; i < len; i++) {
		const char digits[] = { id[2 * i], id[2 * i + 1], '\0' };

		note[NAME_BYTES + i] = (uint8_t)strtoul(digits, NULL, 16);
	}
	return NAME_BYTES + len;
}

static const uint8_t *find_note(const struct pt_segment *segment, const uint8_t *note, size_t len)
{
	return segment->bytes != NULL ? memmem(segment->bytes, segment->size, note, len) : NULL;
}

int pt_image_compare_id(const struct pt_program *program, struct pt_mem *mem, bool *same, uint64_t *at,
			struct pt_err *err)
{
	uint8_t note[NAME_BYTES + MOST_ID_BYTES], got[sizeof(note)];
	size_t n, len = note_of(program, note), i = 0;
	const struct pt_segment *segments = pt_program_loads(program, &n);
	const uint8_t *found = NULL;

	while (len > 0 && i < n && (found = find_note(&segments[i], note, len)) == NULL)
		i++;
	if (found == NULL)
		return 0;
	*at = segments[i].addr + (uint64_t)(found - segments[i].bytes);
	if (pt_mem_read(mem, *at, got, len, err) < 0)
		return pt_wrap(err, "compare the ELF with the chip");
	*same = memcmp(got, note, len) == 0;
	return *same || constant(&segments[i]) ? 1 : 0;
}
