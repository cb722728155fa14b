/* Trace formats by name, and the byte layouts of what we make ourselves. All numbers little-endian.
 *
 * A CONFIG chunk is text, "key=value\n" lines: keys of the format, of the source ("source=mtb", "mode=burst"), of
 * the target and of the probe. Keys that every CONFIG has: format, source, mode, target, probe, virtual (0 or 1),
 * isa (the instruction set by name, as the ELF or else the target says, or none; missing in old captures),
 * core_hz (0 = unknown), cost (a sentence: what the source costs the target, as far as that is known ahead). Keys that
 * one may have: fallback (why it is not the source that the chip has first; missing: it is, or the user named it),
 * elf_unread (why the ELF could not be compared with the chip; missing: it was), regions (what is where in the target,
 * for people: "KIND ADDR SIZE,..."). Keys of
 * sources that stamp what they give: tick_hz (of the stamps, nominal), tick_ppm (how far off that may be; 100),
 * tick_least_hz and tick_most_hz (missing: it is as given; else it was measured, and lies between these two). One
 * that measures its cost may have cost_besides (what of the sentence no measure says). One whose figures rest on what no
 * manual says may have assumed (a sentence: what it takes for true, and why). Others are the format's own.
 *
 * A COST chunk is such text, too: time_ns, since the source began, and for each way that it worked by, from 0: way.N
 * (its name), samples.N, packets.N, halts.N, halted_ns.N, shortest_ns.N, longest_ns.N for these, and setup_halts.N,
 * setup_ns.N for what was set up before them and put back behind them. A source that counts the samples that the hardware
 * took has missed: so many did not come, at most. One with clock_least_hz and clock_most_hz (0: it may be faster) has
 * nothing else: a counter of the core said so behind the end, as it did not run at the start, where CONFIG has them.
 * Likewise one with elf_mismatch (as in CONFIG: no, unknown, or where), elf_compared and elf_bytes: what was known at the end. */
#ifndef PT_TRACE_FORMATS_H
#define PT_TRACE_FORMATS_H

/* "mtb": 8-byte packets as in the trace RAM (Arm DDI 0486, 2.3.1), oldest first; a DATA chunk that RESTARTS begins a
 * burst. Its own keys: buffer=ADDR, size=BYTES, buffer_in_use=0|1 (the program may have data there),
 *   start=ADDR, stop=ADDR where a trigger lets recording begin and end, as often as the program comes by.
 * "pcsr": le32 values of DWT_PCSR as read, one batch per DATA chunk; 0xffffffff = halted or not permitted.
 *   Behind STATE SLEEP, up to the next STATE, the core sleeps and the values say where.
 *   Its own keys: pc_bytes=4|8 (4) of each value, batch=N, bit0=1 if bit 0 is the address's (else it means nothing),
 *   event=NAME and every=N where a sample is taken every N events in the mean, and not by time, sleep=counted where
 *   sleep is not told and the samples of a sleeping core are among the others. */
#define PT_FORMAT_MTB "mtb"
#define PT_FORMAT_PCSR "pcsr"

/* "s12z-profile": lines of the S12Z's code profiling, byte 0 (INFO) first (S12ZVHY/S12ZVHL reference manual Rev. 1.05,
 *   6.4.6.3), of 8 bytes as the trace buffer holds them, or as many as go out on PDO. A DATA chunk that RESTARTS begins
 *   a session.
 *   Its own keys: stream=buffer|pdo, bus_hz=N (0 = unknown) of the time stamps, ivbr=ADDR (0xfffe) where the vectors
 *   lie, pthf_bytes=N (6) on PDO, swap24=1 if bytes of addresses and stamps are the other way round,
 *   stamp_from=cof|line (cof): stamps count from the change of flow before, or from the line before,
 *   chosen=begin|end where sessions are bursts: which end of each a clock chose that knows nothing of the program.
 * "s12z-trace": lines of its other trace modes, 8 bytes, byte 0 first, oldest first (as above, 6.4.5). Its own keys:
 *   trace=normal|loop1|detail|pure-pc, stamp=0|1, bus_hz=N, ivbr=ADDR, nb=1 if NB bits mark where a base begins,
 *   chosen=begin|end as above, recorder=1: what ran between two STATE chunks is told between them.
 * The S12Z's samples of SYNC_PC are "pcsr" with bit0=1. */
