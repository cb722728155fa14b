/* Compares the ELF with the chip's memory. Samples are compared at the start, the rest piece by piece while the profile
 * runs. */
#include "session/acquire/acquisition_parts.h"

#include <inttypes.h>
#include <stdio.h>

#include "host/log.h"
#include "base/util.h"

enum {
	CHECK_MS = 100,		/* interval between two pieces if the source never rests */
	REST_MS = 5000,		/* for the rest of a large program behind a slow probe, while who stopped it waits */
};

static void tell_mismatch(struct pt_live *live)
{
	if (!live->image.differs || live->mismatch[0] != '\0')
		return;
	snprintf(live->mismatch, sizeof(live->mismatch),
		 "the chip does not hold this ELF: first difference at 0x%08" PRIx64 "; names and times may be "
		 "wrong (load the ELF, or give the right one)",
		 live->image.at);
	pt_warn("profile: %s", live->mismatch);
}

/* Memory that the probe does not reach, or that the bus refuses, is no reason not to profile the target. */
int pt_live_check_image(struct pt_live *live, struct pt_target *target, struct pt_err *err)
{
	int rc;

	live->image.program = live->program;
	if (live->program == NULL)
		return 0;
	if (pt_program_check_machine(live->program, target->ops->arch.elf_machine, err) < 0)
		return err->code;
	rc = pt_image_spot_check(&live->image, target->ops->mem(target->state, 0), err);
	if (rc == PT_EUNSUPPORTED || rc == PT_EFAULT) {
		pt_info("profile: cannot %s", err->msg);
		snprintf(live->unread, sizeof(live->unread), "%.119s", err->msg);
		live->image.done = true;
		return 0;
	}
	if (rc < 0)
		return err->code;
	if (!live->image.compared)
		snprintf(live->unread, sizeof(live->unread), "all of it is writable");
	tell_mismatch(live);
	return 0;
}

void pt_live_print_image(const struct pt_live *live, char *out, size_t size)
{
	const struct pt_image *image = &live->image;
	char differs[24] = "unknown";

	if (image->differs)
		snprintf(differs, sizeof(differs), "0x%" PRIx64, image->at);
	else if (image->compared)
		snprintf(differs, sizeof(differs), "no");
	if (live->program == NULL || !image->compared)
		snprintf(out, size, "elf_mismatch=%s\n", differs);
	else
		snprintf(out, size, "elf_mismatch=%s\nelf_compared=%" PRIu64 "\nelf_bytes=%" PRIu64 "\n", differs,
			 pt_image_compared(image), pt_image_size(image));
}

void pt_live_check_rest(struct pt_live *live)
{
	struct pt_mem *mem;
	struct pt_err err = { 0 };
	uint64_t until_ns;
	char text[100];

	if (live->program == NULL || !live->image.compared || live->n_ends == 0)
		return;
	mem = live->target->ops->mem(live->target->state, 0);
	until_ns = pt_mem_now_ns(mem) + REST_MS * PT_NS_PER_MS;
	while (live->proves && !live->image.done && pt_mem_now_ns(mem) < until_ns)
		if (pt_image_check_more(&live->image, mem, &err) < 0)
			break;
	tell_mismatch(live);
	pt_live_print_image(live, text, sizeof(text));
	pt_live_tell_at_end(live, text);
}

/* While the source rests; if it never does, a short time ten times a second. */
void pt_live_check_more(struct pt_live *live, uint64_t now_ns, bool rests)
{
	struct pt_err err = { 0 };
	int rc;

	if (live->program == NULL || live->image.done)
		return;
	if (!rests && now_ns - live->checked_ns < CHECK_MS * PT_NS_PER_MS)
		return;
	live->checked_ns = now_ns;
	rc = pt_image_check_more(&live->image, live->target->ops->mem(live->target->state, 0), &err);
	if (rc < 0 && rc != PT_EINTERRUPTED)	/* the same piece is tried again */
		live->image.done = true;
	tell_mismatch(live);
}
