/* The inside of a pipeline, for its own files alone: pipeline.c (life and settings), chunks.c (the way of a chunk to its
 * source), source_ctx.c (chunks of one source to events), streams.c (where a source has several streams), selection.c (the
 * analyses), dispatch.c (events to what uses them), gate.c (runs, and windows in bursts), core_profile.c (cores, and the
 * sources of their figures), snapshot.c (the profile), completeness.c (whether everything was seen), snapshot_rows.c (its
 * functions), snapshot_windows.c (where they are estimated from bursts), snapshot_irqs.c (its exceptions), snapshot_bins.c
 * (its functions where they are of bins), snapshot_places.c (its lines and instructions where they are of samples),
 * snapshot_preceding.c (what samples by halts leave open). */
#ifndef PT_PIPELINE_PARTS_H
#define PT_PIPELINE_PARTS_H

#include "base/text.h"
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
struct pt_arrivals {		/* when which bytes arrived: the last chunks; all older ones are merged into the first
				 * entry */
	struct { uint64_t end_bytes, from_ns; } chunk[PT_ARRIVALS];
	size_t n;
	uint64_t bytes;		/* in all */
};

struct pt_source_ctx {		/* one source */
	struct pt_pipeline *pipeline;
	uint16_t source, core;
	/* the core profiles that get its runs, and its samples; NULL: none */
	struct pt_core_profile *flows_into, *samples_into;
	const struct pt_decoder *decoder;	/* NULL: an unknown format */
	void *state;
	struct pt_stream_part *stream;	/* the stream of its source that it decodes; NULL: the source is one stream */
	uint16_t stream_number;
	bool left_out;			/* the source was opened anew without this stream */
	struct pt_profile_source facts;

	/* what chunks say; read by source_ctx.c alone */
	size_t index;			/* among the source contexts */
	bool chosen_end;		/* the end of each burst is at a random time, not its beginning */
	bool bursts_only;		/* mode=burst: a DATA chunk may last longer than its burst */
	bool around;			/* mode=ring: the user chooses when it ends */
	bool extract;			/* the rest of a buffer in which new trace overwrites the oldest */
	bool data_only;			/* its trace shows accesses to data, but not what ran */
	bool leaves_out;		/* trace=loop1: the hardware does not record branches that repeat */
	uint64_t issues;		/* instructions that its core may execute in one cycle */
	bool meets_handler;		/* a sample during an exception entry has the handler's pc, as known for this
					 * core */
	bool meets_interrupted;		/* a sample during an exception entry has the pc of what it interrupts */
	bool triggered;			/* hardware triggers start and stop its counting, at unknown times */
	bool halts_for_samples;		/* pc-sampling by a debugger: the pc is that of the next instruction */
	bool halting;			/* mode=halt of a trace, which is re-armed while the core is held */
	bool in_data;			/* trace has begun */
	bool gap_open;			/* trace was interrupted; becomes a gap if it goes on */
	bool held;			/* a debugger, or the source, holds the core: nothing runs */
	bool resumed;			/* it was resumed at a known pc, and nothing was recorded since */
	bool state_known;		/* a debugger, or the source, has reported whether the core runs */
	bool lead_open;			/* some time passed before any trace and any state: not yet known whether the
					 * core ran then */
	const char *unseen;		/* a phrase for the user: when the core may have run unrecorded; or NULL */
	uint64_t gaps;			/* gaps in its chunks between its first and last trace */

	/* used by dispatch.c */
	struct pt_account account;
	struct pt_flow flow;
	uint64_t cycles;		/* of all runs, if some analysis needs it */
	uint64_t chunk_cycles, run_cycles;	/* at the start of the DATA chunk, and at the last time that the source
						 * has given */
	uint64_t slept, run_slept;	/* likewise: cycles that the core slept, by timestamps */
	uint64_t runs, samples, values, looks;
	uint64_t overflows;		/* of the chip's trace FIFO, as far as flow does not count them */
	uint64_t damages;		/* undecodable places, in formats without flow */
	uint64_t damaged_bytes;		/* as far as decoders count them */
	/* gate.c */
	uint64_t n_bursts;
	uint64_t armed_ns, away_ns;	/* time of the last arming (PT_UNKNOWN: no chunk yet); time since then that does
					 * not count */
	bool holding;			/* runs are held back; since: */
	struct pt_timestamp held_from;
	struct pt_timestamp now;		/* time of the next event, as far as chunks say */
	struct pt_timestamp seen;		/* up to here the record has no holes; ns PT_UNKNOWN: nothing came
						 * yet */
	struct pt_arrivals arrivals;	/* for bytes that a decoder may hold back; unused by other decoders */
	uint64_t held_ns;		/* earliest possible time of the next event of this chunk, if it has no ticks;
					 * PT_UNKNOWN: it lies in the chunk */
	uint64_t wait_ns;		/* an event may be this much older than its bytes */
	uint64_t data_ns;		/* end of the last DATA chunk; PT_UNKNOWN: none yet, or loss after it */
	struct pt_own_clock own;	/* made from its timestamps */
	struct pt_clock clock;		/* used while it is the only source; with several, merge has it */
};

