/* ELF files that nobody's tools make: too many of everything, tables that lie in each other, sections that unpack to
 * more than there is. They are opened or refused, with a sentence, and never cost more than their bounds. */
#include <elf.h>
#include <stdio.h>
#include <string.h>

#include "harness.h"
#include "pipeline/pipeline.h"
#include "profile/analyses/code/lines.h"
#include "profile/result/profile.h"
#include "program/code/exits.h"
#include "program/dwarf/inlines.h"
#include "program/dwarf/types.h"
#include "report/text/warnings.h"
#include "base/util.h"

enum { TEXT = 0x1000, ROOM = 24 << 20 };

struct part { const char *name; uint32_t type, flags, addr, link, entry_bytes; const uint8_t *bytes; size_t len; };

static uint8_t *file;
static size_t file_bytes;
static struct pt_err err;

/* Sections behind the header, one segment that is the first section, section headers last. */
static void build(const struct part *parts, size_t n)
{
	static const char names_name[] = ".shstrtab";
	char names[512] = "";
	size_t n_names = 1, at = sizeof(Elf32_Ehdr) + sizeof(Elf32_Phdr);
	Elf32_Shdr sh[16] = { { 0 } };
	Elf32_Ehdr eh = {
		.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS32, ELFDATA2LSB, EV_CURRENT }, .e_type = ET_EXEC, .e_machine = EM_ARM,
		.e_version = EV_CURRENT, .e_phoff = sizeof(eh), .e_ehsize = sizeof(eh), .e_phentsize = sizeof(Elf32_Phdr),
		.e_phnum = 1, .e_shentsize = sizeof(Elf32_Shdr), .e_shnum = (uint16_t)(n + 2), .e_shstrndx = (uint16_t)(n + 1),
	};
	Elf32_Phdr ph = { .p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_vaddr = TEXT, .p_paddr = TEXT };

	file = calloc(1, ROOM);
	for (size_t i = 0; i <= n; i++) {
		const struct part last = {
			.name = names_name, .type = SHT_STRTAB, .bytes = (const uint8_t *)names, .len = sizeof(names),
		};
		const struct part *p = i < n ? &parts[i] : &last;

		sh[i + 1] = (Elf32_Shdr){
			.sh_name = (uint32_t)n_names, .sh_type = p->type, .sh_flags = p->flags, .sh_addr = p->addr,
			.sh_offset = (uint32_t)at, .sh_size = (uint32_t)p->len, .sh_link = p->link, .sh_entsize = p->entry_bytes,
			.sh_addralign = 1,
		};
		n_names += (size_t)snprintf(names + n_names, sizeof(names) - n_names, "%s", p->name) + 1;
		memcpy(file + at, p->bytes, p->len);
		at += p->len;
		ck_assert_uint_lt(at, ROOM - 4096);
	}
	memcpy(file + sh[n + 1].sh_offset, names, sizeof(names));
	ph.p_offset = sh[1].sh_offset;
	ph.p_filesz = ph.p_memsz = sh[1].sh_size;
	at += (4 - at % 4) % 4;
	eh.e_shoff = (uint32_t)at;
	memcpy(file, &eh, sizeof(eh));
	memcpy(file + sizeof(eh), &ph, sizeof(ph));
	memcpy(file + at, sh, (n + 2) * sizeof(sh[0]));
	file_bytes = at + (n + 2) * sizeof(sh[0]);
}

static struct pt_program *open_built(void)
{
	struct pt_program *p = pt_program_from_bytes("hostile", file, file_bytes, 0, &err);

	free(file);
	return p;
}

static uint8_t *fill(size_t n, uint16_t code)
{
	uint8_t *text = malloc(2 * n);

	for (size_t i = 0; i < n; i++)
		pt_put_le16(text + 2 * i, code);
	return text;
}

/* Functions of size bytes each, step bytes apart, all called f; names share their bytes. */
static Elf32_Sym *symbols(size_t n, uint32_t step, uint32_t size)
{
	Elf32_Sym *sym = calloc(n + 1, sizeof(*sym));

	for (size_t i = 1; i <= n; i++)
		sym[i] = (Elf32_Sym){
			.st_name = 1, .st_value = TEXT + (uint32_t)(i - 1) * step + 1,
			.st_size = size != 0 ? size : (uint32_t)(n - i + 1) * step,
			.st_info = ELF32_ST_INFO(STB_GLOBAL, STT_FUNC), .st_shndx = 1,
		};
	return sym;
}

