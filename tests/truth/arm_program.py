"""Random programs for the virtual KL27 (Cortex-M0+) and cm4 (Cortex-M4F): C and C++ with newlib, -O0 to -O3, LTO, exceptions. The same seed
makes the same program.

Two kinds. "ends": does everything it has once, then waits for ever with interrupts off, so that two runs are alike to the
last instruction. "steady": does the same things again and again, with a timer interrupt, and is looked at for a while."""
import os
import random
import subprocess

LINK = """ENTRY(Reset_Handler)
MEMORY { flash (rx) : ORIGIN = 0, LENGTH = 256K  ram (rw) : ORIGIN = 0x20000000, LENGTH = 24K }
SECTIONS {
 .vectors : { KEEP(*(.vectors)) } > flash
 .flash_config 0x400 : { KEEP(*(.flash_config)) } > flash
 .text : { *(.text .text.*) *(.rodata .rodata.*) KEEP(*(.init)) KEEP(*(.fini)) . = ALIGN(4); init_array = .;
  KEEP(*(SORT(.init_array.*))) KEEP(*(.init_array)) init_array_end = .; } > flash
 .ARM.extab : { *(.ARM.extab* .gnu.linkonce.armextab.*) } > flash
 __exidx_start = .; .ARM.exidx : { *(.ARM.exidx* .gnu.linkonce.armexidx.*) } > flash __exidx_end = .;
 .eh_frame : { KEEP(*(.eh_frame)) . = ALIGN(4); data_image = .; } > flash
 .data : AT(data_image) { . = ALIGN(4); data_begin = .; *(.ramcode) *(.data .data.*) . = ALIGN(4); data_end = .; } > ram
 .bss (NOLOAD) : { . = ALIGN(8); bss_begin = .; *(.bss .bss.*) *(COMMON) . = ALIGN(8); bss_end = .; end = .; } > ram
 stack_top = ORIGIN(ram) + LENGTH(ram);
}
"""

HEAD = r"""
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#define NI __attribute__((noinline, noipa))
#define NAKED __attribute__((naked, noinline, used))
#define REG(a) (*(volatile uint32_t *)(a))
#define SYST_CSR REG(0xe000e010)
#define SYST_RVR REG(0xe000e014)
#define SYST_CVR REG(0xe000e018)
#define ISER REG(0xe000e100)
#define ISPR REG(0xe000e200)
#define IPR(n) REG(0xe000e400 + 4 * (n))
#define ICSR REG(0xe000ed04)
#define SHPR2 REG(0xe000ed1c)
#define SHPR3 REG(0xe000ed20)
#ifdef __cplusplus
#define EXTERN extern "C"
#else
#define EXTERN extern
#endif
typedef uint32_t u32;
volatile u32 sink, ticks;
"""

