/* A probe is a driver on a link. This file has the common part: opening, closing, and the settings of all drivers. */
#include "probes/wires/probe.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "probes/wires/jtag_dap.h"
#include "base/util.h"

struct pt_probe {
	const struct pt_probe_ops *ops;
	struct pt_link *link;
	void *state;
	struct pt_jtag_dap *jtag_dap;	/* makes wire dap of its wire jtag; NULL: it has its own wire dap, or neither */
	struct pt_probe *next;		/* joined */
	unsigned hidden;		/* wires, bits 1 << enum pt_wire */
};

const struct pt_param pt_probe_params[] = {
	[PT_PROBE_SPEED] = { "speed", PT_PARAM_HZ, "4M", NULL, 1000, 100000000,
		"clock of the debug wire, Hz (SWCLK, TCK); slower for long cables" },
	[PT_PROBE_LIMIT_PACKETS] = { "limit-packets", PT_PARAM_NUMBER, "0", NULL, 0, 64,
		"packets outstanding at once, 0: as the probe says (servers on the network: 2 or more; J-Link: 1); 1 for "
		"probes that say too many" },
	[PT_PROBE_ATOMIC] = { "atomic", PT_PARAM_FLAG, "on", NULL, 0, 0,
		"bind commands into one packet (ExecuteCommands) if the probe claims to know it" },
	[PT_PROBE_WAIT_RETRY] = { "wait-retry", PT_PARAM_NUMBER, "0", NULL, 0, 65535,
		"how often the probe repeats an access that the target answers with WAIT, 0: for 100 ms" },
	[PT_PROBE_MATCH_RETRY] = { "match-retry", PT_PARAM_NUMBER, "0", NULL, 0, 65535,
		"how often the probe repeats a poll by itself, 0: for 5 ms, at 100 SWCLK periods a read" },
	[PT_PROBE_IDLE_CYCLES] = { "idle-cycles", PT_PARAM_NUMBER, "0", NULL, 0, 255,
		"SWCLK periods of idle after every transfer" },
	[PT_PROBE_BDC_ACK] = { "bdc-ack", PT_PARAM_FLAG, "on", NULL, 0, 0,
		"BDC: use the target's ACK pulses where the probe sees them; off: a delay of 16 BDC clocks after each "
		"command" },
	[PT_PROBE_TRANSPORT] = { "transport", PT_PARAM_CHOICE, "auto", "auto|swd|jtag", 0, 0,
		"how a debug port is reached; auto: SWD where the probe has it, but JTAG by remote_bitbang" },
	[PT_PROBE_PATIENCE] = { "upstream-patience", PT_PARAM_TIME, "900ms", NULL, 100 * PT_NS_PER_MS, 60 * PT_NS_PER_S,
		"how long a GDB server that is the probe may take for an answer before GDB gets an error instead" },
};
const size_t pt_n_probe_params = PT_LEN(pt_probe_params);

static bool by_jtag(const struct pt_probe_ops *ops, const struct pt_params *settings)
{
	const char *transport = pt_params_text(settings, &pt_probe_params[PT_PROBE_TRANSPORT]);

	if (ops->jtag == NULL)
		return false;
	return ops->dap == NULL || strcmp(transport, "jtag") == 0 ||
	       (ops->jtag_first && strcmp(transport, "auto") == 0);
}

struct pt_probe *pt_probe_open_link(const struct pt_probe_ops *ops, struct pt_link *link,
				    const struct pt_params *settings, struct pt_err *err)
{
	struct pt_probe *probe = pt_alloc(sizeof(*probe));
	struct pt_err why = { 0 };

	probe->ops = ops;
	probe->link = link;
	probe->state = pt_alloc(ops->state_bytes);
	if (ops->open(probe->state, link, settings, &why) < 0)
		goto free_state;
	if (by_jtag(ops, settings))
		probe->jtag_dap = pt_jtag_dap_new(ops->jtag, probe->state, link, settings);
	return probe;
free_state:
	free(probe->state);
	free(probe);
	pt_link_close(link);
	pt_fail(err, why.code, "open %s: %s", ops->name, why.msg);
	return NULL;
}

