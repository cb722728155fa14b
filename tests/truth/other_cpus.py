"""The other cores, as far as the evaluator asks. Their cycles come from the log itself: what a straight line took is spread
over its instructions by the weights of cycles(), which matters only where it falls from one function into another."""


class ByLog:
    by_log = True
    entry = exit = chain = 0
    call_pushes = 0

    def __init__(self, elf):
        pass

    def stack(self, low):
        return low

    def thread(self, sp):
        return 0

    def cycles(self, mnemonic, operands, taken):
        return 1

    def behind_call(self, insn):
        return insn[0]

    def last_of(self, source, insn):
        return source


class S12z(ByLog):
    hz = 50000000
    call_pushes = 3
    entry = 9			# a frame of 29 bytes in 8 accesses, and the vector

    def cycles(self, mnemonic, operands, taken):
        in_memory = operands != "" and not operands.startswith(("#", "d", "x", "y", "s,"))
        changes = mnemonic.split(".")[0] in ("inc", "dec", "com", "neg", "btgl", "bset", "bclr")
        return 2 if mnemonic in ("rts", "bsr", "jsr") else 1 + in_memory * (1 + changes)

    def is_call(self, mnemonic):
        return mnemonic in ("bsr", "jsr")


class Microblaze(ByLog):
    hz = 5000000
    SLOT = ("brd", "brad", "brld", "brald", "brid", "braid", "brlid", "bralid", "rtsd", "rtid", "rtbd", "rted")

    def is_call(self, mnemonic):
        return mnemonic.startswith(("brl", "bral"))

    def behind_call(self, insn):
        return 8

    def last_of(self, source, insn):
        """The delay slot is executed, too."""
        name = insn[1] if insn else ""
        return source + 4 if name in self.SLOT or name.startswith("b") and name.endswith("d") and not name.startswith("br") else source


class E500(ByLog):
    hz = 5000000

    def is_call(self, mnemonic):
        return mnemonic in ("bl", "bctrl", "bla", "blrl")
