"""Random programs whose every event is in the log of the flow: a variable or a port of the ITM is written by the instruction that a
branch goes to, with a value that the function's name says, so that the log has the cycle of each write. The same seed makes
the same program, which ends: then it spins for ever with interrupts off."""
import os
import random
import subprocess

import arm_program

CPU = ("-mcpu=cortex-m4", "-mfloat-abi=hard", "-mfpu=fpv4-sp-d16")
STORES = {1: "strb", 2: "strh", 4: "str"}
LOADS = {1: "ldrb", 2: "ldrh", 4: "ldr"}
VARIABLES = {"g_state": 4, "g_count": 4, "g_half": 2, "g_running": 1}
LINK = arm_program.LINK.replace(" .bss (NOLOAD)", " .noinit (NOLOAD) : { *(.noinit) } > ram\n .bss (NOLOAD)")
NOINIT = "".join(f'__attribute__((section(".noinit"))) volatile {t} {names};\n' for t, names in (
    ("u32", "g_state"), ("u32", "g_count"), ("u32", "g_shadow"), ("uint16_t", "g_half"), ("uint8_t", "g_running")))	# no start-up code writes them
PORTS = {1: 4, 2: 1, 3: 2}		# 1: states, 2: nested spans, 3: a count


def port_address(port):
    return 0xe0000000 + 4 * port


def writer(name, address, size, value):
    """A function that writes this value."""
    return arm_program.asm_function(name, f"ldr r1, ={address}\n ldr r0, ={value}\n b at_{name}\n .global at_{name}\nat_{name}: "
                                    f"{STORES[size]} r0, [r1]\n bx lr\n .ltorg")


def adder(name, address, size, step, shadow=None):
    """One that adds to the variable, or to a shadow of what has none."""
    load = f"ldr r2, ={shadow}\n ldr r0, [r2]\n add r0, r0, #{step}\n str r0, [r2]" if shadow else \
        f"{LOADS[size]} r0, [r1]\n add r0, r0, #{step}"
    return arm_program.asm_function(name, f"ldr r1, ={address}\n {load}\n b at_{name}\n .global at_{name}\nat_{name}: "
                                    f"{STORES[size]} r0, [r1]\n bx lr\n .ltorg")


FIRST = (("put_first_state", "g_state", 4), ("put_first_count", "g_count", 4), ("put_first_half", "g_half", 2))


class Script:
    """Statements of one round, and what each writer writes: name to (place, value), or (place, None) of an adder."""

    def __init__(self, r):
        self.r, self.text, self.writes, self.steps = r, "", {}, {}
        self.open = []
        self.n_states, self.n_tasks = r.randint(2, 6), r.randint(2, 4)

    def add(self, name, place, address, size, value):
        if name not in self.writes:
            self.writes[name] = (place, value)
            self.text += writer(name, address, size, value)
        return f"{name}(0);"

    def state(self):
        k = self.r.randrange(self.n_states)
        return self.add(f"put_state_{k}", "g_state", "g_state", 4, k * 3)

    def task(self):
        k = self.r.randrange(self.n_tasks)
        return self.add(f"put_task_{k}", "g_running", "g_running", 1, k)

    def port_state(self):
        k = self.r.randrange(self.n_states)
        return self.add(f"put_port_{k}", "port.1", port_address(1), 4, 10 + k)

    def span(self):
        """Enters another one, or goes back to the one below; 0 where none is."""
        if self.open and self.r.random() < 0.5:
            return self.end_span()
        self.open.append(self.r.randint(1, 5))
        return self.add(f"put_span_{self.open[-1]}", "port.2", port_address(2), 1, self.open[-1] * 2 + 1)

    def end_span(self):
        self.open.pop()
        below = self.open[-1] if self.open else 0
        return self.add(f"put_back_{below}", "port.2", port_address(2), 1, below * 2)

    def pend(self):
        return 'ISPR = %d; __asm volatile("dsb\\nisb\\nnop\\nnop");' % self.r.choice([1, 2, 4, 1, 5, 7])

    def supervisor(self):
        return '__asm volatile("svc 0" ::: "r0", "r1", "r2", "r3", "memory");'

    def statements(self, more):
        """Some of each kind, and more of any."""
        kinds = [self.state, self.task, self.port_state, self.span, self.pend, lambda: "put_half(0);", lambda: "put_value(0);",
                 self.supervisor, lambda: "nap();"]
        chosen = 2 * kinds[:5] + kinds[5:8] + self.r.choices(kinds, [4, 4, 3, 4, 4, 2, 2, 1, 0.6], k=more)
        self.r.shuffle(chosen)
        return [kind() for kind in chosen]


