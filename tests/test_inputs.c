/* Files of other instruments: what becomes of them, row by row, and what is said where they make no sense. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zip.h>

#include "harness.h"
#include "input_dump.h"
#include "import/sr_metadata.h"

enum { TEXT_BYTES = 1 << 16 };

static char folder[64], path[96], notes[2048], text[TEXT_BYTES];
static struct pt_err err;

static void setup(void)
{
	snprintf(folder, sizeof(folder), "/tmp/proftap-test-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/file", folder);
}

static void teardown(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf '%s'", folder);
	ck_assert_int_eq(system(command), 0);
}

static void on_note(void *arg, const char *said)
{
	size_t len = strlen(notes);

	(void)arg;
	snprintf(notes + len, sizeof(notes) - len, "%s\n", said);
}

static void write_file(const char *name, const void *bytes, size_t n)
{
	FILE *file = fopen(name, "wb");

	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(bytes, 1, n, file), n);
	fclose(file);
}

/* The whole of it as text; NULL: it was refused, err says why. */
static const char *read_all(const char *const *files, size_t n_files, const char *words)
{
	struct pt_inputs_set *set = pt_inputs_new(on_note, NULL);
	char copy[200];
	const char *word[8];
	size_t n = 0;
	bool ok = true;

	notes[0] = '\0';
	snprintf(copy, sizeof(copy), "%s", words != NULL ? words : "");
	for (char *w = strtok(copy, " "); w != NULL; w = strtok(NULL, " "))
		word[n++] = w;
	for (size_t i = 0; ok && i < n_files; i++)
		ok = pt_inputs_add(set, files[i], word, n, &err) == 0;
	if (ok)
		input_dump(set, n_files > 1, text, sizeof(text));
	pt_inputs_free(set);
	return ok ? text : NULL;
}

static const char *read_one(const char *words)
{
	const char *files[] = { path };

	return read_all(files, 1, words);
}

/* --- text files --------------------------------------------------------------------------------------------------- */

#define HEADER "$timescale 1 us $end\n"
#define TWO "$scope module top $end $var wire 1 ! clk $end $var wire 1 \" irq $end $upscope $end $enddefinitions $end\n"
#define TWO_LINES "line.0=top.clk\nline.1=top.irq\ntick_hz=1000000\n"

