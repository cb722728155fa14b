"""What a program of swo_program.py did, from the log of the flow alone: each write with its cycle, each exception as the chip
must report it, sleep. Cycles count from reset; the core's reports are as DDI 0403 has them (shared/facts/swo.md): entered
when stacking is over, left when unstacking begins, gone back to when it is over."""
import array
import bisect
import collections
import re
import struct
import subprocess

from arm_cpu import list_length
from elf_by_binutils import Elf
from evaluate import ASLEEP, AWAKE, DEBUG, END, EXCEPTION, EXC_RETURN, TAIL_CHAIN, open_log

EXIT, CHAIN, ENTRY = 10, 6, 12		# the virtual core's, DDI 0439 gives the same order
NUMBERS = {"SVC_Handler": 11, "PendSV_Handler": 14, "SysTick_Handler": 15, "IRQ0_Handler": 16, "IRQ1_Handler": 17, "IRQ2_Handler": 18}


class Times:
    """Lengths of one kind."""

    def __init__(self):
        self.all = []

    def add(self, cycles):
        self.all.append(cycles)

    min = property(lambda self: min(self.all, default=None))
    max = property(lambda self: max(self.all, default=None))
    total = property(lambda self: sum(self.all))
    avg = property(lambda self: sum(self.all) / len(self.all) if self.all else None)


class Row:
    """An exception, or a span."""

    def __init__(self):
        self.count, self.last, self.left = 0, None, None
        self.opened = None	# the outermost that has not ended
        self.total = 0		# of recursion the outermost
        self.net, self.gross, self.period, self.inactive = Times(), Times(), Times(), Times()


class Stack:
    """Rows that nest."""

    def __init__(self):
        self.rows, self.open = collections.defaultdict(Row), []

    def enter(self, key, at):
        row = self.rows[key]
        if row.last is not None:
            row.period.add(at - row.last)
        if row.left is not None and all(k != key for k, _, _ in self.open):
            row.inactive.add(at - row.left)
        row.last = at
        row.opened = row.opened if row.opened is not None else at
        row.count += 1
        self.open.append([key, at, 0])

    def leave(self, at):
        key, entered, inner = self.open.pop()
        row = self.rows[key]
        row.gross.add(at - entered)
        row.total += at - entered if all(k != key for k, _, _ in self.open) else 0
        row.net.add(at - entered - inner)
        row.left = at
        row.opened = next((at for k, at, _ in self.open if k == key), None)
        if self.open:
            self.open[-1][2] += at - entered


CONDITIONS = "eq|ne|cs|cc|mi|pl|vs|vc|hi|ls|ge|lt|gt|le"
MEMORY = re.compile(rf"(ldr|str|ldm|stm|push|pop|vldr|vstr|vldm|vstm|vpush|vpop)(ex|sb|sh|d|b|h|ia|db)?({CONDITIONS})?$")


def memory_cycles(mnemonic, operands, taken):
    """What a load or store takes beyond its first cycle, at least and at most (DDI 0439, table 3-1, a refill of 2): nothing
    where its condition fails."""
    match = MEMORY.match(mnemonic)
    if match is None:
        return 0, 0
    if match[1] in ("ldr", "str"):
        extra = 2 if match[2] == "d" else 1
    elif match[1] in ("vldr", "vstr"):
        extra = 2 if operands.startswith("d") else 1
    else:
        extra = list_length(operands) * (2 if match[1].startswith("v") and "{d" in operands else 1)
    extra += 2 if taken else 0
    return 0 if match[3] else extra, extra


class Counters:
    """What the eight-bit counters of the DWT have counted: cycles and sleep as the log has them, instructions and what takes
    longer by the code. Lists of (at, least, most) of CPI, to find the moment when so much had been counted."""

    def __init__(self, elf):
        self.elf, self.blocks = Elf(elf, "arm-none-eabi-", True), {}
        self.instructions = self.least = self.most = 0
        self.at, self.cpi, self.others = array.array("q"), (array.array("q"), array.array("q")), []

    def block(self, start, last, whole):
        n = least = most = 0
        address = start
        while address <= last if whole else address < last:
            length, mnemonic, operands = self.elf.insn[address]
            low, high = memory_cycles(mnemonic, operands, whole and address == last)
            n, least, most, address = n + 1, least + low, most + high, address + length
        return n, least, most

    def straight(self, start, last, whole):
        key = (start, last, whole)
        if key not in self.blocks:
            self.blocks[key] = self.block(*key)
        n, least, most = self.blocks[key]
        self.instructions += n
        self.least += least
        self.most += most

    def note(self, now, asleep, overhead):
        other = now - asleep - overhead - self.instructions
        self.at.append(now)
        self.cpi[0].append(other - self.most)
        self.cpi[1].append(other - self.least)
        self.others.append((self.least, self.most, overhead, asleep))

    def when(self, least, most):
        """The first and the last moment, as places in the lists, at which CPI can have been between these."""
        return bisect.bisect_left(self.cpi[1], least), bisect.bisect_right(self.cpi[0], most) - 1

    def between(self, name, first, last):
        """A counter's least and most from one to the other."""
        if name == "cpi":
            return self.cpi[0][first], self.cpi[1][last]
        low, high = {"lsu": (0, 1), "exceptions": (2, 2), "sleep": (3, 3)}[name]
        return self.others[first][low], self.others[last][high]


