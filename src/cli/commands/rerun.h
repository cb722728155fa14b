/* Makes a profile from files, for decode, check and diff: captures, or files of other instruments, go through a
 * pipeline with the settings and the ELF of the capture. Settings of the command line override these. */
#ifndef PT_CLI_RERUN_H
#define PT_CLI_RERUN_H

#include "pipeline/config_replay.h"
#include "pipeline/halves.h"
#include "report/laws/law_clock.h"
#include "import/importers.h"
#include "cli/options.h"
#include "pipeline/pipeline.h"
#include "base/error.h"
#include "report/table/query.h"

struct pt_rerun {
	const char *name;		/* of the subcommand, for its messages */
	const struct pt_options *options;
	struct pt_query query;		/* the pipeline collects what this report needs */
	const char *files[PT_MAX_REST];
	size_t n_files;
	/* what becomes of it */
	struct pt_inputs_set *inputs;
	struct pt_params *settings, *symbols;	/* of the pipeline; of the ELF */
	struct pt_program *program;
	struct pt_pipeline *pipeline;	/* all of the files have gone through it */
	struct pt_configs configs;	/* for a reset */
	struct pt_law_clock *clock;	/* times of all chunks since then; NULL: not wanted */
	struct pt_halves *halves;	/* all zero; NULL: halves are not compared */
	bool failed;			/* a file could not be read to its end: this was printed, and the part before is
					 * in the profile */
};

/* Name, options, query and files are set, the rest is zero. Call pt_rerun_drop() after an error, too. */
int pt_rerun(struct pt_rerun *rerun, struct pt_err *err);

/* For a reading ahead of it (synchronise.h): all of its files, not read yet; and what its target reported. */
struct pt_inputs_set *pt_rerun_open(const struct pt_rerun *rerun, pt_input_note note, void *arg, struct pt_err *err);
void pt_rerun_set_isa(const struct pt_rerun *rerun, struct pt_pipeline *pipeline);
void pt_rerun_drop(struct pt_rerun *rerun);

/* Runs decode for a subcommand that differs only by its name in messages. Returns the exit status. */
int pt_decode_as(const char *subcommand, const struct pt_options *options);

#endif
