/* Every instruction with edge operands, without interrupts from outside; they are in isa.S (ARMv6-M) and e500_isa.S. Results
 * and flags go into a hash, and after each function the hash decides which way a walk of branches goes: a wrong bit
 * anywhere changes the executed pcs. Ends in isa_passed if the final hash is the known one (as QEMU computes it), else in isa_failed. */
#include <stdint.h>

typedef uint64_t (*op)(uint32_t a, uint32_t b, uint32_t flags);

extern const op g_ops[], g_branches[], g_memory[];
uint32_t flow_all(void);
void isa_passed(void);
void isa_failed(void);
int main(void);

#ifdef MC
enum { EXPECTED_HASH = 0x41dd7583 };
#elif defined(__powerpc__)
enum { EXPECTED_HASH = 0x71d6851c };
#else
enum { EXPECTED_HASH = 0x8b696483 };
#endif

volatile uint32_t g_hash;
static uint32_t hash = 0x811c9dc5, buffer[8] __attribute__((aligned(8)));

static const uint32_t operand[] = {
	0, 1, 2, 7, 31, 32, 33, 64, 255, 256, 0x7fff, 0x8000, 0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff,
	0x12345678, 0x89abcdef, 0x00ff00ff,
};
enum { N_OPERANDS = sizeof(operand) / sizeof(operand[0]) };

static void fold(uint32_t value)
{
	hash = (hash ^ value) * 16777619u;
	hash ^= hash >> 15;
}

/* One branch per hash bit. */
__attribute__((noinline)) static void walk(void)
{
	volatile uint32_t ones = 0;

	for (uint32_t rest = hash; rest != 0; rest >>= 1)
		if ((rest & 1) != 0)
			ones++;
}

static void fold_answer(uint64_t answer)
{
	fold((uint32_t)answer);
	fold((uint32_t)(answer >> 32));
}

static void run_ops(void)
{
	for (const op *next = g_ops; *next != 0; next++) {
		for (uint32_t a = 0; a < N_OPERANDS; a++)
			for (uint32_t b = 0; b < N_OPERANDS; b++)
				fold_answer((*next)(operand[a], operand[b], (a + b) << 28));
		walk();
	}
}

static void run_branches(void)
{
	for (const op *next = g_branches; *next != 0; next++)
		for (uint32_t flags = 0; flags < 16; flags++)
			fold((uint32_t)(*next)(0, 0, flags << 28));
	walk();
}

static void run_memory(void)
{
	for (const op *next = g_memory; *next != 0; next++) {
		for (uint32_t i = 0; i < 2 * N_OPERANDS; i++) {
			for (uint32_t k = 0; k < 8; k++)
				buffer[k] = 0x01020304 * (k + i + 1) ^ 0x80808080;
			fold_answer((*next)((uint32_t)buffer, operand[i / 2], (i & 1) * 4));
			for (uint32_t k = 0; k < 8; k++)
				fold(buffer[k]);
		}
		walk();
	}
}

__attribute__((noinline)) void isa_passed(void)
{
	for (;;)
		__asm__ volatile("nop");
}

__attribute__((noinline)) void isa_failed(void)
{
	for (;;)
		__asm__ volatile("nop\n\tnop");
}

int main(void)
{
	run_ops();
	run_branches();
	run_memory();
	fold(flow_all());
	walk();
	g_hash = hash;
	if (hash == EXPECTED_HASH)
		isa_passed();
	isa_failed();
	return 0;
}
