"""Random steady programs for the other virtual boards: S12Z and MicroBlaze in assembly, PowerPC e500 in freestanding C. The
shapes are those of the Arm programs as far as the instruction set has them: calls of a graph, recursion, tail calls, tables,
falls into the next symbol, endless loops without a recorded branch, a timer interrupt."""
import os
import random
import subprocess


def plan(r):
    """Functions 0 .. n-1, each a list of ("loop", n), ("call", k, times), ("if", bit), then ("return",) or ("tail", k)."""
    n, costs, found = r.randint(6, 12), [], []
    for k in range(n):
        steps, cost = [], 6
        for _ in range(r.randint(1, 4)):
            what, times = r.random(), r.randint(1, 6)
            callee = r.randrange(k) if k > 0 else None
            if what < 0.5 and callee is not None and cost + times * (costs[callee] + 8) < 1500:
                cost += times * (costs[callee] + 8)
                steps.append(("call", callee, times))
            elif what < 0.85:
                loops = r.randint(2, 40)
                cost += loops * 6
                steps.append(("loop", loops, r.randint(1, 5)))
            else:
                steps.append(("if", r.randint(0, 3)))
                cost += 5
        tail = r.randrange(k) if k > 0 and r.random() < 0.25 else None
        if tail is not None and cost + costs[tail] < 1800:
            steps.append(("tail", tail))
            cost += costs[tail]
        costs.append(cost)
        found.append(steps)
    return found


# --- S12Z

S12Z_HEAD = """TIOS	= 0x400
TSCR1	= 0x406
TIE	= 0x40c
TFLG1	= 0x40e
TC0	= 0x410
	.macro	function name
	.type	\\name, @function
	.globl	\\name
\\name:
	.endm
	.macro	ends name
	.size	\\name, . - \\name
	.endm
	.text
	function start
	lea	s, stack_top
	lea	x, ram_begin
	lea	y, ram_end
.Lclear:
	clr.b	(x+)
	cmp	x, y
	bne	.Lclear
	mov.w	#{period}, TC0
	mov.b	#1, TIOS
	mov.b	#1, TIE
	mov.b	#0x80, TSCR1
	andcc	#-17
	bra	main
	ends	start
"""
S12Z_TAIL = """
	function countdown
	tbeq	d2, .Lbottom
	psh	d2
	dec	d2
	bsr	countdown
	pul	d2
.Lbottom:
	rts
	ends	countdown
	function op_add
	ld	d6, left
	add	d6, right
	st	d6, left
	rts
	ends	op_add
	function op_eor
	ld	d6, left
	eor	d6, right
	st	d6, right
	rts
	ends	op_eor
	function op_mul
	ld	d6, left
	mulu	d6, d6, d7
	st	d6, left
	rts
	ends	op_mul
	function operate
	ld	d2, turn
	inc	d2
	and	d2, #3
	st	d2, turn
	cmp	d2, #3
	beq	.Lnone
	lsl	d3, d2, #1
	lsl	d3, d3, #1
	lea	x, operations + 1
	jsr	[d3,x]
.Lnone:
	rts
	ends	operate
	function falls
	inc.l	left
	ends	falls
	function into
	inc.l	right
	rts
	ends	into
	function hot
	nop
.Lhot:
	nop
	dbne	d2, .Lhot
	rts
	ends	hot
	function on_tick
	inc.l	ticks
	rts
	ends	on_tick
	function tick
	mov.b	#1, TFLG1
	ld	d2, TC0
	add	d2, #{period}
	st	d2, TC0
	bsr	on_tick
	rti
	ends	tick
	function unexpected
	bra	unexpected
	ends	unexpected
	.section .rodata, "a"
	.type	operations, @object
	.globl	operations
operations:
	.long	op_add, op_eor, op_mul
	ends	operations
	.section .vectors, "a"
	.rept	123 - 12
	.long	unexpected
	.endr
	.long	tick
	.rept	11
	.long	unexpected
	.endr
	.long	start
	.bss
ram_begin:
left:	.space	4
right:	.space	4
ticks:	.space	4
turn:	.space	2
flags:	.space	2
ram_end:
"""


