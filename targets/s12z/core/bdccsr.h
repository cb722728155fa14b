/* Where the bits of BDCCSR are. Places of ENBDC, BDMACT, CLKSW, UNSEC, ERASE, OVRUN and NORESP are known (firmware of
 * USBDM; ZVHY p.149), those of the others are UNVERIFIED: setting bdccsr says otherwise, and the target works with
 * the places of probes/wires/bdc.h all the same; the drivers get the bits that are errors. */
#ifndef PT_S12Z_BDCCSR_H
#define PT_S12Z_BDCCSR_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define PT_BDCCSR_STANDARD \
	"ENBDC,BDMACT,BDCCIS,-,STEAL,CLKSW,UNSEC,ERASE,WAIT,STOP,RAMWF,OVRUN,NORESP,RDINV,ILLACC,ILLCMD"

struct pt_bdccsr { uint8_t place[16]; };	/* of the bit that is i in the standard */

/* names: all 16 from bit 15 down, each once, as in the standard; PT_EARG: they are not. */
int pt_bdccsr_parse(struct pt_bdccsr *bits, const char *names, struct pt_err *err);
uint16_t pt_bdccsr_seen(const struct pt_bdccsr *bits, uint16_t raw);	/* as read of the part: as in the standard */
uint16_t pt_bdccsr_sent(const struct pt_bdccsr *bits, uint16_t value);	/* the other way round */
/* "BDCCSR 0x8040: ENBDC STOP" */
void pt_bdccsr_print(uint16_t csr, char *line, size_t room);

#endif