TAIL = r"""
#ifdef __cplusplus
extern "C" {
#endif
extern u32 stack_top, data_image, data_begin, data_end, bss_begin, bss_end, init_array, init_array_end, end;
__attribute__((used)) void *__dso_handle;
__attribute__((used)) void *_sbrk(int n) { static char *at = (char *)&end; char *was = at; at += n; return was; }
__attribute__((used)) void _exit(int c) { (void)c; for (;;) ; }
__attribute__((used)) int _kill(int a, int b) { (void)a; (void)b; return -1; }
__attribute__((used)) int _getpid(void) { return 1; }
__attribute__((used)) int _write(int a, char *b, int n) { (void)a; (void)b; return n; }
__attribute__((used)) int _close(int a) { (void)a; return -1; }
__attribute__((used)) int _read(int a, char *b, int n) { (void)a; (void)b; (void)n; return 0; }
__attribute__((used)) int _lseek(int a, int b, int c) { (void)a; (void)b; (void)c; return 0; }
__attribute__((used)) int _fstat(int a, void *b) { (void)a; (void)b; return -1; }
__attribute__((used)) int _isatty(int a) { (void)a; return 1; }
__attribute__((used)) void *__aeabi_read_tp(void) { static u32 tls[4]; return tls; }
int main(void);
__attribute__((used)) void Reset_Handler(void)
{
	u32 *from = &data_image, *to = &data_begin;
#ifdef __ARM_FP
	REG(0xe000ed88) = 0xf << 20;
	__asm volatile("dsb\nisb");
#endif
	while (to < &data_end) *to++ = *from++;
	for (to = &bss_begin; to < &bss_end;) *to++ = 0;
	for (to = &init_array; to < &init_array_end; to++) ((void (*)(void))*to)();
	main();
	for (;;) ;
}
__attribute__((used)) void Fault(void) { for (;;) ; }
void SVC_Handler(void); void PendSV_Handler(void); void SysTick_Handler(void);
void IRQ0_Handler(void); void IRQ1_Handler(void); void IRQ2_Handler(void);
typedef void (*vector)(void);
extern const vector vectors[21];
__attribute__((section(".vectors"), used)) const vector vectors[21] = { (vector)&stack_top, Reset_Handler, Fault, Fault,
	0, 0, 0, 0, 0, 0, 0, SVC_Handler, 0, 0, PendSV_Handler, SysTick_Handler, IRQ0_Handler, IRQ1_Handler,
	IRQ2_Handler, Fault, Fault };
extern const u32 flash_config[4];
__attribute__((section(".flash_config"), used)) const u32 flash_config[4] = { ~0u, ~0u, ~0u, 0xffff3ffeu };
#ifdef __cplusplus
}
#endif
"""


def asm_function(name, body):
    lines = "".join(f"{line}\\n" for line in body.strip().replace("\t", " ").splitlines())
    return (f'EXTERN u32 {name}(u32 x);\n__asm(".pushsection .text.{name},\\"ax\\",%progbits\\n.syntax unified\\n.thumb\\n'
            f'.p2align 1\\n.global {name}\\n.thumb_func\\n.type {name},%function\\n{name}:\\n{lines}'
            f'.size {name},.-{name}\\n.popsection\\n");\n')


# --- features: (definitions, statement that uses them); n is unlike in each use

def recursion(r, n):
    return (f"NI u32 rec{n}(u32 k) {{ u32 v; if (k < 2) return sink + k; v = rec{n}(k - 1); sink += v; "
            f"return v + {'rec%d(k - 2)' % n if r.random() < 0.5 else 'k'}; }}\n", f"v += rec{n}({r.randint(3, 7)});")


def mutual(r, n):
    return (f"NI u32 odd{n}(u32 k);\nNI u32 even{n}(u32 k) {{ u32 v; if (k == 0) return 1; v = odd{n}(k - 1); sink++; "
            f"return v; }}\nNI u32 odd{n}(u32 k) {{ u32 v; if (k == 0) return 0; v = even{n}(k - 1); sink++; return v; }}\n",
            f"v += even{n}({r.randint(2, 9)});")


def tail_chain(r, n):
    """Tail calls: by b, by bx over a register, and what compilers make of return f(x)."""
    last = f"NI u32 tail{n}_c(u32 x) {{ sink += x; return x ^ 5; }}\n"
    last = last if r.random() < 0.5 else f"NI u32 tail{n}_d(u32 x) {{ return sink - x; }}\n" \
        f"NI u32 tail{n}_c(u32 x) {{ sink += x; return tail{n}_d(x + 1); }}\n"
    return ('#ifdef __cplusplus\nextern "C" {\n#endif\n' + last + "#ifdef __cplusplus\n}\n#endif\n" +
            asm_function(f"tail{n}_b", f"push {{r4, lr}}\n adds r0, #2\n pop {{r4}}\n pop {{r1}}\n mov lr, r1\n "
                         f"ldr r1, =tail{n}_c\n bx r1\n .ltorg") +
            asm_function(f"tail{n}_a", f"adds r0, #1\n b tail{n}_b"),
            f"for (u32 i = 0; i < {r.randint(2, 9)}; i++) v += tail{n}_a(i);")


