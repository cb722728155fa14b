/* A program that asks its debugger by BKPT 0xAB for all that semihosting has, and tells what it got. What it prints
 * does not depend on who serves it, so two servers can be compared: the board here and QEMU. It needs a debugger:
 * without one BKPT is a HardFault. */
#include "firmware.h"

enum {
	SYS_OPEN = 1,
	SYS_CLOSE,
	SYS_WRITEC,
	SYS_WRITE0,
	SYS_WRITE,
	SYS_READ,
	SYS_READC,
	SYS_ISERROR,
	SYS_ISTTY,
	SYS_SEEK,
	SYS_FLEN = 0xc,
	SYS_TMPNAM,
	SYS_REMOVE,
	SYS_RENAME,
	SYS_CLOCK,
	SYS_TIME,
	SYS_SYSTEM,
	SYS_ERRNO,
	SYS_GET_CMDLINE = 0x15,
	SYS_HEAPINFO,
	SYS_EXIT = 0x18,
	SYS_EXIT_EXTENDED = 0x20,
	SYS_ELAPSED = 0x30,
	SYS_TICKFREQ,
	APPLICATION_EXIT = 0x20026,
	READ = 0,
	UPDATE = 2,
	WRITE = 4,
	READ_WRITE = 6,
};

volatile uint32_t g_fails, g_calls, g_unknown;
static char buffer[300];

__attribute__((noinline)) static int ask(uint32_t op, const void *arg)
{
	register uint32_t r0 __asm__("r0") = op;
	register const void *r1 __asm__("r1") = arg;

	__asm__ volatile("bkpt #0xab" : "+r"(r0) : "r"(r1) : "memory");
	g_calls++;
	return (int)r0;
}

static int ask4(uint32_t op, uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d)
{
	uintptr_t block[4] = { a, b, c, d };

	return ask(op, block);
}

static void say(const char *text)
{
	ask(SYS_WRITE0, text);
}

/* "ok: what" if it is true. */
static void check(int true, const char *what)
{
	say(true ? "ok: " : "FAILED: ");
	say(what);
	ask(SYS_WRITEC, "\n");
	g_fails += !true;
}

static int file_open(const char *name, uint32_t len, uint32_t mode)
{
	return ask4(SYS_OPEN, (uintptr_t)name, mode, len, 0);
}

static int same(const char *a, const char *b, uint32_t n)
{
	while (n > 0 && *a == *b)
		a++, b++, n--;
	return n == 0;
}

static void console(void)
{
	int out = file_open(":tt", 3, WRITE), in = file_open(":tt", 3, READ);

	check(out > 0 && in > 0 && out != in, "the console opens");
	check(ask4(SYS_ISTTY, (uintptr_t)out, 0, 0, 0) >= 0, "it is asked whether it is one");
	check(ask4(SYS_WRITE, (uintptr_t)out, (uintptr_t) "by SYS_WRITE\n", 13, 0) == 0, "it takes text");
	check(ask4(SYS_ISERROR, (uintptr_t)-1, 0, 0, 0) != 0 && ask4(SYS_ISERROR, 3, 0, 0, 0) == 0, "errors are known");
	check(ask4(SYS_CLOSE, (uintptr_t)in, 0, 0, 0) == 0, "it closes");
}

