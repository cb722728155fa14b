/* Inlined into several places of shapes.cpp, from a file of its own. */
#pragma once

extern volatile unsigned g_port;

namespace wire {

template <typename T, unsigned Mask> struct Field {
	static inline T get() { return static_cast<T>(g_port & Mask); }
	static inline void set(T value)
	{
		g_port = (g_port & ~Mask) | (static_cast<unsigned>(value) & Mask);
	}
};

inline unsigned spread(unsigned value)
{
	unsigned sum = 0;

	for (unsigned bit = value; bit != 0; bit &= bit - 1)
		sum += bit & 0x55555555u;
	return sum;
}

}
