"""proftap on the virtual KL27: what is run, and the truth of it."""
import os
import re
import shutil
import subprocess

import arm_program
import compare
import json_report
from arm_cpu import Arm
from elf_by_binutils import Elf
from evaluate import Truth

DRIFT = 37		# ppm between the core's clock and the probe's, as crystals have
BOARD = os.environ.get("PT_TRUTH_BOARD", "")
READING = 10 if BOARD else 1	# a buffer may take so many times as long to read, for which mode halt halts the core
QUIET = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}


class Runs:
    clock = ("--core-clock", "48M")

    def __init__(self, proftap, folder, family="arm"):
        self.proftap, self.folder = proftap, folder
        self.env = dict(os.environ, PROFTAP_CONFIG="/dev/null")

    def path(self, name):
        return os.path.join(self.folder, name)

    def new_capture(self):
        capture = self.path("run.ptcap")
        if os.path.exists(capture):
            os.unlink(capture)
        return capture

    def profile(self, elf, source, mode, time, seed, log=None, extra=()):
        capture = self.new_capture()
        board = f"virtual:kl27?clock=virtual&core-drift={DRIFT}&elf={elf}{BOARD}"
        board += f"&flow-log={log}" if log else ""
        command = [self.proftap, "profile", "--probe", board, "--elf", elf, "--core-clock", "48M", "--for", time, "--reset",
                   "--source", source, "--mode", mode, "--seed", str(seed), "--capture", capture, "--format", "summary", *extra,
                   *os.environ.get("PT_TRUTH_WORDS", "").split()]
        subprocess.run(command, check=True, env=self.env, timeout=120, **QUIET)
        return capture

    def decode(self, elf, capture, form, *words):
        command = [self.proftap, "decode", capture, "--elf", elf, "--core-clock", "48M", "--format", form, *words]
        out = subprocess.run(command, env=self.env, timeout=120, capture_output=True)
        if out.returncode not in (0, 4):
            return None
        return out.stdout

    def self_check(self, elf, capture):
        """A law that does not hold, or None."""
        command = [self.proftap, "decode", capture, "--elf", elf, *self.clock, "--self-check"]
        out = subprocess.run(command, env=self.env, timeout=120, capture_output=True, text=True)
        return next((line for line in out.stdout.splitlines() if "violated" in line), None)

    def report(self, elf, capture):
        """The JSON with every view."""
        return json_report.read(self.decode(elf, capture, "json", "instructions", "--analysis", "all"))

    def truth(self, elf, log, skips_end, shares=None, **limits):
        tools = Elf(elf, "arm-none-eabi-", True)
        truth = Truth(tools, Arm(tools))
        if shares is not None:
            truth.read_shares(log, int(shares * Arm.hz))
        else:
            truth.read(log, **limits)
        return compare.Expected(truth, Arm, skips_end)

    def tables(self, elf, capture, want, exact):
        """(view, format) to compare.Result."""
        found, report = {}, self.report(elf, capture)
        for view, check in compare.VIEWS.items():
            found[view, "json"] = check(report, want, exact)
        for form, check in compare.FORMATS.items():
            out = self.decode(elf, capture, form)
            if out is not None:
                found["tree" if form in ("folded", "speedscope") else "functions", form] = check(
                    out if form == "pprof" else out.decode(errors="replace"), want, exact)
        return found, report


def exact_run(runs, seed, solo):
    """Halt mode, to the end of a program that ends. {(view, format): Result}, flags, model deviations."""
    elf, flags, _ = arm_program.build(seed, "ends", runs.folder, solo)
    log = runs.path("run.flow")
    capture = runs.profile(elf, "mtb", "halt", f"{100 * READING}ms", seed, log)
    want = runs.truth(elf, log, solo != "sleeps_at_the_end", stop_in_end=solo != "sleeps_at_the_end")
    os.unlink(log)
    tables, report = runs.tables(elf, capture, want, True)
    return tables, flags, want, report


MODES = {}
MODES["arm"] = (("mtb", "burst", "2s"), ("pcsr", "sample", "2s"), ("mtb+pcsr", "together", "2s"), ("mtb", "stream", "600ms"),
                ("mtb", "ring", "100ms"))
SHARE_S, STACK_S = 0.6, 0.15		# so long a steady program is looked at, without and with stacks


def steady_truth(runs, seed, solo=None):
    """The elf, its flags, the truth of its shares, and that of its stacks over a shorter time."""
    elf, flags, tick_cycles = arm_program.build(seed, "steady", runs.folder, solo)
    log = runs.path("steady.flow")
    runs.profile(elf, "pcsr", "sample", f"{int(SHARE_S * 1000)}ms", 1, log)
    shares = runs.truth(elf, log, False, shares=SHARE_S)
    stacks = runs.truth(elf, log, False, until=int(STACK_S * Arm.hz))
    os.unlink(log)
    shares.stacks = stacks.stacks = stacks.truth
    halted = runs.decode(elf, runs.profile(elf, "mtb", "halt", f"{int(STACK_S * 1000) * READING}ms", 1), "json", "functions")
    shares.by_halt = {r["address"]: r["net_share"] for r in json_report.read(halted)["functions"]}
    check_ticks(stacks.truth, tick_cycles)
    return elf, flags, shares, stacks


