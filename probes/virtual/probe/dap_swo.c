/* SWO of the CMSIS-DAP model, as the reference firmware has it: a UART that fills a ring in blocks. A ring in which the
 * next block would not fit pauses the capture; what comes meanwhile is lost, and the UART reports it as an overrun. A
 * read of data makes room and resumes. Error bits are cleared by every answer that has them.
 * Source: CMSIS-DAP 2.x reference, SWO commands; facts on the reference firmware. */
#include <stdlib.h>

#include "base/alloc.h"
#include "probes/virtual/probe/dap_engine.h"

enum { BLOCK_BYTES = 64, DATA_HEAD_BYTES = 4 };
enum { ACTIVE = 1 << 0, PAUSED = 1 << 1, STREAM_ERROR = 1 << 6, OVERRUN = 1 << 7 };
enum { TRANSPORT_NONE, TRANSPORT_DATA, TRANSPORT_ENDPOINT };
enum { MODE_OFF, MODE_UART, MODE_MANCHESTER };
enum { ASK_STATUS = 1 << 0, ASK_COUNT = 1 << 1, ASK_INDEX = 1 << 2 };
enum { UART_CLOCK_HZ = 60000000, UART_LEAST_DIVIDER = 6 };

static struct pt_vswo *pin_of(const struct pt_vdap *dap)
{
	const struct pt_vpace *pace = dap->swd.pace;

	return pace->ops->swo != NULL ? pace->ops->swo(pace->board) : NULL;
}

bool dap_has_swo(const struct pt_vdap *dap)
{
	return dap->config.swo_bytes > 0 && pin_of(dap) != NULL;
}

static uint32_t waiting(const struct dap_swo *swo)
{
	return swo->in - swo->out;
}

static void put_byte(void *arg, uint8_t byte, bool bad)
{
	struct pt_vdap *dap = arg;
	struct dap_swo *swo = &dap->swo;

	swo->errors |= bad ? STREAM_ERROR : 0;
	if (swo->paused) {
		swo->errors |= OVERRUN;
		swo->n_lost++;
		return;
	}
	swo->ring[swo->in++ % dap->config.swo_bytes] = byte;
	swo->paused = swo->in % BLOCK_BYTES == 0 && waiting(swo) + BLOCK_BYTES > dap->config.swo_bytes;
}

static void resume(struct pt_vdap *dap)
{
	struct dap_swo *swo = &dap->swo;

	swo->paused = swo->paused && waiting(swo) + BLOCK_BYTES > dap->config.swo_bytes;
}

/* What came over the pin up to now. */
static void catch_up(struct pt_vdap *dap)
{
	pt_vpace_to(dap->swd.pace, pt_vswd_now_ns(&dap->swd));
	if (dap->swo.active)
		pt_vswo_receiver_idle(&dap->swo.receiver, dap->swd.pace->board_ns);
}

static uint8_t take_status(struct pt_vdap *dap)
{
	struct dap_swo *swo = &dap->swo;
	unsigned status = swo->errors | (swo->active ? ACTIVE : 0) | (swo->active && swo->paused ? PAUSED : 0);

	swo->errors = 0;
	return (uint8_t)status;
}

static void start(struct pt_vdap *dap)
{
	struct dap_swo *swo = &dap->swo;

	swo->in = swo->out = 0;
	swo->errors = 0;
	swo->paused = false;
	swo->active = true;
	swo->receiver.got = put_byte;
	swo->receiver.arg = dap;
	pt_vswo_receiver_start(&swo->receiver, pin_of(dap),
			       swo->mode == MODE_MANCHESTER ? PT_VSWO_MANCHESTER : PT_VSWO_UART, swo->bits_per_s);
}

static void stop(struct pt_vdap *dap)
{
	if (dap->swo.active)
		pt_vswo_receiver_stop(&dap->swo.receiver);
	dap->swo.active = false;
}

void dap_swo_free(struct pt_vdap *dap)
{
	stop(dap);
	free(dap->swo.ring);
}

void dap_swo_init(struct pt_vdap *dap)
{
	dap->swo.ring = pt_alloc(dap->config.swo_bytes > 0 ? dap->config.swo_bytes : 1);
}

/* --- commands */