static struct pt_program *many_functions(size_t n, uint32_t step, uint32_t size, const char *name)
{
	uint8_t *text = fill(n * step / 2, 0x4770);
	Elf32_Sym *sym = symbols(n, step, size);
	char names[2048] = "";
	struct part parts[] = {
		{ .name = ".text", .type = SHT_PROGBITS, .flags = SHF_ALLOC | SHF_EXECINSTR, .addr = TEXT, .bytes = text,
		  .len = n * step },
		{ .name = ".symtab", .type = SHT_SYMTAB, .link = 3, .entry_bytes = sizeof(*sym), .bytes = (uint8_t *)sym,
		  .len = (n + 1) * sizeof(*sym) },
		{ .name = ".strtab", .type = SHT_STRTAB, .bytes = (uint8_t *)names, .len = sizeof(names) },
	};

	snprintf(names + 1, sizeof(names) - 1, "%s", name);
	build(parts, PT_LEN(parts));
	free(text);
	free(sym);
	return open_built();
}

START_TEST(says_when_numbers_run_out)
{
	struct pt_program *p = many_functions(70000, 2, 2, "f");
	struct pt_codemap *map = pt_codemap_new(p, &pt_isa_thumb_v6m);
	struct pt_exits *exits = pt_exits_new(map, NULL, &err);
	size_t n;

	ck_assert_str_eq(pt_program_warning(p),
			 "more than 65534 functions: those at the highest addresses have no numbers of "
			 "their own");
	pt_program_functions(p, &n);
	ck_assert_uint_eq(n, 70000);
	ck_assert_uint_eq(pt_codemap_at(map, TEXT)->function, 1);
	ck_assert_uint_eq(pt_codemap_at(map, TEXT + 2 * 65533)->function, 65534);
	ck_assert_uint_eq(pt_codemap_at(map, TEXT + 2 * 65534)->function, PT_NO_FUNCTION);
	ck_assert_uint_eq(pt_codemap_at(map, TEXT + 2 * 69999)->function, PT_NO_FUNCTION);
	ck_assert_ptr_nonnull(pt_exits_of(exits, 65534, &n));
	ck_assert_ptr_null(pt_exits_of(exits, 65535, &n));
	pt_exits_free(exits);
	pt_codemap_free(map);
	pt_program_unref(p);
}
END_TEST

/* Each function begins in all those before it. */
START_TEST(functions_inside_functions)
{
	struct pt_program *p = many_functions(50000, 2, 0, "f");
	struct pt_codemap *map = pt_codemap_new(p, &pt_isa_thumb_v6m);

	ck_assert_uint_eq(pt_codemap_at(map, TEXT + 2 * 40000)->function, 40001);
	pt_codemap_free(map);
	pt_program_unref(p);
}
END_TEST