static const struct {
	const char *name, *file, *words;
	const char *want;	/* NULL: refused */
	const char *said;	/* notes, or the error; "" none */
} rows[] = {
	{ "vcd: scalars", HEADER TWO "#0 0! 0\"\n#5 1!\n#7\n1\" 0!\n#9\n", NULL,
	  TWO_LINES "0 line write 0x0 = 0x0 (1 bytes)\n0 line write 0x1 = 0x0 (1 bytes)\n5 line write 0x0 = 0x1 (1 bytes)\n"
	  "7 line write 0x1 = 0x1 (1 bytes)\n7 line write 0x0 = 0x0 (1 bytes)\nend\n", "" },
	{ "vcd: what changes before the first time is of time 0; what does not change is nothing",
	  HEADER TWO "$dumpvars 1! 0\" $end #3 1! 1\"", NULL,
	  TWO_LINES "0 line write 0x0 = 0x1 (1 bytes)\n0 line write 0x1 = 0x0 (1 bytes)\n3 line write 0x1 = 0x1 (1 bytes)\nend\n", "" },
	{ "vcd: x and z", HEADER TWO "#1 x! z\" #2 1! #3 X!", NULL,
	  TWO_LINES "1 line write 0x0 = 0xffffffffffffffff (0 bytes)\n1 line write 0x1 = 0xffffffffffffffff (0 bytes)\n"
	  "2 line write 0x0 = 0x1 (1 bytes)\n3 line write 0x0 = 0xffffffffffffffff (0 bytes)\nend\n", "" },
	{ "vcd: a vector, extended to the left", "$timescale 10ns $end $var reg 12 # bus [11:0] $end $enddefinitions $end\n"
	  "#1 b101 # #2 b111100001111 # #3 bx1 # #4 bz # #5 b0 #\n", NULL,
	  "line.0=bus\nline.0.bits=12\ntick_hz=1000000000\n10 line write 0x0 = 0x5 (2 bytes)\n20 line write 0x0 = 0xf0f (2 bytes)\n"
	  "30 line write 0x0 = 0xffffffffffffffff (0 bytes)\n50 line write 0x0 = 0x0 (2 bytes)\nend\n", "" },
	{ "vcd: more bits than a number has", HEADER "$var wire 70 % wide $end $enddefinitions $end\n"
	  "#1 b1000000000000000000000000000000000000000000000000000000000000000011 %\n#2 b1 %\n", NULL,
	  "line.0=wide[63:0]\nline.0.bits=64\nline.1=wide[69:64]\nline.1.bits=6\ntick_hz=1000000\n"
	  "1 line write 0x0 = 0x3 (8 bytes)\n1 line write 0x1 = 0x4 (1 bytes)\n2 line write 0x0 = 0x1 (8 bytes)\n"
	  "2 line write 0x1 = 0x0 (1 bytes)\nend\n", "" },
	{ "vcd: two names for one id; bits of a bus by number", HEADER
	  "$scope module a $end $var wire 1 ! x $end $scope module b $end $var wire 1 ! y $end $upscope $end\n"
	  "$var wire 1 $ d [3] $end $var wire 1 % e[4] $end $enddefinitions $end #1 1! 1$ 1%", NULL,
	  "line.0=a.x\nline.1=a.d[3]\nline.2=a.e[4]\ntick_hz=1000000\n1 line write 0x0 = 0x1 (1 bytes)\n"
	  "1 line write 0x1 = 0x1 (1 bytes)\n1 line write 0x2 = 0x1 (1 bytes)\nend\n", "" },
	{ "vcd: only what is wanted", HEADER TWO "#0 0! 0\"\n#5 1!\n#7\n1\"", "lines=irq",
	  "line.0=top.irq\ntick_hz=1000000\n0 line write 0x0 = 0x0 (1 bytes)\n7 line write 0x0 = 0x1 (1 bytes)\nend\n", "" },
	{ "vcd: what is wanted is not there", HEADER TWO "#0 0!", "lines=irq,nmi", NULL,
	  "there is no line 'nmi'; there are: top.clk, top.irq" },
	{ "vcd: reals, strings, comments", HEADER "$comment a $var b $end $var real 64 r r $end $var string 1 s s $end\n"
	  "$var wire 1 ! c $end $enddefinitions $end #1 r1.5 r sabc s $comment 1! $end 1!", NULL,
	  "line.0=c\ntick_hz=1000000\n1 line write 0x0 = 0x1 (1 bytes)\nend\n",
	  "2 variables are no levels (real, string, event) and were left out\n" },
	{ "vcd: time goes back, nonsense between", HEADER TWO "#5 1! #3 0! hello #6 1!", NULL,
	  TWO_LINES "5 line write 0x0 = 0x1 (1 bytes)\nlost 2 bytes\n5 line write 0x0 = 0x0 (1 bytes)\nlost 5 bytes\n"
	  "6 line write 0x0 = 0x1 (1 bytes)\nend\n",
	  "line 3: '#3': time goes back; left out\nline 3: 'hello': no change and no time; left out\n" },
	{ "vcd: femtoseconds", "$timescale 100 fs $end $var wire 1 ! c $end $enddefinitions $end #7 1!", NULL,
	  "line.0=c\ntick_hz=1000000000000000\n700 line write 0x0 = 0x1 (1 bytes)\nend\n", "" },
	{ "vcd: no timescale", "$var wire 1 ! c $end $enddefinitions $end #7 1!", NULL,
	  "line.0=c\ntick_hz=1000000000\n7 line write 0x0 = 0x1 (1 bytes)\nend\n", "it has no $timescale; taken as 1 ns\n" },
	{ "vcd: cut in the header", "$timescale 1 ns $end $scope module", NULL, NULL, "it ends within its header" },
	{ "vcd: a strange timescale", "$timescale 3 ns $end", NULL, NULL, "line 1: $timescale is 1, 10 or 100" },
	{ "vcd: nothing to see", "$timescale 1 ns $end $enddefinitions $end", NULL, NULL, "there is no line in it" },
	{ "vcd: a time too large", HEADER TWO "#99999999999999999999 1!", NULL,
	  TWO_LINES "lost 21 bytes\n0 line write 0x0 = 0x1 (1 bytes)\nend\n", "line 3: '#99999999999999999999': no time that can be used; left out\n" },

	{ "swo: what its stamps date", "\x01" "A\x60\x0e\x10\x10\x01" "B\x10", "input=swo swo-aligned=yes swo-clock=1MHz",
	  "tick_hz=1000000\n6 port write 0x0 = 0x41 (1 bytes)\n7 exception 16 enter\n7 port write 0x0 = 0x42 (1 bytes)\nend\n", "" },
	{ "swo: stamps without their clock", "\x01" "A\x60", "input=swo swo-aligned=yes", "6 port write 0x0 = 0x41 (1 bytes)\nend\n",
	  "its stamps are of no time: --set swo-clock=HZ gives it, the core's clock divided by TSPrescale\n" },
	{ "swo: behind damage time goes on where it stood", "\x01" "A\x60\x04" "\x01" "A\x01" "B\x01" "C\x01" "D\x01" "E\x01" "F\x01" "G\x01" "H\x01" "I\x50",
	  "input=swo swo-aligned=yes swo-clock=1MHz", "tick_hz=1000000\ngap damaged\n5 port write 0x0 = 0x49 (1 bytes)\nend\n", "" },
	{ "csv: Saleae, a row for each change; a bus; what is no level", "Time [s],Channel 0,Bus,Volt\n0.000000000,0,0x10,3.3\n"
	  "0.000001500,1,0x10,3.2\n1e-5,1,17,1.1\n", NULL,
	  "line.0=Channel_0\nline.1=Bus\nline.1.bits=64\ntick_hz=1000000000000\n0 line write 0x0 = 0x0 (1 bytes)\n"
	  "0 line write 0x1 = 0x10 (8 bytes)\n1500000 line write 0x0 = 0x1 (1 bytes)\n10000000 line write 0x1 = 0x11 (8 bytes)\nend\n",
	  "1 columns are no levels (analog, text) and were left out\n" },
	{ "csv: DSView, sampled; x", "; CSV, generated by libsigrok4DSL\n; Channels (2/16)\n; Sample rate: 100 MHz\n; Sample count: 3\n"
	  "Time(s),0,1\n0,0,1\n0.00000001,1,1\n0.00000002,1,x\n", NULL,
	  "line.0=0\nline.1=1\ntick_hz=1000000000000\n0 line write 0x0 = 0x0 (1 bytes)\n0 line write 0x1 = 0x1 (1 bytes)\n"
	  "10000 line write 0x0 = 0x1 (1 bytes)\n20000 line write 0x1 = 0xffffffffffffffff (0 bytes)\nend\n", "" },
	{ "csv: sigrok, names in a comment", "; CSV generated by libsigrok 0.5.2\n; Channels (2/2): pdo, pdoclk\nMETA samplerate: 1000000\n"
	  "logic,logic\n0,0\n0,1\n", NULL, "line.0=pdo\nline.1=pdoclk\ntick_hz=1000000\n0 line write 0x0 = 0x0 (1 bytes)\n"
	  "0 line write 0x1 = 0x0 (1 bytes)\n1 line write 0x1 = 0x1 (1 bytes)\nend\n", "" },
	{ "csv: columns by number, times below 0, semicolons", "a;b;us\r\n1;0;-2.5\r\n0;0;-0.5\r\n", "input=csv columns=1:irq time-column=3 time-unit=us",
	  "line.0=irq\ntick_hz=1000000000000\n0 line write 0x0 = 0x1 (1 bytes)\n2000000 line write 0x0 = 0x0 (1 bytes)\nend\n", "" },
	{ "csv: no heading", "0,1\n0,0\n", "input=csv samplerate=1k lines=2",
	  "line.0=2\ntick_hz=1000\n0 line write 0x0 = 0x1 (1 bytes)\n1 line write 0x0 = 0x0 (1 bytes)\nend\n", "" },
	{ "csv: rows that make no sense are lost", "Time [s],a\n1,0\n0.5,1\n2\nlater,1\n3,1\n", NULL,
	  "line.0=a\ntick_hz=1000000000000\n1000000000000 line write 0x0 = 0x0 (1 bytes)\nlost 13 bytes\n"
	  "3000000000000 line write 0x0 = 0x1 (1 bytes)\nend\n",
	  "line 3: its time is before that of the line before; left out\nline 4: it has fewer columns than the first; left out\n"
	  "line 5: its time is no number; left out\n" },
	{ "csv: no time", "a,b\n0,1\n", "input=csv", NULL, "give samplerate=HZ, or time-column=N" },
	{ "csv: a column that is not there", "Time,b\n0,1\n", "columns=3:x", NULL, "there is no column 3; there are 1 to 2" },
	{ "csv: the time as a line", "Time,b\n0,1\n", "columns=1:x", NULL, "column 1 has the time" },
	{ "csv: columns without numbers", "Time,b\n0,1\n", "columns=b", NULL, "'b' is not N:NAME" },
	{ "csv: nothing in it", "; CSV\n", NULL, NULL, "it has no row of levels" },
	{ "swo: the address of a comparator", "\x85\x07\x95\x01", "input=swo swo-aligned=yes swo-addresses=0x20000000,536870928",
	  "memory read 0x20000000 = 0x7 (1 bytes)\nmemory read 0x20000010 = 0x1 (1 bytes)\nend\n", "" },
	{ "swo: too many addresses", "x", "input=swo swo-addresses=1,2,3,4,5", NULL, "there are 4 comparators at most" },
	{ "swo: no address", "x", "input=swo swo-addresses=here", NULL, "swo-addresses: " },

	{ "values: writes and reads", "# a log\n100 memory:0x20000000 4 42\n150 mem:0x20000000 2r 0x2a\n\n200 port:3 1w -1 0x1000 # why\n",
	  NULL, "tick_hz=1000000000\n100 memory write 0x20000000 = 0x2a (4 bytes)\n150 memory read 0x20000000 = 0x2a (2 bytes)\n"
	  "200 pc 0x00001000\n200 port write 0x3 = 0xff (1 bytes)\nend\n", "" },
	{ "values: a line, and the largest", "1 line:2 1 1\r\n2 memory:8 8 0xffffffffffffffff\r\n", NULL,
	  "tick_hz=1000000000\n1 line write 0x2 = 0x1 (1 bytes)\n2 memory write 0x8 = 0xffffffffffffffff (8 bytes)\nend\n", "" },
	{ "values: what makes no sense is told by its line", "1 port:1 1 1\n2 port 1 1\n3 port:1 9 1\n4 port:1 1 256\n5 port:1 1\nx\n"
	  "6 port:1 1 -128\n5 port:1 1 2", NULL,
	  "tick_hz=1000000000\n1 port write 0x1 = 0x1 (1 bytes)\nlost 47 bytes\n6 port write 0x1 = 0x80 (1 bytes)\nlost 12 bytes\nend\n",
	  "line 2: the place is not memory:ADDRESS, port:N or line:N; left out\n"
	  "line 3: the size is not 1 to 8 bytes, with an r if it was read; left out\n"
	  "line 4: the value is no number, or does not fit its size; left out\n"
	  "line 5: TIME_NS SPACE:ADDRESS SIZE VALUE [PC] is what a line has; left out\n"
	  "line 6: TIME_NS SPACE:ADDRESS SIZE VALUE [PC] is what a line has; left out\n"
	  "line 8: its time is before that of the line before; left out\n" },
	{ "values: named, though the front says nothing", "hello\n1 port:1 1 1\n", "input=values",
	  "tick_hz=1000000000\nlost 5 bytes\n1 port write 0x1 = 0x1 (1 bytes)\nend\n",
	  "line 1: TIME_NS SPACE:ADDRESS SIZE VALUE [PC] is what a line has; left out\n" },
	{ "nothing that is known", "hello\n", NULL, NULL, "unknown file format; --set input=KIND names one of: capture" },
	{ "empty", "", NULL, NULL, "the file is empty" },
	{ "no such kind", "hello\n", "input=elf", NULL, "there is no kind of file elf" },
};