SHARES = ("functions", "lines", "instructions", "ranges", "coverage")


def check_ticks(truth, tick_cycles):
    """The chip's own counter says how often it ticked: the evaluator must have seen as many handlers, as far apart."""
    ticks = next(s for f, s in truth.function.items() if truth.elf.functions[f][2] == "SysTick_Handler")
    wanted = (truth.awake + truth.asleep) / tick_cycles
    if abs(ticks.entries - wanted) > 2:
        truth.errors += 1


def compare_views(report, mode, seconds, shares, stacks):
    """(view, "json") to Result: shares over the whole profile, chains over the start of it."""
    compare.EXACT_SHARES[0] = report["share_exactness"] in ("exact", "modelled") and report["time_exactness"] != "estimated" and \
        mode not in ("ring", "stream", "burst")
    compare.BOUNDS[0] = any(row.get("net_share_bounds") for row in report["functions"])
    shares.seconds = stacks.seconds = seconds
    stacks.flat = shares
    for want in (shares, stacks):
        compare.remember(report, want)
    found = {}
    for view, check in compare.VIEWS.items():
        if view in ("lines", "instructions") and shares.family.by_log:
            continue	# the log has the time of straight lines, not of each instruction
        if view == "calls":
            continue	# edges have counts alone
        want = shares if view in SHARES else stacks
        found[view, "json"] = check(report, want, False)
    return found


def estimate_run(runs, elf, source, mode, time, seed, shares, stacks):
    """compare_views() of a profile, and what every format says of it."""
    capture = runs.profile(elf, source, mode, time, seed)
    report = runs.report(elf, capture)
    seconds = float(time.removesuffix("ms")) / 1000 if time.endswith("ms") else float(time[:-1])
    found = compare_views(report, mode, seconds, shares, stacks)
    if shares.by_halt is not None:
        found["answers", "json"] = compare.answers(report, shares)
    for form, check in compare.FORMATS.items():
        if form == "lcov":
            continue
        out = runs.decode(elf, capture, form)
        if out is not None:
            found["tree" if form in ("folded", "speedscope") else "functions", form] = check(
                out if form == "pprof" else out.decode(errors="replace"), stacks if form in ("folded", "speedscope") else shares, False)
    law = runs.self_check(elf, capture) if seed == 1 else None
    if law is not None:
        found.setdefault(("answers", "json"), compare.Result()).check("report", "self-check: " + law, 1, 0)
    if report["count_exactness"] == "exact":
        for (view, form), result in found.items():
            result.check("report", "counts marked exact", 1, 0)
    return found, report


FEATURES = {"arm": list(arm_program.SOLO_OF)}
EXACT = "mtb halt"
SEVERAL = ("burst", "sample", "together", "stream")		# modes with chance: run with several seeds


def lacking(family):
    """Why programs cannot be made here, or None."""
    try:
        out = subprocess.run(["arm-none-eabi-g++", "-E", "-x", "c++", "-"], input="#include <stdlib.h>\n#include <setjmp.h>\n",
                             text=True, capture_output=True)
    except FileNotFoundError:
        return "arm-none-eabi-g++ is missing"
    return None if out.returncode == 0 else "newlib for arm-none-eabi is missing"


TRACE = re.compile(r"^Trace \d+: \S+ \[[0-9a-f]+/([0-9a-f]+)/")


def foreign_check(runs, instructions=60000):
    """The evaluator against QEMU's log of pcs, for a program without interrupts: None, or what is wrong."""
    if shutil.which("qemu-system-arm") is None:
        return "qemu-system-arm is missing: the log was not compared with it"
    elf = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "firmware", "isa.elf")
    log = runs.path("isa.flow")
    runs.profile(elf, "pcsr", "sample", "20ms", 1, log)
    tools = Elf(elf, "arm-none-eabi-", True)
    truth = Truth(tools, Arm(tools))
    pcs = truth.pcs(log, instructions)
    qemu = subprocess.Popen(["qemu-system-arm", "-M", "microbit", "-kernel", elf, "-icount", "shift=6", "-display", "none", "-serial",
                             "none", "-monitor", "none", "-singlestep", "-d", "exec,nochain", "-D", "/dev/stdout"],
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    found = []
    for line in qemu.stdout:
        match = TRACE.match(line)
        if match:
            found.append(int(match[1], 16))
        elif line.startswith("cpu_io_recompile"):
            found.pop()
        if len(found) > len(pcs):
            break
    qemu.kill()
    qemu.wait()
    for at, (ours, theirs) in enumerate(zip(pcs, found)):
        if ours != theirs:
            return f"instruction {at}: the log has {ours:#x}, QEMU {theirs:#x}"
    return None if len(pcs) == instructions and len(found) > instructions else f"only {len(pcs)} and {len(found)} instructions"
