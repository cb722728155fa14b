/* The inside of a pipeline, for its own files alone: pipeline.c (life and settings), chunks.c (the way of a chunk to its
 * source), source_ctx.c (chunks of one source to events), streams.c (where a source has several streams), selection.c (the
 * analyses), dispatch.c (events to what uses them), gate.c (runs, and windows in bursts), core_profile.c (cores, and the
 * sources of their figures), snapshot.c (the profile), completeness.c (whether everything was seen), snapshot_rows.c (its
 * functions), snapshot_windows.c (where they are estimated from bursts), snapshot_irqs.c (its exceptions), snapshot_bins.c
 * (its functions where they are of bins), snapshot_places.c (its lines and instructions where they are of samples),
 * snapshot_preceding.c (what samples by halts leave open). */
#ifndef PT_PIPELINE_PARTS_H
#define PT_PIPELINE_PARTS_H

#include "decode/decoder.h"
#include "decode/demux.h"
#include "pipeline/definitions.h"
#include "pipeline/pipeline.h"
#include "profile/stats/account.h"
#include "profile/result/analysis.h"
#include "profile/analyses/code/bins.h"
#include "profile/flow/entered.h"
#include "profile/flow/windows.h"
#include "profile/stack/execution.h"
#include "profile/stats/flat.h"
#include "profile/flow/flow.h"
#include "profile/flow/merge.h"
#include "profile/flow/own_clock.h"
#include "profile/stats/places.h"
#include "profile/result/profile.h"
#include "profile/stats/pending_delta.h"
#include "program/code/preceding.h"

enum { PT_SOURCE_CTXS = 32, PT_SELECTED = 32 };	/* sources of one profile; analyses */

struct pt_core_profile;

enum { PT_ARRIVALS = 16 };
struct pt_arrivals {		/* when bytes came: the last chunks, the oldest ones as one */
	struct { uint64_t end_bytes, from_ns; } chunk[PT_ARRIVALS];
	size_t n;
	uint64_t bytes;		/* in all */
};

struct pt_source_ctx {		/* one source */
	struct pt_pipeline *pipeline;
	uint16_t source, core;
	/* whose figures its runs, and its samples, make; NULL: nobody's */
	struct pt_core_profile *flows_into, *samples_into;
	const struct pt_decoder *decoder;	/* NULL: an unknown format */
	void *state;
	struct pt_stream_part *stream;	/* which of its source's it takes; NULL: the source is one stream */
	uint16_t stream_number;
	bool left_out;			/* its source was opened anew, without it */
	struct pt_profile_source facts;

	/* what chunks say; read by source_ctx.c alone */
	size_t index;			/* among the source contexts */
	bool chosen_end;		/* of bursts: not their beginning is random, but their end */
	bool bursts_only;		/* mode=burst: a DATA chunk ends before anybody sees that it has */
	bool around;			/* mode=ring: the user chooses when it ends */
	bool extract;			/* what was left in a buffer that older trace is overwritten in */
	bool data_only;			/* its trace has accesses to data, and nothing of what ran */
	bool leaves_out;		/* trace=loop1: branches that repeat are not recorded */
	uint64_t issues;		/* instructions that its core may execute in one cycle */
	bool meets_handler;		/* its samples find it in the handler already: the core is known to do so */
	bool meets_interrupted;		/* its samples find an exception that is being entered in what it interrupts */
	bool triggered;			/* triggers of the hardware begin and end what it counts: it is not known when */
	bool halts_for_samples;		/* pc-sampling by a debugger: the pc is that of the next instruction */
	bool halting;			/* mode=halt of a trace, which is re-armed while the core is held */
	bool in_data;			/* trace has begun */
	bool gap_open;			/* it was interrupted, which counts when it goes on */
	bool held;			/* a debugger, or the source, holds the core: nothing runs */
	bool resumed;			/* it was let go at a known pc, and nothing came since */
	bool state_known;		/* a debugger, or the source, has said whether the core runs */
	bool lead_open;			/* time passed before that and before any trace: whether the core ran is not
					 * known yet */
	const char *unseen;		/* when the core may have run while nothing was recorded, in words; or NULL */
	uint64_t gaps;			/* between the first and the last of it, that chunks brought */

