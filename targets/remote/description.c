/* A parser for the part of XML that descriptions use: tags with attributes, comments, and text between them. Entities
 * are not decoded: names of registers have none. */
#include "targets/remote/description.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"

/* --- tags --------------------------------------------------------------------------------------------------------- */

struct tag { const char *begin, *end; };	/* from its "<" to after its ">" */

/* Finds the next tag from at on, skipping comments. False: there is none. */
static bool next_tag(const char *at, struct tag *tag)
{
	for (;;) {
		tag->begin = strchr(at, '<');
		if (tag->begin == NULL)
			return false;
		if (strncmp(tag->begin, "<!--", 4) != 0)
			break;
		at = strstr(tag->begin, "-->");
		if (at == NULL)
			return false;
	}
	tag->end = strchr(tag->begin, '>');
	if (tag->end == NULL)
		return false;
	tag->end++;
	return true;
}

static bool is_tag(const struct tag *tag, const char *name)
{
	size_t len = strlen(name);

	return strncmp(tag->begin + 1, name, len) == 0 && strchr(" \t\r\n/>", tag->begin[1 + len]) != NULL;
}

/* False: no such attribute, or longer than room. */
static bool attribute(const struct tag *tag, const char *name, char *value, size_t room)
{
	size_t len = strlen(name), n;

	value[0] = '\0';
	for (const char *at = tag->begin; at + len + 2 < tag->end; at++) {
		const char *quote = at + 1 + len, *end;

		if (!isspace((unsigned char)*at) || strncmp(at + 1, name, len) != 0)
			continue;
		quote += strspn(quote, " \t\r\n");
		if (*quote != '=')
			continue;
		quote++;
		quote += strspn(quote, " \t\r\n");
		if (quote >= tag->end || (*quote != '"' && *quote != '\''))
			return false;
		end = memchr(quote + 1, *quote, (size_t)(tag->end - quote - 1));
		n = end != NULL ? (size_t)(end - quote - 1) : room;
		if (n >= room)
			return false;
		memcpy(value, quote + 1, n);
		value[n] = '\0';
		return true;
	}
	return false;
}

/* --- includes ----------------------------------------------------------------------------------------------------- */

struct reading {
	pt_description_fetch *fetch;
	void *arg;
	FILE *out;
	size_t n_bytes;
	unsigned n_documents;
};

static void put(struct reading *r, const char *text, size_t len)
{
	r->n_bytes += len;
	if (r->n_bytes <= PT_DESCRIPTION_BYTES)
		fwrite(text, 1, len, r->out);
}

/* Skips the XML head of an included document. */
static const char *behind_head(const char *text)
{
	struct tag tag;
	const char *at = text;

	while (next_tag(at, &tag) && (tag.begin[1] == '?' || tag.begin[1] == '!'))
		at = tag.end;
	return at;
}

static int read_one(struct reading *r, const char *name, unsigned depth, struct pt_err *err)
{
	enum { DEPTH = 8 };
	char href[128], *text;
	const char *at;
	struct tag tag;
	int rc = 0;

	if (r->n_documents++ >= PT_DESCRIPTION_INCLUDES || depth > DEPTH)
		return pt_fail(err, PT_EPROTO, "its target description includes too much (%u documents)",
			       r->n_documents);
	text = r->fetch(r->arg, name, err);
	if (text == NULL)
		return err->code;
	at = depth == 0 ? text : behind_head(text);
	while (rc == 0 && next_tag(at, &tag)) {
		bool include = is_tag(&tag, "xi:include");

		put(r, at, (size_t)((include ? tag.begin : tag.end) - at));
		at = tag.end;
		if (include && !attribute(&tag, "href", href, sizeof(href)))
			rc = pt_fail(err, PT_EPROTO, "its target description includes something without a name");
		else if (include)
			rc = read_one(r, href, depth + 1, err);
	}
	put(r, at, strlen(at));
	free(text);
	return rc;
}

char *pt_description_read(pt_description_fetch *fetch, void *arg, struct pt_err *err)
{
	struct reading r = { .fetch = fetch, .arg = arg };
	size_t len;
	char *text = NULL;
	int rc;

	r.out = open_memstream(&text, &len);
	if (r.out == NULL) {
		pt_fail(err, PT_ENOMEM, "no memory for a target description");
		return NULL;
	}
	rc = read_one(&r, "target.xml", 0, err);
	if (fclose(r.out) != 0)
		rc = pt_fail(err, PT_ENOMEM, "no memory for a target description");
	if (rc == 0 && r.n_bytes > PT_DESCRIPTION_BYTES)
		rc = pt_fail(err, PT_EPROTO, "its target description has more than %d bytes", PT_DESCRIPTION_BYTES);
	if (rc == 0)
		return text;
	free(text);
	return NULL;
}

