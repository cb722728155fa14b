/* monitor swo doctor: what the pin SWO needs, by measurement. Board thread; takes some seconds; all is put back. */
#ifndef PT_CORTEXM_SWO_DOCTOR_H
#define PT_CORTEXM_SWO_DOCTOR_H

#include <stddef.h>

#include "base/error.h"

/* struct pt_target_word's print. PT_EBUSY: a profile uses the unit. What is wrong with the pin is no error, but said. */
int pt_swo_doctor(void *state, const char *const *words, size_t n_words, void (*say)(void *arg, const char *line),
		  void *arg, struct pt_err *err);

#endif