	/* where its events have got to; dispatch.c */
	struct pt_account account;
	struct pt_flow flow;
	uint64_t cycles;		/* of all runs, where anybody asks */
	uint64_t chunk_cycles, run_cycles;	/* where the DATA chunk began, and the last moment that is known */
	uint64_t slept, run_slept;	/* likewise: cycles that the core slept, by stamps */
	uint64_t runs, samples, values, looks;
	uint64_t overflows;		/* of the chip's FIFO, that flow does not count */
	uint64_t damages;		/* where a format without flow made no sense */
	uint64_t damaged_bytes;		/* as far as decoders count them */
	/* gate.c */
	uint64_t n_bursts;
	uint64_t armed_ns, away_ns;	/* the last arming (PT_UNKNOWN: no chunk yet), and what does not count since */
	bool holding;			/* runs are held back; since: */
	struct pt_timestamp held_from;
	struct pt_timestamp now;		/* of what comes next, as far as chunks tell */
	struct pt_timestamp seen;		/* up to there nothing is missing but what came; ns PT_UNKNOWN: nothing came */
	struct pt_arrivals arrivals;	/* of bytes that may be held; unused by decoders that hold none */
	uint64_t held_ns;		/* when the oldest event that comes of this chunk may have been, if it has no ticks; PT_UNKNOWN: in it */
	uint64_t wait_ns;		/* so long before its bytes it may have been */
	uint64_t data_ns;		/* where the last DATA chunk ended; PT_UNKNOWN: there was none, or something was lost behind it */
	struct pt_own_clock own;	/* of its stamps */
	struct pt_clock clock;		/* while it is the only source; then merge has it */
};

struct pt_core_profile {		/* a core profile: a core of which a source shows what it runs */
	uint16_t core;
	bool used;			/* a source is of this core, or was */
	struct pt_source_ctx *flow, *samples;	/* whose runs and samples make its figures; or NULL */
	struct pt_execution *execution;
	struct pt_windows *windows;
	struct pt_flat *flat;
	struct pt_calibration *calibration;	/* of the snapshot, by id */
	struct pt_places *by_line, *by_insn;	/* of samples; NULL: none yet */
	struct pt_preceding *preceding;	/* of samples by halts; NULL: others, or not known */
	uint16_t *line_of;		/* by number in by_insn: that in by_line + 1; 0: not looked for yet */
	const struct pt_execution_result *result;	/* of the snapshot */
	struct pt_execution_result stand_in;		/* that where execution was not selected */
};

struct pt_selected { const struct pt_analysis *ops; void *analysis; bool steps; };	/* steps: it wants them */

struct pt_pipeline {
	struct pt_program *program;	/* held; or NULL */
	const struct pt_function *functions;
	size_t n_functions, n_ids;	/* ids: 0 and one per function */
	struct pt_codemap *map;
	struct pt_flow_settings settings;
	struct pt_entered *entered;	/* NULL: no source needs it, or it is not known */
	const struct pt_isa *isa;	/* that of the program or of the trace; the map's may have an opt-in model instead */
	bool opt_in_model;		/* the cycle model is one that the user asked for: no account of time rests on it */
	const char *timing;		/* the cycle model; NULL: there is none, or the trace has no time for it */
	bool untimed;			/* the first source's trace has none */
	uint64_t given_hz;		/* core-clock; 0: as CONFIG says */
	char clock_contradiction[320];	/* profile.contradiction, where it is of a counter */
	struct pt_params *words;	/* own copy */

	struct pt_source_ctx *ctx[PT_SOURCE_CTXS];	/* in the order their CONFIGs came; the first is the
					 * one that the report is about */
	size_t n_ctx;
	struct pt_core_profile core_profile[PT_RUN_CORES];	/* by who came first; the first one is there
						 * even if no source is of a core */
	size_t n_core_profiles;
	uint64_t lanes_refused;		/* CONFIGs of sources beyond PT_SOURCE_CTXS */

	/* the analyses */
	bool executes;			/* runs go to execution: selected, or an analysis wants its steps */
	struct pt_since since;
	struct pt_selected selected[PT_SELECTED];
	size_t n_selected;
	bool wants_runs, wants_steps, wants_signals, wants_events, wants_values;	/* any of the chosen does */
	struct pt_definitions *definitions;
	struct pt_signals *signals;

	uint64_t unplaced;		/* accesses to places beyond PT_DEFINITIONS_PLACES */
	bool cut_short, over;		/* pt_pipeline_cut(), pt_pipeline_over() */
	struct pt_merge *merge;		/* NULL as long as there is one source: nothing to order */
	/* on the way from one to the next, empty between two chunks */
	struct pt_batch batch;
	struct pt_run_batch run_batch;

