/* A unit that only holds bits: rows of registers and nothing behind them. Enough for ports, power and reset controllers
 * and for whatever firmware sets up without the model caring. */
#ifndef PT_VIRTUAL_UNIT_STORAGE_H
#define PT_VIRTUAL_UNIT_STORAGE_H

#include "probes/virtual/frame/registers.h"

extern const struct pt_vunit_ops pt_vstorage_ops;	/* the unit is a struct pt_vregs */

#endif
