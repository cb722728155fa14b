/* What the files of the ITM share, for them alone: itm.c is the registers, itm_fifo.c the FIFO and what waits for it,
 * itm_stamps.c the stamps. */
#ifndef PT_VIRTUAL_UNIT_ITM_PARTS_H
#define PT_VIRTUAL_UNIT_ITM_PARTS_H

#include "probes/virtual/unit/arm/itm.h"

static inline bool pt_vitm_works(const struct pt_vitm *itm)
{
	return itm->traced && (itm->tcr & PT_VITM_ITMENA) != 0;
}

static inline bool pt_vitm_has_room(const struct pt_vitm *itm)
{
	return itm->n < itm->fifo_room;
}

/* A packet of a buffer's source: into the FIFO, or it waits, or it is lost. */
void pt_vitm_send(struct pt_vitm *itm, enum pt_vitm_buffer buffer, struct pt_vtrace_packet *packet);
void pt_vitm_put(struct pt_vitm *itm, struct pt_vtrace_packet *packet, uint64_t at_cycle);	/* there is room */
void pt_vitm_refill(struct pt_vitm *itm, uint64_t at_cycle);		/* what waits, as far as there is room */
struct pt_vtpiu_input pt_vitm_input(struct pt_vitm *itm);
void pt_vitm_clear(struct pt_vitm *itm);				/* nothing waits */

/* Stamps. All puts need room for one packet. */
void pt_vitm_stamps_restart(struct pt_vitm *itm);			/* TCR was written */
void pt_vitm_put_stamp(struct pt_vitm *itm, uint64_t at_cycle);
void pt_vitm_put_global(struct pt_vitm *itm, uint64_t at_cycle);
uint64_t pt_vitm_next_stamp_event(const struct pt_vitm *itm);		/* a counter does something; PT_VNEVER */
void pt_vitm_stamp_event(struct pt_vitm *itm, uint64_t at_cycle);

#endif
