/* What a user meant by a word that there is not: the one that is most like it. Every refusal of a word asks here, so
 * that all of them answer in one way. */
#ifndef PT_NEAREST_H
#define PT_NEAREST_H

#include <stdbool.h>
#include <stddef.h>

enum { PT_NEAREST_BYTES = 41 };	/* longer words are not compared */

struct pt_nearest {
	const char *word;		/* the user's, len_bytes of it */
	size_t len_bytes;
	char nearest[PT_NEAREST_BYTES];	/* "": none is like it */
	size_t n_typos;
	bool is_beginning;		/* the user's word is one of it */
};

void pt_nearest_init(struct pt_nearest *near, const char *word, size_t len_bytes);
/* One of the right words. It is kept if it is nearer than those before: letters to be changed, put in, left out or
 * swapped with their neighbour (a third of its letters may be wrong), or the user's word is its beginning. Of two that
 * are as near, the one that the user's word begins. Capital letters are no difference. */
void pt_nearest_offer(struct pt_nearest *near, const char *name);
void pt_nearest_offer_n(struct pt_nearest *near, const char *name, size_t len_bytes);
/* Another name of it is known: no other is nearer. */
void pt_nearest_is(struct pt_nearest *near, const char *name);
/* Every word of "a|b|c", "a, b, c" or "a b c". */
void pt_nearest_offer_list(struct pt_nearest *near, const char *list);
/* "; did you mean NAME?" with a space behind it, or "; ": what comes between a refusal and the list of right words. */
const char *pt_nearest_question(const struct pt_nearest *near, char *out, size_t room);
enum { PT_NEAREST_QUESTION = PT_NEAREST_BYTES + 24 };	/* room for it */

/* The same for one list in one go. */
struct pt_question { char text[PT_NEAREST_QUESTION]; };
const char *pt_did_you_mean(const char *word, const char *list, struct pt_question *question);

#endif
