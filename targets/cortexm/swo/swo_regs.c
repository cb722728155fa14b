#include "targets/cortexm/swo/swo_regs.h"

#include <string.h>

#include "base/util.h"
#include "targets/cortexm/core/cortexm.h"

enum { BATCH_MS = 1000 };

struct batch {
	struct pt_mem_op op[PT_SWO_REGS + PT_SWO_LOCKS];
	uint8_t bytes[PT_SWO_REGS + PT_SWO_LOCKS][4];
};

static void make_op(struct batch *batch, size_t i, const struct pt_swo_reg *reg, enum pt_mem_do what)
{
	batch->op[i] = (struct pt_mem_op){
		.what = (uint8_t)what, .width_bytes = reg->width_bytes, .addr = reg->at, .bytes = batch->bytes[i],
		.len_bytes = reg->width_bytes,
	};
}

static uint32_t value_of(const struct batch *batch, size_t i, const struct pt_swo_reg *reg)
{
	return reg->width_bytes == 4   ? pt_le32(batch->bytes[i])
	       : reg->width_bytes == 2 ? pt_le16(batch->bytes[i])
				       : batch->bytes[i][0];
}

static int run(struct pt_cortexm *cm, struct batch *batch, size_t n, const struct pt_swo_regs *regs, const char *does,
	       struct pt_err *err)
{
	size_t done = 0;

	if (pt_mem_run(cm->mem, batch->op, n, BATCH_MS, &done, err) == 0)
		return 0;
	return pt_wrap(err, "%s %s", does, done < regs->n ? regs->reg[done].name : "registers");
}

size_t pt_swo_regs_add(struct pt_swo_regs *regs, const struct pt_swo_reg *reg)
{
	regs->reg[regs->n] = *reg;
	if (reg->width_bytes == 0)
		regs->reg[regs->n].width_bytes = 4;
	return regs->n++;
}

static int read_all(struct pt_swo_regs *regs, struct pt_cortexm *cm, struct batch *batch, struct pt_err *err)
{
	memset(batch, 0, sizeof(*batch));
	for (size_t i = 0; i < regs->n; i++)
		make_op(batch, i, &regs->reg[i], PT_MEM_READ);
	return run(cm, batch, regs->n, regs, "read", err);
}

int pt_swo_regs_save(struct pt_swo_regs *regs, struct pt_cortexm *cm, struct pt_err *err)
{
	struct batch batch;

	if (read_all(regs, cm, &batch, err) < 0)
		return err->code;
	for (size_t i = 0; i < regs->n; i++) {
		struct pt_swo_reg *reg = &regs->reg[i];

		reg->was = value_of(&batch, i, reg) & ~reg->ignore;
		reg->ours = (reg->was & ~reg->clear) | reg->set;
	}
	return 0;
}

/* The last row turns the ITM on: restoring begins with it turned off. */
void pt_swo_regs_take(struct pt_swo_regs *regs, struct pt_cortexm *cm)
{
	struct pt_pending_row row[PT_SWO_REGS + 1 + PT_SWO_LOCKS];
	size_t n = 0;

	for (size_t i = 0; i <= regs->n; i++) {
		const struct pt_swo_reg *reg = &regs->reg[i == 0 ? regs->n - 1 : i - 1];
		uint32_t changed = reg->was ^ reg->ours;

		if (changed == 0)
			continue;
		row[n] = (struct pt_pending_row){
			.at = reg->at, .was = i == 0 ? 0 : reg->was, .ours = reg->ours, .width_bytes = reg->width_bytes,
			.check = i == 0 ? 0 : changed & reg->check, .mask = changed, .core = (uint8_t)cm->number,
		};
		pt_cortexm_unit(cm, row[n++].unit, "swo");
	}
	for (size_t i = 0; i < regs->n_locks; i++) {
		row[n] = (struct pt_pending_row){ .at = regs->lock[i], .ours = UINT32_MAX, .width_bytes = 4,
						  .mask = UINT32_MAX, .core = (uint8_t)cm->number };
		pt_cortexm_unit(cm, row[n++].unit, "swo");
	}
	regs->taken = true;
	pt_pending_note(cm->target, row, n);
}

static int write_all(struct pt_swo_regs *regs, struct pt_cortexm *cm, bool ours, struct pt_err *err)
{
	struct batch batch;

	memset(&batch, 0, sizeof(batch));
	for (size_t i = 0; i < regs->n; i++) {
		make_op(&batch, i, &regs->reg[i], PT_MEM_WRITE);
		pt_put_le32(batch.bytes[i], ours ? regs->reg[i].ours : regs->reg[i].was);
	}
	for (size_t i = 0; !ours && i < regs->n_locks; i++)
		make_op(&batch, regs->n + i, &(struct pt_swo_reg){ .at = regs->lock[i], .width_bytes = 4 },
			PT_MEM_WRITE);
	return run(cm, &batch, regs->n + (ours ? 0 : regs->n_locks), regs, "write", err);
}

int pt_swo_regs_write(struct pt_swo_regs *regs, struct pt_cortexm *cm, struct pt_err *err)
{
	pt_swo_regs_take(regs, cm);
	return write_all(regs, cm, true, err);
}

int pt_swo_regs_change(struct pt_swo_regs *regs, struct pt_cortexm *cm, size_t i, uint32_t ours, struct pt_err *err)
{
	regs->reg[i].ours = ours;
	if (pt_mem_write32(cm->mem, regs->reg[i].at, ours, err) < 0)
		return pt_wrap(err, "write %s", regs->reg[i].name);
	return 0;
}

int pt_swo_regs_check(struct pt_swo_regs *regs, struct pt_cortexm *cm, const struct pt_swo_reg **which, uint32_t *holds,
		      struct pt_err *err)
{
	struct batch batch;

	*which = NULL;
	if (read_all(regs, cm, &batch, err) < 0)
		return err->code;
	for (size_t i = 0; i < regs->n && *which == NULL; i++) {
		*holds = value_of(&batch, i, &regs->reg[i]);
		if (((*holds ^ regs->reg[i].ours) & regs->reg[i].check) != 0)
			*which = &regs->reg[i];
	}
	return 0;
}

int pt_swo_regs_restore(struct pt_swo_regs *regs, struct pt_cortexm *cm, struct pt_err *err)
{
	char unit[PT_PENDING_UNIT];

	if (!regs->taken)
		return 0;
	regs->taken = false;
	if (write_all(regs, cm, false, err) < 0)
		return err->code;
	pt_pending_settle(cm->target, pt_cortexm_unit(cm, unit, "swo"));
	return 0;
}
