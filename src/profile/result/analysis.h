/* An analysis asks one question of the stream: one file, one word in PT_ANALYSES. It is a pure function of what it is
 * fed, knows no chip, probe or trace format, and puts its result into the profile, where views and formats find it.
 *
 * The pipeline feeds it in order of time, as far as the clocks of the sources allow; what one source gave is always
 * in that source's order. An analysis names what it wants and gets nothing else, so that one that was not selected
 * takes no time. Memory is bounded: what does not fit is counted and said. */
#ifndef PT_PROFILE_ANALYSIS_H
#define PT_PROFILE_ANALYSIS_H

#include "base/error.h"
#include "base/params.h"
#include "profile/stack/compact_events.h"
#include "profile/flow/flow.h"
#include "profile/flow/timestamp.h"
#include "profile/flow/branch_block.h"
#include "profile/result/profile.h"
#include "profile/flow/run.h"
#include "profile/flow/signals.h"
#include "profile/flow/windows.h"
#include "profile/stack/call_event.h"
#include "program/code/codemap.h"
#include "trace/config.h"
#include "trace/event.h"

struct pt_analysis_setup {	/* what is known before the first chunk; all of it outlives the analysis */
	const struct pt_program *program;	/* NULL: no symbols */
	const struct pt_codemap *map;
	size_t n_functions;		/* ids are below it (codemap.h) */
	const struct pt_params *words;	/* checked against all rows of all analyses */
	const struct pt_signal_set *signals;
	const struct pt_flow_settings *flow;	/* what runs were made with: which of their cycles are for exceptions */
	bool by_instructions;		/* the profile's clock; else modelled cycles */
	const char *sync;		/* pt_pipeline_synchronise(): LINE:FUNCTION; NULL: no clocks are compared */
	bool late;			/* the profile has begun: what came before, and
					 * what is open now, was not seen */
};

/* an analysis with state per core leaves out the runs of cores with a higher number */
enum { PT_RUN_CORES = PT_PROFILE_CORES };

struct pt_analysis {
	const char *name;	/* the word for analysis= : "lines" */
	const char *help;	/* one line */
	bool standard;		/* made without being asked for: cheap, and part of the plain report */
	const struct pt_param *params;	/* its own settings, or NULL */
	size_t n_params;
	/* NULL with err: a word makes no sense for this program (PT_EARG), or no memory. */
	void *(*open)(const struct pt_analysis_setup *setup, struct pt_err *err);
	void (*close)(void *analysis);
	/* What it wants; NULL: not this. Each call is a batch of one source and core.
	 * from: of the first run; the runs of a core follow each other on the profile's clock. */
	void (*runs)(void *analysis, const struct pt_run *run, size_t n, uint16_t core, struct pt_timestamp from);
	void (*steps)(void *analysis, const struct pt_call_event *step, size_t n);
	/* The same in brief, for analyses that take runs and steps and have to be fast: what comes here is no run or
	 * step any more. NULL: all of it comes as runs and steps. */
	void (*piece)(void *analysis, const struct pt_piece *piece, uint16_t core, struct pt_timestamp from);
	void (*compact)(void *analysis, const struct pt_compact_batch *batch);
	bool (*wants_steps)(const void *analysis);	/* after open(): whether its words ask for any; NULL: they do */
	/* A window on the time of a core (flow/windows.h): NULL: it begins, else it has ended. What its rows got
	 * between the two is what they are estimated by; a beginning that is followed by another one was none. Steps
	 * are charged up to here. */
	void (*window)(void *analysis, uint16_t core, const struct pt_time_window *window);
	void (*signals)(void *analysis, const struct pt_signal *signal, size_t n);
	/* Events that neither flow nor signals take: SAMPLE, BIN, COUNTER, EXCEPTION; and GAPs, but not of a source
	 * that gives nothing but flow: runs and steps have those. at: of each. */
	void (*events)(void *analysis, const struct pt_event *event, const struct pt_timestamp *at, size_t n);
	bool takes_values;	/* events() gets VALUE and VALUE_PC, too */
	/* What the source gave so far was taken together, as one chunk has it; what it gives next is independent. */
	void (*batch_end)(void *analysis, uint16_t source);
	/* The source has seen all that it sees up to this moment of the probe's clock: what its last signals said lasts
	 * at least until then. */
	void (*seen)(void *analysis, uint16_t source, uint64_t upto_ns);
	/* The source sees all that it sees from this moment of the probe's clock on: its first DATA, or that behind a LOSS.
	 * Before its first event behind that. */
	void (*begins)(void *analysis, uint16_t source, uint64_t from_ns);
	/* The source of a core's runs saw nothing of it between these moments, or held it, or it slept. It comes
	 * before what was seen behind it, and behind most of what was seen before. cause: enum pt_loss; 0: the profile
	 * had not begun. */
	void (*blind)(void *analysis, uint16_t core, unsigned cause, uint64_t from_ns, uint64_t to_ns);
	/* A source was opened: its CONFIG chunk, untrusted, for the call alone. */
	void (*config)(void *analysis, uint16_t source, const struct pt_config *config);
	/* Puts its result into profile: a pointer that is valid until the next feed. Does not change what comes. */
	void (*result)(void *analysis, struct pt_profile *profile);
};

/* To add one: a file that fills a struct pt_analysis, one word here. */
#define PT_ANALYSES(X) \
	X(tree) \
	X(lines) \
	X(data) \
	X(watched) \
	X(aux) \
	X(counters) \
	X(bins) \
	X(sampled) \
	X(timeline) \
	X(trace_events) \
	X(entry_exit) \
	X(signalled) \
	X(exceptions) \
	X(range) \
	X(tasks) \
	X(blocks) \
	X(limits)

#define X(analysis) extern const struct pt_analysis pt_analysis_##analysis;
PT_ANALYSES(X)
#undef X
extern const struct pt_analysis *const pt_analyses[];	/* NULL-terminated */
/* Not in the list: a debugger asks for it (pt_pipeline_record()), and no word does. */
extern const struct pt_analysis pt_analysis_history;
/* Nor is this one: pt_pipeline_synchronise() asks for it. */
extern const struct pt_analysis pt_analysis_synchronise;

#endif
