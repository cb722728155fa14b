/* Random set-ups of the virtual cm4 for monitor swo doctor: clocks, what another tool has left in the registers, probes,
 * and what is wrong with the pin. The address of the board is what the doctor is judged by: the clocks that it finds are within
 * 0.1 %, or it warns; it never warns where all is well; where nothing can come it says why; what it writes for the
 * configuration makes a profile that receives samples; every register is as it was.
 *
 * usage: test_swo_doctor [SET-UPS [SEED]]; make swo-doctor has 100 */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "host/log.h"
#include "probes/registry.h"
#include "targets/contract/emit.h"
#include "targets/contract/source.h"
#include "targets/cortexm/core/cortexm.h"
#include "targets/cortexm/swo/source_swo.h"
#include "targets/cortexm/swo/swo_doctor.h"
#include "targets/registry.h"
#include "trace/loss.h"

#define GOOD 0.001

/* --- what is drawn ------------------------------------------------------------------------------------------------ */

enum trouble { FINE, UNROUTED, TRACE_SLEEPS, CYCCNT_SLEEPS, BOTH_SLEEP, RIVAL, N_TROUBLES };
static const char *const troubles[] = {	/* variants */
	[FINE] = "", [UNROUTED] = "", [TRACE_SLEEPS] = ",trace-sleeps", [CYCCNT_SLEEPS] = ",cyccnt-sleeps",
	[BOTH_SLEEP] = ",trace-sleeps,cyccnt-sleeps", [RIVAL] = ",rival",
};
/* One of these words has to come. Where all is well, none that begins with "warning". */
static const char *const words_for[] = {
	[FINE] = "for the configuration", [UNROUTED] = "the pin is not routed", [TRACE_SLEEPS] = "while the core sleeps",
	[CYCCNT_SLEEPS] = "while the core sleeps", [BOTH_SLEEP] = "while the core sleeps", [RIVAL] = "another tool",
};
static const char *const probes[] = {
	"", "&link=bulk-fs", "&link=hid-fs", "&probe=stlink", "&probe=stlink&stlink=v3j7", "&probe=jlink", "&probe=jlink&jlink=ob",
	"&probe=jlink&jlink=v10",
};

struct setup {
	char uri[300];
	double core_hz, trace_hz;
	uint64_t seed;
	enum trouble trouble;
	bool port, by_core;		/* the doctor may write to a stimulus port; which takes nothing of a debugger */
};

static uint64_t dice_state;

static uint32_t dice(uint32_t below)
{
	return (uint32_t)pt_random(&dice_state, below);
}

static double draw_hz(double least, double most)
{
	return floor(least * pow(most / least, dice(1 << 20) / (double)(1 << 20)));
}

static void draw(struct setup *s)
{
	unsigned ppm = dice(300), own_clock = dice(3);
	double core_hz = draw_hz(4e6, 100e6), trace_hz = own_clock == 0 ? draw_hz(4e6, 200e6) : core_hz / own_clock;
	bool left = dice(2) == 0;	/* another tool has left its settings */
	char variant[80];

	s->trouble = dice(2) == 0 ? FINE : (enum trouble)dice(N_TROUBLES);
	s->port = dice(2) == 0;
	s->by_core = dice(4) == 0;
	snprintf(variant, sizeof(variant), "%s%s%s", left ? ",left" : "", s->by_core ? ",ports-by-core" : "",
		 troubles[s->trouble]);
	snprintf(
		s->uri, sizeof(s->uri),
		"virtual:cm4?clock=virtual&seed=%u&core-clock=%.0f&trace-clock=%.0f&core-drift=%u&tpiu=%s&itm-fifo=%u%s%s%s%s",
		1 + dice(1000), core_hz, trace_hz, ppm, dice(2) == 0 ? "m4" : "coresight", 2 + dice(15),
		probes[dice(PT_LEN(probes))], s->trouble == UNROUTED ? "&swo=unrouted" : "",
		variant[0] != '\0' ? "&variant=" : "", variant[0] != '\0' ? variant + 1 : "");
	s->core_hz = core_hz * (1 + ppm * 1e-6);
	s->trace_hz = floor(trace_hz) * (1 + ppm * 1e-6);
}

/* --- the board ---------------------------------------------------------------------------------------------------- */

static struct pt_probe *probe;
static struct pt_target *target;
static struct pt_mem *mem;
static char said[1 << 14];
static unsigned n_wrong;
static const struct setup *now;