def program(seed, busy):
    """The text, its flags, and what writes. busy: so little work between two events that no pin is fast enough."""
    r = random.Random(f"{seed} swo {busy}")
    script = Script(r)
    lines = []
    for statement in script.statements(r.randint(4, 14)):
        lines.append(statement)
        lines.append(f"spin({r.randint(1, 12) if busy else r.randint(150, 900)});")
    while script.open:
        lines += [script.end_span(), f"spin({r.randint(50, 200)});"]
    features = [f(r, n) for n, f in enumerate(r.sample([arm_program.recursion, arm_program.table, arm_program.pointers,
                                                        arm_program.inlined, arm_program.mutual], 2))]
    functions, calls = arm_program.graph(r)
    script.writes |= {name: (place, 3 * script.n_states if place == "g_state" else 0) for name, place, _ in FIRST}
    for address, size, name in (("g_count", 4, "put_count"), ("g_half", 2, "put_half")):
        script.steps[address] = r.randint(1, 9)
        script.writes[name] = (address, None)
        script.text += adder(name, address, size, script.steps[address])
    script.steps["port.3"] = r.randint(1, 9)
    script.writes["put_value"] = ("port.3", None)
    script.text += adder("put_value", port_address(3), 2, script.steps["port.3"], "g_shadow")
    text = arm_program.HEAD + NOINIT
    text += script.text + "".join(definitions for definitions, _ in features) + functions
    text += arm_program.INTERRUPTS + arm_program.PENDSV
    text += "EXTERN void SysTick_Handler(void) { isr_leaf(5); put_count(0); ticks++; }\n"
    text += 'NI void spin(u32 k) { do __asm volatile("" ::: "memory"); while (--k); }\n'
    text += 'NI void nap(void) { u32 was = ticks; while (ticks == was) __asm volatile("wfi"); }\n'
    text += 'NI void the_end(void) { __asm volatile("cpsid i"); for (;;) ; }\n'
    work = "\n\t".join(use for _, use in features) + calls
    text += "NI u32 work(u32 v)\n{\n\t" + "\n\t".join(lines) + "\n\t" + work + "\n\treturn v;\n}\n"
    text += "int main(void)\n{\n\tu32 v = 1;\n\tput_first_count(0);\n\tput_first_half(0);\n\tg_shadow = 0;\n\tIPR(0) = 0x00400080;\n\tSHPR3 = 0xc0c00000;\n\tISER = 7;\n"
    text += "\tSYST_RVR = %d; SYST_CVR = 0; SYST_CSR = 7;\n\tput_first_state(0);\n" % r.randint(7000, 40000)
    text += "\tfor (int i = 0; i < %d; i++) v = work(v);\n\tsink = v;\n\tthe_end();\n}\n" % (
        r.randint(20, 60) if busy else r.randint(4, 9))
    firsts = "".join(writer(name, place, size, script.writes[name][1]) for name, place, size in FIRST)
    text = text.replace("NI u32 work(", firsts + "NI u32 work(", 1)
    return text + arm_program.TAIL, r.choice(["-O0", "-O1", "-O2", "-O3", "-Os"]), script


ORTI = """IMPLEMENTATION made { OS { ENUM "unsigned char" [ %s ] RUNNINGTASK, "Running"; }; };
OS os { RUNNINGTASK = "g_running"; };
"""


def build(seed, folder, busy):
    """The ELF's path, the ORTI's, the flag, and the script."""
    text, flag, script = program(seed, busy)
    source, ld = os.path.join(folder, f"swo{seed}.c"), os.path.join(folder, "swo.ld")
    elf, orti = os.path.join(folder, f"swo{seed}.elf"), os.path.join(folder, f"swo{seed}.orti")
    for name, content in ((source, text), (ld, LINK),
                          (orti, ORTI % ", ".join(f'"task{k}" = {k}' for k in range(script.n_tasks)))):
        with open(name, "w", encoding="ascii") as file:
            file.write(content)
    subprocess.run(["arm-none-eabi-gcc", *CPU, "-mthumb", "-g", flag, "-std=gnu11", "-nostartfiles", "-w", "-ffunction-sections",
                    "-Wl,--no-warn-rwx-segments", "-T", ld, "-o", elf, source], check=True, capture_output=True, text=True)
    return elf, orti, flag, script
