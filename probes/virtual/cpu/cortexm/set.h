/* A set of exceptions by number, as the NVIC keeps them. */
#ifndef PT_VIRTUAL_CPU_CORTEXM_SET_H
#define PT_VIRTUAL_CPU_CORTEXM_SET_H

#include <stdbool.h>
#include <stdint.h>

enum { PT_VSET_WORDS = 4 };

struct pt_vset {
	uint64_t word[PT_VSET_WORDS];
};

static inline bool pt_vset_has(const struct pt_vset *set, unsigned n)
{
	return (set->word[n / 64] >> n % 64 & 1) != 0;
}

static inline void pt_vset_put(struct pt_vset *set, unsigned n, bool in)
{
	uint64_t bit = UINT64_C(1) << n % 64;

	set->word[n / 64] = in ? set->word[n / 64] | bit : set->word[n / 64] & ~bit;
}

static inline unsigned pt_vset_count(const struct pt_vset *set)
{
	unsigned n = 0;

	for (unsigned i = 0; i < PT_VSET_WORDS; i++)
		n += (unsigned)__builtin_popcountll(set->word[i]);
	return n;
}

/* 32 numbers from first on, which is a multiple of 16 */
static inline uint32_t pt_vset_bits(const struct pt_vset *set, unsigned first)
{
	uint64_t low = set->word[first / 64] >> first % 64;

	if (first % 64 > 32 && first / 64 + 1 < PT_VSET_WORDS)
		low |= set->word[first / 64 + 1] << (64 - first % 64);
	return (uint32_t)low;
}

/* for (unsigned n; ...) over the numbers in a set, ascending: the first one at or above n, or PT_VSET_END */
enum { PT_VSET_END = 64 * PT_VSET_WORDS };

static inline unsigned pt_vset_next(const struct pt_vset *set, unsigned n)
{
	for (unsigned i = n / 64; i < PT_VSET_WORDS; i++) {
		uint64_t rest = set->word[i] & (i == n / 64 ? UINT64_MAX << n % 64 : UINT64_MAX);

		if (rest != 0)
			return 64 * i + (unsigned)__builtin_ctzll(rest);
	}
	return PT_VSET_END;
}

#endif