def cond_tail(r, n):
    return (f"NI u32 leaf{n}(u32 x) {{ sink ^= x; return x * 3; }}\n"
            f"NI u32 cond{n}(u32 x) {{ if (x & 1) return leaf{n}(x); return x + sink; }}\n",
            f"for (u32 i = 0; i < {r.randint(3, 12)}; i++) v += cond{n}(i);")


def table(r, n):
    size = r.randint(5, 9)
    ops = ["sink + 1", "sink ^ 2", "sink - 3", "sink * 5", "sink | 7", "sink & 9", "sink << 1", "sink >> 1", "sink % 7"]
    cases = " ".join(f"case {i}: return {ops[i % len(ops)]} + x;" for i in range(size))
    return (f"NI u32 pick{n}(u32 x) {{ switch (x) {{ {cases} default: return 0; }} }}\n",
            f"for (u32 i = 0; i < {r.randint(8, 25)}; i++) v += pick{n}(i % {size + 1});")


def hand_table(r, n):
    return (asm_function(f"hand{n}", "movs r1, #3\n ands r0, r1\n lsls r0, r0, #1\n add pc, r0\n nop\n b 1f\n b 2f\n b 3f\n "
                         "b 4f\n1: movs r0, #1\n mov pc, lr\n2: movs r0, #2\n bx lr\n3: movs r0, #3\n bx lr\n4: movs r0, #4\n "
                         "mov r12, lr\n bx r12"),
            f"for (u32 i = 0; i < {r.randint(4, 20)}; i++) v += hand{n}(i);")


def pointers(r, n):
    count = r.randint(2, 5)
    text = "".join(f"NI u32 ptr{n}_{i}(u32 x) {{ sink += {i}; return x {r.choice('+-^|')} {i + 3}; }}\n" for i in range(count))
    names = ", ".join(f"ptr{n}_{i}" for i in range(count))
    return (text + f"u32 (*const volatile ptrs{n}[{count}])(u32) = {{ {names} }};\n",
            f"for (u32 i = 0; i < {r.randint(5, 15)}; i++) v += ptrs{n}[i % {count}](i);")


def ram_code(r, n):
    return (f"NI u32 from_ram{n}(u32 x) {{ sink ^= x; return x * 2; }}\n__attribute__((section(\".ramcode\"), noinline, "
            f"noipa, long_call)) u32 in_ram{n}(u32 x) {{ for (u32 i = 0; i < {r.randint(2, 6)}; i++) x = x * 3 + sink; return x; }}\n"
            f"u32 (*volatile ram{n})(u32) = in_ram{n};\n",
            f"for (u32 i = 0; i < {r.randint(3, 9)}; i++) v += ram{n}(i) + from_ram{n}(i);")


def jump_back(r, n):
    """longjmp, newlib's, out of a recursion."""
    return (f"#include <setjmp.h>\nstatic jmp_buf env{n};\nNI void deep{n}(u32 k) {{ sink += k; if (k == 0) longjmp(env{n}, 1); "
            f"deep{n}(k - 1); sink++; }}\nNI u32 jumper{n}(u32 k) {{ if (setjmp(env{n}) == 0) {{ deep{n}(k); return 1; }} return sink; }}\n",
            f"for (u32 i = 0; i < {r.randint(2, 6)}; i++) v += jumper{n}(i);")


def falls(r, n):
    return (f'EXTERN u32 falls{n}(u32 x); EXTERN u32 into{n}(u32 x);\n__asm(".pushsection .text.falls{n},\\"ax\\",%progbits\\n'
            f'.syntax unified\\n.thumb\\n.p2align 1\\n.thumb_func\\n.global falls{n}\\n.type falls{n},%function\\nfalls{n}: adds r0, #3\\n'
            f'.size falls{n},.-falls{n}\\n.thumb_func\\n.global into{n}\\n.type into{n},%function\\ninto{n}: adds r0, #4\\n bx lr\\n'
            f'.size into{n},.-into{n}\\n.popsection\\n");\n', f"for (u32 i = 0; i < {r.randint(3, 12)}; i++) v += falls{n}(i) + into{n}(i);")


