"""What a program did, from the log of its changes of flow (probes/virtual/frame/flow_log.h) and its ELF as binutils read
it: an own shadow stack, by stack pointers, and an own table of cycles. Shares no code and no rule with src/profile.

How it counts, where opinions differ:
  entry     a call, an exception's entry, a jump or a fall to another function's first instruction (a tail call: its
            return is its caller's return, too)
  self      by whose code it is; what entering and leaving a handler takes is the handler's, and of its first and
            of its returning instruction: a function is the sum of its lines
  total     self and callees, without what interrupted; of recursion the outermost
  leaving   a frame is left when control goes to its return address, or the stack pointer rises above where it began
            (longjmp, a throw), or it goes back into its caller's middle with the stack pointer of the call"""
import array
import collections
import struct
import sys

BRANCH, EXCEPTION, EXC_RETURN, TAIL_CHAIN, DEBUG = range(5)
RESET, ASLEEP, HALTED, AWAKE, END = range(64, 69)
RECORD = struct.Struct("<IIIHBB")
NEVER = 1 << 40


def open_log(path):
    """The records since the last reset, one by one, and where the core began."""
    with open(path, "rb") as file:
        data = file.read()
    if data[:8] != b"PTFLOW1\n":
        raise ValueError(f"{path} is no flow log")
    data = memoryview(data)[8:8 + (len(data) - 8) // RECORD.size * RECORD.size]
    first = bytes(data[14::RECORD.size]).rindex(RESET)
    start = RECORD.unpack(data[first * RECORD.size:(first + 1) * RECORD.size])[1]
    return RECORD.iter_unpack(data[(first + 1) * RECORD.size:]), start


class Spread:
    __slots__ = ("n", "total", "min", "max", "times")

    def __init__(self):
        self.n, self.total, self.min, self.max = 0, 0, None, None
        self.times = {}		# value to how often

    def add(self, value):
        self.n += 1
        self.total += value
        self.times[value] = self.times.get(value, 0) + 1
        if self.min is None or value < self.min:
            self.min = value
        if self.max is None or value > self.max:
            self.max = value


    def reached(self, part):
        """The least value that at most `part` of all are above."""
        above = self.n
        for value in sorted(self.times):
            above -= self.times[value]
            if above <= part * self.n:
                return value
        return self.max


class Function:
    def __init__(self):
        self.entries = self.completed = self.open = self.instructions = self.self_cycles = self.total = 0
        self.net, self.gross, self.call, self.period = Spread(), Spread(), Spread(), Spread()
        self.last_entry = None
        self.unended = {"net": 0, "gross": 0, "period": 0}	# the longest without an end
        self.foreign = 0	# cycles of its code while another function was on top


class Frame:
    __slots__ = ("function", "back", "sp", "level_time", "awake", "own", "node", "inner")

    def __init__(self, function, back, sp, level_time, awake, node, inner):
        self.function, self.back, self.sp, self.level_time, self.awake = function, back, sp, level_time, awake
        self.own, self.node, self.inner = 0, node, inner


class Node:
    """One chain of calls."""
    __slots__ = ("function", "parent", "children", "own", "entries")

    def __init__(self, function, parent):
        self.function, self.parent, self.children, self.own, self.entries = function, parent, {}, 0, 0

    def child(self, function):
        if function not in self.children:
            self.children[function] = Node(function, self)
        return self.children[function]

    def total(self):
        return self.own + sum(c.total() for c in self.children.values())


class Level:
    """Thread mode's stack, or that of one exception that is being handled; a thread is one, too."""
    __slots__ = ("frames", "time", "depth")

    def __init__(self):
        self.frames, self.time, self.depth = [], 0, {}


class Truth:
    def __init__(self, elf, cpu):
        self.elf, self.cpu = elf, cpu
        self.blocks = {}
        self.begin()

    def begin(self):
        self.function = {}
        self.root = Node(None, None)
        self.edges = {}
        self.awake = self.asleep = self.halted = 0
        self.executed = {}		# block to how often
        self.extra = collections.Counter()	# address to cycles of entering the handler there, or of leaving it from there
        self.model_differs = {}
        self.threads = {0: Level()}
        self.levels = [self.threads[0]]
        self.errors = self.model_error = 0

    @property
    def seconds(self):
        return (self.awake + self.asleep) / self.cpu.hz

    def stat(self, function):
        if function not in self.function:
            self.function[function] = Function()
        return self.function[function]

    # --- straight lines

    def block(self, start, last, whole):
        """(instructions, cycles, parts); a part is (function, instructions, cycles, falls into its first instruction).
        whole: last is executed, and jumps."""
        elf, parts, address, n, cycles = self.elf, [], start, 0, 0
        addresses = []
        while address <= last if whole else address < last:
            insn = elf.insn.get(address)
            if insn is None:
                self.errors += 1
                break
            taken = whole and address == last
            cost = self.cpu.cycles(insn[1], insn[2], taken)
            owner = elf.function_at(address)
            if not parts or parts[-1][0] != owner:
                parts.append([owner, 0, 0, address != start and address in elf.index_of])
            elif address != start and address in elf.index_of:
                parts.append([owner, 0, 0, True])
            parts[-1][1] += 1
            parts[-1][2] += cost
            addresses.append((address, cost))
            n += 1
            cycles += cost
            address += insn[0]
        return n, cycles, parts, addresses

    # --- the stack

    def enter(self, level, function, back, sp, inner=False):
        parent = level.frames[-1].node if level.frames else self.root
        node = parent.child(function)
        node.entries += 1
        stat = self.stat(function)
        stat.entries += 1
        if stat.last_entry is not None:
            stat.period.add(self.awake - stat.last_entry)
        stat.last_entry = self.awake
        level.depth[function] = level.depth.get(function, 0) + 1
        level.frames.append(Frame(function, back, sp, level.time, self.awake, node, inner))
        if level.frames[:-1]:
            edge = (level.frames[-2].function, function)
            self.edges[edge] = self.edges.get(edge, 0) + 1

    def leave(self, level, completed=True):
        frame = level.frames.pop()
        stat = self.stat(frame.function)
        level.depth[frame.function] -= 1
        if level.depth[frame.function] == 0:
            stat.total += level.time - frame.level_time
        if completed:
            stat.completed += 1
            stat.net.add(frame.own)
            stat.gross.add(level.time - frame.level_time)
            stat.call.add(self.awake - frame.awake)
        else:
            stat.open += 1
            stat.unended["net"] = max(stat.unended["net"], frame.own)
            stat.unended["gross"] = max(stat.unended["gross"], level.time - frame.level_time)

    def spend(self, level, function, instructions, cycles):
        stat = self.stat(function)
        stat.instructions += instructions
        stat.self_cycles += cycles
        level.time += cycles
        self.awake += cycles
        if level.frames:
            top = level.frames[-1]
            top.own += cycles
            top.node.own += cycles
            if top.function != function:
                stat.foreign += cycles
        else:
            self.root.own += cycles

    def straight(self, start, last, whole, took=None):
        """took: the log's cycles of it, where the core has no table."""
        if whole:
            last = self.cpu.last_of(last, self.elf.insn.get(last))
        key = (start, last, whole)
        info = self.blocks.get(key)
        if info is None:
            info = self.blocks[key] = self.block(start, last, whole)
        self.executed[key] = self.executed.get(key, 0) + 1
        level = self.levels[-1]
        for function, n, cycles, falls in info[2]:
            if falls:
                back, sp = (level.frames[-1].back, level.frames[-1].sp) if level.frames else (None, NEVER)
                self.enter(level, function, back, sp, True)
            elif not level.frames and function >= 0:
                self.enter(level, function, None, NEVER)
            if took is not None:
                cycles = took * n // info[0]
            self.spend(level, function, n, cycles)
        if took is not None and info[0] > 0:
            self.spend(level, info[2][-1][0], 0, took - sum(took * part[1] // info[0] for part in info[2]))
        return info[1]

    def jump(self, source, to, sp):
        level = self.levels[-1]
        elf = self.elf
        insn = elf.insn.get(source)
        target, entry = elf.function_at(to), to in elf.index_of
        if insn is not None and self.cpu.is_call(insn[1]):
            if entry or target != elf.function_at(source):
                self.enter(level, target, source + self.cpu.behind_call(insn), sp + self.cpu.call_pushes)
            return
        frames, left = level.frames, False
        within = frames and target == frames[-1].function == elf.function_at(source)
        while frames and (frames[-1].sp < sp and not within or frames[-1].sp == sp and frames[-1].back == to):
            self.leave(level)
            left = True
        if left and frames and frames[-1].function == target:
            return
        if len(frames) > 1 and frames[-1].sp == sp and not entry and elf.function_at(source) != target:
            at = len(frames) - 1
            while at > 0 and frames[at].sp == sp and frames[at].function != target:
                at -= 1
            if frames[at].function == target:
                while len(frames) > at + 1:
                    self.leave(level)
                return
        if left:
            return
        if entry and target != elf.function_at(source):
            top = frames[-1] if frames else None
            self.enter(level, target, top.back if top else None, top.sp if top else NEVER, True)

    def exception(self, to, sp):
        level = Level()
        self.levels.append(level)
        self.enter(level, self.elf.function_at(to), None, NEVER)
        edge = (None, self.elf.function_at(to))
        self.edges[edge] = self.edges.get(edge, 0) + 1

    def leave_all(self, level):
        while level.frames:
            self.leave(level)

    def exception_return(self, to, sp):
        self.leave_all(self.levels.pop())
        if not self.levels:
            self.errors += 1
            self.levels.append(self.threads[0])
        if len(self.levels) == 1:
            key = self.cpu.thread(sp)
            if key not in self.threads:
                self.threads[key] = Level()
            self.levels[0] = self.threads[key]

    # --- the log

    def read(self, path, until=None, stop_in_end=False):
        """Everything since the last reset, and not behind `until` cycles awake or asleep, nor behind the entry of the_end()."""
        records, start = open_log(path)
        self.begin()
        cpu = self.cpu
        end = next((i for i, f in enumerate(self.elf.functions) if f[2] in ("the_end", "_Z7the_endv")), None) if stop_in_end else None
        for source, to, awake, sp, how, detail in records:
            if how < 64:
                took = awake if cpu.by_log else None
                sp = cpu.stack(sp)
                before = self.awake
                if how == EXCEPTION:
                    self.straight(start, source, False, took)
                    self.exception(to, sp)
                    self.spend(self.levels[-1], self.elf.function_at(to), 0, cpu.entry)
                    self.extra[to] += cpu.entry
                elif how == EXC_RETURN:
                    self.straight(start, source, True, took)
                    self.spend(self.levels[-1], self.elf.function_at(source), 0, cpu.exit)
                    self.extra[source] += cpu.exit
                    self.exception_return(to, sp)
                elif how == TAIL_CHAIN:
                    self.straight(start, source, True, took)
                    self.leave_all(self.levels.pop())
                    self.exception(to, sp)
                    self.spend(self.levels[-1], self.elf.function_at(to), 0, cpu.chain)
                    self.extra[to] += cpu.chain
                elif how == DEBUG:
                    self.straight(start, source, False, took)
                else:
                    self.straight(start, source, True, took)
                    self.jump(source, to, sp)
                if not cpu.by_log and self.awake - before != awake:
                    key = (how, start, source)
                    seen = self.model_differs.get(key, (0, 0))
                    self.model_differs[key] = (seen[0] + 1, seen[1] + awake - (self.awake - before))
                start = to
            elif how == ASLEEP:
                self.asleep += source | to << 32
            elif how == HALTED:
                self.halted += source | to << 32
            elif how == END:
                self.straight(start, to, False)
            if until is not None and self.awake + self.asleep >= until or end is not None and end in self.function:
                break
        self.end()

    def pcs(self, path, most):
        """Every executed pc since the last reset, in order."""
        records, start = open_log(path)
        found = []
        for source, to, _, _, how, _ in records:
            if how < 64:
                found += [address for address, _ in self.block(start, source, how not in (EXCEPTION, DEBUG))[3]]
                start = to
            if len(found) >= most:
                return found[:most]
        return found

    def read_shares(self, path, until):
        """Without a stack, and so a tenth of the time: self, instructions and lines only."""
        with open(path, "rb") as file:
            data = file.read()[8:]
        data = data[:len(data) // RECORD.size * RECORD.size]
        self.begin()
        how = data[14::RECORD.size]
        first = how.rindex(RESET)
        words = array.array("I", data[first * RECORD.size:])
        if sys.byteorder == "big":
            words.byteswap()
        how, source, to, awake = how[first:], words[0::4], words[1::4], words[2::4]
        if self.cpu.by_log:
            self.read_shares_by_log(zip(how, source, to, awake), until)
            return
        start, at, size = to[0], 1, 1 << 14
        counts, returns = collections.Counter(), collections.Counter()
        while at < len(how) and self.awake + self.asleep < until:
            end = min(at + size, len(how))
            plain = how[at:end].translate(bytes(64) + bytes([1]) * 192)
            if 1 not in plain:
                part = zip(to[at - 1:end - 1] if how[at - 1] < 64 else [start, *to[at:end - 1]], source[at:end],
                           how[at:end], to[at:end])
                counts.update(part)
                self.awake += sum(awake[at:end])
                start = to[end - 1]
            else:
                for k in range(at, end):
                    if how[k] < 64:
                        counts[start, source[k], how[k], to[k]] += 1
                        self.awake += awake[k]
                        start = to[k]
                    elif how[k] == ASLEEP:
                        self.asleep += source[k] | to[k] << 32
                    elif how[k] == HALTED:
                        self.halted += source[k] | to[k] << 32
            at = end
        spent = 0
        for (begin, last, way, target), times in counts.items():
            key = (begin, last, way not in (EXCEPTION, DEBUG))
            self.executed[key] = self.executed.get(key, 0) + times
            if key not in self.blocks:
                self.blocks[key] = self.block(*key)
            for function, n, cycles, _ in self.blocks[key][2]:
                self.add_shares(function, n * times, cycles * times)
            spent += times * self.blocks[key][1]
            extra = {EXCEPTION: self.cpu.entry, EXC_RETURN: self.cpu.exit, TAIL_CHAIN: self.cpu.chain}.get(way, 0)
            if extra:
                where = last if way == EXC_RETURN else target
                self.add_shares(self.elf.function_at(where), 0, extra * times)
                self.extra[where] += extra * times
                spent += extra * times
        self.model_error = spent - self.awake

    def read_shares_by_log(self, records, until):
        counts, start = {}, next(records)[2]
        for how, source, to, awake in records:
            if how < 64:
                key = (start, source, how in (EXCEPTION, DEBUG), to if how == EXCEPTION else None)
                seen = counts.get(key)
                if seen is None:
                    counts[key] = [1, awake]
                else:
                    seen[0] += 1
                    seen[1] += awake
                self.awake += awake
                start = to
            elif how == ASLEEP:
                self.asleep += source | to << 32
            elif how == HALTED:
                self.halted += source | to << 32
            if self.awake + self.asleep >= until:
                break
        for (begin, last, without, handler), (times, took) in counts.items():
            if handler is not None and self.cpu.entry:
                entered = min(took, self.cpu.entry * times)
                self.add_shares(self.elf.function_at(handler), 0, entered)
                self.extra[handler] += entered
                took -= entered
            if not without:
                last = self.cpu.last_of(last, self.elf.insn.get(last))
            info = self.block(begin, last, not without)
            key = (begin, last, not without)
            self.executed[key] = self.executed.get(key, 0) + times
            self.blocks[key] = info[:3] + ([(a, took / times / max(info[0], 1)) for a, _ in info[3]],)
            for function, n, weight, _ in info[2]:
                self.add_shares(function, n * times, took * weight / info[1])
            if info[0] == 0:
                self.add_shares(self.elf.function_at(begin), 0, took)

    def add_shares(self, function, instructions, cycles):
        stat = self.stat(function)
        stat.instructions += instructions
        stat.self_cycles += cycles

    def end(self):
        self.under_end = {frame.function for frame in self.levels[-1].frames}
        for stat in self.function.values():
            if stat.last_entry is not None:
                stat.unended["period"] = self.awake - stat.last_entry
        for level in set(self.levels) | set(self.threads.values()):
            while level.frames:
                self.leave(level, False)

    # --- other views

    def instructions(self):
        """address to (times executed, cycles)."""
        found = {}
        for key, times in self.executed.items():
            for address, cost in self.blocks[key][3]:
                n, cycles = found.get(address, (0, 0))
                found[address] = (n + times, cycles + times * cost)
        for address, cycles in self.extra.items():
            n, before = found.get(address, (0, 0))
            found[address] = (n, before + cycles)
        return found

    def paths(self):
        """(function, ...) from the root to (own cycles, entries)."""
        found, todo = {}, [((), self.root)]
        while todo:
            path, node = todo.pop()
            for child in node.children.values():
                below = path + (child.function,)
                found[below] = (child.own, child.entries)
                todo.append((below, child))
        return found
