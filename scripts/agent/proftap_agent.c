/* Its own instructions are not counted where PMLCa[FCM1] is set: it runs with MSR[PMM] on. Requests and overflows
 * freeze all counters while they are served. Sources: E500CORERM Rev. 1, chapter 7; 2.5 (MSR). */
#include "proftap_agent.h"

enum { MSR_EE = 0x8000, MSR_PR = 0x4000, MSR_PMM = 4, PMC0 = 16, PMLCA0 = 144, PMLCB0 = 272, PMGC0 = 400,
       CE = 0x04000000, PERIOD0 = 0x400, JITTER0 = 0x410, SPR_TBL = 268, SPR_TBU = 269, SPR_PIR = 286 };
#define FAC 0x80000000u		/* of PMGC0 */
#define OV FAC			/* of a PMC */
#define WRITE 0x80000000u	/* of an operation's code */

#if PROFTAP_AGENT_PMCS > 4
#define EACH_DOWN(X) X(5) X(4) X(3) X(2) X(1) X(0)
#else
#define EACH_DOWN(X) X(3) X(2) X(1) X(0)
#endif

struct proftap_agent proftap_agent[PROFTAP_AGENT_CORES] __attribute__((aligned(64)));
static struct proftap_sample ring[PROFTAP_AGENT_CORES][PROFTAP_AGENT_SAMPLES];

/* As words: an assembler that writes a note of them makes GDB take the program for another processor's. */
#define FIELD(n) (((n) & 31) << 16 | (n) >> 5 << 11)
#define GET(word, n) ({ uint32_t v_; \
	__asm__ volatile(".long %1 + (%0 << 21)" : "=r"(v_) : "i"((word) | FIELD(n))); v_; })
#define PUT(word, n, v) \
	__asm__ volatile(".long %1 + (%0 << 21)\n\tisync" : : "r"((uint32_t)(v)), "i"((word) | FIELD(n)))
#define MFPMR(n) GET(0x7c00029c, n)
#define MTPMR(n, v) PUT(0x7c00039c, n, v)
#define MFSPR(n) GET(0x7c0002a6, n)
#define MFMSR() GET(0x7c0000a6, 0)
#define ORDER() __asm__ volatile("sync" : : : "memory")	/* msync: what was written before is seen first */

static void set_msr(uint32_t msr)
{
	__asm__ volatile("mtmsr %0\n\tisync" : : "r"(msr) : "memory");
}

static uint32_t mark(void)
{
	uint32_t msr = MFMSR();

	set_msr((msr & ~(uint32_t)MSR_EE) | MSR_PMM);
	return msr;
}

static struct proftap_agent *own(void)
{
	return &proftap_agent[PROFTAP_AGENT_CORES > 1 ? MFSPR(SPR_PIR) % PROFTAP_AGENT_CORES : 0];
}

static uint32_t sum(const uint32_t *word, const uint32_t *end)
{
	uint32_t s = PROFTAP_AGENT_MAGIC;

	while (word < end)
		s = (s << 1 | s >> 31) + *(const volatile uint32_t *)word++;
	return s;
}

/* One register, or one of the agent's; 0: there is none of that number. PMGC0 takes effect last: it is in control. */
static int operate(struct proftap_agent *a, uint32_t code, uint32_t *value, uint32_t *control, int write)
{
	uint32_t n = code & 15, of = code & ~(WRITE | 15), *word = 0;

	switch (code & ~WRITE) {
#define REGISTER(pmr) case pmr: if (write) MTPMR(pmr, *value); else *value = MFPMR(pmr); return 1;
#define REGISTERS(n) REGISTER(PMC0 + n) REGISTER(PMLCA0 + n) REGISTER(PMLCB0 + n)
	EACH_DOWN(REGISTERS)
	case PMGC0: word = control; break;
	default: word = n < PROFTAP_AGENT_PMCS && of == PERIOD0 ? &a->period[n] : word;
		word = n < PROFTAP_AGENT_PMCS && of == JITTER0 ? &a->jitter[n] : word;
	}
	if (word != 0)
		*(write ? word : value) = write ? *value : *word;
	return word != 0;
}

/* All of a request or, where an op is not known, nothing. One that is still being written has the wrong sum. */
static void answer(struct proftap_agent *a)
{
	uint32_t n = a->n_ops, was = MFPMR(PMGC0), control = was, unused;

	if (n > PROFTAP_AGENT_OPS || sum(&a->request, &a->op[n].code) != a->request_sum)
		return;
	a->refused = 0;
	for (uint32_t i = n; i-- > 0;)
		if (!operate(a, a->op[i].code & ~WRITE, &unused, &unused, 0))
			a->refused = i + 1;
	MTPMR(PMGC0, was | FAC);
	for (uint32_t i = 0; i < n && a->refused == 0; i++) {
		int write = (a->op[i].code & WRITE) != 0;

		unused = was;
		operate(a, a->op[i].code, &a->op[i].value, write ? &control : &unused, write);
		a->control = a->op[i].code == (PMGC0 | WRITE) ? control : a->control;
	}
	MTPMR(PMGC0, control);
	a->answer_sum = sum(&a->request, &a->op[n].code);
	a->answered = a->request;
}