def inlined(r, n):
    return (f"static inline __attribute__((always_inline)) u32 inner{n}(u32 x) {{ return (x << 3) ^ sink; }}\n"
            f"static inline __attribute__((always_inline)) u32 outer{n}(u32 x) {{ return inner{n}(x) + inner{n}(x + 1); }}\n"
            f"NI u32 with_inline{n}(u32 x) {{ u32 v = 0; for (int i = 0; i < {r.randint(2, 6)}; i++) v += outer{n}(x + i); return v; }}\n",
            f"v += with_inline{n}(v);")


def library(r, n):
    what = r.choice(["sort", "print", "divide", "string"])
    if what == "sort":
        return (f"static int values{n}[16];\nstatic int compare{n}(const void *a, const void *b) {{ return *(const int *)a - "
                f"*(const int *)b; }}\nNI u32 sort{n}(u32 x) {{ for (int i = 0; i < 16; i++) values{n}[i] = (int)((x + i) * 7919 % 101); "
                f"qsort(values{n}, 16, sizeof(int), compare{n}); return (u32)values{n}[3]; }}\n", f"v += sort{n}({r.randint(1, 99)});")
    if what == "print":
        return (f"static char text{n}[40];\nNI u32 print{n}(u32 x) {{ return (u32)snprintf(text{n}, sizeof(text{n}), \"%lu %s %d\", "
                f"(unsigned long)x, \"abc\", -(int)(x & 99)); }}\n", f"v += print{n}({r.randint(1, 9999)});")
    if what == "divide":
        return (f"NI u32 divide{n}(u32 x) {{ u32 v = 0; for (u32 i = 1; i < {r.randint(3, 9)}; i++) v += (x * 7919) / (i + sink % 5 + 1); return v; }}\n",
                f"v += divide{n}({r.randint(100, 99999)});")
    return (f"static char from{n}[24], to{n}[24];\nNI u32 copy{n}(u32 x) {{ memset(from{n}, 'a' + (int)(x % 26), 23); strcpy(to{n}, from{n}); "
            f"return (u32)strlen(to{n}) + (u32)strtol(\"123\", 0, 10); }}\n", f"v += copy{n}({r.randint(1, 99)});")


def throws(r, n):
    return (f"struct guard{n} {{ u32 k; NI guard{n}(u32 x) : k(x) {{ sink += k; }} NI ~guard{n}() {{ sink -= k; }} }};\n"
            f"NI void thrower{n}(int k) {{ guard{n} g(3); if (k == 0) throw 1; sink++; }}\n"
            f"NI void between{n}(int k) {{ guard{n} g(5); thrower{n}(k); sink += 2; }}\n"
            f"NI void catcher{n}(int k) {{ try {{ between{n}(k); }} catch (int) {{ sink += 5; }} }}\n"
            f"NI void later{n}() {{ for (int i = 0; i < {r.randint(20, 90)}; i++) sink += i; }}\n"
            f"NI u32 outer_try{n}(u32 k) {{ catcher{n}(1); catcher{n}((int)k); later{n}(); return sink; }}\n",
            f"v += outer_try{n}(0); v += outer_try{n}(1);")


def virtuals(r, n):
    return (f"struct base{n} {{ virtual u32 work(u32 x) = 0; }};\nstruct one{n} : base{n} {{ NI u32 work(u32 x) override {{ return x + sink; }} }};\n"
            f"struct two{n} : base{n} {{ NI u32 work(u32 x) override {{ sink++; return x * 5; }} }};\none{n} first{n}; two{n} second{n};\n"
            f"NI u32 dispatch{n}(base{n} *b, u32 x) {{ return b->work(x) + 1; }}\n",
            f"for (u32 i = 0; i < {r.randint(3, 12)}; i++) v += i & 1 ? dispatch{n}(&first{n}, i) : dispatch{n}(&second{n}, i);")


def hot(r, n):
    return (f"NI void hot{n}(u32 k) {{ do __asm volatile(\"\" ::: \"memory\"); while (--k); }}\n",
            f"hot{n}({r.randint(20, 300)});")