def symbols(elf):
    """Address to name, of all labels in code."""
    found = {}
    for line in subprocess.run(["arm-none-eabi-nm", elf], check=True, capture_output=True, text=True).stdout.splitlines():
        address, kind, name = line.split()
        if kind in "tT":
            found.setdefault(int(address, 16) & ~1, []).append(name)
    return found


class SwoTruth:
    def __init__(self, elf, log, script, by_exit=True, counts=False):
        names = symbols(elf)
        self.at = {address: name[3:] for address, all_names in names.items() for name in all_names if name.startswith("at_put_")}
        self.handler = {address: NUMBERS[name] for address, all_names in names.items() for name in all_names if name in NUMBERS}
        self.script, self.by_exit = script, by_exit
        self.values = dict.fromkeys(script.steps, 0)
        self.writes = collections.defaultdict(list)	# place to [(cycle, value)]
        self.exceptions = Stack()
        self.now = self.asleep = 0
        self.counters = Counters(elf) if counts else None
        self.overhead = 0		# cycles of entries, returns and chains
        self.reports = []		# cycles at which an exception was reported
        self.read(log)
        self.spans = self.nested(self.writes["port.2"])

    def read(self, log):
        records, start = open_log(log)
        for source, to, awake, _, how, detail in records:
            if self.counters is not None and (how < 64 or how == END):
                self.counters.straight(start, source if how != END else to, how not in (EXCEPTION, DEBUG, END))
            if how >= 64:
                self.now += awake		# of END: what came since the record before
                if how in (ASLEEP, AWAKE):
                    cycles = source | to << 32
                    self.now += cycles
                    self.asleep += cycles if how == ASLEEP else 0
                continue
            if start in self.at and not (how in (EXCEPTION, DEBUG) and source == start):
                self.write(self.at[start], self.now)
            self.now += awake
            if how in (EXCEPTION, EXC_RETURN, TAIL_CHAIN):
                self.exception(how, to & ~1)
            if self.counters is not None:
                self.counters.note(self.now, self.asleep, self.overhead)
            start = to & ~1

    def write(self, name, at):
        place, value = self.script.writes[name]
        if value is None:
            bits = {"g_half": 16, "port.3": 16}.get(place, 32)
            self.values[place] = (self.values[place] + self.script.steps[place]) % (1 << bits)
            value = self.values[place]
        self.writes[place].append((at, value))

    def exception(self, how, to):
        stack, now = self.exceptions, self.now
        if how == EXC_RETURN:
            left = now - EXIT
            stack.leave(left if self.by_exit else now)
            self.reports += [left, now]
        elif how == TAIL_CHAIN:
            stack.leave(now - CHAIN if self.by_exit else now)
        if how in (EXCEPTION, TAIL_CHAIN):
            stack.enter(self.handler[to], now)
            self.reports.append(now)
        self.overhead += {EXCEPTION: ENTRY, EXC_RETURN: EXIT, TAIL_CHAIN: CHAIN}[how]

    @staticmethod
    def nested(writes):
        """Spans of a port: bit 0 enters, else what runs now again."""
        stack = Stack()
        for at, value in writes:
            if value & 1:
                stack.enter(value >> 1, at)
            else:
                stack.leave(at)
        return stack

    def states(self, place):
        """value to (times entered, Times of whole stays, Times of periods, the last stay's beginning or None); and first, last change."""
        found, now, since = {}, None, None
        for at, value in self.writes[place]:
            if value == now:
                continue
            if now is not None:
                found[now][1].add(at - since)
            entry = found.setdefault(value, [0, Times(), Times(), None])
            if entry[3] is not None:
                entry[2].add(at - entry[3])
            entry[0] += 1
            entry[3] = at
            now, since = value, at
        return found, now
