/* Sources: GDB manual, appendices "Target Descriptions" and "Memory Map Format"; gdb/features for the numbering. */
#include "gdbstub/tables/xml.h"

#include <inttypes.h>
#include <string.h>

void pt_gdb_xml_text(FILE *out, const char *text)
{
	for (; *text != '\0'; text++) {
		if (strchr("<>&\"", *text) != NULL)
			fprintf(out, "&#%d;", *text);
		else if (*text >= ' ')
			fputc(*text, out);
	}
}

static void put_register(FILE *out, const struct pt_register *row)
{
	fprintf(out, "<reg name=\"%s\" bitsize=\"%u\" regnum=\"%u\"", row->name, row->bits, row->gdb_number);
	if (row->type != NULL)
		fprintf(out, " type=\"%s\"", row->type);
	if (row->group != NULL)
		fprintf(out, " group=\"%s\"", row->group);
	fputs("/>\n", out);
}

static bool is_new_feature(const struct pt_register *rows, size_t i)
{
	for (size_t before = 0; before < i; before++)
		if (strcmp(rows[before].feature, rows[i].feature) == 0)
			return false;
	return true;
}

/* Behind another server the architecture may be one that GDB knows and this version does not. */
static const char *architecture(struct pt_target *target)
{
	const struct pt_target_ops *ops = target->ops;
	const struct pt_target_upstream *upstream = ops->upstream != NULL ? ops->upstream(target->state) : NULL;

	if (ops->architecture[0] == '\0' && upstream != NULL && upstream->architecture != NULL)
		return upstream->architecture;
	return ops->architecture;
}

/* Numbers of one feature need not follow one another (PowerPC's pc stands behind the SPE's upper halves), but GDB takes
 * only the first element of a name. */
bool pt_gdb_target_xml(FILE *out, struct pt_target *target)
{
	size_t n;
	const struct pt_register *rows = target->ops->registers(target->state, &n);

	fputs("<?xml version=\"1.0\"?>\n<!DOCTYPE target SYSTEM \"gdb-target.dtd\">\n<target version=\"1.0\">\n", out);
	fprintf(out, "<architecture>%s</architecture>\n", architecture(target));
	n = target->ops->fixed_registers ? 0 : n;
	for (size_t i = 0; i < n; i++) {
		if (!is_new_feature(rows, i))
			continue;
		fprintf(out, "<feature name=\"%s\">\n", rows[i].feature);
		for (size_t same = i; same < n; same++)
			if (strcmp(rows[same].feature, rows[i].feature) == 0)
				put_register(out, &rows[same]);
		fputs("</feature>\n", out);
	}
	fputs("</target>\n", out);
	return true;
}

/* GDB treats addresses that are not listed as missing, and uses hardware breakpoints in flash and rom. Peripherals and
 * debug registers are listed as "ram". */
bool pt_gdb_memory_map_xml(FILE *out, struct pt_target *target)
{
	static const char *const types[] = {
		[PT_REGION_RAM] = "ram", [PT_REGION_ROM] = "rom", [PT_REGION_FLASH] = "flash", [PT_REGION_IO] = "ram",
	};
	size_t n;
	const struct pt_region *regions = target->ops->regions(target->state, &n);

	if (n == 0)
		return false;
	fputs("<?xml version=\"1.0\"?>\n<!DOCTYPE memory-map PUBLIC \"+//IDN gnu.org//DTD GDB Memory Map V1.0//EN\" "
	      "\"http://sourceware.org/gdb/gdb-memory-map.dtd\">\n<memory-map>\n",
	      out);
	for (size_t i = 0; i < n; i++) {
		fprintf(out, "<memory type=\"%s\" start=\"0x%" PRIx64 "\" length=\"0x%" PRIx64 "\"",
			types[regions[i].kind], regions[i].addr, regions[i].size);
		if (regions[i].kind == PT_REGION_FLASH)
			fprintf(out, "><property name=\"blocksize\">0x%x</property></memory>\n",
				regions[i].block_bytes);
		else
			fputs("/>\n", out);
	}
	fputs("</memory-map>\n", out);
	return true;
}

/* An error in the OS's data is shown with the first thread, where a user looks. */
void pt_gdb_threads_xml(FILE *out, const struct pt_gdb_thread_list *list)
{
	fputs("<?xml version=\"1.0\"?>\n<threads>\n", out);
	for (size_t i = 0; i < list->n_threads; i++) {
		const struct pt_gdb_thread *thread = &list->thread[i];

		fprintf(out, "<thread id=\"%" PRIx64 "\"", thread->id);
		if (thread->core >= 0)
			fprintf(out, " core=\"%d\"", thread->core);
		fputs(" name=\"", out);
		pt_gdb_xml_text(out, thread->name);
		fputs("\">", out);
		pt_gdb_xml_text(out, thread->text);
		if (i == 0 && list->note[0] != '\0') {
			fputs("; ", out);
			pt_gdb_xml_text(out, list->note);
		}
		fputs("</thread>\n", out);
	}
	fputs("</threads>\n", out);
}
