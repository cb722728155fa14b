"""Random programs for an Armv7E-M core with FPU (m4: FPv4-SP, m7: FPv5 with double precision): assembly text, made for a comparison of every register after every
instruction. Nothing in them is UNPREDICTABLE and nothing depends on time: interrupts are pended by the program itself."""
import random

DATA = 0x20002000
SYSTEM = {"ISER": 0xe000e100, "ISPR": 0xe000e200, "IPR": 0xe000e400, "ICSR": 0xe000ed04, "AIRCR": 0xe000ed0c,
          "CCR": 0xe000ed14, "SHPR": 0xe000ed18, "SHCSR": 0xe000ed24, "CPACR": 0xe000ed88, "MPU_CTRL": 0xe000ed94,
          "MPU_RBAR": 0xe000ed9c, "STIR": 0xe000ef00, "FPCCR": 0xe000ef34}
CONDITIONS = ["eq", "ne", "cs", "cc", "mi", "pl", "vs", "vc", "hi", "ls", "ge", "lt", "gt", "le"]
FLOATS = [0, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0xff812345, 1, 0x807fffff,
          0x00800000, 0x80800001, 0x7f7fffff, 0x4b000001, 0xcb7fffff, 0x4f000000, 0xcf000000, 0x33800000, 0x40490fdb,
          0x477fe000, 0x38800000, 0x337fffff, 0x3effffff, 0x5f000000]
# of double precision, lower word first
DOUBLES = [(0, 0), (0, 0x80000000), (0, 0x3ff00000), (0, 0x7ff00000), (0, 0xfff00000), (0, 0x7ff80000), (1, 0x7ff00000),
           (0x12345678, 0xfff00123), (1, 0), (0xffffffff, 0x800fffff), (0, 0x00100000), (1, 0x80100000), (0xffffffff, 0x7fefffff),
           (1, 0x43300000), (0, 0x41e00000), (0xffc00000, 0x41dfffff), (0, 0x3e600000), (0x54442d18, 0x400921fb), (0, 0x36a00000),
           (0, 0x38100000), (0xe0000000, 0x47efffff), (0, 0x3fe00000), (0, 0x40040000), (0, 0x1ff00000), (0, 0x9ff00000)]

HANDLERS = """
@ A fault: what it says is read and cleared, the instruction is left out. Where there is none, the caller goes on.
	.thumb_func
fault:	tst lr, #4
	ite eq
	mrseq r0, msp
	mrsne r0, psp
	ldr r1, =0xe000ed28
	ldr r2, [r1]
	ldr r3, [r1, #4]
	str r2, [r1]
	str r3, [r1, #4]
	ldr r3, [r1, #12]
	ldr r3, [r1, #16]
	ldr r12, [r0, #24]
	ldr r1, =0x00020101
	tst r2, r1
	bne 1f
	ldrh r1, [r12]
	lsrs r1, r1, #11
	cmp r1, #0x1d
	ite hs
	addhs r12, #4
	addlo r12, #2
	b 2f
1:	ldr r12, [r0, #20]
	bic r12, #1
2:	str r12, [r0, #24]
	ldr r1, [r0, #28]
	bic r1, #0x06000000
	bic r1, #0xfc00
	orr r1, #0x01000000
	str r1, [r0, #28]
	bx lr
	.thumb_func
svc:	mrs r0, ipsr
	mrs r1, control
	add r2, r0, r1
	bx lr
	.thumb_func
plain:	mrs r0, ipsr
	ldr r1, =0xe000ed04
	ldr r1, [r1]
	bx lr
	.thumb_func
floats:	vmov.f32 s0, #3.0
	vadd.f32 s1, s0, s0
	vmrs r0, fpscr
	mrs r1, control
	bx lr
	.thumb_func
nested:	push {r4, lr}
	ldr r0, =0xe000e200
	mov r1, #0xc0
	str r1, [r0]
	mrs r2, xpsr
	mrs r3, basepri
	pop {r4, pc}
	.ltorg
"""


