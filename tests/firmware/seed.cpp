/* The smallest program that has a bit of everything: seeds for tests/fuzz/fuzz_elf. */
extern "C" void start();
volatile int g_port;

namespace io {

inline int twice(int value) { return value + g_port + value; }

struct Pin {
	int level;
	int read(int mask) const { return twice(level & mask); }
};

__attribute__((noinline)) int choose(int what, const Pin &pin)
{
	switch (what) {
	case 0: return pin.read(1);
	case 1: return 7;
	case 2: g_port = 3; break;
	case 3: return twice(what);
	case 4: g_port = 9; return 2;
	case 5: return -1;
	}
	return what;
}

}

void start()
{
	io::Pin pin = { 5 };

	for (;;)
		g_port = io::choose(g_port, pin);
}