def nested(r, n):
    """IRQ2 lasts and pends IRQ0, which pends IRQ1 of higher priority, and PendSV behind both."""
    return "", ("for (u32 i = 0; i < %d; i++) { ISPR = %d; __asm volatile(\"dsb\\nisb\\nnop\\nnop\"); }" %
                (r.randint(2, 12), r.choice([1, 1, 4, 5, 7])))


def supervisor(r, n):
    return "", 'for (u32 i = 0; i < %d; i++) __asm volatile("svc 0" ::: "r0", "r1", "r2", "r3", "memory");' % r.randint(1, 9)


def wait_for_interrupt(r, n):
    return f"NI void nap{n}(void) {{ u32 was = ticks; while (ticks == was) __asm volatile(\"wfi\"); }}\n", f"nap{n}();"


def nameless(r, n):
    """Code without a symbol, called through a local label."""
    return (f'EXTERN u32 calls_nameless{n}(u32 x);\n__asm(".pushsection .text.calls_nameless{n},\\"ax\\",%progbits\\n.syntax unified\\n'
            f'.thumb\\n.p2align 1\\n.thumb_func\\n.global calls_nameless{n}\\n.type calls_nameless{n},%function\\ncalls_nameless{n}: push {{lr}}\\n'
            f'bl .Lnameless{n}\\n pop {{pc}}\\n.size calls_nameless{n},.-calls_nameless{n}\\n nop\\n nop\\n.Lnameless{n}: adds r0, #9\\n'
            f'9: subs r0, #1\\n cmp r0, #3\\n bhi 9b\\n bx lr\\n.popsection\\n");\n',
            f"for (u32 i = 0; i < {r.randint(3, 9)}; i++) v += calls_nameless{n}(i);")


def trampoline(r, n):
    """A call by push and pop {pc}."""
    return (f"NI u32 target{n}(u32 x) {{ sink ^= x; return x * 2; }}\nEXTERN u32 tramp{n}(u32 x, u32 (*f)(u32));\n" +
            asm_function(f"tramp{n}", "push {r1}\n pop {pc}").split("\n", 1)[1],
            f"for (u32 i = 0; i < {r.randint(3, 9)}; i++) v += tramp{n}(i, target{n});")


COMMON = [recursion, mutual, tail_chain, cond_tail, table, hand_table, pointers, ram_code, inlined, library, hot]
RARE = [jump_back, falls]


def graph(r):
    """Functions that call those behind them; the work of each stays small."""
    n, costs, text = r.randint(6, 14), [], ""
    for k in range(n):
        body, cost = "", 8
        for _ in range(r.randint(1, 4)):
            what, loops = r.random(), r.randint(1, 6)
            callee = r.randrange(k) if k > 0 else None
            if what < 0.55 and callee is not None and cost + loops * (costs[callee] + 6) < 1500:
                cost += loops * (costs[callee] + 6)
                body += f" for (u32 i = 0; i < {loops}; i++) v += fn{callee}(v + i);"
            elif what < 0.8:
                cost += loops * 5
                body += f" for (u32 i = 0; i < {loops}; i++) v = v * {r.randint(3, 99)} + (v >> {r.randint(1, 9)});"
            else:
                cost += 6
                body += f" if (v & {1 << r.randint(0, 4)}) v ^= sink; else sink += {r.randint(1, 9)};"
        end = f"return fn{r.randrange(k)}(v);" if k > 0 and r.random() < 0.2 and costs[0] < 100 else "return v;"
        if end != "return v;":
            callee = int(end[len("return fn"):end.index("(")])
            cost += costs[callee]
        costs.append(cost)
        linkage = "static " if r.random() < 0.4 else ""
        text += f"{linkage}NI u32 fn{k}(u32 v) {{{body} {end} }}\n"
    calls = "".join(f" v += fn{k}(v);" for k in sorted(r.sample(range(n), min(n, 4)) + [n - 1]))
    return text, calls


