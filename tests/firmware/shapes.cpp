/* Not to be run, but to be read: the shapes of code and of debug information that compilers make. Inlining three deep
 * and from another file, templates, a cold part, a clone, jump tables, tail calls of all kinds, functions that never
 * return, names that want demangling. */
#include "shapes.h"

#define NOINLINE __attribute__((noinline, noclone))

volatile unsigned g_port;
extern "C" [[noreturn]] void stop(int code);
extern "C" int by_hand(int value);
extern "C" void start();

namespace motor {

class Drive {
public:
	explicit Drive(int limit) : limit_(limit) {}
	NOINLINE int run(int speed);
	NOINLINE int run(int speed, const Drive &other) const;
	int clamp(int speed) const { return speed > limit_ ? limited(speed) : speed; }
private:
	int limited(int speed) const
	{
		wire::Field<unsigned char, 0xf0>::set(static_cast<unsigned char>(speed));
		return limit_ - static_cast<int>(wire::spread(g_port));
	}
	int limit_;
};

int Drive::run(int speed)
{
	int sum = clamp(speed);

	for (int i = 0; i < speed; i++)
		sum += clamp(i * sum);
	return sum;
}

int Drive::run(int speed, const Drive &other) const
{
	return clamp(speed) + other.clamp(speed * 2);
}

}

NOINLINE static void report(unsigned value)
{
	g_port = wire::spread(value);
}

__attribute__((cold, noinline)) void panic(unsigned code)
{
	g_port = code;
	report(code);
}

/* Its error path is moved to a part of its own. */
NOINLINE int careful(int value)
{
	int sum = 0;

	for (int i = 0; i < value; i++) {
		if (__builtin_expect(g_port == 77, 0)) {
			panic(g_port + 1);
			sum += static_cast<int>(wire::spread(g_port));
			panic(g_port + 2);
		}
		sum += static_cast<int>(g_port);
	}
	return sum;
}

/* A table of jumps: its code has branches that no instruction shows. */
NOINLINE int dispatch(int what)
{
	switch (what) {
	case 0: g_port = 11; return 5;
	case 1: g_port = 7; return careful(3);
	case 2: g_port += 9; break;
	case 3: report(3); break;
	case 4: g_port ^= 13; return -1;
	case 5: stop(5);
	case 6: g_port -= 21; break;
	case 7: g_port = ~g_port; return 70;
	case 8: g_port >>= 3; return careful(8);
	case 9: g_port <<= 2; break;
	default: return 0;
	}
	return static_cast<int>(g_port);
}

typedef int (*handler)(int);
static handler volatile handlers[2] = { dispatch, careful };

NOINLINE int through_pointer(int value)
{
	return handlers[value & 1](value);
}

[[noreturn]] void NOINLINE hang()
{
	for (;;)
		g_port++;
}

[[noreturn]] void NOINLINE fatal(int code)
{
	g_port = static_cast<unsigned>(code);
	stop(code);
}

void stop(int code)
{
	g_port = static_cast<unsigned>(code);
	hang();
}

template <typename T> NOINLINE T largest(const T *values, int n)
{
	T most = values[0];

	for (int i = 1; i < n; i++)
		most = values[i] > most ? values[i] : most;
	return most;
}

void start()
{
	static const short values[3] = { 1, 5, 3 };
	motor::Drive drive(100), other(50);

	g_port = static_cast<unsigned>(drive.run(3) + drive.run(2, other));
	report(static_cast<unsigned>(largest(values, 3) + by_hand(2)));
	if (dispatch(static_cast<int>(g_port)) + through_pointer(1) == 0)
		fatal(1);
	hang();
}
