"""What a virtual Cortex-M executed, from the log of its changes of flow (probes/virtual/frame/flow_log.h) and its ELF."""
import bisect
import itertools
import struct
import subprocess

EXCEPTION, EXC_RETURN, TAIL_CHAIN = 1, 2, 3
JUMP_KINDS, ASLEEP, HALTED, AWAKE = 64, 65, 66, 67
RESET = JUMP_KINDS


def symbols(elf):
    """name: (address, size), from the ELF's own table; functions without the Thumb bit."""
    found = {}
    for line in subprocess.run(["nm", "-S", elf], check=True, capture_output=True, text=True).stdout.splitlines():
        words = line.split()
        if len(words) == 4:
            found[words[3]] = (int(words[0], 16) & (~1 if words[2] in "tTwW" else ~0), int(words[1], 16))
    return found


def functions(elf):
    """Sorted by address; labels, which have no size, are none."""
    lines = [line.split() for line in subprocess.run(["nm", "-S", elf], check=True, capture_output=True, text=True).stdout.splitlines()]
    return sorted((int(words[0], 16) & ~1, words[3]) for words in lines if len(words) == 4 and words[2] in "tTwW")


def records(log):
    """(from, to, awake cycles, sp's low half, kind, detail) each; from and to together are the cycles asleep or halted."""
    with open(log, "rb") as file:
        yield from struct.iter_unpack("<IIIHBB", file.read()[8:])


def awake_cycles_by_function(log, elf):
    """Each straight line to the function in which it ends; and all cycles, those asleep among them."""
    table, cycles, total = functions(elf), {}, 0
    addresses = [address for address, _ in table]
    for source, target, awake, _, kind, _ in records(log):
        if kind < JUMP_KINDS:
            name = table[bisect.bisect_right(addresses, source) - 1][1]
            cycles[name] = cycles.get(name, 0) + awake
            total += awake
        elif kind in (ASLEEP, AWAKE):
            total += source | target << 32
    return cycles, total


def switches(log, stacks, n_stacks, most=None):
    """[(cycle, task)]: from which cycle on which of n_stacks equal stacks, in one array at (address, size), was used; of so
    many records. The stack that a reset left is used anew when the program comes to it again."""
    found, running, now, (base, size) = [], None, 0, stacks
    for source, target, awake, sp, kind, _ in itertools.islice(records(log), most):
        now += awake if kind < JUMP_KINDS else source | target << 32 if kind in (ASLEEP, HALTED, AWAKE) else 0
        task = (sp - (base & 0xffff) - 1) * n_stacks // size	# an empty stack's pointer is where the next one begins
        running = None if kind == RESET else running
        if kind < JUMP_KINDS and 0 <= task < n_stacks and running != task:
            running = task
            found.append((now, task))
    return found, now


def branches(log, most=None):
    """So many records of the log as a branch trace of the same core would have it: a dump of an MTB; and the cycles that the core was awake."""
    out, awake, first = bytearray(), 0, 1
    for source, target, cycles, _, kind, detail in itertools.islice(records(log), most):
        awake += cycles if kind < JUMP_KINDS else source | target << 32 if kind == AWAKE else 0
        if kind == EXC_RETURN:
            exc_return = 0xffffff00 | detail & 0xfe
            out += struct.pack("<IIII", source, exc_return | first, exc_return | 1, target)
        elif kind < JUMP_KINDS:
            out += struct.pack("<II", source | (kind == EXCEPTION), target | first)
        first = first if kind >= JUMP_KINDS else 0
    return bytes(out), awake
