/* The MDM's AXI4-Lite slave. See mdm.h.
 *
 * DBG_CTRL selects a register by 20 bits (mode, owner, command, length - 1), DBG_DATA accesses it: one access for up to
 * 32 bits, two for more (UG984). DBG_STATUS bit 0 is set while the JTAG side holds the access lock. It is read before
 * each access, in the same batch, so that an access that the lock blocked is recognised. With the window
 * (C_DEBUG_INTERFACE > 0) a core's register is a word at 0x4000 + (command << 6), and the bits above 32 are in the next
 * word (by analogy with MicroBlaze V; not verified: a marker finds out, see bins). */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "targets/microblaze/mdm.h"
#include "targets/microblaze/settings.h"
#include "base/util.h"

enum { DBG_STATUS = 0x10, DBG_CTRL = 0x10, DBG_DATA = 0x14, DBG_LOCK = 0x18, WINDOW = 0x4000, COMMAND_SHIFT = 6 };
enum { LOCKED = 1, CTRL_COMMAND = 9, CTRL_OWN = 17, CTRL_MODE = 18 };
enum { NO_KEY = 0x10000 };
enum { BATCH = 8, MEM_OPS = 5, TIMEOUT_MS = 2000 };

struct batch { /* pending accesses */
	struct pt_mem_op op[BATCH * MEM_OPS];
	size_t n;
	uint8_t status[BATCH][4], ctrl[BATCH][4], data[BATCH][8], key[4];
	size_t n_accesses;
};

static int axi_open(struct pt_mdm *mdm, const struct pt_params *settings, struct pt_err *err)
{
	const struct pt_param *base = &pt_mb_settings[PT_MDM_AXI_BASE], *key = &pt_mb_settings[PT_MDM_AXI_KEY];
	const char *parallel = pt_params_text(settings, &pt_mb_settings[PT_MDM_AXI_PARALLEL]);
	const char *wide = pt_params_text(settings, &pt_mb_settings[PT_MDM_AXI_WIDE]);

	if (!pt_params_given(settings, base))
		return pt_fail(err, PT_EUNSUPPORTED, "mdm.axi.base=ADDR is missing: where the MDM's AXI slave is");
	if (mdm->mem == NULL)
		return pt_fail(err, PT_EUNSUPPORTED,
			       "mdm.axi.base is an address in the memory of a GDB server (rsp:), and there "
			       "is none");
	mdm->axi = (struct pt_mdm_axi){
		.mem = mdm->mem,
		.base = pt_params_number(settings, base),
		.big_endian = mdm->big_endian,
		.window = strcmp(parallel, "on") == 0,
		.window_given = strcmp(parallel, "auto") != 0,
		.high_first = strcmp(wide, "high") == 0,
		.rewrite = pt_params_flag(settings, &pt_mb_settings[PT_MDM_AXI_REWRITE]),
		.mode = (uint32_t)pt_params_number(settings, &pt_mb_settings[PT_MDM_AXI_MODE]),
		.key = pt_params_given(settings, key) ? (uint32_t)pt_params_number(settings, key) : NO_KEY,
	};
	return 0;
}

static void axi_close(struct pt_mdm *mdm)
{
	(void)mdm;
}

static uint32_t word(const struct pt_mdm_axi *axi, const uint8_t *bytes)
{
	return axi->big_endian ? pt_be32(bytes) : pt_le32(bytes);
}

static void put_word(const struct pt_mdm_axi *axi, uint8_t *bytes, uint32_t value)
{
	if (axi->big_endian)
		pt_put_be32(bytes, value);
	else
		pt_put_le32(bytes, value);
}

static void add(struct batch *b, const struct pt_mdm_axi *axi, enum pt_mem_do what, uint32_t offset, void *bytes,
		size_t len_bytes)
{
	b->op[b->n++] = (struct pt_mem_op){
		.what = (uint8_t)what,
		.width_bytes = 4,
		.fixed = offset == DBG_DATA,
		.addr = axi->base + offset,
		.bytes = bytes,
		.len_bytes = len_bytes,
	};
}