START_TEST(reads_row)
{
	const char *got;

	write_file(path, rows[_i].file, strlen(rows[_i].file));
	got = read_one(rows[_i].words);
	if (rows[_i].want == NULL) {
		ck_assert_msg(got == NULL, "%s: taken as\n%s", rows[_i].name, got);
		ck_assert_msg(strstr(err.msg, rows[_i].said) != NULL, "%s: %s", rows[_i].name, err.msg);
		return;
	}
	ck_assert_msg(got != NULL, "%s: %s", rows[_i].name, err.msg);
	ck_assert_msg(strcmp(got, rows[_i].want) == 0, "%s:\n%s", rows[_i].name, got);
	ck_assert_msg(strcmp(notes, rows[_i].said) == 0, "%s: said\n%s", rows[_i].name, notes);
}
END_TEST

START_TEST(a_long_line_costs_itself_alone)
{
	char *bytes = malloc(3000);
	size_t n = (size_t)sprintf(bytes, "1 port:1 1 1\n");

	memset(bytes + n, 'x', 1000);
	n += 1000;
	n += (size_t)sprintf(bytes + n, "\n2 port:1 1 2\n");
	memset(bytes + n, 'y', 500);
	write_file(path, bytes, n + 500);
	ck_assert_str_eq(read_one(NULL), "tick_hz=1000000000\n1 port write 0x1 = 0x1 (1 bytes)\nlost 1000 bytes\n"
					 "2 port write 0x1 = 0x2 (1 bytes)\nlost 500 bytes\nend\n");
	ck_assert_str_eq(notes, "line 2: longer than 255 bytes; left out\nline 4: longer than 255 bytes; left out\n");
	free(bytes);
}
END_TEST

