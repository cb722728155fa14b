/* CSW says how, TAR where, DRW and BD0-3 make the access. What this AP does not have (packed transfers, large data or
 * addresses, barriers) reads as zero, which is how a host finds out. */
#include "probes/virtual/wire/mem_ap.h"

enum {				/* register offsets. Source: IHI 0031, "MEM-AP register summary" */
	CSW = 0x00, TAR = 0x04, DRW = 0x0c, BD0 = 0x10, BD3 = 0x1c, CFG = 0xf4, BASE = 0xf8, IDR = 0xfc,
};

enum {				/* CSW fields. Source: IHI 0031, "CSW, Control/Status Word register" */
	CSW_SIZE = 7 << 0,
	CSW_INC_SINGLE = 1 << 4,	/* bit 5, packed, is not built in: reads as zero */
	CSW_DEVICE_EN = 1 << 6,		/* read-only: the bus can be reached */
	CSW_HPROT = 0xf << 24,
	CSW_HPROT1 = 1 << 25,		/* privileged */
	CSW_MASTER_TYPE = 1 << 29,	/* debug */
	CSW_WRITABLE = CSW_SIZE | CSW_INC_SINGLE | CSW_HPROT | CSW_MASTER_TYPE,
	CSW_POWER_ON = CSW_HPROT1 | 1 << 24 | 2,
	SIZE_WORD = 2,
};

/* The increment carries no further: what every AP has, and that of a Cortex-M3 and M4, which OpenOCD counts on. Source:
 * IHI 0031, "Auto-incrementing the Transfer Address Register". */
enum { TAR_WRAP_BYTES = 1024, TAR_WRAP_BYTES_M4 = 4096 };

static unsigned size_bytes(const struct pt_vmem_ap *ap)
{
	return 1u << (ap->csw & CSW_SIZE);
}

static void increment(struct pt_vmem_ap *ap)
{
	uint32_t within = (ap->idr == PT_VMEM_AP_IDR_M4 ? TAR_WRAP_BYTES_M4 : TAR_WRAP_BYTES) - 1;

	if ((ap->csw & CSW_INC_SINGLE) != 0)
		ap->tar = (ap->tar & ~within) | ((ap->tar + size_bytes(ap)) & within);
}

static struct pt_vaccess access_at(const struct pt_vmem_ap *ap, uint32_t addr, unsigned bytes)
{
	return (struct pt_vaccess){
		.addr = addr & ~(uint32_t)(bytes - 1),
		.size_bytes = (uint8_t)bytes,
		.master = PT_VMASTER_DEBUG,
		.privileged = (ap->csw & CSW_HPROT1) != 0,
	};
}

/* Bytes and halfwords travel in the lane of their address. */
static enum pt_vack bus_read(struct pt_vmem_ap *ap, uint32_t addr, unsigned bytes, uint32_t *value)
{
	struct pt_vaccess access = access_at(ap, addr, bytes);
	uint32_t got = 0;

	if (ap->locked || !pt_vbus_read(ap->bus, &access, &got))
		return PT_VACK_ERROR;
	*value = got << 8 * (access.addr & 3);
	return PT_VACK_OK;
}

static enum pt_vack bus_write(struct pt_vmem_ap *ap, uint32_t addr, unsigned bytes, uint32_t value)
{
	struct pt_vaccess access = access_at(ap, addr, bytes);

	value >>= 8 * (access.addr & 3);
	if (bytes < 4)
		value &= (1u << 8 * bytes) - 1;
	if (ap->locked || !pt_vbus_write(ap->bus, &access, value))
		return PT_VACK_ERROR;
	if (ap->bus->debug_wrote != NULL)
		ap->bus->debug_wrote(ap->bus->debug_listener, &access, value);
	return PT_VACK_OK;
}

static uint32_t banked_addr(const struct pt_vmem_ap *ap, uint8_t reg)
{
	return (ap->tar & ~0xfu) | (reg & 0xcu);
}

static enum pt_vack data_read(struct pt_vmem_ap *ap, uint32_t *value)
{
	enum pt_vack ack = bus_read(ap, ap->tar, size_bytes(ap), value);

	if (ack == PT_VACK_OK)
		increment(ap);
	return ack;
}

static enum pt_vack data_write(struct pt_vmem_ap *ap, uint32_t value)
{
	enum pt_vack ack = bus_write(ap, ap->tar, size_bytes(ap), value);

	if (ack == PT_VACK_OK)
		increment(ap);
	return ack;
}

static enum pt_vack read_reg(void *arg, uint8_t reg, uint32_t *value)
{
	struct pt_vmem_ap *ap = arg;

	if (reg >= BD0 && reg <= BD3)
		return bus_read(ap, banked_addr(ap, reg), 4, value);
	switch (reg) {
	case CSW:
		*value = ap->csw | (ap->locked ? 0 : CSW_DEVICE_EN);
		break;
	case TAR:
		*value = ap->tar;
		break;
	case DRW:
		return data_read(ap, value);
	case BASE:
		*value = ap->base;
		break;
	case IDR:
		*value = ap->idr;
		break;
	case CFG:	/* little-endian, no large data, no large address */
	default:
		*value = 0;
	}
	return PT_VACK_OK;
}

static enum pt_vack write_reg(void *arg, uint8_t reg, uint32_t value)
{
	struct pt_vmem_ap *ap = arg;

	if (reg >= BD0 && reg <= BD3)
		return bus_write(ap, banked_addr(ap, reg), 4, value);
	switch (reg) {
	case CSW:
		ap->csw = value & CSW_WRITABLE;
		if ((ap->csw & CSW_SIZE) > SIZE_WORD)	/* larger sizes are not built in */
			ap->csw = (ap->csw & ~(uint32_t)CSW_SIZE) | SIZE_WORD;
		break;
	case TAR:
		ap->tar = value;
		break;
	case DRW:
		return data_write(ap, value);
	default:	/* read-only or absent: ignored */
		break;
	}
	return PT_VACK_OK;
}

void pt_vmem_ap_reset(struct pt_vmem_ap *ap)
{
	ap->csw = CSW_POWER_ON;
	ap->tar = 0;
}

void pt_vmem_ap_init(struct pt_vmem_ap *ap, struct pt_vbus *bus, uint32_t base)
{
	*ap = (struct pt_vmem_ap){
		.port = { .arg = ap, .read = read_reg, .write = write_reg },
		.bus = bus,
		.base = base,
		.idr = PT_VMEM_AP_IDR,
	};
	pt_vmem_ap_reset(ap);
}
