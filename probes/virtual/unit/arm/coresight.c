/* One switch over the top of the page. */
#include "probes/virtual/unit/arm/coresight.h"

uint32_t pt_vcoresight_read(const struct pt_vcoresight *ids, uint32_t offset)
{
	switch (offset) {
	case 0xfb8: return ids->authstatus;
	case 0xfbc: return ids->devarch;
	case 0xfc8: return ids->devid;
	case 0xfcc: return ids->devtype;
	case 0xfd0: return ids->pidr4;
	case 0xfe0: return ids->part & 0xff;
	case 0xfe4: return (uint32_t)(ids->jep106 & 0xf) << 4 | ids->part >> 8;
	case 0xfe8: return (uint32_t)ids->revision << 4 | 0x8 | ids->jep106 >> 4;
	case 0xff0: return 0x0d;
	case 0xff4: return (uint32_t)ids->class << 4;
	case 0xff8: return 0x05;
	case 0xffc: return 0xb1;
	default: return 0;
	}
}