/* --- registers ---------------------------------------------------------------------------------------------------- */

struct found {				/* a register as parsed, with offsets of its strings in names */
	uint32_t number, bits;
	size_t name, feature, type, group;	/* SIZE_MAX: none */
};

struct parsing {
	struct found *reg;
	size_t n;
	char *names;
	size_t names_bytes, names_room;
	size_t feature;
	uint32_t next;
};

/* Stores the word and returns its offset; SIZE_MAX: empty word. names has room for all attributes of the text. */
static size_t keep(struct parsing *p, const char *word)
{
	size_t at = p->names_bytes, len = strlen(word) + 1;

	if (word[0] == '\0' || at + len > p->names_room)
		return SIZE_MAX;
	memcpy(p->names + at, word, len);
	p->names_bytes += len;
	return at;
}

static bool number(const char *text, uint32_t most, uint32_t *value)
{
	char *end;
	unsigned long v = strtoul(text, &end, 0);

	*value = (uint32_t)v;
	return text[0] != '\0' && *end == '\0' && v <= most;
}

static int take_register(struct parsing *p, const struct tag *tag, struct pt_err *err)
{
	char word[64];
	struct found *f = &p->reg[p->n];

	if (p->n == PT_DESCRIPTION_REGISTERS)
		return pt_fail(err, PT_EPROTO, "its target description has more than %d registers",
			       PT_DESCRIPTION_REGISTERS);
	*f = (struct found){ .number = p->next, .feature = p->feature };
	attribute(tag, "name", word, sizeof(word));
	f->name = keep(p, word);
	if (f->name == SIZE_MAX)
		return pt_fail(err, PT_EPROTO, "its target description has a register without a name");
	if (!attribute(tag, "bitsize", word, sizeof(word)) || !number(word, 65536, &f->bits) || f->bits == 0)
		return pt_fail(err, PT_EPROTO, "its target description has a register %s of \"%s\" bits",
			       p->names + f->name, word);
	if (attribute(tag, "regnum", word, sizeof(word)) && !number(word, UINT16_MAX - 1, &f->number))
		return pt_fail(err, PT_EPROTO, "its target description numbers register %s \"%s\"", p->names + f->name,
			       word);
	attribute(tag, "type", word, sizeof(word));
	f->type = keep(p, word);
	attribute(tag, "group", word, sizeof(word));
	f->group = keep(p, word);
	p->next = f->number + 1;
	p->n++;
	return 0;
}

static int compare(const void *a, const void *b)
{
	const struct found *x = a, *y = b;

	return (x->number > y->number) - (x->number < y->number);
}

static const char *word_at(const struct parsing *p, size_t at)
{
	return at != SIZE_MAX ? p->names + at : NULL;
}

static int make_rows(struct parsing *p, struct pt_description *out, struct pt_err *err)
{
	uint32_t offset = 0;

	qsort(p->reg, p->n, sizeof(p->reg[0]), compare);
	out->row = calloc(p->n + 1, sizeof(out->row[0]));
	out->offset = calloc(p->n + 1, sizeof(out->offset[0]));
	if (out->row == NULL || out->offset == NULL)
		return pt_fail(err, PT_ENOMEM, "no memory for registers");
	for (size_t i = 0; i < p->n; i++) {
		const struct found *f = &p->reg[i];

		if (i > 0 && f->number == f[-1].number)
			return pt_fail(err, PT_EPROTO, "its target description has two registers %u: %s and %s",
				       f->number, word_at(p, f[-1].name), word_at(p, f->name));
		out->next = f->number + 1;
		if (f->bits <= 64) {
			out->offset[out->n_rows] = offset;
			out->row[out->n_rows++] = (struct pt_register){
				.name = word_at(p, f->name),
				.feature = f->feature != SIZE_MAX ? word_at(p, f->feature) : "",
				.type = word_at(p, f->type), .group = word_at(p, f->group),
				.gdb_number = (uint16_t)f->number, .bits = (uint16_t)f->bits,
			};
		}
		offset += (f->bits + 7) / 8;
	}
	return 0;
}

