#include "sample_profile.h"

#include "profile/analyses/calls/tree.h"

enum { MAIN = 1, FIBONACCI, LESS, HANDLER, N_FUNCTIONS = HANDLER };

static const struct pt_function functions[N_FUNCTIONS] = {
	{ .name = "main", .address = 0x410, .size = 140, .file = "/src/demo.c", .line = 396 },
	{ .name = "fibonacci", .address = 0x4a0, .size = 48, .file = "/src/demo.c", .line = 223 },
	{ .name = "less<a&b>", .address = 0x500, .size = 20, .file = "/src/less.h", .line = 12 },
	{ .name = "SysTick_Handler", .address = 0x540, .size = 24, .file = "/src/demo.c", .line = 371 },
};

static const struct pt_tree_node nodes[] = {
	{ .parent = 0, .depth = 0, .site = PT_UNKNOWN, .task = PT_NO_TASK, .net = 1000, .gross = 480000 },
	{ .parent = 0, .depth = 1, .site = PT_UNKNOWN, .function = MAIN, .task = PT_NO_TASK, .entry = PT_ENTRY_UNSEEN,
	  .net = 100000, .gross = 431000 },
	{ .parent = 1, .depth = 2, .site = 0x420, .function = FIBONACCI, .task = PT_NO_TASK, .entry = PT_ENTRY_CALL,
	  .count = 10, .net = 200000, .gross = 300000 },
	{ .parent = 2, .depth = 3, .site = 0x4b0, .function = FIBONACCI, .task = PT_NO_TASK, .entry = PT_ENTRY_CALL,
	  .count = 90, .net = 100000, .gross = 100000 },
	{ .parent = 1, .depth = 2, .site = 0x430, .function = LESS, .task = PT_NO_TASK, .entry = PT_ENTRY_CALL, .count = 7,
	  .net = 20000, .gross = 20000 },
	{ .parent = 1, .depth = 2, .site = 0x43c, .function = LESS, .task = PT_NO_TASK, .entry = PT_ENTRY_CALL, .count = 3,
	  .net = 10000, .gross = 11000 },
	{ .parent = 5, .depth = 3, .site = PT_UNKNOWN, .function = PT_NO_FUNCTION, .task = PT_NO_TASK, .net = 1000,
	  .gross = 1000 },
	{ .parent = 0, .depth = 1, .site = PT_UNKNOWN, .function = HANDLER, .task = PT_NO_TASK, .entry = PT_ENTRY_EXCEPTION,
	  .count = 12, .net = 48000, .gross = 48000 },
};
static const uint32_t order[] = { 0, 1, 2, 3, 4, 5, 6, 7 };
static const struct pt_tree tree = { .node = nodes, .n_nodes = PT_LEN(nodes), .order = order };

static const struct { uint64_t count, partial, instructions, cycles, gross, exceptions; } figures[N_FUNCTIONS + 1] = {
	[PT_NO_FUNCTION] = { 0, 0, 1200, 2000, 0, 0 },
	[MAIN] = { 0, 1, 60000, 100000, 431000, 0 },
	[FIBONACCI] = { 100, 0, 180000, 300000, 300000, 0 },
	[LESS] = { 10, 0, 15000, 30000, 31000, 0 },
	[HANDLER] = { 12, 0, 24000, 48000, 48000, 12 },
};
static const struct pt_edge edges[] = {
	{ 0, HANDLER, 0, 12, 48000, 0, 0 }, { MAIN, FIBONACCI, 0, 10, 300000, 0, 0 }, { MAIN, LESS, 0, 10, 31000, 0, 0 },
	{ FIBONACCI, FIBONACCI, 0, 90, 100000, 0, 0 },
};

static struct pt_execution_function runs[N_FUNCTIONS + 1];
static struct pt_profile_function rows[N_FUNCTIONS + 1];
static const struct pt_profile_function *by_id[N_FUNCTIONS + 1];
static struct pt_profile_irq irqs[1];

static struct pt_stat stat_of(uint64_t n, uint64_t total)
{
	if (n == 0)
		return pt_stat_empty();
	return (struct pt_stat){ .n = n, .min = total / n / 2, .max = total / n * 2, .total = total, .min_at = 1000000,
				 .max_at = 9000000 };
}

static void fill_rows(const struct pt_program *program)
{
	size_t n;
	const struct pt_function *sorted = pt_program_functions(program, &n);

	for (uint16_t id = 0; id <= N_FUNCTIONS; id++) {
		runs[id] = (struct pt_execution_function){
			.count = figures[id].count, .partial = figures[id].partial, .cycles = figures[id].cycles,
			.instructions = figures[id].instructions, .gross_total = figures[id].gross,
			.exceptions = figures[id].exceptions,
		};
		for (int kind = 0; kind < PT_N_TALLY_KINDS; kind++)
			runs[id].stat[kind] = stat_of(figures[id].count, figures[id].gross);
		rows[id] = (struct pt_profile_function){
			.id = id, .function = id != PT_NO_FUNCTION ? &sorted[id - 1] : NULL, .run = &runs[id], .seen = &runs[id],
			.share = { .share = (double)figures[id].cycles / 480000 },
		};
		by_id[id] = &rows[id];
	}
	irqs[0] = (struct pt_profile_irq){ .function = &rows[HANDLER], .vectors = "15 SysTick" };
}

static const struct pt_program *make_program(void)
{
	static struct pt_program *program;
	static const uint8_t code[0x200];
	const struct pt_segment segment = { .addr = 0x400, .size = sizeof(code), .bytes = code, .code = true, .run = 0x400 };
	const struct pt_program_desc desc = {
		.elf_machine = PT_MACHINE_ARM,
		.name = "/src/sample.elf", .segments = &segment, .n_segments = 1, .functions = functions,
		.n_functions = N_FUNCTIONS, .vectors = PT_UNKNOWN,
	};

	if (program == NULL)
		program = pt_program_from_desc(&desc);
	return program;
}

struct pt_profile sample_profile(void)
{
	const struct pt_program *program = make_program();

	fill_rows(program);
	return (struct pt_profile){
		.source = "mtb", .mode = "halt", .analysis = "execution", .target = "MKL27Z256 (Cortex-M0+)",
		.probe = "virtual:kl27", .cost = "halts the core to read its trace", .from_virtual = true, .program = program,
		.timing = "Cortex-M0+, zero wait states", .core_hz = 48000000, .ended = true,
		.loss = { .total_ns = 12000000, .observed_ns = 10000000, .unobserved_ns = 1500000, .lost_ns = 500000,
			  .observed_bytes = 9600,
			  .by = { [PT_LOSS_DRAIN] = { 4, 0, 1500000 }, [PT_LOSS_WRAP] = { 1, 64, 500000 } } },
		.counts = PT_BASIS_ESTIMATED, .times = PT_BASIS_MODELLED, .shares = PT_BASIS_MODELLED,
		.branches = 1200, .instructions = 280200, .cycles = 480000, .not_code_from = PT_UNKNOWN,
		.errors = { .address = PT_UNKNOWN, .at = PT_UNKNOWN },
		.function = rows, .n_functions = N_FUNCTIONS + 1, .by_id = by_id, .n_ids = N_FUNCTIONS + 1,
		.edge = edges, .n_edges = PT_LEN(edges), .irq = irqs, .n_irqs = 1, .tree = &tree,
	};
}