INTERRUPTS = r"""
NI void isr_leaf(u32 x) { sink += x; }
EXTERN void IRQ1_Handler(void) { isr_leaf(1); }
EXTERN void IRQ0_Handler(void) { ISPR = 2; __asm volatile("dsb\nisb\nnop"); isr_leaf(2); ICSR = 1u << 28; }
EXTERN void IRQ2_Handler(void) { for (int i = 0; i < 3; i++) isr_leaf(7); ISPR = 1; __asm volatile("dsb"); }
EXTERN void SVC_Handler(void) { isr_leaf(4); }
"""
PENDSV = 'EXTERN void PendSV_Handler(void) { isr_leaf(3); }\n'

TASKS = r"""
typedef struct { u32 *sp; } tcb;
static u32 task_stack0[160] __attribute__((aligned(8)));
static u32 task_stack1[160] __attribute__((aligned(8)));
static tcb tasks[2];
volatile u32 running, task_turns, main_sp;
void PendSV_Handler(void); u32 *switch_task(u32 *sp);
NI u32 *pick_task(void) { return tasks[running].sp; }
NI u32 *switch_task(u32 *sp) { tasks[running].sp = sp; running ^= 1; task_turns++; return pick_task(); }
NAKED void PendSV_Handler(void)
{
	__asm volatile(".syntax unified\n mrs r0, psp\n subs r0, #32\n stmia r0!, {r4-r7}\n mov r4, r8\n mov r5, r9\n mov r6, r10\n"
		" mov r7, r11\n stmia r0!, {r4-r7}\n subs r0, #32\n push {r3, lr}\n bl switch_task\n pop {r2, r3}\n adds r0, #16\n"
		" ldmia r0!, {r4-r7}\n mov r8, r4\n mov r9, r5\n mov r10, r6\n mov r11, r7\n msr psp, r0\n subs r0, #32\n"
		" ldmia r0!, {r4-r7}\n bx r3\n");
}
NI void yield(void) { ICSR = 1u << 28; __asm volatile("dsb\nisb"); }
NI u32 task_work(u32 x) { for (u32 i = 0; i < 5; i++) x = x * 7 + sink; return x; }
NI void task_a(void) { for (;;) { sink += task_work(3); YIELD_A; } }
NI void task_b(void) { for (;;) { for (int i = 0; i < 3; i++) sink += task_work(5) + 1; YIELD_B; } }
NI void make_task(u32 n, u32 *top, void (*entry)(void))
{
	u32 *sp = top - 16;
	for (int i = 0; i < 16; i++) sp[i] = 0;
	sp[14] = (u32)(uintptr_t)entry & ~1u; sp[15] = 1u << 24;
	tasks[n].sp = sp;
}
"""


SOLO = COMMON + [jump_back, falls, throws, virtuals, nested, supervisor, wait_for_interrupt, nameless, trampoline]
SOLO_OF = {f.__name__: f for f in SOLO}
SOLO_OF.update(tasks=None, sleeps_at_the_end=None)
CXX = (throws, virtuals)
MIX = COMMON + [virtuals, nested, supervisor, wait_for_interrupt, nameless, trampoline]