	/* the snapshot */
	struct pt_profile profile;
	struct pt_profile_source sources[PT_SOURCE_CTXS];
	char task_note[PT_TASK_NOTES + 1][PT_TASK_NOTE_BYTES];
	char disagreement[PT_PROFILE_TEXT];	/* of samples and bursts */
	bool *shown;			/* by id */
	bool all_shown;			/* no functions were chosen */
	struct pt_profile_core cores[PT_BINS_CORES];
	struct pt_profile_function *rows;	/* rows_room of them, and of irqs */
	size_t rows_room;
	struct pt_execution_function *bin_runs;	/* by row: what bins, or windows, say of each function */
	const struct pt_profile_function **by_id;
	struct pt_profile_irq *irqs;
	struct pt_profile_since since_rows[PT_SINCE_EXCEPTIONS + 1];
	struct pt_edge *edges;
	struct pt_profile_place *line_places, *insn_places;
	struct pt_bins *bounded_bins;	/* pt_snapshot_bound_bins()'s copy; NULL: none */
};

/* --- pipeline.c */

/* What the first source says of the clock that times are on, before it is opened. */
void pt_pipeline_choose_clock(struct pt_pipeline *p, const struct pt_config *config);

/* --- streams.c */

bool pt_streams_are_in(const struct pt_config *config);	/* its format has several streams */
/* The CONFIG of the first stream from *number on that has a format, and its number; the caller's to free. NULL: no more. */
struct pt_chunk *pt_stream_part_next(const struct pt_chunk *chunk, const struct pt_config *config, unsigned *number);
struct pt_stream_part *pt_stream_part_new(const struct pt_config *config, unsigned number);	/* config: of the source */
void pt_stream_part_free(struct pt_stream_part *stream);		/* NULL is fine */
/* Take some bytes of the source: how many. own: out, those of the stream. */
struct pt_stream_piece {
	bool lost;		/* something is missing in front of these */
	uint64_t lost_bytes;	/* PT_UNKNOWN: the first stream of the source counts them */
	size_t len_bytes;
	uint8_t bytes[PT_DEMUX_BYTES];
};
size_t pt_stream_part_feed(struct pt_stream_part *stream, const uint8_t *bytes, size_t len_bytes,
			   struct pt_stream_piece *own);
uint64_t pt_stream_part_gap(struct pt_stream_part *stream);	/* as struct pt_demux has it */
/* Is it the first stream of its source? That one counts the bytes that are in no frame. */
bool pt_stream_part_is_first(const struct pt_stream_part *stream);
uint64_t pt_stream_part_others(const struct pt_stream_part *stream);	/* bytes of streams without a format; NULL: 0 */

/* --- selection.c */

/* Open what the word analysis= selects. PT_EARG: no such analysis, or one that makes no sense of its words. */
int pt_selection_open(struct pt_pipeline *p, const char *list, struct pt_err *err);
/* One more; nothing happens if it is selected already. */
int pt_selection_add(struct pt_pipeline *p, const struct pt_analysis *ops, struct pt_err *err);
/* Open it anew with these words, in the place of the one that there is. Whether call events are wanted may change. */
int pt_selection_replace(struct pt_pipeline *p, const struct pt_analysis *ops, const struct pt_params *words,
			 struct pt_err *err);
void pt_selection_close(struct pt_pipeline *p);
bool pt_selection_records(const struct pt_pipeline *p);	/* the branch history */
void pt_selection_config(struct pt_pipeline *p, uint16_t source, const struct pt_config *config);
void pt_selection_runs(struct pt_pipeline *p, const struct pt_run *run, size_t n, uint16_t core,
		       struct pt_timestamp from);
void pt_selection_steps(struct pt_pipeline *p, const struct pt_call_event *step, size_t n);
void pt_selection_piece(struct pt_pipeline *p, const struct pt_piece *piece, uint16_t core, struct pt_timestamp from);
void pt_selection_compact(struct pt_pipeline *p, const struct pt_compact_batch *batch);
/* A window begins (NULL), or has ended. */
void pt_selection_window(struct pt_pipeline *p, uint16_t core, const struct pt_time_window *window);
void pt_selection_signals(struct pt_pipeline *p, const struct pt_signal *signal, size_t n);
void pt_selection_event(struct pt_pipeline *p, const struct pt_event *event, const struct pt_timestamp *at);
void pt_selection_batch_end(struct pt_pipeline *p, uint16_t source);
void pt_selection_blind(struct pt_pipeline *p, uint16_t core, unsigned cause, uint64_t from_ns, uint64_t to_ns);
void pt_selection_seen(struct pt_pipeline *p, uint16_t source, uint64_t upto_ns);
void pt_selection_result(struct pt_pipeline *p);	/* into p->profile */
void pt_selection_result_of(struct pt_pipeline *p, const struct pt_analysis *ops);	/* of one alone, if it is chosen */