def s12z_text(r):
    text, label = S12Z_HEAD.replace("{period}", str(r.randint(9000, 40000))), [0]

    def fresh():
        label[0] += 1
        return f".Lx{label[0]}"

    functions = plan(r)
    for k, steps in enumerate(functions):
        text += f"\tfunction fn{k}\n\tinc.w\tflags\n"
        ended = False
        for step in steps:
            at = fresh()
            if step[0] == "loop":
                ops = "".join(r.choice(["\tadd\td6, #3\n", "\teor\td6, #0x5a\n", "\tnop\n", "\tlsl\td3, d3, #1\n"]) for _ in range(step[2]))
                text += f"\tld\td2, #{step[1]}\n{at}:\n{ops}\tdbne\td2, {at}\n"
            elif step[0] == "call":
                call = r.choice(["bsr", "jsr"])
                text += f"\tld\td4, #{step[2]}\n{at}:\n\tpsh\td4\n\t{call}\tfn{step[1]}\n\tpul\td4\n\tdbne\td4, {at}\n"
            elif step[0] == "if":
                text += f"\tld\td3, flags\n\tand\td3, #{1 << step[1]}\n\tbeq\t{at}\n\tadd\td6, #9\n\tnop\n{at}:\n"
            else:
                text += f"\tbra\tfn{step[1]}\n"
                ended = True
        text += ("" if ended else "\trts\n") + f"\tends fn{k}\n"
    calls = "".join(f"\tbsr\tfn{k}\n" for k in sorted(r.sample(range(len(functions)), 4) + [len(functions) - 1]))
    calls += f"\tld\td2, #{r.randint(2, 7)}\n\tbsr\tcountdown\n\tbsr\toperate\n"
    calls += "".join(r.sample(["\tbsr\tfalls\n\tbsr\tinto\n", f"\tld\td2, #{r.randint(20, 200)}\n\tbsr\thot\n"], r.randint(0, 2)))
    rounds = "" if r.random() < 0.75 else ".Lidle:\n\tbra\t.Lidle\n"	# nothing but the interrupt, and a loop that no trace shows
    text += f"\tfunction main\n.Lround:\n{rounds}{calls}\tbra\t.Lround\n\tends main\n"
    return text + S12Z_TAIL.replace("{period}", str(r.randint(9000, 40000)))


# --- MicroBlaze

MICROBLAZE_HEAD = """	.macro	function name
	.align	2
	.globl	\\name
	.type	\\name, @function
\\name:
	.endm
	.macro	ends name
	.size	\\name, . - \\name
	.endm
	.macro	enter
	addik	r1, r1, -8
	swi	r15, r1, 0
	.endm
	.macro	leave
	lwi	r15, r1, 0
	addik	r1, r1, 8
	.endm
	.section .vectors, "ax"
	.globl	_reset
_reset:	brai	start
	brai	unexpected
	brai	on_interrupt
	brai	unexpected
	brai	unexpected
	.text
	.equ	INTC, 0x81800000
	.equ	TIMER, 0x83c00000
	function start
	addik	r1, r0, stack_top - 16
	addik	r5, r0, TIMER
	addik	r6, r0, {period}
	swi	r6, r5, 4
	addik	r6, r0, 0x20
	swi	r6, r5, 0
	addik	r6, r0, 0x0d2
	swi	r6, r5, 0
	addik	r5, r0, INTC
	addik	r6, r0, 1
	swi	r6, r5, 8
	addik	r6, r0, 3
	swi	r6, r5, 0x1c
	msrset	r0, 2
	bri	main
	ends	start
	function unexpected
	bri	unexpected
	ends	unexpected
	function on_interrupt
	addik	r1, r1, -16
	swi	r15, r1, 0
	swi	r5, r1, 4
	swi	r6, r1, 8
	addik	r5, r0, TIMER
	lwi	r6, r5, 0
	swi	r6, r5, 0
	addik	r5, r0, INTC
	addik	r6, r0, 1
	swi	r6, r5, 0x0c
	brlid	r15, on_tick
	nop
	lwi	r15, r1, 0
	lwi	r5, r1, 4
	lwi	r6, r1, 8
	rtid	r14, 0
	addik	r1, r1, 16
	ends	on_interrupt
	function on_tick
	lwi	r5, r0, ticks
	addik	r5, r5, 1
	swi	r5, r0, ticks
	rtsd	r15, 8
	nop
	ends	on_tick
	function countdown
	beqi	r5, .Lbottom
	enter
	brlid	r15, countdown
	addik	r5, r5, -1
	leave
.Lbottom:
	rtsd	r15, 8
	nop
	ends	countdown
	function falls
	addik	r3, r3, 1
	ends	falls
	function into
	addik	r3, r3, 2
	rtsd	r15, 8
	nop
	ends	into
	function op_add
	rtsd	r15, 8
	addik	r3, r5, 12345
	ends	op_add
	function op_mul
	rtsd	r15, 8
	muli	r3, r5, 17
	ends	op_mul
	function operate
	enter
	lwi	r5, r0, turn
	addik	r5, r5, 1
	andi	r5, r5, 1
	swi	r5, r0, turn
	bslli	r5, r5, 2
	lwi	r6, r5, operations
	brald	r15, r6
	nop
	leave
	rtsd	r15, 8
	nop
	ends	operate
"""


