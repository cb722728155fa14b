#include "profile/analyses/signals/writers.h"

#include <string.h>

#include "base/util.h"

void pt_writers_take(struct pt_writers *writers, uint16_t variable, uint64_t pc)
{
	struct pt_writer *others = &writers->writer[PT_WRITERS];
	size_t i = 0;

	while (i < writers->n && writers->writer[i].pc != pc)
		i++;
	if (pc == PT_UNKNOWN || i == PT_WRITERS) {
		*others = (struct pt_writer){ variable, PT_UNKNOWN, others->count + 1 };
		return;
	}
	if (i == writers->n)
		writers->writer[writers->n++] = (struct pt_writer){ variable, pc, 0 };
	writers->writer[i].count++;
}

size_t pt_writers_give(const struct pt_writers *writers, struct pt_writer *out)
{
	size_t n = writers->n;

	if (n == 0)
		return 0;
	memcpy(out, writers->writer, n * sizeof(*out));
	if (writers->writer[PT_WRITERS].count > 0)
		out[n++] = writers->writer[PT_WRITERS];
	return n;
}