/* --- core_profile.c */

void pt_core_profile_init(struct pt_pipeline *p);
void pt_core_profile_fini(struct pt_pipeline *p);
void pt_core_profile_choose(struct pt_pipeline *p);	/* a source was opened */
void pt_core_profile_steps(struct pt_pipeline *p);	/* whether steps are wanted may have changed */
struct pt_core_profile *pt_core_profile_find(struct pt_pipeline *p, uint16_t core);	/* NULL: no source is of it */

/* What a format may carry beside others, an ITM's stream its samples, is not missing where there is none of it. */
static inline unsigned pt_source_ctx_gives(const struct pt_source_ctx *ctx)
{
	unsigned what = ctx->decoder != NULL ? ctx->decoder->gives : 0;

	return (what & PT_GIVES_OTHER) != 0 && ctx->samples == 0 ? what & ~(unsigned)PT_GIVES_SAMPLES : what;
}

/* The functions' figures of this core come from samples alone. */
static inline bool pt_core_profile_counted(const struct pt_core_profile *core_profile)
{
	return core_profile->samples != NULL && core_profile->flow == NULL &&
	       (pt_source_ctx_gives(core_profile->samples) & PT_GIVES_SAMPLES) != 0;
}

/* Samples between bursts, enough for shares: those are the samples' (calibration.h). Where times are in instructions
 * samples, which are of time, have no part in them. */
bool pt_snapshot_sampled(const struct pt_pipeline *p, const struct pt_core_profile *core_profile);

/* --- completeness.c */

bool pt_snapshot_has_flow(const struct pt_pipeline *p);	/* the figures of a core are of runs */
/* No gap but the first start: everything that ran (or was written, ...) was seen, on all cores. */
bool pt_snapshot_complete(const struct pt_pipeline *p);
/* Why not, as half a sentence for the user; NULL: it is complete. */
const char *pt_snapshot_why_incomplete(const struct pt_pipeline *p);

/* Of a trace that leaves repetitions out nobody can say how much of anything there was: the order of what ran, and
 * whether it did. */
static inline bool pt_snapshot_leaves_out(const struct pt_core_profile *core_profile)
{
	return core_profile->flow != NULL && core_profile->flow->leaves_out;
}

/* --- snapshot_rows.c */

/* Room for so many rows of functions. */
void pt_snapshot_make_room(struct pt_pipeline *p, size_t n_rows);
/* One more row, of a function on a core: its name, and its place by id. NULL: there is no room. */
struct pt_profile_function *pt_snapshot_row(struct pt_pipeline *p, uint16_t id, uint16_t core);
void pt_snapshot_no_rows(struct pt_pipeline *p);
void pt_snapshot_rows(struct pt_pipeline *p);
void pt_snapshot_edges(struct pt_pipeline *p);

/* --- snapshot_windows.c */

/* The core's figures are estimates, from windows. */
bool pt_snapshot_windowed(const struct pt_pipeline *p, const struct pt_core_profile *core_profile);
double pt_snapshot_seen_part(const struct pt_pipeline *p,
			     const struct pt_core_profile *core_profile); /* see profile.h */
void pt_snapshot_window_core(const struct pt_pipeline *p, const struct pt_core_profile *core_profile,
			     struct pt_profile_core *core);
/* figures: the row's from now on. */
void pt_snapshot_window_row(struct pt_pipeline *p, const struct pt_core_profile *core_profile,
			    const struct pt_profile_core *core, struct pt_profile_function *row,
			    struct pt_execution_function *figures);
size_t pt_snapshot_window_edges(struct pt_pipeline *p, struct pt_edge *out);	/* no more than the tree has */

/* --- snapshot_irqs.c */

void pt_snapshot_irqs(struct pt_pipeline *p);	/* from the functions' rows */

/* --- snapshot_bins.c */

/* Bins are all there is: the functions' figures are theirs. For sums and rows that would be made of runs or samples. */
bool pt_snapshot_by_bins(struct pt_pipeline *p);
void pt_snapshot_bin_rows(struct pt_pipeline *p);
void pt_snapshot_bound_bins(struct pt_pipeline *p);
void pt_snapshot_free_bins(struct pt_pipeline *p);

/* --- snapshot_places.c */

/* Of a sample. */
void pt_core_profile_place(struct pt_pipeline *p, struct pt_core_profile *core_profile, uint64_t address, bool in_code);
void pt_core_profile_end_batch(struct pt_core_profile *core_profile);	/* of samples */
void pt_snapshot_places(struct pt_pipeline *p);
uint64_t pt_snapshot_line_key(const struct pt_pipeline *p, uint64_t address);	/* 0: in no line */
/* The handler that begins at this instruction, or in this line (by its key); NULL: none. */
const uint16_t *pt_snapshot_handler(const struct pt_pipeline *p, uint64_t key, bool lines, uint16_t *handler);

