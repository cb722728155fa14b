/* The way from files to a profile that decode, check and diff share: captures, or what other instruments wrote, through
 * a pipeline with the settings and the ELF of the capture. What the command line says goes before. */
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
	const char *name;		/* of the subcommand, for what it says */
	const struct pt_options *options;
	struct pt_query query;		/* what the report will be: it is made so that it can */
	const char *files[PT_MAX_REST];
	size_t n_files;
	/* what becomes of it */
	struct pt_inputs_set *inputs;
	struct pt_params *settings, *symbols;	/* of the pipeline; of the ELF */
	struct pt_program *program;
	struct pt_pipeline *pipeline;	/* all of the files have gone through it */
	struct pt_configs configs;	/* for a reset */
	struct pt_law_clock *clock;	/* of all chunks since; or NULL: nobody wants to know */
	struct pt_halves *halves;	/* all zero; NULL: they are not compared */
	bool failed;			/* a file could not be read to its end: said, and what came before is there */
};

/* Name, options, query and files are set, the rest is zero. After an error, too, drop it. */
int pt_rerun(struct pt_rerun *rerun, struct pt_err *err);
void pt_rerun_drop(struct pt_rerun *rerun);

/* The whole of decode, for a subcommand that is the same but for its name in messages. Returns the exit status. */
int pt_decode_as(const char *subcommand, const struct pt_options *options);

#endif
