"""The Cortex-M0+ as its Technical Reference Manual has it (DDI 0484, instruction set summary), zero wait states: cycles
by objdump's mnemonic. What the manual leaves open is as shared/facts/cortex-m.md says: 15 to enter an exception, 13 to
return, 6 to chain."""
import re

RANGE = re.compile(r"r(\d+)-r(\d+)|\w+")


def list_length(operands):
    inside = operands[operands.index("{") + 1:operands.index("}")]
    return sum(int(m[2]) - int(m[1]) + 1 if m[1] else 1 for m in RANGE.finditer(inside))


class Arm:
    by_log = False
    entry, exit, chain = 15, 13, 6
    call_pushes = 0
    hz = 48000000

    def __init__(self, elf):
        self.stacks = sorted((begin & 0xffff, end & 0xffff, int(re.search(r"task_stack(\d+)", name)[1]))
                             for name, (begin, end) in elf.objects.items() if "task_stack" in name)

    def stack(self, low):
        return low ^ 0x8000	# RAM from 0x1fffe000 to 0x20006000, in order

    def thread(self, sp):
        for begin, end, number in self.stacks:
            if begin < sp ^ 0x8000 <= end:
                return number
        return 0

    def is_call(self, mnemonic):
        return mnemonic in ("bl", "blx")

    def behind_call(self, insn):
        return insn[0]

    def last_of(self, source, insn):
        return source

    def cycles(self, mnemonic, operands, taken):
        if mnemonic in ("push", "pop", "ldmia", "stmia", "ldm", "stm"):
            n = list_length(operands)
            return 3 + n - 1 if taken else 1 + n	# with pc: 3 and one for each other register
        if mnemonic.startswith(("ldr", "str")):
            return 2
        if mnemonic == "bl":
            return 3
        if taken or mnemonic in ("b", "bx", "blx"):
            return 2
        if mnemonic in ("mrs", "msr", "dsb", "dmb", "isb"):
            return 3
        if mnemonic in ("wfi", "wfe"):
            return 2
        return 0 if mnemonic == "svc" else 1	# svc: the entry is all