void dap_swo_transport(struct pt_vdap *dap, struct dap_in *in, struct dap_out *out)
{
	unsigned transport = dap_get8(in), most = dap->config.swo_endpoint ? TRANSPORT_ENDPOINT : TRANSPORT_DATA;
	bool fine = dap_has_swo(dap) && !dap->swo.active && transport <= most;

	if (fine)
		dap->swo.transport = transport;
	dap_put8(out, fine ? DAP_OK : DAP_ERROR);
}

void dap_swo_mode(struct pt_vdap *dap, struct dap_in *in, struct dap_out *out)
{
	unsigned mode = dap_get8(in);
	bool fine = dap_has_swo(dap) && !dap->swo.active && mode <= MODE_MANCHESTER;

	if (fine)
		dap->swo.mode = mode;
	dap_put8(out, fine ? DAP_OK : DAP_ERROR);
}

/* The nearest that the divider has, up to its limit. */
void dap_swo_baudrate(struct pt_vdap *dap, struct dap_in *in, struct dap_out *out)
{
	uint32_t wanted = dap_get32(in), divider = wanted > 0 ? (UART_CLOCK_HZ + wanted / 2) / wanted : 0;

	if (divider < UART_LEAST_DIVIDER)
		divider = UART_LEAST_DIVIDER;
	dap->swo.bits_per_s = wanted > 0 && dap_has_swo(dap) && !dap->swo.active ? UART_CLOCK_HZ / divider : 0;
	dap_put32(out, dap->swo.bits_per_s);
}

void dap_swo_control(struct pt_vdap *dap, struct dap_in *in, struct dap_out *out)
{
	unsigned control = dap_get8(in);
	const struct dap_swo *swo = &dap->swo;
	bool fine = dap_has_swo(dap) && control <= 1 &&
		    (control == 0 || (swo->transport != TRANSPORT_NONE && swo->mode != MODE_OFF &&
				      swo->bits_per_s > 0 && !swo->active));

	catch_up(dap);
	if (fine && control == 1)
		start(dap);
	else if (fine)
		stop(dap);
	dap_put8(out, fine ? DAP_OK : DAP_ERROR);
}

void dap_swo_status(struct pt_vdap *dap, struct dap_in *in, struct dap_out *out)
{
	(void)in;
	catch_up(dap);
	dap_put8(out, take_status(dap));
	dap_put32(out, waiting(&dap->swo));
}

/* The length of what is asked of bit 2 is that of the index alone on a link whose packets have a length: so the time is
 * cut off there, and the answer ends behind the index. */
void dap_swo_extended_status(struct pt_vdap *dap, struct dap_in *in, struct dap_out *out)
{
	unsigned asked = dap_get8(in);

	catch_up(dap);
	if ((asked & ASK_STATUS) != 0)
		dap_put8(out, take_status(dap));
	if ((asked & ASK_COUNT) != 0)
		dap_put32(out, waiting(&dap->swo));
	if ((asked & ASK_INDEX) != 0)
		dap_put32(out, dap->swo.in);
}

void dap_swo_data(struct pt_vdap *dap, struct dap_in *in, struct dap_out *out)
{
	struct dap_swo *swo = &dap->swo;
	uint32_t n = dap_get16(in), room;

	catch_up(dap);
	room = (uint32_t)(dap->config.packet_bytes - DATA_HEAD_BYTES);
	if (n > room)
		n = room;
	if (n > waiting(swo))
		n = waiting(swo);
	if (swo->transport != TRANSPORT_DATA)
		n = 0;
	dap_put8(out, take_status(dap));
	dap_put16(out, (uint16_t)n);
	for (; n > 0; n--)
		dap_put8(out, swo->ring[swo->out++ % dap->config.swo_bytes]);
	resume(dap);
}

/* What goes by the endpoint of its own: whole blocks, or what there is when no more comes for a while. */
size_t dap_swo_endpoint(struct pt_vdap *dap, uint8_t *bytes, size_t room, uint64_t at_ns)
{
	struct dap_swo *swo = &dap->swo;
	size_t n = 0;

	pt_vswd_idle_until(&dap->swd, at_ns);
	catch_up(dap);
	for (; swo->transport == TRANSPORT_ENDPOINT && n < room && waiting(swo) > 0; n++)
		bytes[n] = swo->ring[swo->out++ % dap->config.swo_bytes];
	resume(dap);
	return n;
}