START_TEST(more_lines_than_there_is_room_for)
{
	FILE *file = fopen(path, "w");

	fputs("$timescale 1 ns $end\n", file);
	for (int i = 0; i < 5000; i++)
		fprintf(file, "$var wire 1 a%d signal_number_%d $end\n", i, i);
	fputs("$enddefinitions $end\n#1 1a0 1a4999\n", file);
	fclose(file);
	ck_assert_ptr_nonnull(read_one(NULL));
	ck_assert_ptr_nonnull(strstr(text, "1 line write 0x0 = 0x1"));
	ck_assert_ptr_nonnull(strstr(notes, "more are not: choose with lines=NAME,NAME"));
	ck_assert_str_eq(read_one("lines=signal_number_4999"), "line.0=signal_number_4999\ntick_hz=1000000000\n"
							       "1 line write 0x0 = 0x1 (1 bytes)\nend\n");
}
END_TEST

/* --- dumps of the MTB --------------------------------------------------------------------------------------------- */

/* Packets 0x100 -> 0x200, 0x104 -> 0x204 ... number i at the i-th slot. */
static void write_packets(size_t n, size_t odd)
{
	uint8_t bytes[1024] = { 0 };

	for (size_t i = 0; i < n; i++) {
		pt_put_le32(bytes + 8 * i, (uint32_t)(0x100 + 4 * i));
		pt_put_le32(bytes + 8 * i + 4, (uint32_t)(0x200 + 4 * i));
	}
	write_file(path, bytes, 8 * n + odd);
}

