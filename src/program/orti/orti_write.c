/* The model as a file again. Strings of the format have no escapes: a quote or a line end in one becomes a blank. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program/orti/orti.h"

static void put_string(FILE *out, const char *text)
{
	putc('"', out);
	for (; *text != '\0'; text++)
		putc(*text == '"' || *text == '\n' || *text == '\r' ? ' ' : *text, out);
	putc('"', out);
}

/* Bare where it is a name, else in quotes. */
static void put_name(FILE *out, const char *name)
{
	size_t len = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");

	if (len > 0 && name[len] == '\0' && strchr("0123456789", name[0]) == NULL)
		fputs(name, out);
	else
		put_string(out, name);
}

static void put_display(FILE *out, const char *display)
{
	if (display != NULL) {
		fputs(", ", out);
		put_string(out, display);
	}
	fputs(";\n", out);
}

static void put_version(FILE *out, const struct pt_orti *orti)
{
	fputs("VERSION {\n", out);
	if (orti->koil != NULL) {
		fputs("  KOIL = ", out);
		put_string(out, orti->koil);
		fputs(";\n", out);
	}
	if (orti->semantics != NULL) {
		fputs("  OSSEMANTICS = ", out);
		put_string(out, orti->semantics);
		put_display(out, orti->version);
	}
	fputs("};\n\n", out);
}

/* A formula in quotes; a plain number may stand without. */
static void put_number(FILE *out, const char *text)
{
	bool plain = text[0] != '\0' && strspn(text, "0123456789") == strlen(text);

	if (plain)
		fputs(text, out);
	else
		put_string(out, text);
}

static void put_items(FILE *out, const struct pt_orti_attr *attr)
{
	fputs(" [", out);
	for (size_t i = 0; i < attr->n_items; i++) {
		fputs(i > 0 ? ",\n      " : "\n      ", out);
		put_string(out, attr->item[i].text);
		if (attr->item[i].link != NULL) {
			fputs(" : ", out);
			put_name(out, attr->item[i].link);
		}
		fputs(" = ", out);
		put_number(out, attr->item[i].value);
	}
	fputs("\n    ]", out);
}

static void put_attr(FILE *out, const struct pt_orti_attr *attr)
{
	static const char *const kinds[] = {
		[PT_ORTI_CTYPE] = "CTYPE", [PT_ORTI_ENUM] = "ENUM", [PT_ORTI_STRING] = "STRING",
	};

	fprintf(out, "    %s%s", attr->to_trace ? "TOTRACE " : "", kinds[attr->kind]);
	if (attr->c_type != NULL) {
		putc(' ', out);
		put_string(out, attr->c_type);
	}
	if (attr->kind == PT_ORTI_ENUM)
		put_items(out, attr);
	fprintf(out, " %s%s", attr->name, attr->array ? "[]" : "");
	put_display(out, attr->display);
}

static void put_types(FILE *out, const struct pt_orti *orti)
{
	fputs("IMPLEMENTATION ", out);
	put_name(out, orti->name != NULL ? orti->name : "unnamed");
	fputs(" {\n", out);
	for (size_t i = 0; i < orti->n_types; i++) {
		fprintf(out, "  %s {\n", orti->type[i].name);
		for (size_t k = 0; k < orti->type[i].n_attrs; k++)
			put_attr(out, &orti->type[i].attr[k]);
		fputs("  }", out);
		put_display(out, orti->type[i].display);
	}
	fputs("};\n", out);
}

static void put_object(FILE *out, const struct pt_orti_object *object)
{
	fprintf(out, "\n%s ", object->type);
	put_name(out, object->name);
	fputs(" {\n", out);
	for (size_t i = 0; i < object->n_values; i++) {
		const struct pt_orti_value *value = &object->value[i];

		fprintf(out, "  %s", value->attr);
		if (value->index >= 0)
			fprintf(out, "[%d]", value->index);
		fputs(" = ", out);
		if (value->quoted)
			put_string(out, value->formula);
		else
			fputs(value->formula, out);
		fputs(";\n", out);
	}
	fputs("};\n", out);
}

char *pt_orti_write(const struct pt_orti *orti)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	if (out == NULL)
		return NULL;
	put_version(out, orti);
	put_types(out, orti);
	for (size_t i = 0; i < orti->n_objects; i++)
		put_object(out, &orti->object[i]);
	if (fclose(out) != 0) {
		free(text);
		return NULL;
	}
	return text;
}
