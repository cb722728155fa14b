/* The data of a kernel with any bytes changed, and with memory that cannot be read: its threads are a bounded list
 * without doubles, found with a bounded number of reads, and the registers of each either make sense or are refused
 * with a sentence. Input: which kernel, where memory cannot be read, then triples of offset (two bytes) and what
 * stands there. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program/orti/orti.h"
#include "program/os/rtos.h"
#include "session/orti_file.h"
#include "program/os/threads.h"
#include "base/util.h"

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t in_bytes);

enum { RAM = 0x20000000, RAM_BYTES = 0x6000, N_KERNELS = 12, ORTI = 10, MOST_READS = 2000000 };

static const char *const names[N_KERNELS] = {
	"rtos_freertos", "rtos_freertos_plain", "rtos_zephyr", "rtos_zephyr_plain",
	"rtos_threadx",	 "rtos_threadx_plain",	"rtos_rtx5",   "rtos_rtx5_plain",
	"rtos_ucos3",	 "rtos_ucos3_plain",	"tasks",       "rtos_zephyr_switch",
};

struct kernel {
	struct pt_program *program;
	struct pt_threads *threads;
	struct pt_types *types;		/* NULL: the kernel is described by ORTI */
	struct pt_rtos *rtos;
	uint8_t ram[RAM_BYTES];
};
struct memory {
	const struct kernel *kernel;
	uint8_t ram[RAM_BYTES];
	uint64_t hole;
	size_t n_reads;
};

static struct kernel kernels[N_KERNELS];

static void need(bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "%s\n", what);
	abort();
}

static void open_kernel(struct kernel *k, const char *name, bool orti)
{
	const char *srcdir = getenv("srcdir");
	const struct pt_segment *segments;
	struct pt_err err = { 0 };
	char path[512];
	size_t n;

	snprintf(path, sizeof(path), "%s/tests/firmware/%s.elf", srcdir != NULL ? srcdir : ".", name);
	k->program = pt_program_open(path, 0, &err);
	need(k->program != NULL, err.msg);
	snprintf(path, sizeof(path), "%s/tests/firmware/%s.orti", srcdir != NULL ? srcdir : ".", name);
	k->threads = orti ? pt_threads_of_orti(k->program, pt_orti_file(path, &err), &err)
			  : pt_threads_of_rtos(k->program, &err);
	need(k->threads != NULL, err.msg);
	k->types = orti ? NULL : pt_types_new(k->program);
	k->rtos = orti ? NULL : pt_rtos_detect(k->types, &err);
	need(orti || k->rtos != NULL, err.msg);
	segments = pt_program_segments(k->program, &n);
	for (size_t i = 0; i < n; i++)
		if (segments[i].bytes != NULL && segments[i].run >= RAM &&
		    segments[i].run + segments[i].size <= RAM + RAM_BYTES)
			memcpy(k->ram + (segments[i].run - RAM), segments[i].bytes, segments[i].size);
}

/* The first 256 bytes of each block of 2 KiB may be a hole. */
static int read_memory(void *arg, uint64_t addr, void *bytes, size_t n_bytes, struct pt_err *err)
{
	struct memory *m = arg;

	need(++m->n_reads < MOST_READS, "reads without end");
	if (addr < RAM || n_bytes > RAM_BYTES || addr - RAM > RAM_BYTES - n_bytes)
		return pt_fail(err, PT_EFAULT, "bus fault");
	if ((addr & 0x700) == 0 && (m->hole >> (addr >> 11 & 7) & 1) != 0)
		return pt_fail(err, PT_EFAULT, "bus fault");
	memcpy(bytes, m->ram + (addr - RAM), n_bytes);
	return 0;
}

static void look_at_thread(const struct kernel *k, const struct pt_reader *reader, const struct pt_thread *thread)
{
	struct pt_err err = { 0 };
	struct pt_saved saved;
	int rc = pt_threads_saved(k->threads, reader, thread->id, &saved, &err);

	need(thread->id != 0 && memchr(thread->name, 0, sizeof(thread->name)) != NULL && thread->name[0] != '\0',
	     "a name");
	need(thread->state[0] != '\0', "a state");
	need(rc == 0 || (rc == err.code && err.msg[0] != '\0'), "a sentence");
	need(rc < 0 || (saved.n_regs > 0 && saved.n_regs <= PT_SAVED_REGISTERS), "registers");
	need(rc < 0 || pt_saved_find(&saved, "pc") == NULL || pt_saved_find(&saved, "sp") != NULL, "a stack");
}

static void look(const struct kernel *k, struct memory *m)
{
	struct pt_reader reader = { read_memory, m };
	struct pt_threads_running running;
	struct pt_thread_list list;
	struct pt_err err = { 0 };
	int rc = pt_threads_running(k->threads, &reader, &running, &err);

	need(rc == 0 || (rc == err.code && err.msg[0] != '\0'), "a sentence");
	rc = pt_threads_read(k->threads, &reader, &list, &err);
	need(rc == 0 || (rc == err.code && err.msg[0] != '\0'), "a sentence");
	if (rc < 0)
		return;
	need(list.n_threads <= PT_RTOS_MAX_THREADS, "threads without end");
	for (size_t i = 0; i < list.n_threads; i++) {
		need(i == 0 || list.thread[i - 1].id < list.thread[i].id, "a thread twice");
		look_at_thread(k, &reader, &list.thread[i]);
	}
	pt_thread_list_fini(&list);
}

/* The maps of the task analysis have a row for no task and one for each; the ORTI file is one that is read. */
static void describe(const struct kernel *k, struct memory *m)
{
	struct pt_reader reader = { read_memory, m };
	struct pt_rtos_threads threads;
	struct pt_task_maps *maps;
	struct pt_orti *orti, *again;
	struct pt_err err = { 0 };
	char *text;

	if (k->rtos == NULL || pt_rtos_read(k->rtos, &reader, &threads, &err) < 0)
		return;
	maps = pt_rtos_task_maps(k->rtos, &threads);
	need(maps->n_maps > 0, "a map");
	pt_task_maps_free(maps);
	pt_task_maps_free(pt_rtos_task_maps(k->rtos, NULL));
	orti = pt_rtos_orti(k->rtos, &threads);
	text = pt_orti_write(orti);
	again = pt_orti_parse(text, strlen(text), &err);
	need(again != NULL, err.msg);
	pt_orti_free(again);
	free(text);
	pt_orti_free(orti);
	pt_rtos_threads_fini(&threads);
}

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t in_bytes)
{
	static struct memory m;
	struct kernel *k;

	if (in_bytes < 2)
		return 0;
	k = &kernels[in[0] % N_KERNELS];
	if (k->threads == NULL)
		open_kernel(k, names[in[0] % N_KERNELS], in[0] % N_KERNELS == ORTI);
	m.kernel = k;
	m.hole = in[1] >= 0xf0 ? 0 : in[1];
	m.n_reads = 0;
	memcpy(m.ram, k->ram, sizeof(m.ram));
	for (size_t i = 2; i + 2 < in_bytes; i += 3)
		m.ram[(in[i] | in[i + 1] << 8) % RAM_BYTES] = in[i + 2];
	look(k, &m);
	describe(k, &m);
	return 0;
}