def microblaze_text(r):
    text, label = MICROBLAZE_HEAD.replace("{period}", str(r.randint(4000, 20000))), [0]

    def fresh():
        label[0] += 1
        return f".Lx{label[0]}"

    functions = plan(r)
    for k, steps in enumerate(functions):
        text += f"\tfunction fn{k}\n\taddik\tr1, r1, -8\n\tswi\tr15, r1, 0\n\tswi\tr8, r1, 4\n"
        back = "\tlwi\tr15, r1, 0\n\tlwi\tr8, r1, 4\n\taddik\tr1, r1, 8\n"
        ended = False
        for step in steps:
            at = fresh()
            if step[0] == "loop":
                ops = "".join(r.choice(["\taddik\tr3, r3, 3\n", "\txori\tr3, r3, 0x5a\n", "\tnop\n", "\tlwi\tr4, r0, flags\n"]) for _ in range(step[2]))
                slot = r.random() < 0.5
                text += f"\taddik\tr7, r0, {step[1]}\n{at}:\n{ops}\taddik\tr7, r7, -1\n" + (
                    f"\tbneid\tr7, {at}\n\taddik\tr3, r3, 1\n" if slot else f"\tbnei\tr7, {at}\n")
            elif step[0] == "call":
                text += f"\taddik\tr8, r0, {step[2]}\n{at}:\n\tbrlid\tr15, fn{step[1]}\n\tnop\n\taddik\tr8, r8, -1\n\tbnei\tr8, {at}\n"
            elif step[0] == "if":
                text += f"\tlwi\tr4, r0, flags\n\taddik\tr4, r4, 1\n\tswi\tr4, r0, flags\n\tandi\tr4, r4, {1 << step[1]}\n\tbeqi\tr4, {at}\n\taddik\tr3, r3, 9\n{at}:\n"
            else:
                text += back + f"\tbri\tfn{step[1]}\n"
                ended = True
        text += ("" if ended else back + "\trtsd\tr15, 8\n\tnop\n") + f"\tends fn{k}\n"
    calls = "".join(f"\tbrlid\tr15, fn{k}\n\tnop\n" for k in sorted(r.sample(range(len(functions)), 4) + [len(functions) - 1]))
    calls += f"\tbrlid\tr15, countdown\n\taddik\tr5, r0, {r.randint(2, 7)}\n\tbrlid\tr15, operate\n\tnop\n"
    if r.random() < 0.5:
        calls += "\tbrlid\tr15, falls\n\tnop\n\tbrlid\tr15, into\n\tnop\n"
    text += f"\tfunction main\n.Lround:\n{calls}\tbri\t.Lround\n\tends main\n"
    return text + ("\t.data\n\t.globl operations\n\t.type operations, @object\noperations:\n\t.long op_add, op_mul\n"
                   "\t.bss\nticks:\t.space 4\nturn:\t.space 4\nflags:\t.space 4\n")


# --- PowerPC



