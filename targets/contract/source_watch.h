/* The source watch: looks at the variables that the profile names, while the program runs, by reading their memory now and
 * then. Of every target whose memory can be read beside the program: one word in its list.
 *
 * Looks come in batches of some rounds, each of which reads every variable once; batches are a random time apart, so that
 * no period of the program can lock to them (pt_random_delay()). A variable of 1, 2 or 4 bytes at an aligned address is one
 * access, and cannot be torn. Any other is read twice: where the two differ, it changed in between, and is given as torn.
 * A round is no snapshot: the program goes on between its reads. */
#ifndef PT_TARGETS_SOURCE_WATCH_H
#define PT_TARGETS_SOURCE_WATCH_H

#include "targets/contract/source.h"

extern const struct pt_source_ops pt_source_watch;

/* watch-share, of the settings of a source that it works beside (with_watch.h): 1 to 90 percent of the link. */
unsigned pt_watch_share(const struct pt_params *settings);

#endif