static void wrong(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void wrong(const char *format, ...)
{
	va_list words;

	n_wrong++;
	printf("FAIL: seed %" PRIu64 ": %s\n  ", now->seed, now->uri);
	va_start(words, format);
	vprintf(format, words);
	va_end(words);
	printf("\n%s", said);
}

static const struct { const char *name; uint32_t at, mask; } registers[] = {
	{ "DEMCR", 0xe000edfc, UINT32_MAX }, { "TPIU_SPPR", 0xe00400f0, UINT32_MAX }, { "TPIU_ACPR", 0xe0040010, UINT32_MAX },
	{ "TPIU_FFCR", 0xe0040304, UINT32_MAX }, { "ITM_TPR", 0xe0000e40, UINT32_MAX }, { "ITM_TER", 0xe0000e00, UINT32_MAX },
	{ "ITM_TCR", 0xe0000e80, ~(UINT32_C(1) << 23) /* BUSY */ }, { "ITM_LSR", 0xe0000fb4, UINT32_MAX },
	{ "DWT_CTRL", 0xe0001000, UINT32_MAX }, { "DWT_COMP0", 0xe0001020, UINT32_MAX }, { "DWT_MASK0", 0xe0001024, UINT32_MAX },
	{ "DWT_FUNCTION0", 0xe0001028, 0xf },	/* MATCHED clears when it is read */
};

static void read_registers(uint32_t value[PT_LEN(registers)])
{
	struct pt_err err = { 0 };
	uint32_t demcr = 0;

	pt_mem_read32(mem, registers[0].at, &demcr, &err);
	pt_mem_write32(mem, registers[0].at, demcr | 1 << 24, &err);
	for (size_t i = 0; i < PT_LEN(registers); i++)
		if (pt_mem_read32(mem, registers[i].at, &value[i], &err) < 0)
			wrong("read %s: %s", registers[i].name, err.msg);
	value[0] = demcr;
	pt_mem_write32(mem, registers[0].at, demcr, &err);
}

static bool open_board(const struct setup *s)
{
	struct pt_err err = { 0 };

	now = s;
	said[0] = '\0';
	probe = pt_probe_open(s->uri, NULL, &err);
	target = probe != NULL ? pt_target_attach(probe, "cortexm", NULL, &err) : NULL;
	if (target == NULL) {
		wrong("no board: %s", err.msg);
		pt_probe_close(probe);
		return false;
	}
	mem = pt_cortexm_of(target)->mem;
	return true;
}

static void close_board(void)
{
	struct pt_err err = { 0 };

	if (pt_target_detach(target, true, &err) < 0)
		wrong("detach: %s", err.msg);
	pt_probe_close(probe);
}

/* --- what it says ------------------------------------------------------------------------------------------------- */

static void on_line(void *arg, const char *line)
{
	size_t len = strlen(said);

	(void)arg;
	snprintf(said + len, sizeof(said) - len, "    %s\n", line);
}

static bool read_number(const char *behind, double *value)
{
	const char *at = strstr(said, behind);

	if (at == NULL)
		return false;
	*value = atof(at + strlen(behind));
	return true;
}

static void judge(const struct setup *s)
{
	bool warns = strstr(said, "warning") != NULL;
	double core_mhz = 0, trace_mhz = 0;
	bool found = read_number("trace clock: ", &trace_mhz);

	if (strstr(said, words_for[s->trouble]) == NULL)
		wrong("no word of \"%s\"", words_for[s->trouble]);
	if (!read_number("core clock: ", &core_mhz) || (!warns && fabs(core_mhz * 1e6 / s->core_hz - 1) > GOOD))
		wrong("the core has %.6f MHz", s->core_hz / 1e6);
	if (found && !warns && fabs(trace_mhz * 1e6 / s->trace_hz - 1) > GOOD)
		wrong("the trace clock is %.6f MHz", s->trace_hz / 1e6);
	if (s->trouble == CYCCNT_SLEEPS && s->port && !s->by_core &&
	    (!found || fabs(trace_mhz * 1e6 / s->trace_hz - 1) > GOOD))
		wrong("by the port the trace clock is %.6f MHz", s->trace_hz / 1e6);
	if (s->trouble == FINE && strstr(said, "predicted loss") == NULL && strstr(said, "source=pcsr") == NULL)
		wrong("no word of what fits");
	if (s->trouble == FINE && (!found || warns))
		wrong("all is well, and it warns, or finds no clock");
}

/* --- what it writes for the configuration ------------------------------------------------------------------------- */

static struct {
	struct pt_sink sink;
	uint64_t bytes;
	unsigned losses;
} got;

static struct pt_chunk *take_chunk(struct pt_sink *sink)
{
	(void)sink;
	return calloc(1, sizeof(struct pt_chunk) + PT_CHUNK_BYTES);
}

static void put_chunk(struct pt_sink *sink, struct pt_chunk *chunk)
{
	(void)sink;
	got.bytes += chunk->kind == PT_CHUNK_DATA ? chunk->len_bytes : 0;
	free(chunk);
}

static void lose_chunk(struct pt_sink *sink, const struct pt_chunk *loss)
{
	(void)sink;
	got.losses += loss->cause == PT_LOSS_PIN;
}

/* A clock that stands in sleep has to be said. */
static void profile(struct pt_params *settings, const struct setup *s)
{
	bool cut = s->trouble != FINE;
	char config[40];
	struct pt_err err = { 0 };
	void *state = calloc(1, pt_source_swo.state_bytes);
	bool started;
	int rc;

	snprintf(config, sizeof(config), "core_hz=%.0f\n", cut ? s->core_hz : 0);
	memset(&got, 0, sizeof(got));
	got.sink = (struct pt_sink){ take_chunk, put_chunk, lose_chunk };
	rc = pt_source_swo.start(state, target,
				 &(struct pt_source_setup){
					 .settings = settings, .sink = &got.sink, .seed = 1, .config = config },
				 &err);
	started = rc >= 0;
	for (int i = 0; rc >= 0 && i < 20; i++) {
		rc = pt_source_swo.drain(state, &err);
		if (rc > 0)
			pt_mem_wait(mem, pt_mem_now_ns(mem) + (uint64_t)rc * 1000, &err);
	}
	if (started)
		rc = pt_source_swo.stop(state, &err) < 0 && rc >= 0 ? err.code : rc;
	if (rc < 0)
		wrong("a profile with what it says: %s", err.msg);
	else if (!cut && (got.bytes == 0 || got.losses > 0))
		wrong("a profile with what it says has %" PRIu64 " bytes, and %u losses", got.bytes, got.losses);
	free(state);
}

static void paste(const struct setup *s)
{
	static const char *const keys[] = { "trace-clock", "swo-baud" };
	struct pt_params *settings = pt_params_new();
	struct pt_err err = { 0 };
	unsigned n = 0;

	pt_params_add(settings, pt_source_swo.params, pt_source_swo.n_params, "trace=pc-samples", &err);
	for (size_t i = 0; i < PT_LEN(keys); i++) {
		char word[80];
		double value;

		snprintf(word, sizeof(word), "%s = ", keys[i]);
		if (!read_number(word, &value))
			continue;
		n++;
		snprintf(word, sizeof(word), "%s=%.0f", keys[i], value);
		if (pt_params_add(settings, pt_source_swo.params, pt_source_swo.n_params, word, &err) < 0)
			wrong("%s: %s", word, err.msg);
	}
	if (s->trouble == FINE && n != PT_LEN(keys))
		wrong("%u lines for the configuration", n);
	if (n > 0)
		profile(settings, s);
	pt_params_free(settings);
}

/* --- one of them -------------------------------------------------------------------------------------------------- */

static void examine(const struct setup *s)
{
	static const char *const words[] = { "doctor", "port=31" };
	uint32_t before[PT_LEN(registers)], behind[PT_LEN(registers)];
	struct pt_err err = { 0 };

	read_registers(before);
	if (pt_swo_doctor(target->state, words, s->port ? 2 : 1, on_line, NULL, &err) < 0)
		on_line(NULL, err.msg);
	judge(s);
	if (s->trouble != RIVAL)
		paste(s);
	read_registers(behind);
	for (size_t i = 0; i < PT_LEN(registers); i++)
		if (s->trouble != RIVAL && ((before[i] ^ behind[i]) & registers[i].mask) != 0)
			wrong("%s was 0x%08" PRIx32 " and is 0x%08" PRIx32, registers[i].name, before[i], behind[i]);
}

int main(int argc, char **argv)
{
	unsigned n = argc > 1 ? (unsigned)atoi(argv[1]) : 4;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
	unsigned n_bad = 0, of[N_TROUBLES] = { 0 };

	for (unsigned i = 0; i < n; i++) {
		struct setup setup = { .seed = seed + i };

		dice_state = setup.seed;
		draw(&setup);
		n_wrong = 0;
		of[setup.trouble]++;
		if (open_board(&setup)) {
			examine(&setup);
			close_board();
		}
		n_bad += n_wrong > 0;
	}
	printf("%u of %u set-ups right (seed %" PRIu64
	       "): %u fine, %u not routed, %u whose clocks stop in sleep, %u with a rival\n",
	       n - n_bad, n, seed, of[FINE], of[UNROUTED], of[TRACE_SLEEPS] + of[CYCCNT_SLEEPS] + of[BOTH_SLEEP],
	       of[RIVAL]);
	return n_bad > 0;
}
