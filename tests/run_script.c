#include "tests/run_script.h"

#include <stdio.h>
#include <string.h>

#include "tests/harness.h"

const struct pt_function script_functions[7] = {
	{ "main", 0x100, 0x100, NULL, 0, NULL }, { "f", 0x200, 0x100, NULL, 0, NULL }, { "g", 0x300, 0x100, NULL, 0, NULL },
	{ "h", 0x400, 0x100, NULL, 0, NULL }, { "isr", 0x500, 0x100, NULL, 0, NULL }, { "isr2", 0x600, 0x100, NULL, 0, NULL },
	{ "task", 0x700, 0x100, NULL, 0, NULL },
};

static struct pt_code_unit code[0x800 / 2 + 1] = {
	[0x11c / 2] = { .len_units = 2, .flow = PT_FLOW_CALL },
	[0x21e / 2] = { .len_units = 1, .flow = PT_FLOW_INDIRECT_CALL },
};
static struct pt_code_span span = { .end = 0x800, .code = code };
const struct pt_codemap script_map = { .isa = &pt_isa_thumb_v6m, .span = &span, .n_spans = 1 };

static const struct { const char *name; uint8_t left; } verbs[] = {
	{ "br", PT_LEFT_BRANCH }, { "call", PT_LEFT_CALL }, { "ret", PT_LEFT_RETURN }, { "exc", PT_LEFT_EXCEPTION },
	{ "excret", PT_LEFT_EXCEPTION_RETURN }, { "chain", PT_LEFT_TAIL_CHAIN }, { "dbg", PT_LEFT_DEBUG },
	{ "gap", PT_LEFT_GAP }, { "next", PT_LEFT_NEXT },
};

uint16_t script_owner(uint64_t address)
{
	return address >= 0x100 && address < 0x800 ? (uint16_t)(address >> 8) : PT_NO_FUNCTION;
}

struct pt_run script_run(const char *text)
{
	struct pt_run run = { 0 };
	unsigned begin, n, next = 0;
	char verb[16];

	ck_assert_int_ge(sscanf(text, "%x %u %15s %x", &begin, &n, verb, &next), 3);
	run.begin = begin;
	run.end = begin + 2 * n;
	run.instructions = run.cycles = n;
	run.function = script_owner(begin);
	run.next = strcmp(verb, "gap") == 0 ? PT_UNKNOWN : next;
	run.next_function = script_owner(next);
	for (size_t i = 0; i < PT_LEN(verbs); i++)
		if (strcmp(verbs[i].name, verb) == 0)
			run.left = verbs[i].left;
	ck_assert_uint_ne(run.left, 0);
	return run;
}

static bool is_signal(const char *line)
{
	char word[8] = "";

	sscanf(line, "%7s", word);
	return strcmp(word, "task") == 0 || strcmp(word, "told") == 0;
}

static void tell(struct pt_execution *x, const char *line)
{
	unsigned task = PT_NO_TASK, ns = 0, error_ns = 0;
	char word[8] = "";

	sscanf(line, "%7s %u %u %u", word, &task, &ns, &error_ns);
	pt_execution_task(x, (uint16_t)task, (struct pt_timestamp){ ns, error_ns }, strcmp(word, "task") == 0);
}

static void each_line(const char *script, void (*take)(void *arg, const char *line), void *arg)
{
	char copy[2000], *rest = NULL;

	snprintf(copy, sizeof(copy), "%s", script);
	for (const char *line = strtok_r(copy, ",", &rest); line != NULL; line = strtok_r(NULL, ",", &rest))
		take(arg, line);
}

static void feed_line(void *x, const char *line)
{
	struct pt_run run;

	if (is_signal(line)) {
		tell(x, line);
		return;
	}
	run = script_run(line);
	pt_execution_feed(x, &run, 1);
}

void script_feed(struct pt_execution *x, const char *script)
{
	each_line(script, feed_line, x);
}

struct taker { void (*take)(void *arg, const struct pt_run *run); void *arg; };

static void give_line(void *arg, const char *line)
{
	const struct taker *taker = arg;
	struct pt_run run;

	if (is_signal(line))
		return;
	run = script_run(line);
	taker->take(taker->arg, &run);
}

void script_runs(const char *script, void (*take)(void *arg, const struct pt_run *run), void *arg)
{
	struct taker taker = { take, arg };

	each_line(script, give_line, &taker);
}

const char *script_print(const struct pt_execution_result *result, char *out)
{
	*out = '\0';
	for (size_t i = 1; i < result->n_functions; i++) {
		const struct pt_execution_function *f = &result->function[i];

		if (f->count == 0 && f->partial == 0 && f->instructions == 0)
			continue;
		sprintf(out + strlen(out), "%s%s %llu-%llu %llu/%llu", *out != '\0' ? "; " : "",
			script_functions[i - 1].name, (unsigned long long)f->count, (unsigned long long)f->partial,
			(unsigned long long)f->instructions, (unsigned long long)f->gross_total);
		if (f->stat[PT_TALLY_NET].n > 0)
			sprintf(out + strlen(out), " [%llu: %llu %llu %llu]",
				(unsigned long long)f->stat[PT_TALLY_NET].n,
				(unsigned long long)f->stat[PT_TALLY_NET].total,
				(unsigned long long)f->stat[PT_TALLY_GROSS].total,
				(unsigned long long)f->stat[PT_TALLY_CALL].total);
	}
	return out;
}

struct pt_execution *script_execution(uint32_t entry_cycles)
{
	const struct pt_flow_settings settings = {
		.clock = PT_FLOW_CYCLES, .exception_entry_cycles = entry_cycles, .tail_chain_cycles = entry_cycles / 2,
	};
	struct pt_execution *x = pt_execution_new(script_functions, PT_LEN(script_functions), &script_map, &settings);

	ck_assert_ptr_nonnull(x);
	return x;
}