def program(seed, kind, solo=None):
    """{"text", "flags", "cxx"} of a seed. kind: ends, steady. solo: the name of the one feature; else a mix of those of
    MIX, with a graph of calls."""
    r = random.Random(f"{seed} {kind} {solo}")
    tasks = solo == "tasks"
    if solo is not None:
        features = [SOLO_OF[solo]] if SOLO_OF[solo] is not None else []
    else:
        features = r.sample([f for f in MIX if f is not wait_for_interrupt or kind == "ends"], r.randint(5, 9))
    cxx = any(f in CXX for f in features)
    text, statements = HEAD, []
    for n, feature in enumerate(features):
        definitions, use = feature(r, n)
        text += definitions
        statements.append(use)
    if solo is None:
        functions, calls = graph(r)
        text += functions
        statements.insert(r.randint(0, len(statements)), calls)
    period = r.randint(1700, 9000) if kind == "ends" else r.randint(20000, 120000)
    n_ticks = r.randint(5, 30)
    if tasks:
        yields = r.choice(["yield()", 'do { ICSR = 1u << 28; __asm volatile("dsb\\nisb"); } while (0)'])
        text += INTERRUPTS + TASKS.replace("EXTERN {", "").replace("*sp); }", "*sp);").replace(
            "YIELD_A", yields).replace("YIELD_B", yields).replace(
            "task_turns++;", "if (++task_turns == %d) the_end();" % r.randint(6, 40)).replace(
            "NI u32 *pick_task", "NI void the_end(void);\nNI u32 *pick_task", 1)
        text += ("NI void run_tasks(void)\n{\n\tmake_task(1, task_stack1 + 160, task_b);\n"
                 '\t__asm volatile("msr psp, %0\\nmovs r0, #2\\nmsr control, r0\\nisb\\ncpsie i" :: "r"(task_stack0 + 150) '
                 ': "r0", "memory");\n\ttask_a();\n}\n')
    else:
        text += INTERRUPTS + PENDSV
    if kind == "ends":
        text += ("EXTERN void SysTick_Handler(void) { isr_leaf(5); if (++ticks == %d) SYST_CSR = 0; }\n" % n_ticks)
    else:
        text += "EXTERN void SysTick_Handler(void) { isr_leaf(5); ticks++; }\n"
    text += "NI u32 work(u32 v)\n{\n\t" + "\n\t".join(statements) + "\n\treturn v;\n}\n"
    setup = ("IPR(0) = 0x00400080;\n\tSHPR3 = 0xc0c00000;\n\tISER = 7;\n\tSYST_RVR = %d; SYST_CVR = 0; SYST_CSR = 7;\n" % period)
    if kind == "ends":
        stop = 'for (;;) __asm volatile("wfi");' if solo == "sleeps_at_the_end" else "for (;;) ;"
        text += 'NI void the_end(void) { __asm volatile("cpsid i"); %s }\n' % stop
        text += "int main(void)\n{\n\tu32 v = 1;\n\t%s\tfor (int i = 0; i < %d; i++) v = work(v);\n\tsink = v;\n\t%s\n}\n" % (
            setup, r.randint(1, 4), "run_tasks();" if tasks else "while (ticks < %d) ;\n\tthe_end();" % n_ticks)
        if solo == "wait_for_interrupt" or wait_for_interrupt in features:
            text = text.replace("if (++ticks == %d) SYST_CSR = 0;" % n_ticks, "++ticks;")
    else:
        sleeps = r.random() < 0.4
        text += "int main(void)\n{\n\tu32 v = 1;\n\t%s\tfor (;;) { for (int i = 0; i < %d; i++) v = work(v); sink = v;%s }\n}\n" % (
            setup, r.randint(1, 3), ' __asm volatile("wfi");' if sleeps else "")
    level = r.choice(["-O0", "-O1", "-O2", "-O2", "-O3", "-Os"])
    flags = [level] + (["-flto"] if r.random() < 0.25 else [])
    return {"text": text + TAIL, "flags": flags, "cxx": cxx, "tick_cycles": period + 1}


def build(seed, kind, folder, solo=None, cpu=("-mcpu=cortex-m0plus",)):
    """The ELF's path, its flags, and how far apart its SysTicks are; subprocess.CalledProcessError: the compiler refused."""
    p = program(seed, kind, solo)
    name = f"{solo or kind}{seed}"
    source = os.path.join(folder, name + (".cpp" if p["cxx"] else ".c"))
    script, elf = os.path.join(folder, "kl27.ld"), os.path.join(folder, name + ".elf")
    with open(source, "w", encoding="ascii") as file:
        file.write(p["text"])
    with open(script, "w", encoding="ascii") as file:
        file.write(LINK)
    compiler = "arm-none-eabi-g++" if p["cxx"] else "arm-none-eabi-gcc"
    command = [compiler, *cpu, "-mthumb", "-g", *p["flags"], "-nostartfiles", "-w", "-ffunction-sections",
               "-Wl,--no-warn-rwx-segments", "-T", script, "-o", elf, source]
    subprocess.run(command + (["-std=c++17"] if p["cxx"] else ["-std=gnu11"]), check=True, capture_output=True, text=True)
    return elf, " ".join(p["flags"] + (["C++"] if p["cxx"] else ["C"])), p["tick_cycles"]
