/* Rows of SWO by family (core/swo_recipe.h), for the families' own structs. */
#ifndef PT_CORTEXM_SWO_RECIPES_H
#define PT_CORTEXM_SWO_RECIPES_H

#include "targets/cortexm/core/swo_recipe.h"

extern const struct pt_swo_recipe pt_swo_stm32[], pt_swo_nrf52[], pt_swo_kinetis_k[], pt_swo_sam[], pt_swo_lpc[],
	pt_swo_efm32[], pt_swo_tiva[];

#endif
