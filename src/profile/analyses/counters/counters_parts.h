/* What the analysis counters is made of: for its two files alone. */
#ifndef PT_PROFILE_COUNTERS_PARTS_H
#define PT_PROFILE_COUNTERS_PARTS_H

#include "profile/result/analysis.h"
#include "profile/analyses/counters/counters.h"
#include "profile/analyses/counters/durations.h"
#include "profile/analyses/counters/formula.h"
#include "profile/analyses/counters/scheduled_together.h"

enum { NAME_BYTES = 64, NOTE_BYTES = 160, FORMULA_BYTES = 240, MEANS = 16, SOURCES = 32, CORES = 32, ANY = UINT16_MAX };

struct counter {
	size_t number;			/* of all counters */
	char name[NAME_BYTES], alias[NAME_BYTES], of[NAME_BYTES], note[NOTE_BYTES];
	uint64_t id;
	struct pt_counter_row row;
	struct turn { uint64_t counted, ns; } turn;	/* the one that it has */
	struct turn last;		/* between the last two readings that follow each other, if not too soon */
	uint64_t before_ns;		/* between the two readings before; 0: none yet */
	double xx, xy, yy;		/* of the turns before: counted and ns, squared */
	struct pt_timestamp read;		/* the last reading; ns PT_UNKNOWN: not since the gap */
	uint64_t read_ticks, read_error_ns;
	uint64_t unstamped;		/* counted since then, in readings without ticks among some that have them: their moments are
					 * between those, and less certain */
	bool in_stretch;		/* the time before the last reading was counted, too, */
	bool stretch_stamped;		/* by ticks of one clock, */
	uint64_t end_error_ns;		/* and the row has so much of that reading's error */
	double count[PT_SERIES_BUCKETS], ns[PT_SERIES_BUCKETS];	/* on the grid: counted, and the time that this is of */
	struct pt_series series;
	struct pt_series_bucket bucket[PT_SERIES_BUCKETS];
};

struct metric {
	char *name;			/* "IPC" */
	const char *text;		/* its formula, in the same memory */
	bool asked;			/* by the user */
	uint16_t core;			/* whose counters it takes; ANY: not said yet */
	struct pt_formula formula;
	struct pt_series series;
	struct pt_series_bucket bucket[PT_SERIES_BUCKETS];
};

struct counters {
	struct counter *counter[PT_COUNTERS_MAX];
	size_t n_counters;
	struct metric *metric[PT_METRICS_MAX];
	size_t n_metrics;
	struct grid { bool begun; uint64_t from_ns, width_ns; } grid;
	struct config {
		uint16_t source;
		char *text;			/* for the names in it */
		struct pt_config keys;		/* of text */
		uint64_t span_ns;		/* in which its counters were read, gaps left out */
		uint64_t lost;			/* times that something of it was not seen */
		uint64_t last_ns;		/* the last reading; PT_UNKNOWN: there was none since the gap */
	} config[SOURCES];
	size_t n_configs;
	uint16_t core[CORES];		/* that counters are of */
	struct pt_counters result;
	struct pt_counter_row rows[PT_COUNTERS_MAX];
	struct pt_metric_row metrics[PT_METRICS_MAX];
	struct pt_durations durations;
	char mean_name[MEANS][NAME_BYTES];	/* of durations */
	struct pt_together together;
};

/* --- counters.c */
extern const struct pt_param pt_counters_params[1];
/* Bucket b of a series over the grid; NAN: there is no value. */
void pt_counters_fill(const struct grid *grid, struct pt_series *s, struct pt_series_bucket *bucket, size_t b,
		      double value);

/* How long the counter's source was read, gaps left out. */
double pt_counters_span_ns(const struct counters *c, const struct counter *n);

/* --- counters_metrics.c */
int pt_counters_read_words(struct counters *c, const struct pt_params *words, struct pt_err *err);
/* Into the result, from the rows of counters: durations, and every figure that there is. */
void pt_counters_give_figures(struct counters *c);

#endif
