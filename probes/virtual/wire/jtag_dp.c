#include "probes/virtual/wire/jtag_dp.h"

#include "base/util.h"

enum { IR_ABORT = 0x8, IR_DPACC = 0xa, IR_APACC = 0xb, IR_IDCODE = 0xe };
enum { ACK_WAIT = 1, ACK_OK_FAULT = 2, ACC_BITS = 35 };
enum { DP_CTRL_STAT = 4, DP_SELECT = 8, DP_ABORT = 0 };

/* {data, ack}: of the request before. */
static uint64_t capture(void *arg)
{
	struct pt_vjtag_dp *j = arg;
	uint32_t result;

	j->waits = pt_vdp_meets_wait(j->dp) || pt_vdp_busy(j->dp);
	if (j->waits) {
		pt_vdp_overrun(j->dp);
		return ACK_WAIT;
	}
	result = j->of_ap ? j->dp->rdbuff : j->result;
	return (uint64_t)result << 3 | ACK_OK_FAULT;
}

/* RDBUFF reads as 0: it is there to fetch what came before. */
static void update_dp(void *arg, uint64_t value)
{
	struct pt_vjtag_dp *j = arg;
	bool read = (value & 1) != 0;
	uint8_t a = (uint8_t)(value >> 1 & 3) << 2;
	uint32_t data = (uint32_t)(value >> 3);

	if (j->waits)
		return;
	j->of_ap = false;
	j->result = read && a != 0xc ? pt_vdp_read(j->dp, a) : 0;
	if (!read && a == DP_CTRL_STAT)
		pt_vdp_clear(j->dp, data);
	if (!read && (a == DP_CTRL_STAT || a == DP_SELECT))
		pt_vdp_write(j->dp, a, data);
}

static void update_ap(void *arg, uint64_t value)
{
	struct pt_vjtag_dp *j = arg;

	if (j->waits)
		return;
	j->of_ap = true;
	if (!pt_vdp_has_error(j->dp))
		pt_vdp_post(j->dp, (value & 1) == 0, (uint8_t)(value >> 1 & 3) << 2, (uint32_t)(value >> 3));
}

static void update_abort(void *arg, uint64_t value)
{
	struct pt_vjtag_dp *j = arg;

	pt_vdp_write(j->dp, DP_ABORT, (uint32_t)(value >> 3));
}

void pt_vjtag_dp_init(struct pt_vjtag_dp *j, struct pt_vdp *dp)
{
	const struct pt_vjtap_config config = {
		.ir_bits = 4, .ir_capture = 1, .has_idcode = true, .idcode = PT_VJTAG_DP_IDCODE, .idcode_ir = IR_IDCODE,
		.rows = j->rows, .n_rows = PT_LEN(j->rows),
	};

	*j = (struct pt_vjtag_dp){ .dp = dp };
	j->rows[0] = (struct pt_vdr){ .ir = IR_DPACC, .bits = ACC_BITS, .arg = j, .capture = capture,
				      .update = update_dp };
	j->rows[1] = (struct pt_vdr){ .ir = IR_APACC, .bits = ACC_BITS, .arg = j, .capture = capture,
				      .update = update_ap };
	j->rows[2] = (struct pt_vdr){ .ir = IR_ABORT, .bits = ACC_BITS, .arg = j, .update = update_abort };
	pt_vjtap_init(&j->tap, &config);
}