/* --- snapshot_preceding.c */

/* Before any share is asked for: which samples may be of another row than the one that they found. */
void pt_snapshot_doubts(struct pt_pipeline *p);
/* Of an instruction that was sampled. */
struct pt_share pt_snapshot_doubted(const struct pt_core_profile *core_profile, uint64_t address,
				    struct pt_share found);

/* --- source_ctx.c */

/* Open (or open anew) the source of a CONFIG chunk. */
void pt_source_ctx_open(struct pt_source_ctx *ctx, const struct pt_chunk *chunk, const struct pt_config *config);
void pt_source_ctx_unreadable(struct pt_source_ctx *ctx, const struct pt_chunk *chunk);	/* the CONFIG is lost */
void pt_source_ctx_feed(struct pt_source_ctx *ctx, const struct pt_chunk *chunk);	/* any other */
/* source_overhead.c: what it has cost so far, of the text of a COST chunk, untrusted. */
void pt_source_ctx_cost(struct pt_source_ctx *ctx, const struct pt_chunk *chunk);
/* From now on the pipeline has several sources. */
void pt_source_ctx_join(struct pt_source_ctx *ctx, uint64_t from_ns);
void pt_source_ctxs_drain(struct pt_pipeline *p);	/* what merge can tell so far goes on */

/* --- gate.c: runs of a source context, and bursts that cut them into windows */

void pt_gate_runs(struct pt_source_ctx *ctx, struct pt_run_batch *batch);	/* takes all of the batch */
bool pt_gate_wants(const struct pt_source_ctx *ctx);		/* the runs that come next change a window */
void pt_gate_burst(struct pt_source_ctx *ctx, uint64_t armed_ns, unsigned cause);	/* one begins */
void pt_gate_burst_ends(struct pt_source_ctx *ctx, bool whole);	/* whole: the buffer was full */
void pt_gate_away(struct pt_source_ctx *ctx, enum pt_loss cause, uint64_t ns);
void pt_gate_pass_sleep(struct pt_source_ctx *ctx);	/* what flow has found of it */
void pt_gate_anchor(struct pt_source_ctx *ctx, struct pt_timestamp at);	/* what comes next began then */
/* Where the run that comes next stands: so many modelled cycles behind the last moment that the source told. */
uint64_t pt_gate_run_ns(const struct pt_source_ctx *ctx);	/* what ran since it was anchored, on the core clock */
struct pt_timestamp pt_gate_moment(const struct pt_source_ctx *ctx);
void pt_gate_chunk_begins(struct pt_source_ctx *ctx);	/* a DATA chunk */
#define PT_GATE_ALL (PT_UNKNOWN - 1)	/* no more is known than that the core ran for no more than the chunk's span */
/* How long, since the DATA chunk began; PT_UNKNOWN: not known, or PT_GATE_ALL */
uint64_t pt_gate_ran_ns(const struct pt_source_ctx *ctx, const struct pt_chunk *chunk);

/* --- dispatch.c: the events of a source context, to what uses them */

enum pt_mark {			/* what chunks say between events */
	PT_MARK_CHUNK = PT_MERGE_REMARK,	/* any chunk begins */
	PT_MARK_BURST,		/* a burst begins */
	PT_MARK_BURST_WHOLE, PT_MARK_BURST_CUT,	/* it ended: full, or interrupted */
	PT_MARK_DATA,		/* a DATA chunk begins: events are of from_ns..to_ns */
	PT_MARK_DATA_END,	/* all events of it are out */
	PT_MARK_LOSS,
	PT_MARK_END,		/* nothing follows */
};

/* at: of each event; NULL: as the source context's own clock has it. */
void pt_sort_events(struct pt_source_ctx *ctx, const struct pt_event *event, const struct pt_timestamp *at, size_t n);
/* The short way (profile/stack/plain.h), as far as it goes; packet_bytes as in decoder.h. Returns bytes taken. Only while
 * nobody would miss the events. */
bool pt_sort_takes_pairs(const struct pt_source_ctx *ctx);
size_t pt_sort_pairs(struct pt_source_ctx *ctx, const uint8_t *bytes, size_t len_bytes, size_t *packet_bytes);
void pt_sort_mark(struct pt_source_ctx *ctx, enum pt_mark mark, const struct pt_chunk *chunk);

#endif
