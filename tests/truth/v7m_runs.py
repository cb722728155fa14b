"""proftap on the virtual cm4, a Cortex-M4F without a trace buffer: samples of steady programs, and the truth of them. The
cycles of a straight line come from the log, as its core's table is no manual's. What comes by pin SWO is in swo_runs.py."""
import os
import subprocess

import arm_program
import arm_runs
import compare
import swo_runs
from arm_cpu import Arm
from elf_by_binutils import Elf
from evaluate import Truth

SHARE_S, STACK_S = 0.6, 0.05
FLAGS = ("-mcpu=cortex-m4", "-mfloat-abi=hard", "-mfpu=fpv4-sp-d16")


class Cm4(Arm):
    by_log = True
    entry, exit, chain = 12, 10, 6
    hz = 25000000

    def cycles(self, mnemonic, operands, taken):
        return max(1, super().cycles(mnemonic, operands, taken))

    def stack(self, low):
        return low

    def thread(self, sp):
        return 0


class Runs(arm_runs.Runs):
    clock = ("--core-clock", "25M")

    def profile(self, elf, source, mode, time, seed, log=None, extra=()):
        capture = self.new_capture()
        board = f"virtual:cm4?clock=virtual&core-drift={arm_runs.DRIFT}&elf={elf}" + (f"&flow-log={log}" if log else "")
        command = [self.proftap, "profile", "--probe", board, "--elf", elf, *self.clock, "--for", time, "--reset", "--source", source,
                   "--mode", mode, "--seed", str(seed), "--capture", capture, "--format", "summary", *extra]
        command += ("--set", "trace=pc-samples") if source == "swo" else ()
        subprocess.run(command, check=True, env=self.env, timeout=120, **arm_runs.QUIET)
        return capture

    def decode(self, elf, capture, form, *words):
        command = [self.proftap, "decode", capture, "--elf", elf, *self.clock, "--format", form, *words]
        out = subprocess.run(command, env=self.env, timeout=120, capture_output=True)
        return out.stdout if out.returncode in (0, 4) else None

    def truth(self, elf, log, shares=None, until=None):
        tools = Elf(elf, "arm-none-eabi-", True)
        truth = Truth(tools, Cm4(tools))
        if shares is not None:
            truth.read_shares(log, int(shares * Cm4.hz))
        else:
            truth.read(log, until=until)
        return compare.Expected(truth, Cm4, False)


MODES = {"v7m": (("pcsr", "sample", "2s"), ("swo", "stream", "2s"))}
SEVERAL = ("sample", "stream")
FEATURES = {"v7m": list(swo_runs.SETUPS)}
EXACT = "swo stream"


def exact_run(runs, seed, setup):
    return swo_runs.exact_run(runs.proftap, runs.folder, seed, setup)


def steady_truth(runs, seed):
    elf, flags, _ = arm_program.build(seed, "steady", runs.folder, cpu=FLAGS)
    log = runs.path("steady.flow")
    runs.profile(elf, "pcsr", "sample", f"{int(SHARE_S * 1000)}ms", 1, log)
    shares = runs.truth(elf, log, shares=SHARE_S)
    stacks = runs.truth(elf, log, until=int(STACK_S * Cm4.hz))
    os.unlink(log)
    shares.stacks = stacks.stacks = stacks.truth
    return elf, flags, shares, stacks


estimate_run = arm_runs.estimate_run
lacking = arm_runs.lacking