/* A name that stands for a gigabyte, thousands of times. */
START_TEST(names_that_explode)
{
	char name[1024];
	size_t n = (size_t)snprintf(name, sizeof(name), "_Z1f1PIiiE");
	struct pt_program *p;
	const struct pt_function *f;

	for (const char *digit = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"; *digit != '\0'; digit++)
		n += (size_t)snprintf(name + n, sizeof(name) - n, "S_IS%c_S%c_E", *digit, *digit);
	p = many_functions(100, 2, 2, name);
	f = pt_program_functions(p, &n);
	ck_assert_uint_eq(n, 100);
	ck_assert_str_eq(f[99].name, name);
	pt_program_unref(p);
	ck_assert_ptr_null(many_functions(5000, 2, 2, name));	/* names that share their bytes */
	ck_assert_str_eq(err.msg, "hostile is damaged: it describes more than it holds");
}
END_TEST

/* Sixteen mebibytes of code that runs into nothing: each instruction could be where filler begins. */
START_TEST(filler_without_end)
{
	size_t n = 4 << 20;
	uint8_t *text = fill(n, 0x46c0);
	Elf32_Sym *sym = symbols(1, 2, (uint32_t)(2 * n));
	struct part parts[] = {
		{ .name = ".text", .type = SHT_PROGBITS, .flags = SHF_ALLOC | SHF_EXECINSTR, .addr = TEXT, .bytes = text,
		  .len = 2 * n },
		{ .name = ".symtab", .type = SHT_SYMTAB, .link = 3, .entry_bytes = sizeof(*sym), .bytes = (uint8_t *)sym,
		  .len = 2 * sizeof(*sym) },
		{ .name = ".strtab", .type = SHT_STRTAB, .bytes = (const uint8_t *)"\0f", .len = 3 },
	};
	const struct pt_function_exit *e;
	struct pt_codemap *map;
	struct pt_exits *exits;
	struct pt_program *p;

	pt_put_le16(text, 0x4770);
	build(parts, PT_LEN(parts));
	p = open_built();
	map = pt_codemap_new(p, &pt_isa_thumb_v6m);
	exits = pt_exits_new(map, NULL, &err);
	e = pt_exits_of(exits, 1, &n);
	ck_assert_uint_eq(n, 1);
	ck_assert_uint_eq(e->addr, TEXT);
	pt_exits_free(exits);
	pt_codemap_free(map);
	pt_program_unref(p);
	free(text);
	free(sym);
}
END_TEST

/* --- DWARF */

/* One attribute: DW_AT_stmt_list as DW_FORM_sec_offset. */
static const uint8_t abbrevs[] = { 1, 0x11, 0, 0x10, 0x17, 0, 0, 0 };

enum { UNIT_BYTES = 4 + 2 + 4 + 1 + 1 + 4, HEADER_BYTES = 4 + 2 + 4 + 5 + 2 };

/* Units, each with a line table of its own offset; all tables are headers whose program is the same, at the end. */
static void put_units(uint8_t *info, uint8_t *line, size_t n_units, size_t line_bytes)
{
	for (size_t i = 0; i < n_units; i++) {
		uint8_t *u = info + i * UNIT_BYTES, *h = line + i * HEADER_BYTES;
		uint32_t left = (uint32_t)(line_bytes - i * HEADER_BYTES);

		pt_put_le32(u, UNIT_BYTES - 4);
		pt_put_le16(u + 4, 4);
		pt_put_le32(u + 6, 0);
		u[10] = 4;
		u[11] = 1;
		pt_put_le32(u + 12, (uint32_t)(i * HEADER_BYTES));
		pt_put_le32(h, left - 4);
		pt_put_le16(h + 4, 2);
		pt_put_le32(h + 6, (uint32_t)((n_units - i) * HEADER_BYTES - 10));	/* to the program */
		h[10] = 1;
		h[11] = 1;
		h[12] = 0;
		h[13] = 1;
		h[14] = 1;	/* opcode_base: all are special */
	}
	memset(line + n_units * HEADER_BYTES, 0x21, line_bytes - n_units * HEADER_BYTES);
}

START_TEST(line_tables_in_each_other)
{
	enum { UNITS = 4000, LINE_BYTES = 1 << 20 };
	uint8_t *text = fill(64, 0x4770), *info = calloc(UNITS, UNIT_BYTES), *line = calloc(1, LINE_BYTES);
	Elf32_Sym *sym = symbols(1, 2, 128);
	struct part parts[] = {
		{ .name = ".text", .type = SHT_PROGBITS, .flags = SHF_ALLOC | SHF_EXECINSTR, .addr = TEXT, .bytes = text,
		  .len = 128 },
		{ .name = ".symtab", .type = SHT_SYMTAB, .link = 3, .entry_bytes = sizeof(*sym), .bytes = (uint8_t *)sym,
		  .len = 2 * sizeof(*sym) },
		{ .name = ".strtab", .type = SHT_STRTAB, .bytes = (const uint8_t *)"\0f", .len = 3 },
		{ .name = ".debug_info", .type = SHT_PROGBITS, .bytes = info, .len = UNITS * UNIT_BYTES },
		{ .name = ".debug_abbrev", .type = SHT_PROGBITS, .bytes = abbrevs, .len = sizeof(abbrevs) },
		{ .name = ".debug_line", .type = SHT_PROGBITS, .bytes = line, .len = LINE_BYTES },
	};
	struct pt_program *p;
	struct pt_inlines *inlines;

	put_units(info, line, UNITS, LINE_BYTES);
	build(parts, PT_LEN(parts));
	p = open_built();
	ck_assert_msg(p != NULL, "%s", err.msg);
	ck_assert_str_eq(pt_program_warning(p), "the line tables are longer than 8 MiB, so lines are missing");
	inlines = pt_inlines_new(p);
	ck_assert_ptr_nonnull(inlines);
	pt_inlines_free(inlines);
	pt_program_unref(p);
	free(text);
	free(info);
	free(line);
	free(sym);
}
END_TEST

/* One function, of which 1,100,000 entries say that a call was inlined there: a byte each. The report says that some are left
 * out. */
START_TEST(more_inlined_calls_than_are_read)
{
	static const uint8_t tree[] = { 1, 0x11, 1, 0, 0, 2, 0x2e, 1, 0x11, 0x01, 0x12, 0x06, 0, 0, 3, 0x1d, 0, 0, 0, 0 };
	enum { CALLS = 1100000, AT = 4 + 2 + 4 + 1 + 1 + 1 + 4 + 4, BYTES = AT + CALLS + 2 };
	uint8_t *text = fill(64, 0x4770), *info = calloc(1, BYTES);
	Elf32_Sym *sym = symbols(1, 2, 128);
	struct part parts[] = {
		{ .name = ".text", .type = SHT_PROGBITS, .flags = SHF_ALLOC | SHF_EXECINSTR, .addr = TEXT, .bytes = text,
		  .len = 128 },
		{ .name = ".symtab", .type = SHT_SYMTAB, .link = 3, .entry_bytes = sizeof(*sym), .bytes = (uint8_t *)sym,
		  .len = 2 * sizeof(*sym) },
		{ .name = ".strtab", .type = SHT_STRTAB, .bytes = (const uint8_t *)"\0f", .len = 3 },
		{ .name = ".debug_info", .type = SHT_PROGBITS, .bytes = info, .len = BYTES },
		{ .name = ".debug_abbrev", .type = SHT_PROGBITS, .bytes = tree, .len = sizeof(tree) },
	};
	struct pt_warnings *said = calloc(1, sizeof(*said));
	struct pt_lines lines = { 0 };
	struct pt_profile profile = { .lines = &lines };
	struct pt_inlines *inlines;
	struct pt_program *p;
	bool found = false;

	pt_put_le32(info, BYTES - 4);
	pt_put_le16(info + 4, 4);
	info[10] = 4;
	info[11] = 1;
	info[12] = 2;
	pt_put_le32(info + 13, TEXT);
	pt_put_le32(info + 17, 128);
	memset(info + AT, 3, CALLS);
	build(parts, PT_LEN(parts));
	p = open_built();
	ck_assert_msg(p != NULL, "%s", err.msg);
	lines.inlines = inlines = pt_inlines_new(p);
	ck_assert_ptr_nonnull(pt_inlines_warning(inlines));
	pt_warnings_find(said, &profile);
	for (size_t i = 0; i < said->n; i++)
		found |= strstr(said->text[i], "more inlined calls than are read") != NULL;
	ck_assert_msg(found, "%zu warnings, none of them this one", said->n);
	pt_inlines_free(inlines);
	pt_program_unref(p);
	free(said);
	free(text);
	free(info);
	free(sym);
}
END_TEST

/* 64 bytes that say that they unpack to four gigabytes, in both ways to say it. */
START_TEST(sections_that_unpack_to_too_much)
{
	uint8_t *text = fill(64, 0x4770), packed[64] = { 0 };
	bool old = _i == 1;
	struct part parts[] = {
		{ .name = ".text", .type = SHT_PROGBITS, .flags = SHF_ALLOC | SHF_EXECINSTR, .addr = TEXT, .bytes = text,
		  .len = 128 },
		{ .name = old ? ".zdebug_info" : ".debug_info", .type = SHT_PROGBITS, .flags = old ? 0 : SHF_COMPRESSED,
		  .bytes = packed, .len = sizeof(packed) },
		{ .name = ".debug_abbrev", .type = SHT_PROGBITS, .bytes = abbrevs, .len = sizeof(abbrevs) },
	};
	struct pt_program *p;
	struct pt_types *types;
	size_t n;

	if (old) {
		memcpy(packed, "ZLIB\0\0\0\0\xf0\0\0\0", 12);
	} else {
		pt_put_le32(packed, ELFCOMPRESS_ZLIB);
		pt_put_le32(packed + 4, 0xf0000000);
		pt_put_le32(packed + 8, 1);
	}
	build(parts, PT_LEN(parts));
	p = open_built();
	ck_assert_msg(p != NULL, "%s", err.msg);
	pt_program_lines(p, &n);
	ck_assert_uint_eq(n, 0);
	types = pt_types_new(p);
	ck_assert(!pt_types_has_dwarf(types));
	pt_types_free(types);
	pt_program_unref(p);
	free(text);
}
END_TEST

/* --- build attributes: "A", vendors, and in them what is said of the file */

#define AEABI "aeabi\0"
static const struct {
	const char *name;
	const char *bytes;
	size_t len;
	unsigned cpu_arch;
	char profile;
	const struct pt_isa *isa;
} attributes[] = {
#define ROW(name, text, arch, profile, isa) { name, text, sizeof(text) - 1, arch, profile, isa }
	/* as GNU as writes it for -mcpu=cortex-m33: the name is the first value, and a text */
	ROW("Cortex-M33", "A\x1d\0\0\0" AEABI "\1\x13\0\0\0\5" "8-M.\0" "\6\x11\7\x4d\x9\3\xc\1", 17, 'M', &pt_isa_thumb),
	ROW("Cortex-M4", "A\x13\0\0\0" AEABI "\1\x9\0\0\0\6\xd\7\x4d", 13, 'M', &pt_isa_thumb),
	ROW("Cortex-M0+", "A\x13\0\0\0" AEABI "\1\x9\0\0\0\6\xc\7\x4d", 12, 'M', &pt_isa_thumb_v6m),
	ROW("Cortex-A9", "A\x13\0\0\0" AEABI "\1\x9\0\0\0\6\xa\7\x41", 10, 'A', &pt_isa_none),
	ROW("numbers in more bytes than they need", "A\x15\0\0\0" AEABI "\1\xb\0\0\0\6\x91\x80\0\7\x4d", 17, 'M', &pt_isa_thumb),
	ROW("texts in front", "A\x1c\0\0\0" AEABI "\1\x12\0\0\0\x20\1" "gnu\0\x43" "2.0\0\6\x11", 17, 0, &pt_isa_thumb),
	ROW("another vendor first", "A\x9\0\0\0" "foo\0\6" "\x13\0\0\0" AEABI "\1\x9\0\0\0\6\xd\7\x4d", 13, 'M', &pt_isa_thumb),
	ROW("of a section, not of the file", "A\x13\0\0\0" AEABI "\2\x9\0\0\0\6\xd\7\x4d", 0, 0, &pt_isa_thumb),
	ROW("an architecture of many digits", "A\x16\0\0\0" AEABI "\1\xc\0\0\0\6\x91\x82\x83\x04\7\x4d", 0, 'M', &pt_isa_thumb),
	ROW("a profile that is none", "A\x13\0\0\0" AEABI "\1\x9\0\0\0\6\xd\7\x58", 13, 0, &pt_isa_thumb),
	ROW("nothing", "", 0, 0, &pt_isa_thumb),
	ROW("another version", "B\x13\0\0\0" AEABI "\1\x9\0\0\0\6\xd\7\x4d", 0, 0, &pt_isa_thumb),
	ROW("a vendor of no bytes", "A\0\0\0\0" AEABI, 0, 0, &pt_isa_thumb),
	ROW("a vendor longer than the section", "A\xff\xff\xff\xff" AEABI "\1\x9\0\0\0\6\xd\7\x4d", 0, 0, &pt_isa_thumb),
	ROW("a name without an end", "A\x9\0\0\0" "aeabi", 0, 0, &pt_isa_thumb),
	ROW("a file of no bytes", "A\x13\0\0\0" AEABI "\1\0\0\0\0\6\xd\7\x4d", 0, 0, &pt_isa_thumb),
	ROW("a file longer than its vendor", "A\x13\0\0\0" AEABI "\1\x99\0\0\0\6\xd\7\x4d", 0, 0, &pt_isa_thumb),
	ROW("a value that is cut", "A\x12\0\0\0" AEABI "\1\x8\0\0\0\6\xd\7", 13, 0, &pt_isa_thumb),
	ROW("a text that is cut", "A\x14\0\0\0" AEABI "\1\xa\0\0\0\6\xd\5" "8-", 13, 0, &pt_isa_thumb),
	ROW("a number without an end", "A\x14\0\0\0" AEABI "\1\xa\0\0\0\6\x8d\x8d\x8d\x8d", 0, 0, &pt_isa_thumb),
#undef ROW
};

static struct pt_program *with_attributes(const char *bytes, size_t len)
{
	static const uint8_t code[] = { 0x70, 0x47, 0x70, 0x47 };
	const struct part parts[] = {
		{ .name = ".text", .type = SHT_PROGBITS, .flags = SHF_ALLOC | SHF_EXECINSTR, .addr = TEXT, .bytes = code,
		  .len = sizeof(code) },
		{ .name = ".ARM.attributes", .type = 0x70000003, .bytes = (const uint8_t *)bytes, .len = len },
	};
	struct pt_program *p;

	build(parts, 2);
	p = open_built();
	ck_assert_msg(p != NULL, "%s", err.msg);
	return p;
}

START_TEST(attributes_name_the_core)
{
	struct pt_program *p = with_attributes(attributes[_i].bytes, attributes[_i].len);
	const struct pt_arch *arch = pt_program_arch(p);

	ck_assert_msg(arch->cpu_arch == attributes[_i].cpu_arch && arch->profile == attributes[_i].profile &&
			      pt_program_isa(p) == attributes[_i].isa,
		      "%s: architecture %u, profile %c, %s", attributes[_i].name, arch->cpu_arch,
		      arch->profile != 0 ? arch->profile : '-', pt_program_isa(p)->name);
	pt_program_unref(p);
}
END_TEST

/* Cut anywhere, and with any byte changed: it is opened all the same. */
START_TEST(attributes_may_be_damaged)
{
	char bytes[64];

	for (size_t len = 0; len < attributes[0].len; len++)
		pt_program_unref(with_attributes(attributes[0].bytes, len));
	for (size_t at = 0; at < attributes[0].len; at++)
		for (unsigned value = 0; value < 256; value += 15) {
			memcpy(bytes, attributes[0].bytes, attributes[0].len);
			bytes[at] = (char)value;
			pt_program_unref(with_attributes(bytes, attributes[0].len));
		}
}
END_TEST

/* There is no cycle model of a Cortex-M33: no figure is called time. */
START_TEST(a_core_without_a_model_has_no_cycles)
{
	struct pt_program *p = with_attributes(attributes[0].bytes, attributes[0].len);
	struct pt_pipeline *pipeline = pt_pipeline_new(p, NULL, &err);
	const struct pt_profile *profile = pt_pipeline_profile(pipeline);

	ck_assert_ptr_null(profile->timing);
	ck_assert(profile->by_instructions);
	pt_pipeline_free(pipeline);
	pt_program_unref(p);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("hostile_elf");
	TCase *tc = tcase_create("all");

	tcase_set_timeout(tc, 300);	/* against a hang, on any machine */
	tcase_add_test(tc, says_when_numbers_run_out);
	tcase_add_test(tc, functions_inside_functions);
	tcase_add_test(tc, names_that_explode);
	tcase_add_test(tc, filler_without_end);
	tcase_add_test(tc, line_tables_in_each_other);
	tcase_add_test(tc, more_inlined_calls_than_are_read);
	tcase_add_loop_test(tc, attributes_name_the_core, 0, PT_LEN(attributes));
	tcase_add_test(tc, attributes_may_be_damaged);
	tcase_add_test(tc, a_core_without_a_model_has_no_cycles);
	tcase_add_loop_test(tc, sections_that_unpack_to_too_much, 0, 2);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