struct pt_core_profile {		/* the profile of one core */
	uint16_t core;
	bool used;			/* some source is, or was, of this core */
	struct pt_source_ctx *flow, *samples;	/* the source contexts whose runs, and whose samples, make its figures;
						 * or NULL */
	struct pt_execution *execution;
	struct pt_windows *windows;
	struct pt_flat *flat;
	struct pt_calibration *calibration;	/* of the snapshot, by id */
	struct pt_places *by_line, *by_insn;	/* of samples; NULL: none yet */
	struct pt_preceding *preceding;	/* for samples taken by halting; NULL: other samples, or the code is not
					 * known */
	uint16_t *line_of;		/* for each entry of by_insn: its entry in by_line, plus 1; 0: not looked up
					 * yet */
	const struct pt_execution_result *result;	/* at the snapshot */
	struct pt_execution_result stand_in;		/* used when execution is not selected */
};

/* steps: it wants call events */
struct pt_selected { const struct pt_analysis *ops; void *analysis; bool steps; };

struct pt_pipeline {
	struct pt_program *program;	/* holds a reference; or NULL */
	const struct pt_function *functions;
	size_t n_functions, n_ids;	/* ids: 0 and one per function */
	struct pt_codemap *map;
	struct pt_flow_settings settings;
	struct pt_entered *entered;	/* NULL: no source needs it, or the program is not known */
	const struct pt_isa *isa;	/* that of the program or of the trace; the map's may have an opt-in model instead */
	bool opt_in_model;		/* the user chose an unverified cycle model: no account of time uses it */
	const char *timing;		/* the cycle model; NULL: there is none, or the trace has no timestamps, which
					 * it needs */
	bool untimed;			/* the first source's trace has no timestamps */
	uint64_t given_hz;		/* core-clock=; 0: CONFIG gives it */
	char clock_contradiction[320];	/* profile.contradiction, if a counter contradicts the clock */
	struct pt_params *words;	/* own copy */
	struct pt_text given;		/* those of them that were given */

	struct pt_source_ctx *ctx[PT_SOURCE_CTXS];	/* in the order their CONFIGs came; the report's head is about
							 * the first */
	size_t n_ctx;
	struct pt_core_profile core_profile[PT_RUN_CORES];	/* in the order they came; the first exists even if no
								 * source is of a core */
	size_t n_core_profiles;
	uint64_t lanes_refused;		/* CONFIGs of sources beyond PT_SOURCE_CTXS */

	/* the analyses */
	bool executes;			/* runs go to execution: it is selected, or an analysis wants its call events */
	struct pt_since since;
	struct pt_selected selected[PT_SELECTED];
	size_t n_selected;
	const char *sync;		/* pt_pipeline_synchronise()'s text; NULL: none */
	/* at least one selected analysis wants them */
	bool wants_runs, wants_steps, wants_signals, wants_events, wants_values;
	struct pt_definitions *definitions;
	struct pt_signals *signals;

	uint64_t unplaced;		/* accesses to places beyond PT_DEFINITIONS_PLACES */
	bool cut_short, over;		/* pt_pipeline_cut(), pt_pipeline_over() */
	struct pt_merge *merge;		/* NULL with a single source */
	/* between decoder and dispatcher; empty between two chunks */
	struct pt_batch batch;
	struct pt_run_batch run_batch;

	/* the snapshot */
	struct pt_profile profile;
	struct pt_profile_source sources[PT_SOURCE_CTXS];
	char task_note[PT_TASK_NOTES + 1][PT_TASK_NOTE_BYTES];
	char disagreement[PT_PROFILE_TEXT];	/* between samples and bursts */
	bool *shown;			/* by id */
	bool all_shown;			/* no functions= was given */
	struct pt_profile_core cores[PT_BINS_CORES];
	struct pt_profile_function *rows;	/* rows_room of them, and of irqs */
	size_t rows_room;
	struct pt_execution_function *bin_runs;	/* by row: counts of each function by bins, or by windows */
	const struct pt_profile_function **by_id;
	struct pt_profile_irq *irqs;
	struct pt_profile_since since_rows[PT_SINCE_EXCEPTIONS + 1];
	struct pt_edge *edges;
	struct pt_profile_place *line_places, *insn_places;
	struct pt_bins *bounded_bins;	/* pt_snapshot_bound_bins()'s copy; NULL: none */
};

