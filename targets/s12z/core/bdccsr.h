/* Positions of BDCCSR's bits. Those of ENBDC, BDMACT, CLKSW, UNSEC, ERASE, OVRUN and NORESP are known (firmware of
 * USBDM; ZVHY p.149). The others are UNVERIFIED: the setting bdccsr can change them. The target always uses the
 * positions of probes/wires/bdc.h, and these functions convert; the drivers get the positions of the error bits. */
#ifndef PT_S12Z_BDCCSR_H
#define PT_S12Z_BDCCSR_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define PT_BDCCSR_STANDARD \
	"ENBDC,BDMACT,BDCCIS,-,STEAL,CLKSW,UNSEC,ERASE,WAIT,STOP,RAMWF,OVRUN,NORESP,RDINV,ILLACC,ILLCMD"

struct pt_bdccsr { uint8_t place[16]; };	/* raw position of the bit that is i by default */

/* names: all 16 from bit 15 down, each once, as by default; PT_EARG: they are not. */
int pt_bdccsr_parse(struct pt_bdccsr *bits, const char *names, struct pt_err *err);
/* converts a value read from the part to default positions */
uint16_t pt_bdccsr_seen(const struct pt_bdccsr *bits, uint16_t raw);
uint16_t pt_bdccsr_sent(const struct pt_bdccsr *bits, uint16_t value);	/* the reverse */
/* "BDCCSR 0x8040: ENBDC STOP" */
void pt_bdccsr_print(uint16_t csr, char *line, size_t room);

#endif
