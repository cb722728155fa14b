/* monitor swo doctor: finds by measurement how to set up the pin SWO. Board thread; takes some seconds; everything is
 * restored. */
#ifndef PT_CORTEXM_SWO_DOCTOR_H
#define PT_CORTEXM_SWO_DOCTOR_H

#include <stddef.h>

#include "base/error.h"

/* struct pt_target_word's print. PT_EBUSY: a profile uses the unit. A problem with the pin is not an error: it is
 * printed. */
int pt_swo_doctor(void *state, const char *const *words, size_t n_words, void (*say)(void *arg, const char *line),
		  void *arg, struct pt_err *err);

#endif