/* --- pipeline.c */

/* Chooses the clock for times by the first source's CONFIG, before the source is opened. */
void pt_pipeline_choose_clock(struct pt_pipeline *p, const struct pt_config *config);

/* --- streams.c */

bool pt_streams_are_in(const struct pt_config *config);	/* its format has several streams */
/* The CONFIG of the first stream from *number on that has a format, and its number; the caller's to free. NULL: no more. */
struct pt_chunk *pt_stream_part_next(const struct pt_chunk *chunk, const struct pt_config *config, unsigned *number);
/* config: the source's */
struct pt_stream_part *pt_stream_part_new(const struct pt_config *config, unsigned number);
void pt_stream_part_free(struct pt_stream_part *stream);		/* NULL is fine */
/* Takes some of the source's bytes and returns how many. own: out, the bytes of the stream. */
struct pt_stream_piece {
	bool lost;		/* something is missing before these bytes */
	uint64_t lost_bytes;	/* PT_UNKNOWN: the first stream of the source counts them */
	size_t len_bytes;
	uint8_t bytes[PT_DEMUX_BYTES];
};
size_t pt_stream_part_feed(struct pt_stream_part *stream, const uint8_t *bytes, size_t len_bytes,
			   struct pt_stream_piece *own);
uint64_t pt_stream_part_gap(struct pt_stream_part *stream);	/* as in struct pt_demux */
/* Whether it is the first stream of its source. The first stream counts the bytes that are in no frame. */
bool pt_stream_part_is_first(const struct pt_stream_part *stream);
uint64_t pt_stream_part_others(const struct pt_stream_part *stream);	/* bytes of streams without a format; NULL: 0 */

/* --- selection.c */

/* Opens the analyses that analysis= selects. PT_EARG: no such analysis, or one whose settings are wrong. */
int pt_selection_open(struct pt_pipeline *p, const char *list, struct pt_err *err);
/* Selects one more; does nothing if it is selected already. */
int pt_selection_add(struct pt_pipeline *p, const struct pt_analysis *ops, struct pt_err *err);
/* Opens a selected analysis anew with these settings, in place of the old one. This may change whether call events are
 * wanted. */
int pt_selection_replace(struct pt_pipeline *p, const struct pt_analysis *ops, const struct pt_params *words,
			 struct pt_err *err);
void pt_selection_close(struct pt_pipeline *p);
bool pt_selection_records(const struct pt_pipeline *p);	/* the branch history is kept */
void pt_selection_config(struct pt_pipeline *p, uint16_t source, const struct pt_config *config);
void pt_selection_runs(struct pt_pipeline *p, const struct pt_run *run, size_t n, uint16_t core,
		       struct pt_timestamp from);
void pt_selection_steps(struct pt_pipeline *p, const struct pt_call_event *step, size_t n);
void pt_selection_piece(struct pt_pipeline *p, const struct pt_piece *piece, uint16_t core, struct pt_timestamp from);
void pt_selection_compact(struct pt_pipeline *p, const struct pt_compact_batch *batch);
/* A window begins (window NULL), or has ended. */
void pt_selection_window(struct pt_pipeline *p, uint16_t core, const struct pt_time_window *window);
void pt_selection_signals(struct pt_pipeline *p, const struct pt_signal *signal, size_t n);
void pt_selection_event(struct pt_pipeline *p, const struct pt_event *event, const struct pt_timestamp *at);
void pt_selection_batch_end(struct pt_pipeline *p, uint16_t source);
void pt_selection_blind(struct pt_pipeline *p, uint16_t core, unsigned cause, uint64_t from_ns, uint64_t to_ns);
void pt_selection_seen(struct pt_pipeline *p, uint16_t source, uint64_t upto_ns);
void pt_selection_begins(struct pt_pipeline *p, uint16_t source, uint64_t from_ns);
void pt_selection_result(struct pt_pipeline *p);	/* into p->profile */
/* of this analysis, if it is selected */
void pt_selection_result_of(struct pt_pipeline *p, const struct pt_analysis *ops);

/* --- core_profile.c */

void pt_core_profile_init(struct pt_pipeline *p);
void pt_core_profile_fini(struct pt_pipeline *p);
void pt_core_profile_choose(struct pt_pipeline *p);	/* a source was opened */
void pt_core_profile_steps(struct pt_pipeline *p);	/* call when the need for call events may have changed */
/* NULL: no source is of this core */
struct pt_core_profile *pt_core_profile_find(struct pt_pipeline *p, uint16_t core);

