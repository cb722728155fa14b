/* Turns the settings below into definitions of signals (profile/flow/signals.h): what the values of variables and
 * messages mean. What lines are called comes later, with the CONFIG chunk of the source that sees them.
 *
 *   variables=g_state,motor.mode,tab[3]:regular	each a row of data; :state or :regular if its type does not say
 *   signal=g_span:nested,g_task:task,port.3:nested	messages of port 3; port.3.2: ids of two bytes
 *   two-point=g_latency:3..5				a span from one value to another (numbers or enumerators)
 *   lines=clk,cs					only these lines; else all
 *   orti=TEXT						tasks, ISRs and services, as pt_orti_word() has them from a file
 *
 * Pure. Owner: the pipeline, one thread at a time. */
#ifndef PT_DEFINITIONS_H
#define PT_DEFINITIONS_H

#include "base/error.h"
#include "base/params.h"
#include "profile/flow/signals.h"
#include "program/model/program.h"
#include "trace/config.h"

extern const struct pt_param pt_definition_params[];
extern const size_t pt_n_definition_params;

struct pt_definitions;

/* program may be NULL; then no setting can name anything in it. Errors: PT_EARG no such variable, or a word that cannot
 * be read (the sentence says why); PT_ENOMEM. */
struct pt_definitions *pt_definitions_new(struct pt_program *program, const struct pt_params *words,
					  struct pt_err *err);
void pt_definitions_free(struct pt_definitions *definitions);

const struct pt_signal_set *pt_definitions_set(const struct pt_definitions *definitions);

/* Tasks, ISRs and services of an OS; copied. PT_EARG: more than PT_SIGNALS_MAX definitions. */
int pt_definitions_add_system(struct pt_definitions *definitions, const struct pt_task_maps *maps, struct pt_err *err);
/* The i-th sentence about a part of the OS that cannot be followed, and the reason in the ORTI file or the program.
 * NULL: there are no more. */
const char *pt_definitions_note(const struct pt_definitions *definitions, size_t i);
/* A source was opened: takes the names of its lines from its CONFIG (untrusted), if it has any. A second call for the
 * same source adds no lines. */
void pt_definitions_config(struct pt_definitions *definitions, uint16_t source, const struct pt_config *config);
/* A source that records every access has recorded this one (VALUE). If the settings name nothing, each accessed place
 * in memory becomes a definition, with the name of the program's symbol there ("n_tick", "table+4"), else with its
 * address; at most PT_DEFINITIONS_PLACES. False: this place is beyond that limit, and is not followed. */
enum { PT_DEFINITIONS_PLACES = 64 };
bool pt_definitions_access(struct pt_definitions *definitions, const struct pt_event *event);

#endif