static const struct {
	const char *name;
	size_t n_packets, odd;
	const char *words;
	const char *slots;	/* the numbers of the packets, in the order they came; NULL: refused */
	const char *said;
} dumps[] = {
	{ "nothing is known", 4, 0, "", "0 1 2 3", "the first packet is taken for the oldest" },
	{ "half a packet at the end", 3, 4, "", "0 1 2", "the last 4 bytes are no whole packet" },
	{ "not wrapped: up to the pointer", 8, 0, "position=0x18", "0 1 2", "" },
	{ "wrapped: from the pointer round", 8, 0, "position=0x1c", "3 4 5 6 7 0 1 2", "" },
	{ "wrapped, the pointer at the start", 8, 0, "position=0x4", "0 1 2 3 4 5 6 7", "" },
	{ "the pointer's upper bits are where the buffer is", 8, 0, "position=0x20001f5c", "3 4 5 6 7 0 1 2", "" },
	{ "nothing was recorded", 8, 0, "position=0", "", "nothing was recorded" },
	/* KL27Z256: BASE 0x1fffe000, 15 bits; POSITION 0x6000 is 0x1fffe000. Source: NXP forum, thread 865550. */
	{ "in a larger dump", 32, 0, "base=0x1fffe000 position=0x6054 master=0x80000002", "10 11 12 13 14 15 8 9", "" },
	{ "behind the turn of the addresses", 32, 0, "base=0x20000000 mtb-base=0x1fffe000 position=0x50 size=64", "8 9", "" },
	{ "the same, told as an address", 32, 0, "base=0x20000000 mtb-base=0x1fffe000 position=0x20000050 size=64", "8 9", "" },
	{ "a base that is a multiple of everything", 32, 0, "base=0x20000000 position=0x40 size=128 awidth=10", "0 1 2 3 4 5 6 7", "" },
	{ "the buffer is elsewhere", 8, 0, "base=0x20000000 mtb-base=0x1fffe000 position=0x6004 size=64", NULL, "check position=" },
	{ "larger than the file", 4, 0, "master=0x80000005", NULL, "the file has 32 bytes, the buffer" },
	{ "smaller than the file, and no base", 8, 0, "position=4 size=32", NULL, "give base=" },
	{ "a size that no buffer has", 3, 0, "position=4", NULL, "a power of two of bytes, not 24" },
	{ "no packet", 0, 3, "", NULL, "there is no packet" },
};