class Program:
    def __init__(self, seed, core="m4"):
        self.random = random.Random(seed)
        self.core = core
        self.lines, self.labels, self.protected = [], 0, False
        self.start()

    def put(self, *lines):
        self.lines += ["\t" + line for line in lines]

    def offset(self, first, end):
        """Of an access: any, but with an MPU none that two regions have a part in, of which QEMU asks one."""
        return self.random.randrange(first, end) & (~3 if self.protected else ~0)

    def reg(self):
        return "r%d" % self.random.choice([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12])

    def low(self):
        return "r%d" % self.random.randrange(8)

    def single(self):
        return "s%d" % self.random.randrange(32)

    def wide(self):
        return "d%d" % self.random.randrange(16)

    def label(self):
        self.labels += 1
        return "l%d" % self.labels

    def number(self):
        kind = self.random.randrange(4)
        if kind == 0:
            return self.random.randrange(256)
        if kind == 1:
            return self.random.choice([0x00010001, 0x01000100, 0x01010101]) * self.random.randrange(1, 256)
        return (0x80 | self.random.randrange(128)) << self.random.randrange(1, 24)

    def word(self):
        return self.random.choice([0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0x7fff8000, 0x8000ffff,
                                   self.random.getrandbits(32), self.random.getrandbits(32), self.random.getrandbits(8)])

    def poke(self, name, value, offset=0):
        self.put(f"ldr r8, ={SYSTEM[name] + offset:#x}", f"ldr r9, ={value:#x}", "str r9, [r8]")

    def start(self):
        r = self.random
        self.lines = [".syntax unified", ".cpu cortex-" + self.core, ".fpu fpv4-sp-d16" if self.core == "m4" else ".fpu fpv5-d16", ".thumb", ".word 0x20001800, start + 1, 0",
                      ".word fault, fault, fault, fault, 0, 0, 0, 0, svc, 0, 0, plain, plain"]
        self.lines += [".word " + ", ".join(r.choice(["plain", "floats", "nested"]) for _ in range(6)), ".word plain, floats"]
        self.lines += [HANDLERS, ".thumb_func", "start:"]
        self.put("movs r8, #1")	# the flags of a reset are anything
        self.poke("CPACR", 0x00f00000)
        self.poke("SHCSR", r.choice([0x70000, 0x70000, 0x30000, 0]))
        self.poke("CCR", r.choice([0x200, 0x200, 0x210, 0x208, 0x218]))
        self.poke("AIRCR", 0x05fa0000 | r.randrange(8) << 8)
        for offset in (0, 4):
            self.poke("IPR", r.getrandbits(32), offset)
        for offset in (0, 4, 8):
            self.poke("SHPR", r.getrandbits(32), offset)
        self.poke("ISER", 0xff)
        self.poke("FPCCR", r.choice([0xc0000000, 0xc0000000, 0x80000000]))
        if r.random() < 0.4:
            self.protect()
        self.put(f"ldr r10, ={DATA:#x}", "mov r11, #0")
        for i in range(64):
            value = r.choice(FLOATS) if i < 32 else self.word()
            self.put(f"ldr r0, ={value:#x}", f"str r0, [r10, #{4 * i}]")
            if i < 32:
                self.put(f"vmov s{i}, r0")
        for i in (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12):
            self.put(f"ldr r{i}, ={self.word():#x}")
        if r.random() < 0.5:
            self.put("ldr r8, =0x20001000", "msr psp, r8", f"mov r8, #{r.choice([2, 2, 3])}", "msr control, r8", "isb")
        self.pool()

    def protect(self):
        """The whole of memory by the default map, or code and data by regions; 32 bytes of the data with other rights."""
        r = self.random
        self.protected = True
        regions = [(0, 0x03000000 | 21 << 1 | 1), (0x20000000, 0x13000000 | 21 << 1 | 1)]
        regions += [(DATA + 0x20 * r.randrange(8), r.randrange(8) << 24 | 4 << 1 | 1) for _ in range(2)]
        regions += [(DATA, r.choice([1, 2, 3, 5, 6]) << 24 | r.getrandbits(8) << 8 | 7 << 1 | r.randrange(2))]
        for i, (base, rasr) in enumerate(regions):
            self.poke("MPU_RBAR", base | 0x10 | i)
            self.poke("MPU_RBAR", rasr, 4)
        self.poke("MPU_CTRL", r.choice([1, 3, 5, 7]))

    def pool(self):
        label = self.label()
        self.put(f"b.w {label}", ".ltorg")
        self.lines.append(label + ":")

    # --- one idea of instructions each

    def data(self):
        r, s = self.random, self.random.choice(["", "s"])
        kind = r.randrange(9)
        op = r.choice(["and", "bic", "orr", "orn", "eor", "add", "adc", "sbc", "sub", "rsb"])
        if kind == 0:
            return f"{op}{s}.w {self.reg()}, {self.reg()}, #{self.number()}"
        if kind == 1:
            how = r.choice(["lsl", "lsr", "asr", "ror"])
            return f"{op}{s}.w {self.reg()}, {self.reg()}, {self.reg()}, {how} #{r.randrange(1, 32)}"
        if kind == 2:
            return f"{op}{s}.w {self.reg()}, {self.reg()}, {self.reg()}, rrx"
        if kind == 3:
            return f"{r.choice(['tst', 'teq', 'cmp', 'cmn'])}.w {self.reg()}, #{self.number()}"
        if kind == 4:
            return f"{r.choice(['mov', 'mvn'])}{s}.w {self.reg()}, #{self.number()}"
        if kind == 5:
            return f"{r.choice(['lsl', 'lsr', 'asr', 'ror'])}{s}.w {self.reg()}, {self.reg()}, {self.reg()}"
        if kind == 6:
            return f"{r.choice(['movw', 'movt'])} {self.reg()}, #{r.getrandbits(16)}"
        if kind == 7:
            return f"{r.choice(['addw', 'subw'])} {self.reg()}, {self.reg()}, #{r.getrandbits(12)}"
        return f"{r.choice(['lsr', 'asr'])}{s}.w {self.reg()}, {self.reg()}, #{r.randrange(1, 33)}"

    def narrow(self):
        """16-bit; inside an IT block they leave the flags alone, and the assembler writes them without s."""
        r, d, n = self.random, self.low(), self.low()
        return r.choice([
            f"adds {d}, {n}, #{r.randrange(8)}", f"subs {d}, {d}, #{r.randrange(256)}", f"movs {d}, #{r.randrange(256)}",
            f"ands {d}, {n}", f"adcs {d}, {n}", f"sbcs {d}, {n}", f"muls {d}, {n}, {d}", f"lsls {d}, {n}, #{r.randrange(32)}",
            f"lsrs {d}, {n}", f"asrs {d}, {n}", f"rors {d}, {n}", f"cmp {d}, {n}", f"cmn {d}, {n}", f"tst {d}, {n}",
            f"mvns {d}, {n}", f"uxtb {d}, {n}", f"rev {d}, {n}", f"add {self.reg()}, {self.reg()}", f"cmp {self.reg()}, {self.reg()}",
            f"mov {self.reg()}, {self.reg()}", f"adr {d}, .", "nop"])

    def fields(self):
        r, lsb = self.random, self.random.randrange(32)
        width = r.randrange(1, 33 - lsb)
        return r.choice([
            f"ubfx {self.reg()}, {self.reg()}, #{lsb}, #{width}", f"sbfx {self.reg()}, {self.reg()}, #{lsb}, #{width}",
            f"bfi {self.reg()}, {self.reg()}, #{lsb}, #{width}", f"bfc {self.reg()}, #{lsb}, #{width}",
            f"ssat {self.reg()}, #{r.randrange(1, 33)}, {self.reg()}, lsl #{r.randrange(32)}",
            f"usat {self.reg()}, #{r.randrange(32)}, {self.reg()}, asr #{r.randrange(1, 32)}",
            f"{r.choice(['clz', 'rbit', 'rev.w', 'rev16.w', 'revsh.w'])} {self.reg()}, {self.reg()}",
            f"{r.choice(['s', 'u'])}{r.choice(['xtb', 'xth'])}.w {self.reg()}, {self.reg()}, ror #{r.choice([0, 8, 16, 24])}"])

    def multiply(self):
        r = self.random
        a, b = r.sample([0, 1, 2, 3, 4, 5, 6, 7], 2)
        return r.choice([
            f"{r.choice(['mla', 'mls', 'smlad', 'smladx', 'smlsd', 'smlsdx', 'smmla', 'smmlar', 'smmls', 'smmlsr', 'usada8'])}"
            f" {self.reg()}, {self.reg()}, {self.reg()}, {self.reg()}",
            f"{r.choice(['mul.w', 'smuad', 'smuadx', 'smusd', 'smusdx', 'smmul', 'smmulr', 'usad8', 'sdiv', 'udiv'])}"
            f" {self.reg()}, {self.reg()}, {self.reg()}",
            f"{r.choice(['smull', 'umull', 'smlal', 'umlal', 'umaal', 'smlald', 'smlaldx', 'smlsld', 'smlsldx'])}"
            f" r{a}, r{b}, {self.reg()}, {self.reg()}",
            f"smlal{r.choice('bt')}{r.choice('bt')} r{a}, r{b}, {self.reg()}, {self.reg()}",
            f"smul{r.choice('btw')}{r.choice('bt')} {self.reg()}, {self.reg()}, {self.reg()}",
            f"smla{r.choice('btw')}{r.choice('bt')} {self.reg()}, {self.reg()}, {self.reg()}, {self.reg()}"])

    def simd(self):
        r = self.random
        return r.choice([
            f"{r.choice(['s', 'q', 'sh', 'u', 'uq', 'uh'])}{r.choice(['add8', 'add16', 'asx', 'sax', 'sub8', 'sub16'])}"
            f" {self.reg()}, {self.reg()}, {self.reg()}",
            f"sel {self.reg()}, {self.reg()}, {self.reg()}",
            f"{r.choice(['qadd', 'qdadd', 'qsub', 'qdsub'])} {self.reg()}, {self.reg()}, {self.reg()}",
            f"ssat16 {self.reg()}, #{r.randrange(1, 17)}, {self.reg()}", f"usat16 {self.reg()}, #{r.randrange(16)}, {self.reg()}",
            f"pkhbt {self.reg()}, {self.reg()}, {self.reg()}, lsl #{r.randrange(1, 32)}",
            f"pkhtb {self.reg()}, {self.reg()}, {self.reg()}, asr #{r.randrange(1, 33)}",
            f"{r.choice(['s', 'u'])}xta{r.choice(['b', 'h', 'b16'])} {self.reg()}, {self.reg()}, {self.reg()}, ror #{r.choice([0, 8, 16, 24])}",
            f"{r.choice(['s', 'u'])}xtb16 {self.reg()}, {self.reg()}"])

    def float(self):
        r, d, n, m = self.random, self.single(), self.single(), self.single()
        return r.choice([
            f"{r.choice(['vadd', 'vsub', 'vmul', 'vnmul', 'vdiv', 'vmla', 'vmls', 'vnmla', 'vnmls', 'vfma', 'vfms', 'vfnma', 'vfnms'])}"
            f".f32 {d}, {n}, {m}",
            f"{r.choice(['vabs', 'vneg', 'vsqrt', 'vmov', 'vcmp', 'vcmpe'])}.f32 {d}, {m}",
            f"{r.choice(['vcmp', 'vcmpe'])}.f32 {d}, #0",
            f"vmov.f32 {d}, #{r.choice(['1.0', '-2.5', '0.125', '31.0'])}",
            f"vcvt{r.choice(['', 'r'])}.{r.choice(['s32', 'u32'])}.f32 {d}, {m}",
            f"vcvt.f32.{r.choice(['s32', 'u32'])} {d}, {m}",
            f"vcvt.{r.choice(['s16', 'u16'])}.f32 {d}, {d}, #{r.randrange(1, 17)}",
            f"vcvt.f32.{r.choice(['s32', 'u32'])} {d}, {d}, #{r.randrange(1, 33)}",
            f"vcvt.f32.{r.choice(['s16', 'u16'])} {d}, {d}, #{r.randrange(1, 17)}",
            f"vcvt{r.choice('bt')}.{r.choice(['f16.f32', 'f32.f16'])} {d}, {m}",
            f"vmov {self.reg()}, {d}", f"vmov {d}, {self.reg()}", f"vmov r1, r2, d{r.randrange(16)}", f"vmov d{r.randrange(16)}, r1, r2",
            "vmov s4, s5, r3, r4", "vmov r5, r6, s6, s7",
            f"vmrs {self.reg()}, fpscr", "vmrs APSR_nzcv, fpscr"])

    def double(self):
        r, d, n, m, s = self.random, self.wide(), self.wide(), self.wide(), self.single()
        return r.choice([
            f"{r.choice(['vadd', 'vsub', 'vmul', 'vnmul', 'vdiv', 'vmla', 'vmls', 'vnmla', 'vnmls', 'vfma', 'vfms', 'vfnma', 'vfnms'])}"
            f".f64 {d}, {n}, {m}",
            f"{r.choice(['vabs', 'vneg', 'vsqrt', 'vmov', 'vcmp', 'vcmpe'])}.f64 {d}, {m}",
            f"{r.choice(['vcmp', 'vcmpe'])}.f64 {d}, #0", f"vmov.f64 {d}, #{r.choice(['1.0', '-2.5', '0.125', '31.0'])}",
            f"vcvt{r.choice(['', 'r'])}.{r.choice(['s32', 'u32'])}.f64 {s}, {m}", f"vcvt.f64.{r.choice(['s32', 'u32'])} {d}, {s}",
            f"vcvt.{r.choice(['s16', 'u16'])}.f64 {d}, {d}, #{r.randrange(1, 17)}",
            f"vcvt.{r.choice(['s32', 'u32'])}.f64 {d}, {d}, #{r.randrange(1, 33)}",
            f"vcvt.f64.{r.choice(['s32', 'u32'])} {d}, {d}, #{r.randrange(1, 33)}",
            f"vcvt.f64.{r.choice(['s16', 'u16'])} {d}, {d}, #{r.randrange(1, 17)}",
            f"vcvt.f64.f32 {d}, {s}", f"vcvt.f32.f64 {s}, {m}",
            f"vcvt{r.choice('bt')}.f16.f64 {s}, {m}", f"vcvt{r.choice('bt')}.f64.f16 {d}, {s}"])

    def added(self):
        """FPv5's own, in both precisions."""
        r, size = self.random, self.random.choice(["f32", "f64"])
        d, n, m = (self.single() if size == "f32" else self.wide() for _ in range(3))
        return r.choice([
            f"vsel{r.choice(['eq', 'vs', 'ge', 'gt'])}.{size} {d}, {n}, {m}", f"{r.choice(['vmaxnm', 'vminnm'])}.{size} {d}, {n}, {m}",
            f"vrint{r.choice('anpmrzx')}.{size} {d}, {m}",
            f"vcvt{r.choice('anpm')}.{r.choice(['s32', 'u32'])}.{size} {self.single()}, {m}"])

    SIMPLE = {"m4": ("data", "data", "narrow", "narrow", "fields", "multiply", "simd", "float", "float")}
    SIMPLE["m7"] = SIMPLE["m4"] + ("double", "double", "double", "added", "added")

    def simple(self):
        return getattr(self, self.random.choice(self.SIMPLE[self.core]))()

    # --- several instructions

    def plain(self):
        self.put(self.simple())

    def fpscr(self):
        value = self.random.choice([0, 0, 1, 2, 3]) << 22 | self.random.choice([0, 0, 1, 2, 4, 7]) << 24
        self.put(f"ldr r8, ={value:#x}", "vmsr fpscr, r8")
        for _ in range(4):
            self.put(f"ldr r8, ={self.random.choice(FLOATS):#x}", f"vmov {self.single()}, r8")
        for _ in range(4 if self.core == "m7" else 0):
            low, high = self.random.choice(DOUBLES)
            self.put(f"ldr r8, ={low:#x}", f"ldr r9, ={high:#x}", f"vmov {self.wide()}, r8, r9")

    def it_block(self):
        n, condition = self.random.randrange(1, 5), self.random.choice(CONDITIONS)
        other = CONDITIONS[CONDITIONS.index(condition) ^ 1]
        kinds = [True] + [self.random.random() < 0.5 for _ in range(n - 1)]
        self.put("it" + "".join("t" if kind else "e" for kind in kinds[1:]) + " " + condition)
        for kind in kinds:
            self.put(self.conditional(condition if kind else other))

    def conditional(self, condition):
        r, d, n = self.random, self.low(), self.low()
        return r.choice([
            f"add{condition} {d}, {n}, #{r.randrange(8)}", f"mov{condition} {d}, #{r.randrange(256)}", f"eor{condition} {d}, {n}",
            f"cmp{condition} {d}, {n}", f"tst{condition} {d}, {n}", f"subs{condition}.w {self.reg()}, {self.reg()}, #{self.number()}",
            f"orr{condition}.w {self.reg()}, {self.reg()}, {self.reg()}, lsl #{r.randrange(1, 32)}",
            f"ldr{condition} {d}, [r10, #{4 * r.randrange(64)}]", f"str{condition} {d}, [r10, #{4 * r.randrange(64)}]",
            f"vadd{condition}.f32 {self.single()}, {self.single()}, {self.single()}", f"mul{condition} {d}, {n}, {d}",
            f"ldr{condition}.w {d}, [r10, #{self.offset(0, 250)}]", f"sel{condition} {self.reg()}, {self.reg()}, {self.reg()}"])

    def memory(self):
        r, offset, d = self.random, self.offset(0, 250), self.reg()
        size = r.choice(["", "b", "h", "sb", "sh"])
        store = r.choice(["", "b", "h"])
        first, second = r.sample([0, 1, 2, 3, 4, 5, 6, 7], 2)
        self.put("and.w r8, r3, #0x3c")
        self.put(*r.choice([
            [f"ldr{size}.w {d}, [r10, #{offset}]"], [f"str{store}.w {d}, [r10, #{offset}]"],
            [f"ldr{size}.w {d}, [r10, r8, lsl #{r.randrange(3)}]"], [f"str{store}.w {d}, [r10, r8, lsl #{r.randrange(3)}]"],
            ["add r9, r10, #128", f"ldr{size} r{first}, [r9], #{self.offset(-128, 100)}"],
            ["add r9, r10, #128", f"ldr{size} r{first}, [r9, #{self.offset(-128, 100)}]!"],
            ["add r9, r10, #128", f"str{store} r{first}, [r9], #{self.offset(-128, 100)}"],
            ["add r9, r10, #128", f"str{store} r{first}, [r9, #{self.offset(-128, 100)}]!"],
            ["add r9, r10, #128", f"ldr{size} r{first}, [r9, #-{self.offset(4, 120)}]"],
            [f"ldr{size}t {d}, [r10, #{offset}]"], [f"str{store}t {d}, [r10, #{offset}]"],
            [f"ldrd r{first}, r{second}, [r10, #{8 * r.randrange(30)}]"], [f"strd r{first}, r{second}, [r10, #{8 * r.randrange(30)}]"],
            ["add r9, r10, #128", f"ldrd r{first}, r{second}, [r9], #-{8 * r.randrange(15)}"],
            ["add r9, r10, #128", f"strd r{first}, r{second}, [r9, #-{8 * r.randrange(15)}]!"],
            ["add r9, r10, #64", f"ldmia.w r9{r.choice(['', '!'])}, {{r0, r2, r{r.choice([4, 5])}, r12}}"],
            ["add r9, r10, #128", f"ldmdb r9{r.choice(['', '!'])}, {{r1, r3, r{r.choice([6, 7])}}}"],
            ["add r9, r10, #128", f"stmdb r9{r.choice(['', '!'])}, {{r1, r3, r{r.choice([6, 7])}, lr}}"],
            ["add r9, r10, #64", f"stmia.w r9{r.choice(['', '!'])}, {{r0, r2, r12}}"],
            ["push.w {r1, r2, r9, r12}", "pop.w {r2, r3, r8, r12}"], ["push {r1, r2}", "pop {r4, r5}"],
            [f"vldr {self.single()}, [r10, #{4 * r.randrange(60)}]"], [f"vstr {self.single()}, [r10, #{4 * r.randrange(60)}]"],
            [f"vldr d{r.randrange(16)}, [r10, #{8 * r.randrange(30)}]"], [f"vstr d{r.randrange(16)}, [r10, #{8 * r.randrange(30)}]"],
            ["vpush {s3-s9}", "vpop {s4-s10}"], ["vpush {d1-d4}", "vpop {d9-d12}"],
            ["add r9, r10, #128", f"vldmdb r9!, {{s{r.randrange(20)}-s{r.randrange(20, 31)}}}"],
            ["add r9, r10, #16", "vstmia r9!, {d2-d5}"],
            ["clrex", "ldrex r0, [r10, #8]", "strex r9, r1, [r10, #8]", "strex r9, r1, [r10, #8]"],
            ["ldrexb r0, [r10]", "strexb r9, r1, [r10]", "ldrexh r0, [r10]", "clrex", "strexh r9, r1, [r10]"]]))

    def flow(self):
        r, end = self.random, self.label()
        kind = r.randrange(6)
        if kind == 0:
            self.put(f"b{r.choice(CONDITIONS)}{r.choice(['', '.w'])} {end}", self.simple(), self.simple())
        elif kind == 1:
            self.put(f"{r.choice(['cbz', 'cbnz'])} {self.low()}, {end}", self.simple(), self.simple())
        elif kind == 2:
            self.put("and r8, r2, #3", "tbb [pc, r8]", ".byte 2, 4, 6, 8") if r.random() < 0.5 else \
                self.put("and r8, r2, #3", "tbh [pc, r8, lsl #1]", ".hword 4, 6, 8, 10")
            for _ in range(4):
                self.put(f"adds {self.low()}, #{r.randrange(256)}", "nop")
        elif kind == 3:
            function = self.label()
            self.put(f"bl {function}", f"b {end}")
            self.lines.append(function + ":")
            self.put("push {r4, lr}", self.simple(), r.choice(["pop {r4, pc}", "pop.w {r4, pc}"]))
        elif kind == 4:
            self.put(f"adr.w r8, {end}", "orr r8, #1", "push {r8}", "ldr pc, [sp], #4", "nop")
            self.put(".balign 4")
        else:
            self.put("cmp r0, r1", f"it {r.choice(CONDITIONS)}")
            self.lines[-1] = "\tit " + (condition := r.choice(CONDITIONS))
            self.put(f"b{condition}.n {end}", self.simple())
        self.lines.append(end + ":")

    def fault(self):
        r, after = self.random, self.label()
        self.put(*r.choice([
            ["udf.w #3"], ["udf #1"], ["svc 1", "nop"], ["ldr r8, =0x30000000", "ldr r0, [r8]"],
            ["ldr r8, =0x30000004", "str r0, [r8, #4]!"], ["add r9, r10, #2", "ldmia.w r9, {r0, r1}"], ["add r9, r10, #1", "ldrd r0, r1, [r9]"],
            ["mov r8, #0", "sdiv r0, r1, r8"], ["mov r8, #0", "udiv r0, r1, r8"], ["mcr p5, 0, r0, c1, c1"], ["cdp p4, 1, c0, c1, c2"],
            [f"adr.w lr, {after}", "orr lr, #1", "ldr r9, =0x40000001", "bx r9", ".balign 4"],
            [f"adr.w lr, {after}", "orr lr, #1", "ldr r9, =0x30000001", "bx r9", ".balign 4"],
            [f"adr.w lr, {after}", "orr lr, #1", "mov r9, #0x100", "bx r9", ".balign 4"],
            ["add r9, r10, #3", "vldr s1, [r9]"], ["add r9, r10, #1", "ldrex r1, [r9]"],
            ["cmp r0, r0", "itt eq", "ldreq r0, [r11, #-4]", "moveq r1, #4"]]))
        self.lines.append(after + ":")

    def system(self):
        r = self.random
        self.put(*r.choice([
            ["ldr r8, =0xe000e200", f"mov r9, #{r.choice([1, 2, 4, 8, 0x10, 0x20, 0x35])}", "str r9, [r8]"],
            ["ldr r8, =0xe000ef00", f"mov r9, #{r.randrange(8)}", "str r9, [r8]"],
            ["ldr r8, =0xe000ed04", "mov r9, #0x10000000", "str r9, [r8]"],
            ["ldr r8, =0xe000ed04", "mov r9, #0x04000000", "str r9, [r8]", "ldr r9, [r8]"],
            [f"mov r8, #{r.randrange(256)}", f"msr {r.choice(['basepri', 'basepri_max'])}, r8", self.simple(), "mrs r9, basepri"],
            ["mov r8, #0", "msr basepri, r8"], ["cpsid i", self.simple()], ["cpsie i"], ["cpsid f", "adds r0, #1", "mrs r9, faultmask", "cpsie f"],
            ["ldr r8, =0xe000e400", f"ldr r9, ={r.getrandbits(32):#x}", f"{r.choice(['str', 'strb', 'strh'])} r9, [r8]"],
            ["ldr r8, =0xe000ed18", f"mov r9, #{r.randrange(256)}", f"strb r9, [r8, #{r.choice([0, 1, 2, 7, 10, 11])}]"],
            [f"msr APSR_{r.choice(['nzcvq', 'g', 'nzcvqg'])}, {self.reg()}"], [f"mrs {self.reg()}, {r.choice(['apsr', 'xpsr', 'psp', 'control', 'primask'])}"],
            ["ldr r8, =0xe000ef34", "ldr r9, [r8, #4]"], ["ldr r8, =0xe000ed24", "ldr r9, [r8]"],
            ["ldr r8, =0xe000ed94", "ldr r9, [r8]"], ["dsb", "isb", "dmb", "nop.w", "sev"]]))

    KINDS = (["plain"] * 12 + ["it_block"] * 3 + ["memory"] * 5 + ["flow"] * 3 + ["system"] * 2 + ["fault"] + ["fpscr"])

    def text(self, n_ideas):
        for i in range(n_ideas):
            getattr(self, self.random.choice(self.KINDS))()
            if i % 20 == 19:
                self.pool()
        self.lines.append("done:")
        self.put("b done", ".ltorg")
        return "\n".join(self.lines) + "\n"
