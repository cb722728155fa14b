"""proftap on the virtual S12Z, MicroBlaze and e500: what is run, and the truth of it. Steady programs alone; what a source
says of all of the time, or exactly, is compared like what it estimates."""
import os
import shutil
import subprocess

import arm_runs
import compare
import other_programs
from elf_by_binutils import Elf
from evaluate import Truth
from other_cpus import E500, Microblaze, S12z

SHARE_S, STACK_S = 0.2, 0.02
BOARDS = {
    "s12z": (S12z, "virtual:s12zvm?clock=virtual&core-drift=37", ("--reset", "--set", "bus-clock=50M")),
    "microblaze": (Microblaze, "virtual:microblaze?clock=virtual&freq=5M&core-drift=37", ()),
    "e500": (E500, "virtual:e500?clock=virtual&freq=5M&core-drift=37", ()),
}
MODES = {
    "s12z": (("dbg-profile+sync-pc", "together", "2s"), ("dbg-profile", "bdc", "2s"), ("sync-pc", "sample", "2s"), ("dbg-profile", "pdo", "60ms")),
    "microblaze": (("bins", "live", "2s"), ("trace", "burst", "2s"), ("pc-sampling", "halt", "2s")),
    "e500": (("pc-sampling", "halt", "2s"),),
}
LOGGED_BY = {"s12z": ("sync-pc", "sample"), "microblaze": ("bins", "end"), "e500": ("pc-sampling", "halt")}
MORE = {"pdo": ("--set", "pdo=0", "--set", "pdoclk=1")}
SEVERAL = ("together", "bdc", "sample", "burst", "halt")


def cross_tools():
    """The folder that tests/system/cross_tools.sh finds or unpacks, or None and why."""
    here = os.path.dirname(os.path.abspath(__file__))
    env = dict(os.environ, srcdir=os.environ.get("srcdir", os.path.join(here, "..", "..")))
    out = subprocess.run(["sh", os.path.join(here, "..", "system", "cross_tools.sh")], env=env, capture_output=True, text=True)
    return (out.stdout.strip(), None) if out.returncode == 0 else (None, out.stdout.strip())


class Runs(arm_runs.Runs):
    clock = ()

    def __init__(self, proftap, folder, family):
        super().__init__(proftap, folder)
        self.family = family
        self.cpu, self.board, self.options = BOARDS[family]
        folder = cross_tools()[0] if family != "e500" else None
        self.tools = {"s12z": f"{folder}/s12z-elf/bin/s12z-elf", "microblaze": f"{folder}/microblaze-elf/bin/microblaze-elf",
                      "e500": "powerpc-linux-gnu"}[family]

    def profile(self, elf, source, mode, time, seed, log=None, extra=()):
        capture = self.new_capture()
        board = f"{self.board}&elf={elf}" + (f"&flow-log={log}" if log else "")
        if mode in ("bdc", "together"):		# what no manual says: whether lines leave the buffer (then busy programs have no shares)
            board += "&pdoe0=" + ("drains" if seed % 4 == 0 else "holds")
        command = [self.proftap, "profile", "--probe", board, "--elf", elf, "--for", time, "--source", source, "--mode", mode,
                   "--seed", str(seed), "--capture", capture, "--format", "summary",
                   *self.options, *MORE.get(mode, ()), *extra]
        if source == "pc-sampling" and self.family == "microblaze":
            del command[command.index("--mode"):command.index("--mode") + 2]
        subprocess.run(command, check=True, env=self.env, timeout=120, **arm_runs.QUIET)
        return capture

    def decode(self, elf, capture, form, *words):
        out = subprocess.run([self.proftap, "decode", capture, "--elf", elf, "--format", form, *words], env=self.env, timeout=120,
                             capture_output=True)
        return out.stdout if out.returncode in (0, 4) else None

    def truth(self, elf, log, shares=None, until=None):
        tools = Elf(elf, self.tools + "-", False)
        truth = Truth(tools, self.cpu(tools))
        if shares is not None:
            truth.read_shares(log, int(shares * self.cpu.hz))
        else:
            truth.read(log, until=until)
        return compare.Expected(truth, self.cpu, False)


def steady_truth(runs, seed):
    elf, flags = other_programs.build(runs.family, seed, runs.folder, runs.tools)
    log = runs.path("steady.flow")
    runs.profile(elf, *LOGGED_BY[runs.family], f"{int(SHARE_S * 1000)}ms", 1, log)
    shares = runs.truth(elf, log, shares=SHARE_S)
    stacks = runs.truth(elf, log, until=int(STACK_S * runs.cpu.hz))
    os.unlink(log)
    shares.stacks = stacks.stacks = stacks.truth
    return elf, flags, shares, stacks


estimate_run = arm_runs.estimate_run
FEATURES = {family: [] for family in BOARDS}
EXACT = None


def lacking(family):
    """Why programs cannot be made here, or None."""
    if family == "e500":
        return None if shutil.which("powerpc-linux-gnu-gcc") else "powerpc-linux-gnu-gcc is missing"
    return cross_tools()[1]
