/* The virtual boards there are: the list, the words that their addresses take, and a link to one. */
#ifndef PT_VIRTUAL_BOARDS_H
#define PT_VIRTUAL_BOARDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/params.h"
#include "probes/virtual/frame/board.h"
#include "probes/wires/link.h"

extern const struct pt_vboard_ops *const pt_vboards[];
extern const size_t pt_n_vboards;
/* The keys that the address of every board takes; NULL behind the last. */
const struct pt_param *pt_vboard_common_param(size_t i);

/* The ELF of a board's built-in demo firmware, for ever; NULL: no such board. */
const uint8_t *pt_vboard_demo(const char *name, size_t *len_bytes);

/* The words that its address takes besides those of every board; NULL: those. */
void pt_vboard_help(const struct pt_vboard_ops *board, void (*line)(void *arg, const char *line), void *arg);

/* NULL: there is none of that name, and the sentence lists those there are. */
const struct pt_vboard_ops *pt_vboard_find(const char *name, struct pt_err *err);

/* Which probe a virtual address has, one of ops->probes: what stands behind "virtual:" may say probe=osbdm ("pipe" is
 * "bdc-pipe"). NULL, PT_EARG: no such board, or the board has no such probe (the sentence lists what there is). */
const char *pt_vboard_probe(const char *name_and_query, struct pt_err *err);
/* What ops->told says of a virtual address; nothing of one that makes no sense, which opening it will say. */
void pt_vboard_told(const char *name_and_query, void (*say)(void *arg, const char *word), void *arg);
bool pt_vboard_has_pins(const char *name_and_query);	/* false: pins=off */

/* A link to a virtual board, made from what stands behind "virtual:": "kl27?clock=virtual&link=bulk-hs". The clock is
 * "wall" unless the query says otherwise (the profile and check verbs add clock=virtual). */
struct pt_link *pt_model_link_open(const char *name_and_query, struct pt_err *err);
/* The board behind a model link, for tests and bench; NULL for other links. */
struct pt_vboard *pt_model_link_board(struct pt_link *link, const struct pt_vboard_ops **ops);
/* For tests, clock=virtual: call fn once, on the board thread and from inside whatever it is doing, when the link's
 * clock has come to at_ns. fn may post jobs and ask for the time, and nothing else that has to do with the link. */
void pt_model_link_at(struct pt_link *link, uint64_t at_ns, void (*fn)(void *arg), void *arg);
/* clock=wall: link time that the board has not seen, because the model is slower than the chip or there was no
 * request. */
uint64_t pt_model_link_slip_ns(struct pt_link *link);

#endif