/* Adds one access of an operation. again: same register as the access before. */
static void put_access(struct batch *b, const struct pt_mdm_axi *axi, const struct pt_mdm_op *op, uint32_t i,
		       bool again)
{
	size_t at = b->n_accesses++, len = op->bits > 32 ? 8 : 4;
	bool read = op->what == PT_MDM_READ;
	uint32_t ctrl = axi->mode << CTRL_MODE | (uint32_t)op->own << CTRL_OWN | (uint32_t)op->command << CTRL_COMMAND |
			(op->bits - 1u);

	if (!read)
		put_word(axi, b->data[at], (uint32_t)(op->values != NULL ? op->values[i] : op->value));
	memset(b->status[at], 0, 4);
	if (axi->window && !op->own) {
		add(b, axi, read ? PT_MEM_READ : PT_MEM_WRITE, WINDOW + ((uint32_t)op->command << COMMAND_SHIFT),
		    b->data[at], len);
		return;
	}
	if (!again || axi->rewrite) {
		put_word(axi, b->ctrl[at], ctrl);
		add(b, axi, PT_MEM_READ, DBG_STATUS, b->status[at], 4);
		if (axi->key != NO_KEY)
			add(b, axi, PT_MEM_WRITE, DBG_LOCK, b->key, 4);
		add(b, axi, PT_MEM_WRITE, DBG_CTRL, b->ctrl[at], 4);
	}
	add(b, axi, read ? PT_MEM_READ : PT_MEM_WRITE, DBG_DATA, b->data[at], len);
}

static uint64_t value_of(const struct pt_mdm_axi *axi, const uint8_t *data, unsigned bits)
{
	uint64_t first = word(axi, data), second = bits > 32 ? word(axi, data + 4) : 0;
	uint64_t value = axi->high_first && bits > 32 ? first << 32 | second : second << 32 | first;

	return bits < 64 ? value & ((UINT64_C(1) << bits) - 1) : value;
}

/* Accesses first to end - 1 of one operation. */
static int run_part(struct pt_mdm_axi *axi, struct pt_mdm_op *op, uint32_t first, uint32_t end, struct batch *b,
		    struct pt_err *err)
{
	int rc;

	b->n = b->n_accesses = 0;
	put_word(axi, b->key, axi->key);
	for (uint32_t i = first; i < end; i++)
		put_access(b, axi, op, i, i > first);
	rc = pt_mem_run(axi->mem, b->op, b->n, TIMEOUT_MS, NULL, err);
	if (rc < 0)
		return pt_wrap(err, "MDM at 0x%08" PRIx64, axi->base);
	if (first == 0)
		op->sent_ns = b->op[0].sent_ns;
	op->done_ns = b->op[b->n - 1].done_ns;
	for (uint32_t i = first; i < end; i++) {
		if (word(axi, b->status[i - first]) == UINT32_MAX)
			return pt_fail(err, PT_EPROTO,
				       "the MDM at 0x%08" PRIx64 " reads all ones: nothing drives the bits; is "
				       "mdm.axi.base right, and the FPGA configured?",
				       axi->base);
		if ((word(axi, b->status[i - first]) & LOCKED) != 0)
			return pt_fail(err, PT_EBUSY,
				       "the JTAG side holds the access lock of the MDM (DBG_STATUS bit 0): another "
				       "debugger is at its registers; end it (xsdb, Vivado, ...), then start again");
		if (op->what != PT_MDM_READ)
			continue;
		op->value = value_of(axi, b->data[i - first], op->bits);
		if (op->values != NULL)
			op->values[i] = op->value;
	}
	return 0;
}

static int axi_run(struct pt_mdm *mdm, struct pt_mdm_op *ops, size_t n_ops, size_t *n_done, struct pt_err *err)
{
	struct batch batch;

	for (; *n_done < n_ops; (*n_done)++) {
		struct pt_mdm_op *op = &ops[*n_done];
		uint32_t n = op->n > 0 ? op->n : 1;

		for (uint32_t first = 0, end; first < n; first = end) {
			end = n - first > BATCH ? first + BATCH : n;
			if (run_part(&mdm->axi, op, first, end, &batch, err) < 0)
				return err->code;
		}
	}
	return 0;
}

static void axi_describe(const struct pt_mdm *mdm, char *line, size_t room)
{
	snprintf(line, room, "%s at 0x%08" PRIx64, mdm->axi.window ? "AXI window" : "DBG_CTRL and DBG_DATA",
		 mdm->axi.base);
}

const struct pt_mdm_access pt_mdm_axi = {
	.name = "axi",
	.open = axi_open,
	.close = axi_close,
	.run = axi_run,
	.describe = axi_describe,
};
