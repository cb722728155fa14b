"""One fault at transfer k of a profile: every kind that a wire knows, on every board and probe, against the daemon.

Of each case four things are judged: the daemon survives and answers its clients; the capture and the report keep their laws,
and no number says what is not so; the board is back within a second of the end of the fault; the next profile is right."""
import collections
import fnmatch
import importlib
import importlib.machinery
import multiprocessing
import os
import random
import re
import subprocess
import tempfile
import time

from boards import HERE, ROWS, Bench, describe, eventually, worst
import compare
import json_report
from gdb_session import Mi

truth_program = importlib.machinery.SourceFileLoader("truth", os.path.join(HERE, "..", "truth", "truth")).load_module()
EXPECTED = truth_program.read_expected()

MODULES = {"arm": "arm_runs", "s12z": "other_runs", "microblaze": "other_runs", "e500": "other_runs"}
BACK_S = 1.0		# from the end of a fault to a board that is there again
AFTER_S = 0.05		# how long a profile goes on behind its fault
SILENCE_S = 1.0		# what a GDB server's answer is waited for: only then it is known that it never comes
REACHES_S = 2		# a profile that has not come to transfer k by then does not come there
TRIES = 3		# an emulated probe on a busy machine may not answer in time
ROWS_NS = 20e6		# of observed time have rows
MISSED_S = 20
ALL_K, QUICK_K = 200, 10
NO_FAULT = "none"
RATES = ("count", "instructions", "period avg")	# tests/truth allows for the chance of seconds, not for that of moments
# each packet of one sample; the first scans of a list. The quick part tries them always
ONCE_WRONG = {"e500 rsp": [("stall", k) for k in range(4, 8)], "kl27 ftdi jtag": [("wait", k) for k in range(1, 4)]}
LOSES = ("kl27 mtb stream",)	# without any fault, where the buffer is full before it is read
WHOLE_ONLY = ("kl27 jlink usb",)	# the quick part has it with its board in the daemon's process
CHANCE = 1e-6		# of intervals that hold as they should to look as bad as these

Case = collections.namedtuple("Case", "row kind k")
Outcome = collections.namedtuple("Outcome", "case hit back_s lost wrong compared")


def has_no_rows(report):
    return not report["functions"] and max(a["observed_ns"] or 0 for a in json_report.accounts(report)) > ROWS_NS


class Truth:
    """A program that is steady, and what every figure of it must be."""

    def __init__(self, family, seed, folder):
        module = importlib.import_module(MODULES[family])
        self.lacking = module.lacking(family)
        if self.lacking is not None:
            return
        runs = module.Runs(os.path.abspath("proftap"), folder, family)
        self.elf, _, self.shares, self.stacks = module.steady_truth(runs, seed)
        self.compare_views = module.compare_views if hasattr(module, "compare_views") else importlib.import_module(
            "arm_runs").compare_views

    def compare(self, report):
        found = self.compare_views(report, report["mode"], report["total_ns"] / 1e9, self.shares, self.stacks)
        if report["share_exactness"] in ("exact", "modelled"):		# of this moment, and the truth is of another
            for result in found.values():
                result.wrong.pop("share without interval", None)
        return found


def decode(elf, row, capture, *words):
    clock = [w for w in row.options if w in ("--core-clock", "48M")]
    done = subprocess.run([os.path.abspath("proftap"), "decode", capture, "--elf", elf, *clock, *words],
                          capture_output=True, timeout=120, check=False)
    return done.returncode, done.stdout, done.stderr.decode(errors="replace")


def read_report(truth, row, capture):
    """The report of a capture, which keeps its laws: as the program checks them, and as JSON shows them."""
    status, laws, said = decode(truth.elf, row, capture, "--self-check", "--analysis", "all")
    assert status == 0, f"decode --self-check: exit {status}: {laws[-600:].decode(errors='replace')} {said[-600:]}"
    status, text, said = decode(truth.elf, row, capture, "instructions", "--analysis", "all", "--format", "json")
    assert status == 0, f"decode: exit {status}: {said[-600:]}"
    return json_report.report(text)


def must(said, *words):
    assert all(word in said for word in words), f"no {words} in: {said}"
    return said


