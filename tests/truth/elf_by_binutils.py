"""What an ELF is, as binutils say it: functions, instructions, source lines. Nothing of proftap is asked."""
import bisect
import re
import subprocess

SYMBOL = re.compile(r"^\s*\d+: ([0-9a-f]+)\s+(\w+) (\w+)\s+(\w+)\s+\w+\s+(?:\[[^]]*\]\s+)?(\w+)(?: (.*))?$")


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


class Elf:
    def __init__(self, path, prefix, thumb):
        self.path, self.prefix = path, prefix
        self.read_symbols(thumb)
        self.read_instructions()
        if thumb:
            self.add_nameless()
        self.line_of, self.table = {}, None

    def read_symbols(self, thumb):
        """functions: (begin, end, name), in order of begin; of several names at one place the first."""
        ends = {}
        sections = re.findall(r"^\s*\[\s*(\d+)\] \S*\s+\w+\s+([0-9a-f]{8,16}) [0-9a-f]+ ([0-9a-f]+)",
                              run(self.prefix + "readelf", "-SW", self.path), re.M)
        for number, address, size in sections:
            ends[number] = int(address, 16) + int(size, 16)
        found, self.objects, self.address_of, names = {}, {}, {}, {}
        for line in run(self.prefix + "readelf", "-sW", self.path).splitlines():
            match = SYMBOL.match(line)
            if match is None or match[5] not in ends or not match[6]:
                continue
            address, size = int(match[1], 16), int(match[2], 0)
            self.address_of.setdefault(match[6], address)
            if match[3] in ("OBJECT", "NOTYPE") and size > 0:
                self.objects[match[6]] = (address, address + size)
            if match[3] == "FUNC":
                address &= ~1 if thumb else ~0
                names.setdefault(address, []).append(match[6])
                old = found.get(address)
                if old is None or old[0] == 0 and size > 0:
                    found[address] = (size, match[6], ends[match[5]])
        begins = sorted(found)
        self.functions = []
        for at, begin in enumerate(begins):
            size, name, section_end = found[begin]
            following = begins[at + 1] if at + 1 < len(begins) else section_end
            end = begin + size if size > 0 else min(following, section_end) if following > begin else section_end
            self.functions.append((begin, end, name))
        self.aliases = {at: names[begin] for at, begin in enumerate(begins)}
        self.index()

    def index(self):
        self.begins = [f[0] for f in self.functions]
        self.index_of = {begin: at for at, begin in enumerate(self.begins)}

    def add_nameless(self):
        """Code that is called and has no symbol is a function, too: up to the next one, named by its address."""
        targets = {int(operands.split()[0], 16) for _, mnemonic, operands in self.insn.values()
                   if mnemonic == "bl" and re.match(r"[0-9a-f]+ <", operands)}
        for target in sorted(targets):
            if self.function_at(target) < 0 and target in self.insn:
                following = min((b for b in self.begins if b > target), default=target + 2)
                self.functions.append((target, following, f"0x{target:08x}"))
        names = {self.functions[at][0]: found for at, found in self.aliases.items()}
        self.functions.sort()
        self.aliases = {at: names.get(f[0], [f[2]]) for at, f in enumerate(self.functions)}
        self.index()

    def function_at(self, address):
        """Index of the innermost function there, or -1."""
        at = bisect.bisect_right(self.begins, address) - 1
        for back in range(at, max(at - 8, -1), -1):
            if self.functions[back][0] <= address < self.functions[back][1]:
                return back
        return -1

    def read_instructions(self):
        """insn: address to (length in bytes, mnemonic, operands)."""
        self.insn = {}
        for line in run(self.prefix + "objdump", "-d", "--no-show-raw-insn", "-w", self.path).splitlines():
            head, tab, text = line.partition(":\t")
            if not tab:
                continue
            words = text.split(None, 1)
            name = words[0].split(".")[0] if words else ""
            try:
                self.insn[int(head, 16)] = [0, name, words[1].split(";")[0].strip() if len(words) > 1 else ""]
            except ValueError:
                continue
        order = sorted(self.insn)
        for here, following in zip(order, order[1:] + [order[-1] + 4 if order else 0]):
            self.insn[here][0] = min(following - here, 8)

    def line_in_table(self, address):
        """Where one sequence of lines ends and the next begins addr2line knows nothing; the table does."""
        if self.table is None:
            self.table = {}
            for text in run(self.prefix + "objdump", "--dwarf=decodedline", self.path).splitlines():
                words = text.split()
                if len(words) >= 3 and words[1].isdigit() and words[2].startswith("0x"):
                    self.table[int(words[2], 16)] = (words[0], int(words[1]))
        return self.table.get(address, ("??", 0))

    def lines(self, addresses):
        """address to (file, line) by addr2line; the innermost of inlined calls."""
        missing = [a for a in addresses if a not in self.line_of]
        if missing:
            out = subprocess.run([self.prefix + "addr2line", "-e", self.path], check=True, capture_output=True, text=True,
                                 input="".join(f"{a:x}\n" for a in missing)).stdout.splitlines()
            for address, text in zip(missing, out):
                file, _, line = text.partition(" ")[0].rpartition(":")
                self.line_of[address] = (file, int(line)) if line.isdigit() and line != "0" else self.line_in_table(address)
        return {a: self.line_of[a] for a in addresses}
