/* What of a profile the door keeps between two looks: its account of time and bytes, and the functions with the largest
 * shares. Pure. */
#ifndef PT_WEB_SNAPSHOT_H
#define PT_WEB_SNAPSHOT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"
#include "trace/loss.h"

struct pt_profile;

enum { PT_WEB_SOURCES = 16, PT_WEB_FUNCTIONS = 20, PT_WEB_LABEL_BYTES = 160 };

struct pt_web_source {
	char name[24];			/* "mtb", "mtb core 1" */
	bool no_clock;			/* its times are not known */
	bool is_bound;			/* how its time divides into observed and unobserved is not known */
	struct pt_loss_sum loss;
};

struct pt_web_share {
	char name[PT_WEB_LABEL_BYTES];
	uint16_t core;
	double share, low, high;	/* 0..1; NAN: not known */
};

struct pt_web_snapshot {
	char target[PT_WEB_LABEL_BYTES];
	bool from_virtual, ended;
	struct pt_web_source source[PT_WEB_SOURCES];
	size_t n_sources;
	struct pt_web_share function[PT_WEB_FUNCTIONS];	/* largest first */
	size_t n_functions;
	double other;			/* the sum of all further rows; NAN: one of them is not known, or there are none */
};

/* For pt_session_visit(): out gets the bytes of a struct pt_web_snapshot. Analysis thread. */
int pt_web_snapshot_take(const struct pt_profile *profile, struct pt_text *out, struct pt_err *err);

#endif
