"""Recordings of one program by instruments whose clocks differ: what came out of SWO (exceptions, with timestamps), and lines in VCD
files that begin at another time and run at another rate."""
import random

TRACE_HZ = 50_000_000
TIMER0, SYSTICK = 24, 15	# numbers of the exceptions


def stamp(ticks):
    """A local timestamp: so many ticks since the one before."""
    out = [0xc0]
    while True:
        out.append(ticks & 0x7f | (0x80 if ticks >> 7 else 0))
        ticks >>= 7
        if ticks == 0:
            return bytes(out)


def exception(number, step):
    """1: entered, 2: left, 3: returned to thread mode"""
    return bytes([0x0e, number & 0xff, step << 4 | number >> 8])


def program(seed, n=300, equal=False):
    """Entries of TIMER0, at irregular distances, and of SysTick 50 us after each: [(ns, number)]."""
    rng, at, found = random.Random(seed), 1000, []
    for _ in range(n):
        at += 40000 if equal else rng.randrange(20000, 60000)
        found += [(at, TIMER0), (at + 2500, SYSTICK)]
    return [(at * 1_000_000_000 // TRACE_HZ, number) for at, number in found]


def write_swo(path, entries):
    data, before = b"\0" * 5 + b"\x80", 0
    for ns, number in entries:
        at = ns * TRACE_HZ // 1_000_000_000
        for step, ticks in ((1, 0), (2, 200), (3, 201)):
            data += exception(number, step) + stamp(at + ticks - before)
            before = at + ticks
    with open(path, "wb") as file:
        file.write(data)


def write_vcd(path, lines, offset_ns, ppm):
    """lines: {name: [ns of each rising edge, on the clock of the program]}. This clock begins offset_ns later, and is ppm slower."""
    changes = []
    for code, edges in zip("!\"#$", lines.values()):
        for ns in edges:
            own = round((ns - offset_ns) / (1 + ppm * 1e-6))
            changes += [(own, "1" + code), (own + 200, "0" + code)] if own > 0 else []
    with open(path, "w", encoding="ascii") as file:
        file.write("$timescale 1 ns $end\n")
        file.writelines(f"$var wire 1 {code} {name} $end\n" for code, name in zip("!\"#$", lines))
        file.write("$enddefinitions $end\n#0\n" + "".join(f"0{code}\n" for code, _ in zip("!\"#$", lines)))
        file.writelines(f"#{at}\n{change}\n" for at, change in sorted(changes))


def record(folder, seed=1, offset_ns=3_000_000, ppm=40, equal=False):
    """run.swo; pins.vcd with irq, 300 to 1300 ns before each entry of TIMER0, and go, 7 us before each of SysTick; and done.vcd, of
    a third clock, with tick, 100 to 200 ns before each entry of SysTick, and done, 12 us after each go."""
    rng, entries = random.Random(seed), program(seed, equal=equal)
    timer0, systick = ([ns for ns, number in entries if number == wanted] for wanted in (TIMER0, SYSTICK))
    write_swo(f"{folder}/run.swo", entries)
    write_vcd(f"{folder}/pins.vcd", {"irq": [ns - rng.uniform(300, 1300) for ns in timer0], "go": [ns - 7000 for ns in systick]}, offset_ns, ppm)
    write_vcd(f"{folder}/done.vcd", {"tick": [ns - rng.uniform(100, 200) for ns in systick], "done": [ns + 5000 for ns in systick]},
              -2 * offset_ns, -3 * ppm)