static void expect_slots(const char *name, const char *slots, size_t odd_bytes)
{
	char want[2048] = "gap restart\n", packet[64], copy[128];

	snprintf(copy, sizeof(copy), "%s", slots);
	if (slots[0] == '\0')
		want[0] = '\0';
	for (char *w = strtok(copy, " "); w != NULL; w = strtok(NULL, " ")) {
		unsigned i = (unsigned)atoi(w);

		snprintf(packet, sizeof(packet), "branch 0x%08x -> 0x%08x instruction\n", 0x100 + 4 * i, 0x200 + 4 * i);
		strcat(want, packet);
	}
	snprintf(packet, sizeof(packet), odd_bytes > 0 ? "lost %zu bytes\nend\n" : "end\n", odd_bytes);
	strcat(want, packet);
	ck_assert_msg(strcmp(text, want) == 0, "%s:\n%s", name, text);
}

START_TEST(rotates_dump)
{
	char words[128];

	write_packets(dumps[_i].n_packets, dumps[_i].odd);
	snprintf(words, sizeof(words), "input=mtb %s", dumps[_i].words);
	if (dumps[_i].slots == NULL) {
		ck_assert_ptr_null(read_one(words));
		ck_assert_msg(strstr(err.msg, dumps[_i].said) != NULL, "%s: %s", dumps[_i].name, err.msg);
		return;
	}
	ck_assert_msg(read_one(words) != NULL, "%s: %s", dumps[_i].name, err.msg);
	expect_slots(dumps[_i].name, dumps[_i].slots, dumps[_i].odd);
	ck_assert_msg(strstr(notes, dumps[_i].said) != NULL, "%s: %s", dumps[_i].name, notes);
}
END_TEST

/* --- sigrok ------------------------------------------------------------------------------------------------------- */

static void add_entry(zip_t *zip, const char *name, const void *bytes, size_t n)
{
	zip_source_t *source = zip_source_buffer(zip, bytes, n, 0);

	ck_assert_int_ge(zip_file_add(zip, name, source, ZIP_FL_OVERWRITE), 0);
}

struct entry { const char *name, *bytes; size_t n; };

static void write_zip(const struct entry *entries, size_t n)
{
	zip_t *zip = zip_open(path, ZIP_CREATE | ZIP_TRUNCATE, NULL);

	for (size_t i = 0; i < n && entries[i].name != NULL; i++)
		add_entry(zip, entries[i].name, entries[i].bytes,
			  entries[i].n > 0 ? entries[i].n : strlen(entries[i].bytes));
	ck_assert_int_eq(zip_close(zip), 0);
}

#define META "[global]\nsigrok version=0.5.2\n\n[device 1]\ncapturefile=logic-1\ntotal probes=2\nsamplerate=1 MHz\ntotal analog=0\n" \
	"probe1=clk\nprobe9=irq\nunitsize=2\n"