/* Data that a format may contain beside other data (samples in an ITM's stream) do not count as missing if there are
 * none. */
static inline unsigned pt_source_ctx_gives(const struct pt_source_ctx *ctx)
{
	unsigned what = ctx->decoder != NULL ? ctx->decoder->gives : 0;

	return (what & PT_GIVES_OTHER) != 0 && ctx->samples == 0 ? what & ~(unsigned)PT_GIVES_SAMPLES : what;
}

/* This core's function figures come from samples alone. */
static inline bool pt_core_profile_counted(const struct pt_core_profile *core_profile)
{
	return core_profile->samples != NULL && core_profile->flow == NULL &&
	       (pt_source_ctx_gives(core_profile->samples) & PT_GIVES_SAMPLES) != 0;
}

/* There are enough samples between the bursts: shares come from the samples (calibration.h). Samples are about time, so
 * they are not used when times are in instructions. */
bool pt_snapshot_sampled(const struct pt_pipeline *p, const struct pt_core_profile *core_profile);

/* --- completeness.c */

bool pt_snapshot_has_flow(const struct pt_pipeline *p);	/* this core's figures come from runs */
/* Everything that ran (or was written, ...) was recorded, on all cores: there is no gap but the start of the trace. */
bool pt_snapshot_complete(const struct pt_pipeline *p);
/* Why it is not complete, as half a sentence for the user; NULL: it is. */
const char *pt_snapshot_why_incomplete(const struct pt_pipeline *p);

/* A trace that leaves out repeated branches shows the order of what ran and whether it ran, but no counts. */
static inline bool pt_snapshot_leaves_out(const struct pt_core_profile *core_profile)
{
	return core_profile->flow != NULL && core_profile->flow->leaves_out;
}

/* --- snapshot_rows.c */

/* Makes room for n_rows rows of functions. */
void pt_snapshot_make_room(struct pt_pipeline *p, size_t n_rows);
/* Adds a row for a function on a core, with its name, and notes its place by id. NULL: there is no room. */
struct pt_profile_function *pt_snapshot_row(struct pt_pipeline *p, uint16_t id, uint16_t core);
void pt_snapshot_no_rows(struct pt_pipeline *p);
void pt_snapshot_rows(struct pt_pipeline *p);
void pt_snapshot_edges(struct pt_pipeline *p);

/* --- snapshot_windows.c */

/* The core's figures are estimates from windows. */
bool pt_snapshot_windowed(const struct pt_pipeline *p, const struct pt_core_profile *core_profile);
double pt_snapshot_seen_part(const struct pt_pipeline *p,
			     const struct pt_core_profile *core_profile); /* see profile.h */
void pt_snapshot_window_core(const struct pt_pipeline *p, const struct pt_core_profile *core_profile,
			     struct pt_profile_core *core);
/* figures: from now on owned by the row. */
void pt_snapshot_window_row(struct pt_pipeline *p, const struct pt_core_profile *core_profile,
			    const struct pt_profile_core *core, struct pt_profile_function *row,
			    struct pt_execution_function *figures);
/* returns at most as many as the tree has */
size_t pt_snapshot_window_edges(struct pt_pipeline *p, struct pt_edge *out);

/* --- snapshot_irqs.c */

void pt_snapshot_irqs(struct pt_pipeline *p);	/* made from the functions' rows */

/* --- snapshot_bins.c */

/* Bins are the only data: function figures are made of them. Then sums and rows need neither runs nor samples. */
bool pt_snapshot_by_bins(struct pt_pipeline *p);
void pt_snapshot_bin_rows(struct pt_pipeline *p);
void pt_snapshot_bound_bins(struct pt_pipeline *p);
void pt_snapshot_free_bins(struct pt_pipeline *p);

/* --- snapshot_places.c */

/* Counts a sample. */
void pt_core_profile_place(struct pt_pipeline *p, struct pt_core_profile *core_profile, uint64_t address, bool in_code);
void pt_core_profile_end_batch(struct pt_core_profile *core_profile);	/* of samples */
void pt_snapshot_places(struct pt_pipeline *p);
uint64_t pt_snapshot_line_key(const struct pt_pipeline *p, uint64_t address);	/* 0: no line is known */
/* The handler that begins at this instruction, or on this line (given its key); NULL: none. */
const uint16_t *pt_snapshot_handler(const struct pt_pipeline *p, uint64_t key, bool lines, uint16_t *handler);

/* --- snapshot_preceding.c */