#define PT_FORMAT_S12Z_PROFILE "s12z-profile"
#define PT_FORMAT_S12Z_TRACE "s12z-trace"

/* "mdm-trace": items of a MicroBlaze's program and event trace (UG984), 18 bits in 3 bytes each, oldest first; a DATA
 *   chunk that RESTARTS begins with what was recorded first after the buffer was cleared. Its own keys:
 *   trace=flow|flow-cycles|events|complete, pc=all|returns (whose new pc was saved), vectors=ADDR (0) of the vectors,
 *   short_order=upper_first|lower_first of two cycle counts in an item. Its stamps are clock cycles, but at level
 *   flow. */
#define PT_FORMAT_MDM_TRACE "mdm-trace"

/* "itm": the stream of an Instrumentation Trace Macrocell (Arm DDI 0403, appendix D4), without the frames of a TPIU. Its
 *   own keys: aligned=1 if a stream begins with a packet, behind a gap, too (0: somewhere), last_exception=N the
 *   highest number that the core has, no_ports=MASK and no_hardware=BITS what it cannot send as it is set up
 *   (itm_packets.h), address.N=ADDR of comparator N, tick_hz=N of its local stamps, wait_ns=N how long before its
 *   bytes came a packet may have been made, and silent_loss=1 where the probe does not say what was
 *   lost between the chip and these bytes. Counter N is bit N of an event counter packet, whose keys are those of "counters". */
#define PT_FORMAT_ITM "itm"

/* "tpiu": frames of a trace port (Arm IHI 0029), in which several streams are. Its own keys: aligned=1 if the first byte
 *   begins a frame (0: somewhere), and for each stream that is to be decoded stream.N=FORMAT; what else that format's
 *   keys are stands for all of its streams, or for one as stream.N.KEY, and stream.N.core=K is the core that it is of. */
#define PT_FORMAT_TPIU "tpiu"

/* "lines": levels of external lines as a logic analyser or a simulator saw them change; a record is laid out below.
 *   The first record of a line is its level at the beginning. A value of 0 bytes: the level is not known (x or z).
 *   Its own keys: tick_hz=N (of the stamps; 1000000000), lines=N, and for each line from 0: line.N=NAME, and
 *   line.N.bits=BITS where it is not 1 (a vector, as one number of at most 64 bits).
 * "values": numbers written to or read from memory or a port of instrumentation, however they were seen.
 *   Its own keys: tick_hz=N.
 * "watch": what variables in memory were found to be, one read of each at a time, while the program goes on; what they
 *   were between two looks is not known. A DATA chunk is a batch: its looks follow one another as fast as the link allows,
 *   and the next batch comes at a random time. Its own keys: tick_hz=N (of the probe's clock), rounds=N in a batch, each
 *   of which looks once at every variable, period_us=N from one batch to the next, in the mean at least. */
#define PT_FORMAT_LINES "lines"
#define PT_FORMAT_VALUES "values"
#define PT_FORMAT_WATCH "watch"

/* A record of "lines": le64 ticks, le16 line, u8 how many bytes of value follow (0..8), the value. */
enum { PT_LINES_TICKS = 0, PT_LINES_LINE = 8, PT_LINES_SIZE = 10, PT_LINES_VALUE = 11, PT_LINES_MOST_BYTES = 19 };
/* A record of "values": le64 ticks, u8 how (space * 2 + 1 if written, with PT_VALUES_HAS_PC), u8 size in bytes (1..8),
 * le64 address or port, le64 value, and with PT_VALUES_HAS_PC le64 pc of the instruction that did it. */
enum { PT_VALUES_TICKS = 0, PT_VALUES_HOW = 8, PT_VALUES_SIZE = 9, PT_VALUES_AT = 10, PT_VALUES_VALUE = 18,
       PT_VALUES_PC = 26, PT_VALUES_MOST_BYTES = 34 };
