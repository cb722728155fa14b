/* See fake_mdm.h. Written from UG984 2018.2 and PG115 v3.2; what they leave open is a field. */
#include "fake_mdm.h"

#include <string.h>

void fake_mdm_init(struct fake_mdm *m)
{
	memset(m, 0, sizeof(*m));
	m->n_cores = 1;
	m->n_events = 5;
	m->n_latencies = 1;
	m->n_bins = 1024;
	m->pbar_bits = 10;
}

static struct fake_core *selected(struct fake_mdm *m)
{
	if (m->n_cores == 1)
		return &m->core[0];
	for (unsigned i = 0; i < m->n_cores; i++)
		if (m->which == 1u << i)
			return &m->core[i];
	m->n_bad++; /* none, or several: undefined */
	return &m->core[0];
}

void fake_mdm_hit(struct fake_mdm *m, unsigned core, uint64_t pc, uint64_t n)
{
	struct fake_core *c = &m->core[core];
	uint32_t word = (uint32_t)(pc >> 2), bin = (word - c->plar) >> (c->pctrlr & 0x1f);

	if (c->on && word >= c->plar && word <= c->phar && bin < m->n_bins)
		c->bin[bin] = (c->bin[bin] + n) & ((UINT64_C(1) << 36) - 1);
}

void fake_mdm_count(struct fake_mdm *m, unsigned core, unsigned event, uint64_t n)
{
	struct fake_core *c = &m->core[core];

	for (unsigned i = 0; c->counting && i < m->n_events + m->n_latencies; i++)
		if (c->event[i] == event)
			c->count[i] += n;
}

/* --- registers */

static void next_counter(struct fake_mdm *m, struct fake_core *c)
{
	c->counter = (c->counter + 1) % (m->n_events + m->n_latencies);
}

static uint64_t read_item(struct fake_mdm *m, struct fake_core *c)
{
	uint64_t n = c->sample[c->counter];
	bool latency = c->counter >= m->n_events;
	uint64_t items[] = { n, 10 * n, 100 * n, n > 0 ? 10u << 16 | 10u : 0xffff0000u };
	uint64_t value = latency ? items[c->item] : n & 0xffffffff;

	c->item = latency ? (c->item + 1) % 4 : 0;
	if (c->item == 0)
		next_counter(m, c);
	return value;
}

static void write_item(struct fake_mdm *m, struct fake_core *c, uint32_t value)
{
	if (c->item == 0 && !m->counters_fixed)
		c->count[c->counter] = value;
	c->item = c->counter >= m->n_events ? (c->item + 1) % 4 : 0;
	if (c->item == 0)
		next_counter(m, c);
}

static uint64_t read_core(struct fake_mdm *m, struct fake_core *c, unsigned command)
{
	uint64_t value;

	if (c->held)
		return 0;
	switch (command) {
	case 0x53:
		value = c->status;
		next_counter(m, c);
		return value;
	case 0x56:
		return read_item(m, c);
	case 0x63:
		return (uint64_t)c->tracing << 17 | c->sampled;
	case 0x66:
		return c->n_trace > c->first ? c->trace[c->first++] : 0;
	case 0x76:
		if (m->n_bins == 0)
			return 0;
		value = c->bin[c->pbar];
		c->pbar = (c->pbar + 1) % m->n_bins;
		return value;
	default:
		m->n_bad++;
		return 0;
	}
}

uint64_t fake_mdm_read(struct fake_mdm *m, bool own, unsigned command, unsigned bits)
{
	uint64_t mask = bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;

	if (m->dead)
		return mask;
	if (!own)
		return read_core(m, selected(m), command) & mask;
	return (command == 0x0c ? 0x42a00067u | m->n_cores << 8 : 0) & mask;
}

static void command(struct fake_mdm *m, struct fake_core *c, unsigned bits)
{
	if ((bits & 0x10) != 0)
		memset(c->count, 0, sizeof(c->count));
	if ((bits & 0x08) != 0)
		c->counting = true;
	if ((bits & 0x04) != 0)
		c->counting = false;
	if ((bits & 0x02) != 0)
		memcpy(c->sample, c->count, sizeof(c->sample));
	if ((bits & 0x01) != 0)
		c->counter = c->item = 0;
	(void)m;
}

static void trace_command(struct fake_core *c, unsigned bits)
{
	if ((bits & 8) != 0)
		c->n_trace = c->first = 0;
	c->tracing = (bits & 4) != 0 || ((bits & 2) == 0 && c->tracing);
	if ((bits & 1) != 0)
		c->sampled = c->n_trace - c->first;
}