def e500_text(r):
    """The start-up is that of tests/firmware/e500_demo.c in short: one vector for the decrementer, a stack, main."""
    saves = "".join(f"\\tstw {n}, {4 * n + 16}(1)\\n" for n in (0, *range(3, 13)))
    loads = "".join(f"\\tlwz {n}, {4 * n + 16}(1)\\n" for n in range(3, 13))
    text = ('typedef unsigned u32;\n#define NI __attribute__((noinline, noipa, used))\nvolatile u32 sink, ticks;\nvoid tick(void);\nint main(void);\n'
            '__asm__(".section .text.vectors, \\"ax\\"\\n .balign 16\\n .type on_decrementer, @function\\non_decrementer:\\n\\tstwu 1, -96(1)\\n'
            + saves + '\\tmflr 0\\n\\tstw 0, 72(1)\\n\\tmfctr 0\\n\\tstw 0, 76(1)\\n\\tmfcr 0\\n\\tstw 0, 80(1)\\n\\tmfxer 0\\n\\tstw 0, 84(1)\\n'
            '\\tlis 3, 0x0800\\n\\tmtspr 336, 3\\n\\tbl tick\\n\\tlwz 0, 72(1)\\n\\tmtlr 0\\n\\tlwz 0, 76(1)\\n\\tmtctr 0\\n\\tlwz 0, 80(1)\\n\\tmtcr 0\\n'
            '\\tlwz 0, 84(1)\\n\\tmtxer 0\\n' + loads + '\\tlwz 0, 16(1)\\n\\taddi 1, 1, 96\\n\\trfi\\n\\t.size on_decrementer, . - on_decrementer\\n'
            '\\t.balign 16\\n\\t.type on_other, @function\\non_other:\\n\\tb on_other\\n\\t.size on_other, . - on_other\\n'
            '.section .text.start, \\"ax\\"\\n\\t.global _start\\n\\t.type _start, @function\\n_start:\\n\\tlis 1, g_stack_top@ha\\n\\tla 1, g_stack_top@l(1)\\n'
            '\\tli 0, 0\\n\\tstwu 0, -16(1)\\n\\tmtlr 0\\n\\tlis 3, on_other@h\\n\\tmtspr 63, 3\\n\\tlis 3, on_other@ha\\n\\tla 3, on_other@l(3)\\n\\t.set ivor, 400\\n'
            '\\t.rept 16\\n\\tmtspr ivor, 3\\n\\t.set ivor, ivor + 1\\n\\t.endr\\n\\tlis 3, on_decrementer@ha\\n\\tla 3, on_decrementer@l(3)\\n\\tmtspr 410, 3\\n'
            '\\tbl main\\n\\tb .\\n\\t.size _start, . - _start\\n\\t.text\\n");\n'
            'NI void tick(void) { ticks++; }\n')
    from arm_program import cond_tail, graph, hot, inlined, mutual, pointers, recursion, table
    statements = []
    for n, feature in enumerate(r.sample([cond_tail, hot, inlined, mutual, pointers, recursion, table], r.randint(2, 4))):
        definitions, use = feature(r, n)
        text += definitions.replace('EXTERN', 'extern')
        statements.append(use)
    functions, calls = graph(r)
    text += functions + "NI u32 work(u32 v)\n{\n\t" + "\n\t".join(statements + [calls]) + "\n\treturn v;\n}\n"
    ticks = r.randint(1500, 6000)
    text += ('int main(void)\n{\n\tu32 v = 1, msr;\n\t__asm__ volatile("mtspr 54, %%0\\n\\tmtspr 22, %%0\\n\\tmtspr 340, %%1" : : "r"(%d), "r"(0x04400000));\n'
             '\t__asm__ volatile("mfmsr %%0\\n\\tori %%0, %%0, 0x9000\\n\\tmtmsr %%0\\n\\tisync" : "=r"(msr) : : "memory");\n\tfor (;;) { v = work(v); sink = v; }\n}\n' % ticks)
    return text


HERE = os.path.dirname(os.path.abspath(__file__))


def run(*command):
    subprocess.run(command, check=True, capture_output=True, text=True)


def build(family, seed, folder, tools):
    r = random.Random(f"{seed} {family}")
    firmware = os.path.join(HERE, "..", "firmware")
    elf, part = (os.path.join(folder, f"{family}{seed}.{end}") for end in ("elf", "o"))
    if family == "e500":
        source = os.path.join(folder, f"{family}{seed}.c")
        with open(source, "w", encoding="ascii") as file:
            file.write(e500_text(r))
        level = r.choice(["-O0", "-O1", "-O2", "-O3", "-Os"])
        run("powerpc-linux-gnu-gcc", "-mcpu=8540", "-mbig-endian", "-msoft-float", level, "-g", "-std=gnu11", "-ffreestanding", "-nostdlib",
            "-static", "-fno-pic", "-fno-pie", "-no-pie", "-msdata=none", "-w", "-fno-builtin", "-fno-asynchronous-unwind-tables",
            "-Wl,--no-warn-rwx-segments,-z,max-page-size=4096", "-T", os.path.join(firmware, "e500.ld"), "-o", elf, source, "-lgcc")	# -Os saves registers by calls of it
        return elf, level
    source = os.path.join(folder, f"{family}{seed}.s")
    with open(source, "w", encoding="ascii") as file:
        file.write(s12z_text(r) if family == "s12z" else microblaze_text(r))
    prefix = tools + "-"
    if family == "s12z":
        run(prefix + "as", "-g", "-o", part, source)
        run(prefix + "ld", "-T", os.path.join(firmware, "s12z.ld"), "-n", "-o", elf, part)
    else:
        run(prefix + "as", "-EL", "-g", "-o", part, source)
        run(prefix + "ld", "-EL", "-m", "elf32microblazeel", "-T", os.path.join(firmware, "microblaze.ld"), "-n", "-o", elf, part)
    return elf, "assembly"
