/* How good a figure is. */
#ifndef PT_PROFILE_BASIS_H
#define PT_PROFILE_BASIS_H

enum pt_basis { PT_BASIS_NONE, PT_BASIS_EXACT, PT_BASIS_MODELLED, PT_BASIS_ESTIMATED };	/* weakest last */

#endif