static void write_core(struct fake_mdm *m, struct fake_core *c, unsigned what, unsigned bits, uint32_t value)
{
	if (c->held)
		return;
	switch (what) {
	case 0x51:
		c->event[c->counter] = (uint8_t)value;
		next_counter(m, c);
		break;
	case 0x52:
		command(m, c, value);
		break;
	case 0x57:
		write_item(m, c, value);
		break;
	case 0x61:
		c->tctrlr = value;
		break;
	case 0x62:
		trace_command(c, value);
		break;
	case 0x71:
		c->pctrlr = (uint8_t)value;
		c->turned = c->on != ((value & 0x80) != 0) ? m->n_writes : c->turned;
		c->on = m->n_bins != 0 && (value & 0x80) != 0;
		break;
	case 0x72:
		c->plar = value;
		break;
	case 0x73:
		c->phar = value;
		break;
	case 0x74:
		m->n_bad += bits != m->pbar_bits && m->n_bins != 0;
		/* shifted in bit 0 first: some bits short, or long */
		c->pbar = bits >= m->pbar_bits ? (uint32_t)value >> (bits - m->pbar_bits)
					       : (uint32_t)value << (m->pbar_bits - bits);
		c->pbar = m->n_bins != 0 ? c->pbar % m->n_bins : 0;
		break;
	case 0x77:
		if (m->n_bins == 0)
			break;
		c->bin[c->pbar] = value;
		c->pbar = (c->pbar + 1) % m->n_bins;
		break;
	default:
		m->n_bad++;
	}
}

static void write_own(struct fake_mdm *m, unsigned what, uint32_t value)
{
	if (what == 0x0d)
		m->which = value;
	else if (what == 0x46)
		m->xtrig[value & 7] = value;
	else
		m->n_bad++;
}

/* To each core that was selected: of one there is no choice. */
void fake_mdm_write(struct fake_mdm *m, bool own, unsigned what, unsigned bits, uint64_t value)
{
	uint32_t which = m->n_cores == 1 ? 1 : m->which;

	if (m->dead)
		return;
	m->n_writes++;
	if (own) {
		write_own(m, what, (uint32_t)value);
		return;
	}
	m->n_bad += which == 0 || which >> m->n_cores != 0;
	for (unsigned i = 0; i < m->n_cores; i++)
		if ((which >> i & 1) != 0)
			write_core(m, &m->core[i], what, bits, (uint32_t)value);
}

/* --- the AXI slave */

/* A wide register comes in two accesses. */
static uint32_t half(struct fake_mdm *m, bool own, unsigned what, unsigned bits)
{
	bool low;

	if (bits <= 32)
		return (uint32_t)fake_mdm_read(m, own, what, bits);
	if (!m->second)
		m->wide = fake_mdm_read(m, own, what, bits);
	low = m->second == m->high_first;
	m->second = !m->second;
	return (uint32_t)(low ? m->wide : m->wide >> 32);
}

static uint32_t on_read(void *arg, uint64_t addr)
{
	struct fake_mdm *m = arg;
	uint32_t offset = (uint32_t)addr - FAKE_MDM_BASE;
	unsigned what = (offset - 0x4000) >> 6;

	if (m->dead)
		return UINT32_MAX;
	if (offset == 0x10) {
		m->locked -= m->locked > 0;
		return m->locked > 0;
	}
	if (offset == 0x14)
		return half(m, (m->ctrl >> 17 & 1) != 0, m->ctrl >> 9 & 0xff, (m->ctrl & 0x1ff) + 1);
	if (offset >= 0x4000 && m->window)
		return half(m, false, what, what == 0x76 ? 36 : 32);
	return 0;
}

static void on_write(void *arg, uint64_t addr, uint32_t value)
{
	struct fake_mdm *m = arg;
	uint32_t offset = (uint32_t)addr - FAKE_MDM_BASE;
	unsigned what = (offset - 0x4000) >> 6;

	m->second = false;
	if (offset == 0x10) {
		m->n_bad += value >> 18 != 1;
		m->ctrl = value;
	} else if (offset == 0x14) {
		fake_mdm_write(m, (m->ctrl >> 17 & 1) != 0, m->ctrl >> 9 & 0xff, (m->ctrl & 0x1ff) + 1, value);
	} else if (offset >= 0x4000 && m->window) {
		fake_mdm_write(m, false, what, what == 0x74 ? m->pbar_bits : 32, value);
	} else {
		m->n_bad++;
	}
}

void fake_mdm_hook(struct fake_mdm *m, struct array_mem *memory)
{
	array_mem_hook(memory, &(struct array_hook){ FAKE_MDM_BASE, 0x8000, on_read, on_write, m });
}