enum { PT_VALUES_HAS_PC = 0x80 };
/* A record of "watch": le64 ticks, u8 size in bytes (1..8) with PT_LOOKS_TORN where the value changed between the accesses
 * that it takes (it is none then) and PT_LOOKS_WRITTEN where the user had the probe write it, le64 address, 8 bytes as the memory has them from there on. Its moment is the middle between its sending and its coming
 * in; a CLOCK chunk ahead of each batch has the worst error of that. */
enum { PT_LOOKS_TICKS = 0, PT_LOOKS_SIZE = 8, PT_LOOKS_AT = 9, PT_LOOKS_VALUE = 17, PT_LOOKS_BYTES = 25 };
enum { PT_LOOKS_TORN = 0x80, PT_LOOKS_WRITTEN = 0x40, PT_LOOKS_SIZE_BITS = 0x0f };

/* "counters": readings of counters. Its own keys: tick_hz=N, counters=N, and for each from 0: counter.N=NAME,
 *   counter.N.bits=BITS where it wraps below 64, and counter.N.max_hz=HZ, how fast it counts at most: then a reading
 *   that comes so late that it may have wrapped twice is told from one that has not; counter.N.kind=least|most: it does
 *   not count, its readings are the least or the most of something so far (a latency). turns=N where N > 1 says that
 *   what RESUMES does so behind a gap, too. counter.N.rest=N: so much more may have been counted than its readings say;
 *   counter.N.note=TEXT: what it counts; counter.N.alias=NAME: another name for
 *   it in formulas; counter.N.of=NAME with counter.N.over=TICKS: it counts those of NAME that last longer than TICKS;
 *   and metric.N=NAME:FORMULA from 0 on, figures that the source knows how to derive.
 * "bins": how often code was executed, or found executing, by address. Its own keys: bin_bytes=N (1), exact=1 where
 *   each execution was counted (else they are samples), counting=instructions|cycles (what a hit is), and low=ADDR and
 *   high=ADDR, the first and the last address that are counted (of a bin that reaches beyond it, the rest is not),
 *   rereads=1 where a core that halts in the midst of a reading has all bins read again (older versions went on). */
#define PT_FORMAT_COUNTERS "counters"
#define PT_FORMAT_BINS "bins"

/* A record of "counters": le64 ticks, le16 counter, with PT_COUNTERS_RESUMES where it did not count since its record
 * before (several share a place in the hardware), le64 reading. Where the counter is PT_COUNTERS_ERROR the reading is
 * how many ns the ticks of the records behind it may be off, until another such record or a gap. One of "bins": le64 address of the bin's first byte,
 * le64 hits since the record of this bin before; PT_UNKNOWN: the bin was found full, it is not known how many;
 * 0: no bin, but the end of a reading of all of them. */
enum { PT_COUNTERS_TICKS = 0, PT_COUNTERS_COUNTER = 8, PT_COUNTERS_READING = 10, PT_COUNTERS_BYTES = 18 };
enum { PT_COUNTERS_RESUMES = 0x8000, PT_COUNTERS_ERROR = 0x7fff };
enum { PT_BINS_ADDRESS = 0, PT_BINS_HITS = 8, PT_BINS_BYTES = 16 };

/* STATE payload: le64 pc, PT_UNKNOWN if not read. */
/* HALT may also have from when on the core may have been halted (probe ns): it was not seen to run after that. */
enum { PT_STATE_PC = 0, PT_STATE_BYTES = 8, PT_STATE_SINCE = 8, PT_STATE_SINCE_BYTES = 16 };
/* CLOCK payload: le64 source ticks, le64 probe ns, le64 error in ns (plus or minus). */
enum { PT_CLOCK_TICKS = 0, PT_CLOCK_NS = 8, PT_CLOCK_ERROR_NS = 16, PT_CLOCK_BYTES = 24 };
/* IMAGE payload: le64 address, then code bytes. */
enum { PT_IMAGE_ADDRESS = 0, PT_IMAGE_CODE = 8 };

#endif