/* Finds which samples may belong to another row than the one they hit. Call it before any share is asked for. */
void pt_snapshot_doubts(struct pt_pipeline *p);
/* The share of an instruction that was sampled. */
struct pt_share pt_snapshot_doubted(const struct pt_core_profile *core_profile, uint64_t address,
				    struct pt_share found);

/* --- source_ctx.c */

/* Open (or open anew) the source of a CONFIG chunk. */
void pt_source_ctx_open(struct pt_source_ctx *ctx, const struct pt_chunk *chunk, const struct pt_config *config);
/* the CONFIG could not be read */
void pt_source_ctx_unreadable(struct pt_source_ctx *ctx, const struct pt_chunk *chunk);
/* Whether the chip holds the program, from the text of a CONFIG or COST chunk, which is untrusted. */
void pt_source_ctx_read_image(struct pt_pipeline *p, const struct pt_config *config);
void pt_source_ctx_feed(struct pt_source_ctx *ctx, const struct pt_chunk *chunk);	/* any other */
/* In source_overhead.c: takes the overhead so far from the text of a COST chunk, which is untrusted. */
void pt_source_ctx_cost(struct pt_source_ctx *ctx, const struct pt_chunk *chunk);
/* From from_ns on the pipeline has several sources. */
void pt_source_ctx_join(struct pt_source_ctx *ctx, uint64_t from_ns);
void pt_source_ctxs_drain(struct pt_pipeline *p);	/* passes on what merge can order so far */

/* --- gate.c: runs of a source context, and bursts that cut them into windows */

void pt_gate_runs(struct pt_source_ctx *ctx, struct pt_run_batch *batch);	/* takes all of the batch */
bool pt_gate_wants(const struct pt_source_ctx *ctx);		/* whether the next runs would change a window */
void pt_gate_burst(struct pt_source_ctx *ctx, uint64_t armed_ns, unsigned cause);	/* one begins */
void pt_gate_burst_ends(struct pt_source_ctx *ctx, bool whole);	/* whole: the trace buffer was full */
void pt_gate_away(struct pt_source_ctx *ctx, enum pt_loss cause, uint64_t ns);
void pt_gate_pass_sleep(struct pt_source_ctx *ctx);	/* takes the sleep that flow has found */
void pt_gate_anchor(struct pt_source_ctx *ctx, struct pt_timestamp at);	/* the next run began at this time */
/* Time of the next run: the last time that the source gave, plus modelled cycles since. */
uint64_t pt_gate_run_ns(const struct pt_source_ctx *ctx);	/* run time since the anchor, on the core clock */
struct pt_timestamp pt_gate_moment(const struct pt_source_ctx *ctx);
void pt_gate_chunk_begins(struct pt_source_ctx *ctx);	/* a DATA chunk */
#define PT_GATE_ALL (PT_UNKNOWN - 1)	/* unknown, but the core ran at most for the span of the chunk */
/* How long the core ran since the DATA chunk began; PT_UNKNOWN: not known, or PT_GATE_ALL */
uint64_t pt_gate_ran_ns(const struct pt_source_ctx *ctx, const struct pt_chunk *chunk);

/* --- dispatch.c: the events of a source context, to what uses them */

enum pt_mark {			/* marks between events, made from chunks */
	PT_MARK_CHUNK = PT_MERGE_REMARK,	/* a chunk of any kind begins */
	PT_MARK_BURST,		/* a burst begins */
	PT_MARK_BURST_WHOLE, PT_MARK_BURST_CUT,	/* the burst ended: buffer full, or interrupted */
	PT_MARK_DATA,		/* a DATA chunk begins: its events lie in from_ns..to_ns */
	PT_MARK_DATA_END,	/* all its events have been passed on */
	PT_MARK_LOSS,
	PT_MARK_MAYBE_HALTED,	/* from from_ns to to_ns the core may have been halted */
	PT_MARK_END,		/* nothing follows */
};

/* at: of each event; NULL: by the source context's own clock. */
void pt_sort_events(struct pt_source_ctx *ctx, const struct pt_event *event, const struct pt_timestamp *at, size_t n);
/* The fast path (profile/stack/plain.h) for pairs of addresses, as far as possible; packet_bytes as in decoder.h.
 * Returns bytes taken. Use it only if no analysis wants the events. */
bool pt_sort_takes_pairs(const struct pt_source_ctx *ctx);
size_t pt_sort_pairs(struct pt_source_ctx *ctx, const uint8_t *bytes, size_t len_bytes, size_t *packet_bytes);
void pt_sort_mark(struct pt_source_ctx *ctx, enum pt_mark mark, const struct pt_chunk *chunk);

#endif