class Trial:
    """One row, and its cases one after the other."""

    def __init__(self, row, truth, folder, with_gdb, patience_s):
        self.row, self.truth, self.folder, self.n, self.patience_s = row, truth, folder, 0, patience_s
        self.bench, self.gdb = Bench(row, truth.elf, folder).__enter__(), None
        if with_gdb and row.family in ("arm", "e500"):
            self.gdb = Mi(self.bench.daemon, "set non-stop on", elf=truth.elf)

    def start(self):
        self.n += 1
        self.capture = os.path.join(self.folder, f"{self.n}.ptcap")
        said = self.bench.rsp.monitor(f"profile start {self.row.start} capture={self.capture}")
        if self.row.scheme == "rsp:":
            self.bench.rsp.ask("vCont;c")		# such a server halts the core when somebody connects
        return said

    def await_hit(self, give_up):
        """When the fault was over; None: the profile never came to it."""
        while (over := self.bench.over_at()) is None and time.time() < give_up:
            time.sleep(0.005)
        return over

    def await_unplug(self, give_up):
        """The same of a plug that is pulled and, when that was noticed, put in again."""
        while self.bench.attached():
            if time.time() > give_up:
                return None
            time.sleep(0.005)
        self.bench.replug()
        return time.time()

    def is_back(self):
        if self.row.place == "usb":
            self.bench.replug()		# on a busy machine a plug may be pulled after the time that it was waited for
        return self.bench.attached()

    def await_board(self, why):
        eventually(self.is_back, MISSED_S, lambda: f"{why}: {self.bench.rsp.monitor('status')}")
        return time.time()

    def run(self, kind, k):
        self.bench.arm(f"{kind}@{k}" if kind != NO_FAULT else "wait@1000000000")
        said = self.start()
        if self.row.place == "usb" and kind == "unplug":
            hit = self.await_unplug(time.time() + REACHES_S)
        else:
            hit = self.await_hit(time.time() + (REACHES_S if kind != NO_FAULT else 0))
        back = self.await_board("never back")
        time.sleep(AFTER_S)
        self.bench.rsp.monitor("profile stop")
        self.bench.arm("")
        patience_s = self.patience_s + (SILENCE_S if kind == "stall" and self.row.scheme == "rsp:" else 0)
        wrong = [] if hit is None or back - hit <= patience_s else [f"back {back - hit:.2f} s after the fault"]
        lost, found = self.judge_profile(said, wrong)
        if self.gdb is not None:
            must(self.gdb.say("monitor status"), "core 0")
        self.judge_next(wrong)
        return Outcome(Case(self.row.name, kind, k), hit is not None, max(back - hit, 0) if hit else None, lost, wrong, found)

    def judge_profile(self, said, wrong):
        """What was lost of the profile with the fault, in percent, and its figures beside the truth's."""
        if not re.search("^profiling ", said, re.M):		# refused, in words
            if not re.search(r"[a-z]{3,} [a-z]+", said):
                wrong.append(f"a start that fails says: {said!r}")
            return None, {}
        report = read_report(self.truth, self.row, self.capture)
        if not report["total_ns"]:
            return None, {}
        return 100 * json_report.lost_ns(report) / report["total_ns"], self.truth.compare(report)

    def judge_next(self, wrong):
        """The profile behind it: begins, loses nothing, and has rows."""
        for _ in range(TRIES):
            said = self.start()
            if re.search("^profiling ", said, re.M):
                break
            self.await_board("never back")
        else:
            wrong.append("the next profile does not begin: " + said.strip()[-300:])
            return
        time.sleep(AFTER_S)
        self.bench.rsp.monitor("profile stop")
        report = read_report(self.truth, self.row, self.capture)
        lost = json_report.lost_ns(report)
        if lost and self.row.name not in LOSES or report["cut_short"]:
            wrong.append(f"the next profile lost {lost} ns, cut short: {report['cut_short']}")
        if has_no_rows(report) and self.has_no_rows_for_long():
            wrong.append("the next profile has no rows")

    def has_no_rows_for_long(self):
        """The program sleeps half of its time, and a busy machine takes few samples in so short a profile: all asleep, perhaps."""
        if not re.search("^profiling ", self.start(), re.M):
            return True
        time.sleep(20 * AFTER_S)
        self.bench.rsp.monitor("profile stop")
        return has_no_rows(read_report(self.truth, self.row, self.capture))

    def close(self):
        if self.gdb is not None:
            self.gdb.close()
        self.bench.__exit__(None, None, None)


# --- a row's cases, in a process of its own

def cases_of(row, seed, quick):
    """All k of all kinds; or ten of both, drawn, of each kind as often as of any other."""
    if not quick:
        return [(kind, k) for kind in row.faults for k in range(1, ALL_K + 1)]
    dice = random.Random(f"{seed} {row.name}")
    kinds = [row.faults[i % len(row.faults)] for i in range(max(QUICK_K, len(row.faults)))]
    return ONCE_WRONG.get(row.name, []) + [(kind, dice.randint(1, ALL_K)) for kind in kinds]


def make_truth(job):
    family, seed, folder = job
    os.makedirs(folder)
    return Truth(family, seed, folder)


