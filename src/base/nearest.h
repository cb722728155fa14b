/* Finds the valid word that is most similar to what the user typed. All messages that refuse a word use it, so that
 * they all suggest in the same way. */
#ifndef PT_NEAREST_H
#define PT_NEAREST_H

#include <stdbool.h>
#include <stddef.h>

enum { PT_NEAREST_BYTES = 41 };	/* longer words are not compared */

struct pt_nearest {
	const char *word;		/* the user's, len_bytes of it */
	size_t len_bytes;
	char nearest[PT_NEAREST_BYTES];	/* "": none is similar */
	size_t n_typos;
	bool is_beginning;		/* nearest begins with the user's word */
};

void pt_nearest_init(struct pt_nearest *near, const char *word, size_t len_bytes);
/* Offers one valid word. It is kept if it is nearer than all before it. The distance is the number of letters to change,
 * insert, delete or swap with a neighbour; at most a third of the letters. A word that begins with the user's word is
 * near, too, and wins between equals. Upper and lower case are the same. */
void pt_nearest_offer(struct pt_nearest *near, const char *name);
void pt_nearest_offer_n(struct pt_nearest *near, const char *name, size_t len_bytes);
/* name is a known synonym of the user's word: no other is nearer. */
void pt_nearest_is(struct pt_nearest *near, const char *name);
/* Offers every word of "a|b|c", "a, b, c" or "a b c". */
void pt_nearest_offer_list(struct pt_nearest *near, const char *list);
/* "; did you mean NAME? ", or "; ": the text between the refusal and the list of valid words. */
const char *pt_nearest_question(const struct pt_nearest *near, char *out, size_t room);
enum { PT_NEAREST_QUESTION = PT_NEAREST_BYTES + 24 };	/* room for it */

/* The same for one list, in one call. */
struct pt_question { char text[PT_NEAREST_QUESTION]; };
const char *pt_did_you_mean(const char *word, const char *list, struct pt_question *question);

#endif