void pt_probe_close(struct pt_probe *probe)
{
	while (probe != NULL) {
		struct pt_probe *next = probe->next;

		pt_jtag_dap_free(probe->jtag_dap);
		probe->ops->close(probe->state);
		pt_link_close(probe->link);
		free(probe->state);
		free(probe);
		probe = next;
	}
}

void pt_probe_join(struct pt_probe *first, struct pt_probe *other)
{
	while (first->next != NULL)
		first = first->next;
	first->next = other;
}

struct pt_probe *pt_probe_next(struct pt_probe *probe)
{
	return probe->next;
}

/* The ops of a wire, from the first of the joined probes that has it. */
#define WIRE(wire, which) \
	const struct pt_##wire##_ops *pt_probe_##wire(struct pt_probe *probe, void **state) \
	{ \
		while (probe != NULL && (probe->ops->wire == NULL || (probe->hidden >> (which) & 1) != 0)) \
			probe = probe->next; \
		*state = probe != NULL ? probe->state : NULL; \
		return probe != NULL ? probe->ops->wire : NULL; \
	}
WIRE(jtag, PT_WIRE_JTAG)
WIRE(bdc, PT_WIRE_BDC)
WIRE(pins, PT_WIRE_PINS)
WIRE(rsp, PT_WIRE_RSP)

static bool has_stream_alone(const struct pt_probe_ops *ops)
{
	return ops->stream != NULL && ops->dap == NULL && ops->jtag == NULL && ops->bdc == NULL && ops->pins == NULL &&
	       ops->rsp == NULL;
}

/* A probe with only this wire was named because the pin is connected to it, whatever the others support. */
const struct pt_stream_ops *pt_probe_stream(struct pt_probe *probe, void **state)
{
	struct pt_probe *first = NULL;

	for (; probe != NULL; probe = probe->next) {
		if (probe->ops->stream == NULL || (probe->hidden >> PT_WIRE_STREAM & 1) != 0)
			continue;
		if (first == NULL || (has_stream_alone(probe->ops) && !has_stream_alone(first->ops)))
			first = probe;
	}
	*state = first != NULL ? first->state : NULL;
	return first != NULL ? first->ops->stream : NULL;
}

/* The probe's own wire dap, or one over its wire jtag. */
const struct pt_dap_ops *pt_probe_dap(struct pt_probe *probe, void **state)
{
	for (; probe != NULL; probe = probe->next) {
		if ((probe->hidden >> PT_WIRE_DAP & 1) != 0 || (probe->ops->dap == NULL && probe->jtag_dap == NULL))
			continue;
		*state = probe->jtag_dap != NULL ? (void *)probe->jtag_dap : probe->state;
		return probe->jtag_dap != NULL ? &pt_jtag_dap_ops : probe->ops->dap;
	}
	*state = NULL;
	return NULL;
}

void pt_probe_hide(struct pt_probe *probe, enum pt_wire wire)
{
	probe->hidden |= 1u << wire;
}

int pt_probe_look(struct pt_probe *first, struct pt_err *err)
{
	int rc = 0;

	for (struct pt_probe *probe = first; probe != NULL; probe = probe->next)
		if (rc != PT_EIO && pt_link_wait(probe->link, 0, err) == PT_EIO)
			rc = PT_EIO;
		else if (rc == PT_EIO)
			pt_link_wait(probe->link, 0, NULL);
	return rc;
}

void pt_probe_info(struct pt_probe *probe, struct pt_probe_info *out)
{
	static const char ours[] = PT_LINK_VIRTUAL_PRODUCT;

	*out = (struct pt_probe_info){ 0 };
	pt_link_info(probe->link, &out->link);
	for (size_t i = 0; probe->ops->name[i] != 0 && i + 1 < sizeof(out->name); i++)
		out->name[i] = probe->ops->name[i];
	out->swd = probe->ops->dap != NULL;
	out->jtag = probe->ops->jtag != NULL;
	out->bdc = probe->ops->bdc != NULL;
	probe->ops->info(probe->state, out);
	out->link.is_virtual |= strncmp(out->link.product, ours, strlen(ours)) == 0;	/* served, or emulated */
}

struct pt_link *pt_probe_link(struct pt_probe *probe)
{
	return probe->link;
}

void pt_probe_interrupt(struct pt_probe *probe)
{
	for (; probe != NULL; probe = probe->next)
		pt_link_interrupt(probe->link);
}