#define SR_LINES "line.0=clk\nline.1=irq\ntick_hz=1000000\n"
#define SR_START "0 line write 0x0 = 0x0 (1 bytes)\n0 line write 0x1 = 0x0 (1 bytes)\n"

static const struct {
	const char *name;
	struct entry entries[6];
	const char *words, *want, *said;
} sessions[] = {
	{ "two lines", { { "version", "2", 0 }, { "metadata", META, 0 }, { "logic-1-1", "\0\0\1\0\1\1\0\1", 8 } }, NULL,
	  SR_LINES SR_START "1 line write 0x0 = 0x1 (1 bytes)\n2 line write 0x1 = 0x1 (1 bytes)\n3 line write 0x0 = 0x0 (1 bytes)\nend\n", "" },
	{ "pieces by number, samples across them", { { "version", "2", 0 }, { "metadata", META, 0 }, { "logic-1-10", "\1", 1 },
	  { "logic-1-9", "\0\0\1\0\1", 5 } }, NULL,
	  SR_LINES SR_START "1 line write 0x0 = 0x1 (1 bytes)\n2 line write 0x1 = 0x1 (1 bytes)\nend\n", "" },
	{ "a piece is missing", { { "version", "2", 0 }, { "metadata", META, 0 }, { "logic-1-1", "\0\0", 2 }, { "logic-1-3", "\1\0", 2 } },
	  NULL, SR_LINES SR_START "lost\nend\n", "logic-1-2 is missing: read up to there\n" },
	{ "of the older form", { { "version", "2", 0 }, { "metadata", META, 0 }, { "logic-1", "\0\0\1\0", 4 } }, "lines=clk",
	  "line.0=clk\ntick_hz=1000000\n0 line write 0x0 = 0x0 (1 bytes)\n1 line write 0x0 = 0x1 (1 bytes)\nend\n", "" },
	{ "analog channels besides", { { "version", "2", 0 }, { "metadata", META "total analog=3\n", 0 }, { "logic-1-1", "\0\0", 2 } },
	  NULL, SR_LINES SR_START "end\n", "3 analog channels are no lines and were left out\n" },
	{ "no rate", { { "version", "2", 0 }, { "metadata", "[device 1]\ncapturefile=logic-1\nprobe1=a\nunitsize=1\n", 0 },
	  { "logic-1-1", "\0\1", 2 } }, NULL, NULL, "give samplerate=" },
	{ "the rate is given", { { "version", "2", 0 }, { "metadata", "[device 1]\ncapturefile=logic-1\nprobe1=a\n", 0 },
	  { "logic-1-1", "\0\1", 2 } }, "samplerate=2M",
	  "line.0=a\ntick_hz=2000000\n0 line write 0x0 = 0x0 (1 bytes)\n1 line write 0x0 = 0x1 (1 bytes)\nend\n", "" },
	{ "another version", { { "version", "3", 0 } }, NULL, NULL, "sigrok session of version 3; version 2" },
	{ "another ZIP", { { "hello", "2", 0 } }, NULL, NULL, "no sigrok session" },
	{ "no samples", { { "version", "2", 0 }, { "metadata", META, 0 } }, NULL, NULL, "it has no samples" },
	{ "no device", { { "version", "2", 0 }, { "metadata", "[global]\n", 0 } }, NULL, NULL, "no device has a capturefile" },
	{ "too many probes", { { "version", "2", 0 }, { "metadata", META "unitsize=1\n", 0 }, { "logic-1-1", "\0", 1 } }, NULL, NULL,
	  "do not fit samples of 1 bytes" },
};

START_TEST(reads_session)
{
	const char *got;

	write_zip(sessions[_i].entries, PT_LEN(sessions[_i].entries));
	got = read_one(sessions[_i].words);
	if (sessions[_i].want == NULL) {
		ck_assert_ptr_null(got);
		ck_assert_msg(strstr(err.msg, sessions[_i].said) != NULL, "%s: %s", sessions[_i].name, err.msg);
		return;
	}
	ck_assert_msg(got != NULL, "%s: %s", sessions[_i].name, err.msg);
	ck_assert_msg(strcmp(got, sessions[_i].want) == 0, "%s:\n%s", sessions[_i].name, got);
	ck_assert_msg(strcmp(notes, sessions[_i].said) == 0, "%s: %s", sessions[_i].name, notes);
}
END_TEST