def run_row(job):
    """(outcomes, [(case, what went wrong)])"""
    row, truth, cases, patience_s = job
    found, trial = [], None
    for kind, k in [(NO_FAULT, 0), *cases]:
        try:
            if trial is None:
                folder = tempfile.TemporaryDirectory(prefix="torture.")
                trial = Trial(row, truth, folder.name, True, patience_s)
            found.append(trial.run(kind, k))
        except Exception as error:
            found.append(Outcome(Case(row.name, kind, k), False, None, None, [describe(error)], {}))
            trial = give_up(trial, found)
        if trial is not None and trial.n % 40 == 0:		# captures add up
            trial = give_up(trial, found)
    give_up(trial, found)
    return row.name, [pack(outcome) for outcome in found]


def give_up(trial, found):
    """Ends daemon and board; how the daemon ends is a part of the last case."""
    try:
        if trial is not None:
            trial.close()
    except Exception as error:
        found[-1].wrong.append(describe(error))
    return None


def pack(outcome):
    """For the other process: figures that are wrong, and intervals."""
    wrong = [(view, figure, places[0]) for (view, _), r in outcome.compared.items() for figure, places in r.wrong.items()]
    intervals = [(view, *i) for (view, _), r in outcome.compared.items() for i in r.intervals]
    return outcome._replace(compared=(wrong, intervals))


# --- what all cases of a row say together

def expected_to_be_wrong(row, view, figure):
    words = dict(word.split("=") for word in row.start.split())
    modes = [words["mode"]] if "mode" in words else [mode for source, mode, _ in importlib.import_module(
        MODULES[row.family]).MODES[row.family] if source == words["source"]]
    return any(truth_program.matches(truth_program.Finding(row.family, "steady", f"{words['source']} {mode}", f"{view} json", figure), pattern)
               for _, pattern, _ in EXPECTED for mode in modes)


def judge_figures(row, outcomes, quick):
    """Figures that are wrong where none is known to be; and intervals that hold too rarely, all cases together (which needs
    many)."""
    wrong, groups = [], {}
    for outcome in outcomes:
        where = f"{outcome.case.kind}@{outcome.case.k}"
        for view, figure, (place, printed, true) in outcome.compared[0]:
            if figure not in RATES and not expected_to_be_wrong(row, view, figure):
                wrong.append(f"{where}: {view} {place}: {figure}: {printed}, truly {true}")
        for view, place, true, estimate, low, high in outcome.compared[1]:
            group = groups.setdefault((view, compare.class_of(true)), truth_program.Intervals())
            group.add(0, where, place, true, estimate, low, high)
    for (view, size), group in groups.items():
        if not quick and group.chance() < CHANCE and group.coverage() < 0.9:
            wrong.append(f"intervals of {view} {size} hold in {100 * group.coverage():.1f} %, p {group.chance():.1e}")
    return wrong


def run(options):
    """Prints a line for each row; returns what went wrong."""
    rows = [row for row in ROWS if any(fnmatch.fnmatch(row.name, p) for p in options.rows.split(","))] if options.rows else [
        row for row in ROWS if not options.quick or row.name not in WHOLE_ONLY]
    if not os.access("tests/usb_probe", os.X_OK):
        print("SKIPPED: rows on USB: tests/usb_probe is not there (libumockdev-dev)")
        rows = [row for row in rows if row.place != "usb"]
    wrong = []
    print(f"{'board and profile':18} {'tried':>6} {'hit':>6} {'survived':>9} {'lost, median/most':>20} {'back in':>14} {'wrong':>6}")
    with tempfile.TemporaryDirectory(prefix="torture.") as folder, multiprocessing.Pool(options.jobs) as pool:
        families = sorted({row.family for row in rows})
        truths = dict(zip(families, pool.map(make_truth, [(f, options.seed % 5 + 1, os.path.join(folder, f)) for f in families], 1)))
        for family in families:
            if truths[family].lacking is not None:
                print(f"SKIPPED: {family}: {truths[family].lacking}")
        jobs = [(row, truths[row.family], cases_of(row, options.seed, options.quick),
                 MISSED_S if options.quick else BACK_S) for row in rows
                if truths[row.family].lacking is None]
        by_name = {row.name: row for row in rows}
        for name, outcomes in pool.imap_unordered(run_row, jobs, 1):
            found = [f"{o.case.kind}@{o.case.k}: {w}" for o in outcomes for w in o.wrong] + judge_figures(by_name[name], outcomes, options.quick)
            wrong += [f"{name} {text}" for text in found]
            print(f"{name:18} {len(outcomes):6} {sum(o.hit for o in outcomes):6} {sum(not o.wrong for o in outcomes):9} "
                  f"{worst([o.lost for o in outcomes], True):>20} {worst([o.back_s for o in outcomes]):>14} {len(found):6}", flush=True)
    return wrong