static int take_tags(struct parsing *p, const char *text, struct pt_description *out, struct pt_err *err)
{
	char word[128];
	struct tag tag;
	bool target = false;
	int rc = 0;

	for (const char *at = text; rc == 0 && next_tag(at, &tag); at = tag.end) {
		target |= is_tag(&tag, "target");
		if (is_tag(&tag, "architecture"))
			snprintf(out->architecture, sizeof(out->architecture), "%.*s", (int)strcspn(tag.end, "<"),
				 tag.end);
		if (is_tag(&tag, "feature")) {
			attribute(&tag, "name", word, sizeof(word));
			p->feature = keep(p, word);
		}
		if (is_tag(&tag, "reg"))
			rc = take_register(p, &tag, err);
	}
	return rc == 0 && !target ? pt_fail(err, PT_EPROTO, "its target description is none") : rc;
}

int pt_description_parse(const char *text, struct pt_description *out, struct pt_err *err)
{
	struct parsing p = { .feature = SIZE_MAX, .names_room = strlen(text) + 1 };
	int rc;

	memset(out, 0, sizeof(*out));
	p.reg = calloc(PT_DESCRIPTION_REGISTERS, sizeof(p.reg[0]));
	p.names = out->names = malloc(p.names_room);
	if (p.reg == NULL || p.names == NULL)
		rc = pt_fail(err, PT_ENOMEM, "no memory for registers");
	else
		rc = take_tags(&p, text, out, err);
	if (rc == 0)
		rc = make_rows(&p, out, err);
	free(p.reg);
	if (rc < 0)
		pt_description_free(out);
	return rc;
}

void pt_description_free(struct pt_description *d)
{
	free(d->row);
	free(d->offset);
	free(d->names);
	memset(d, 0, sizeof(*d));
}

/* --- with more ---------------------------------------------------------------------------------------------------- */

static void put_row(FILE *out, const struct pt_register *row)
{
	fprintf(out, "<reg name=\"%s\" bitsize=\"%u\" regnum=\"%u\" save-restore=\"no\"", row->name, row->bits,
		row->gdb_number);
	if (row->type != NULL)
		fprintf(out, " type=\"%s\"", row->type);
	if (row->group != NULL)
		fprintf(out, " group=\"%s\"", row->group);
	fputs("/>\n", out);
}

static bool is_new_feature(const struct pt_register *rows, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (strcmp(rows[k].feature, rows[i].feature) == 0)
			return false;
	return true;
}

/* Grouped by feature: GDB uses only the first feature of a name. */
static void put_rows(FILE *out, const struct pt_register *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (!is_new_feature(rows, i))
			continue;
		fprintf(out, "<feature name=\"%s\">\n", rows[i].feature);
		for (size_t k = i; k < n; k++)
			if (strcmp(rows[k].feature, rows[i].feature) == 0)
				put_row(out, &rows[k]);
		fputs("</feature>\n", out);
	}
}

/* The last </target> outside comments. */
static const char *find_end(const char *text)
{
	const char *end = NULL;
	struct tag tag;

	for (const char *at = text; next_tag(at, &tag); at = tag.end)
		if (is_tag(&tag, "/target"))
			end = tag.begin;
	return end;
}

char *pt_description_with(const char *text, const char *architecture, const struct pt_register *rows, size_t n,
			  struct pt_err *err)
{
	const char *end = text != NULL ? find_end(text) : NULL;
	char *made = NULL;
	size_t len;
	FILE *out;

	if (text != NULL && end == NULL) {
		pt_fail(err, PT_EPROTO, "its target description has no end");
		return NULL;
	}
	out = open_memstream(&made, &len);
	if (out != NULL && text != NULL)
		fwrite(text, 1, (size_t)(end - text), out);
	else if (out != NULL)
		fprintf(out,
			"<?xml version=\"1.0\"?>\n<!DOCTYPE target SYSTEM \"gdb-target.dtd\">\n<target "
			"version=\"1.0\">\n"
			"<architecture>%s</architecture>\n",
			architecture);
	if (out != NULL) {
		put_rows(out, rows, n);
		fputs(end != NULL ? end : "</target>\n", out);
		if (fclose(out) == 0)
			return made;
		free(made);
	}
	pt_fail(err, PT_ENOMEM, "no memory for a target description");
	return NULL;
}