START_TEST(a_damaged_session_is_read_up_to_there)
{
	uint8_t bytes[4096];
	char samples[2000];
	size_t n;
	int fd;

	for (size_t i = 0; i < sizeof(samples); i++)
		samples[i] = (char)(i * i / 7);
	write_zip((struct entry[]){ { "version", "2", 0 }, { "metadata", META, 0 }, { "logic-1-1", samples, sizeof(samples) },
				    { NULL, NULL, 0 } }, 4);
	fd = open(path, O_RDONLY);
	n = (size_t)read(fd, bytes, sizeof(bytes));
	close(fd);
	for (size_t cut = 0; cut < n; cut += 7) {	/* never a crash; a ZIP without its end is no ZIP */
		write_file(path, bytes, cut);
		ck_assert_ptr_null(read_one("input=sr"));
	}
	bytes[n / 2] ^= 0x55;
	write_file(path, bytes, n);
	ck_assert_ptr_nonnull(read_one(NULL));
	ck_assert_msg(strstr(notes, "logic-1-1 is damaged") != NULL, "%s", notes);
}
END_TEST

/* --- several files ------------------------------------------------------------------------------------------------ */

START_TEST(several_files_are_one_in_order_of_time)
{
	static const char first[] = "1000000 port:1 1 1\n5000000 port:1 1 2\n9000000 port:1 1 3\n";
	static const char second[] = "0 port:2 1 1\n3000000 port:2 1 2\n";
	char other[128], more[160];
	const char *files[2] = { path, more };

	snprintf(other, sizeof(other), "%s/other", folder);
	write_file(path, first, strlen(first));
	write_file(other, second, strlen(second));
	snprintf(more, sizeof(more), "%s?offset=500us", other);	/* behind the first one's beginning, at 1 ms */
	ck_assert_msg(read_all(files, 2, NULL) != NULL, "%s", err.msg);
	ck_assert_str_eq(text,
			 "tick_hz=1000000000\n0 1000000 port write 0x1 = 0x1 (1 bytes)\ntick_hz=1000000000\n"
			 "1 0 port write 0x2 = 0x1 (1 bytes)\n1 3000000 port write 0x2 = 0x2 (1 bytes)\nend\n"
			 "0 5000000 port write 0x1 = 0x2 (1 bytes)\n0 9000000 port write 0x1 = 0x3 (1 bytes)\nend\n");
	snprintf(more, sizeof(more), "%s?offset=-2500us",
		 other); /* its second lies 500 us behind the first one's first */
	ck_assert_msg(read_all(files, 2, NULL) != NULL, "%s", err.msg);
	ck_assert_str_eq(text,
			 "tick_hz=1000000000\n1 0 port write 0x2 = 0x1 (1 bytes)\ntick_hz=1000000000\n"
			 "0 1000000 port write 0x1 = 0x1 (1 bytes)\n1 3000000 port write 0x2 = 0x2 (1 bytes)\nend\n"
			 "0 5000000 port write 0x1 = 0x2 (1 bytes)\n0 9000000 port write 0x1 = 0x3 (1 bytes)\nend\n");
	snprintf(more, sizeof(more), "%s?offset=500us&lines=a", other);
	ck_assert_ptr_null(read_all(files, 2, NULL));
	ck_assert_msg(strstr(err.msg, "has no settings") != NULL, "%s", err.msg);
	snprintf(more, sizeof(more), "%s/nothing", folder);
	ck_assert_ptr_null(read_all(files, 2, NULL));
	ck_assert_int_eq(err.code, PT_EARG);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("inputs");
	TCase *tc = tcase_create("files");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, reads_row, 0, PT_LEN(rows));
	tcase_add_test(tc, a_long_line_costs_itself_alone);
	tcase_add_test(tc, more_lines_than_there_is_room_for);
	tcase_add_loop_test(tc, rotates_dump, 0, PT_LEN(dumps));
	tcase_add_loop_test(tc, reads_session, 0, PT_LEN(sessions));
	tcase_add_test(tc, a_damaged_session_is_read_up_to_there);
	tcase_add_test(tc, several_files_are_one_in_order_of_time);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