static void files(void)
{
	int file = file_open("semihost.tmp", 12, WRITE);

	check(file > 0, "a file is made");
	for (unsigned i = 0; i < sizeof(buffer); i++)
		buffer[i] = (char)('a' + (i & 15));
	check(ask4(SYS_WRITE, (uintptr_t)file, (uintptr_t)buffer, sizeof(buffer), 0) == 0, "it takes 300 bytes");
	check(ask4(SYS_CLOSE, (uintptr_t)file, 0, 0, 0) == 0, "it closes");
	file = file_open("semihost.tmp", 12, READ);
	check(ask4(SYS_FLEN, (uintptr_t)file, 0, 0, 0) == sizeof(buffer), "it is as long as it should be");
	check(ask4(SYS_SEEK, (uintptr_t)file, 290, 0, 0) == 0, "a place in it is found");
	for (unsigned i = 0; i < sizeof(buffer); i++)
		buffer[i] = 0;
	check(ask4(SYS_READ, (uintptr_t)file, (uintptr_t)buffer, 20, 0) == 10, "ten bytes are left to read of twenty");
	check(same(buffer, "cdefghijkl", 10) && buffer[10] == 0, "they are the right ones");
	check(ask4(SYS_READ, (uintptr_t)file, (uintptr_t)buffer, 20, 0) == 20, "then it is at its end");
	check(ask4(SYS_CLOSE, (uintptr_t)file, 0, 0, 0) == 0, "it closes again");
	check(file_open("no such file", 12, READ) == -1 && ask(SYS_ERRNO, 0) == 2,
	      "one that is not there is not opened");
	check(ask4(SYS_RENAME, (uintptr_t) "semihost.tmp", 12, (uintptr_t) "semihost.out", 12) == 0,
	      "it gets another name");
	file = file_open("semihost.out", 12, UPDATE);
	check(ask4(SYS_SEEK, (uintptr_t)file, sizeof(buffer), 0, 0) == 0 &&
		      ask4(SYS_WRITE, (uintptr_t)file, (uintptr_t) "END", 3, 0) == 0 &&
		      ask4(SYS_CLOSE, (uintptr_t)file, 0, 0, 0) == 0,
	      "it takes more at its end");
	file = file_open("semihost.gone", 13, READ_WRITE);
	check(ask4(SYS_CLOSE, (uintptr_t)file, 0, 0, 0) == 0 &&
		      ask4(SYS_REMOVE, (uintptr_t) "semihost.gone", 13, 0, 0) == 0,
	      "another is made, "
	      "and removed");
	check(file_open("semihost.gone", 13, READ) == -1, "it is gone");
	check(ask4(SYS_READ, 77, (uintptr_t)buffer, 4, 0) != 0, "a handle that is none is refused");
}

static void host(void)
{
	uint32_t info[4] = { 1, 1, 1, 1 }, *where = info, ticks[2] = { 0, 0 };
	uintptr_t line[2] = { (uintptr_t)buffer, sizeof(buffer) };
	int began = ask(SYS_CLOCK, 0);

	check(began >= 0 && ask(SYS_CLOCK, 0) >= began, "the clock does not go back");
	check(ask(SYS_TIME, 0) > 1600000000, "it is later than 2020");
	check(ask(SYS_ELAPSED, ticks) == 0 && ask(SYS_TICKFREQ, 0) > 0, "ticks are counted");
	check(ask(SYS_GET_CMDLINE, line) == 0 && line[1] < sizeof(buffer), "there is a command line");
	ask(SYS_HEAPINFO, &where);
	check(info[0] != 1, "memory is told");
}

int main(void)
{
	int file = file_open(":semihosting-features", 21, READ);
	char magic[4] = "";

	say("semihosting\n");
	check(file > 0 && ask4(SYS_READ, (uintptr_t)file, (uintptr_t)magic, 4, 0) == 0 && same(magic, "SHFB", 4),
	      "it has extensions");
	console();
	files();
	host();
	if (g_unknown != 0) {
		check(ask(0x7f, 0) == -1 && ask(0x7f, 0) == -1, "an operation that nobody knows fails");
		check(ask4(SYS_SYSTEM, (uintptr_t) "true", 4, 0, 0) == -1, "no commands for the host");
		check(ask(SYS_READC, 0) < 256, "a character is asked for");
	}
	say("end\n");
	ask4(SYS_EXIT_EXTENDED, APPLICATION_EXIT, g_fails, 0, 0);
	for (;;)
		;
}