static void publish(struct proftap_agent *a)
{
	do {
		a->tbu = MFSPR(SPR_TBU);
		a->tbl = MFSPR(SPR_TBL);
	} while (a->tbu != MFSPR(SPR_TBU));
	a->pmgc0 = MFPMR(PMGC0);
#define FIRST(n) a->first[n] = MFPMR(PMC0 + n);
#define SECOND(n) a->second[n] = MFPMR(PMC0 + n);
#define CONTROLS(n) a->pmlca[n] = MFPMR(PMLCA0 + n), a->pmlcb[n] = MFPMR(PMLCB0 + n);
	EACH_DOWN(FIRST)
	EACH_DOWN(SECOND)
	EACH_DOWN(CONTROLS)
	a->sum = sum(&a->core, &a->sum);
}

static void turn(struct proftap_agent *a)
{
	ORDER();
	a->last = a->sequence + 1;
	ORDER();
	a->sequence = a->last;
	ORDER();
}

void proftap_agent_poll(void)
{
	struct proftap_agent *a = own();
	uint32_t msr = mark();

	turn(a);
	if (a->request != a->answered)
		answer(a);
	publish(a);
	turn(a);
	set_msr(msr);
}

void proftap_agent_init(int samples)
{
	struct proftap_agent *a = own();

	for (volatile uint32_t *word = &a->magic; word < (uint32_t *)(a + 1); word++)
		*word = 0;
	a->version = PROFTAP_AGENT_VERSION;
	a->core = MFSPR(SPR_PIR), a->n_pmcs = PROFTAP_AGENT_PMCS, a->bytes = sizeof(*a);
	a->ring = (uint32_t)ring[a - proftap_agent];
	a->ring_room = samples != 0 ? PROFTAP_AGENT_SAMPLES : 0;
	a->seed = MFSPR(SPR_TBL) | 1;
	proftap_agent_poll();
	a->magic = PROFTAP_AGENT_MAGIC;		/* now there is something to read */
}

/* What the counter goes on from: period events, more or less, to the next; what it counted since is part of them. */
static uint32_t sampled(struct proftap_agent *a, unsigned n, uint32_t pmc, uint32_t pmlca, uint32_t pc, uint32_t msr)
{
	uint32_t over = pmc & ~OV, period = a->period[n];

	if (period == 0 || period > OV / 2)
		return 0;			/* nobody samples by it: as far as can be to the next */
	ring[a - proftap_agent][a->head % PROFTAP_AGENT_SAMPLES] = (struct proftap_sample){
		pc, n | (pmlca & 0x01ff0000) | ((msr & MSR_PR) != 0 ? 0x80000000u : 0), MFSPR(SPR_TBL) };
	ORDER();
	a->head++;
	a->seed ^= a->seed << 13, a->seed ^= a->seed >> 17, a->seed ^= a->seed << 5;
	if (a->jitter[n] < period)
		period += (a->seed & a->jitter[n]) - (a->jitter[n] >> 1);
	a->lost += over / period;
	return OV - period + over % period;
}

void proftap_agent_overflow(uint32_t srr0, uint32_t srr1)
{
	struct proftap_agent *a = own();
	uint32_t msr = mark();

	MTPMR(PMGC0, FAC);
#define OVERFLOW(n) { uint32_t pmc = MFPMR(PMC0 + n), pmlca = MFPMR(PMLCA0 + n); \
	if ((pmlca & CE) != 0 && (pmc & OV) != 0) \
		MTPMR(PMC0 + n, sampled(a, n, pmc, pmlca, srr0, srr1)); }
	EACH_DOWN(OVERFLOW)
	MTPMR(PMGC0, a->control);
	set_msr(msr);
}

/* A handler of interrupts in full: it marks itself before all else, and keeps what a call may change. */
__asm__("	.section .text.proftap_agent_vector, \"ax\"\n	.balign 16\n	.global proftap_agent_vector\n"
	"	.type proftap_agent_vector, @function\nproftap_agent_vector:\n"
	"	stwu 1, -80(1)\n	stw 3, 28(1)\n	mfmsr 3\n	ori 3, 3, 4\n	mtmsr 3\n	isync\n"
	"	.irp n, 4, 5, 6, 7, 8, 9, 10, 11, 12\n	stw \\n, 16 + 4 * \\n(1)\n	.endr\n"
	"	stw 0, 8(1)\n	mflr 0\n	stw 0, 12(1)\n	mfctr 0\n	stw 0, 16(1)\n"
	"	mfcr 0\n	stw 0, 20(1)\n	mfxer 0\n	stw 0, 24(1)\n"
	"	mfspr 3, 26\n	stw 3, 68(1)\n	mfspr 4, 27\n	stw 4, 72(1)\n"		/* SRR0, SRR1 */
	"	bl proftap_agent_overflow\n"
	"	lwz 3, 68(1)\n	mtspr 26, 3\n	lwz 4, 72(1)\n	mtspr 27, 4\n"
	"	lwz 0, 24(1)\n	mtxer 0\n	lwz 0, 20(1)\n	mtcr 0\n"
	"	lwz 0, 16(1)\n	mtctr 0\n	lwz 0, 12(1)\n	mtlr 0\n	lwz 0, 8(1)\n"
	"	.irp n, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12\n	lwz \\n, 16 + 4 * \\n(1)\n	.endr\n"
	"	addi 1, 1, 80\n	rfi\n	.size proftap_agent_vector, . - proftap_agent_vector\n	.text\n");
