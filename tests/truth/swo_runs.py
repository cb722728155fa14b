"""proftap's source swo on the virtual cm4 against the truth: every kind of trace, over probes, codings and pins. What is said to be
exact must be equal to the last cycle; a bound or an interval must hold, and nothing is blank where nothing was lost. Each set-up
of board, probe and pin has one kind of trace per seed, so that five seeds have them all."""
import math
import os
import subprocess

import arm_runs
import compare
import json_report
import swo_program
from swo_truth import SwoTruth

HZ, NS = 25000000, 40		# the core's clock, and its cycle
TIME_MS = 60
LATEST_END_MS = TIME_MS + 20	# a profile ends a little later than it was asked to
VARIABLES = ("--set", "variables=g_state,g_count,g_half")
PORTS = ("--set", "variables=port.1:state,port.3", "--set", "signal=port.2:nested")
KINDS = {
	"exceptions": ("--set", "trace=exceptions"),
	"data": ("--set", "trace=exceptions,data", *VARIABLES),
	"task": ("--set", "trace=exceptions,task"),
	"ports": ("--set", "trace=exceptions,instrumentation", *PORTS),
	"counters": ("--set", "trace=exceptions,event-counters"),
}
# words of the board, options, whether the program is busy, and whether exits of exceptions are reported
SETUPS = {
	"comfortable": ("&itm-fifo=64", (), False, True),
	"full-speed": ("&itm-fifo=64&link=bulk-fs", (), False, True),
	"manchester": ("&itm-fifo=64", ("--set", "swo-coding=manchester", "--set", "swo-baud=2500000"), False, True),
	"jlink": ("&itm-fifo=64&probe=jlink", (), False, True),
	"stlink": ("&itm-fifo=64&probe=stlink&stlink=v3j7", (), False, True),
	"trace-sleeps": ("&itm-fifo=64&variant=trace-sleeps", (), False, True),
	"no-exits": ("&itm-fifo=64&variant=no-exits", (), False, False),
	"armv8": ("&itm-fifo=64&variant=dwt-v8", (), False, True),
	"coresight": ("&itm-fifo=64&tpiu=coresight", (), False, True),
	"small-fifo": ("", (), False, True),
	"slow-pin": ("", ("--set", "swo-baud=500000"), True, True),
	"slow-probe": ("&itm-fifo=16&link=hid-fs", (), True, True),
}
SILENT = ("stlink",)		# cannot say that it lost something


class Runs(arm_runs.Runs):
    clock = ("--core-clock", "25M")

    def profile(self, elf, orti, setup, kind, seed, log):
        words, options, _, _ = SETUPS[setup]
        capture = self.new_capture()
        board = f"virtual:cm4?clock=virtual&core-drift={arm_runs.DRIFT}&elf={elf}&flow-log={log}{words}"
        command = [self.proftap, "profile", "--probe", board, "--elf", elf, *self.clock, "--for", f"{TIME_MS}ms", "--reset",
                   "--source", "swo", "--seed", str(seed), "--capture", capture, "--format", "summary", *options, *KINDS[kind],
                   *(("--orti", orti) if kind == "task" else ())]
        subprocess.run(command, check=True, env=self.env, timeout=120, **arm_runs.QUIET)
        return capture

    def swo_report(self, elf, orti, capture, kind):
        command = [self.proftap, "decode", capture, "--elf", elf, *self.clock, "--format", "json", "--analysis", "all",
                   *(("--orti", orti) if kind == "task" else ()), *(PORTS if kind == "ports" else VARIABLES if kind == "data" else ())]
        return json_report.read(subprocess.run(command, env=self.env, timeout=120, capture_output=True, check=True).stdout)


class Judge(compare.Result):
    """complete: nothing can be missing, so what is printed is whole."""

    def __init__(self, complete):
        super().__init__()
        self.complete = complete

    def figure(self, name, row, key, true, close=0.0):
        """A figure of a row: exact, a bound, an interval, or blank. true None: none is known, or there is none."""
        label, place = f"{name} {key}", row
        *outer, last = key.split(".")
        for word in outer:
            place = place[word]
        printed, low, interval = place[last], place.get(last + "_at_least"), place.get(last + "_ci95")
        self.rows += 1
        if low is not None:
            if true is None or low > true + close:
                self.wrong.setdefault(key + " at least", []).append((name, f">= {low}", true))
        elif interval is not None:
            if true is not None and not interval[0] - close <= true <= interval[1] + close:
                self.wrong.setdefault(key + " interval", []).append((name, interval, true))
        elif printed is not None:
            if true is None or abs(printed - true) > close:
                self.wrong.setdefault(key, []).append((name, printed, true))
        elif self.complete and true is not None:
            self.wrong.setdefault(key + " blank", []).append((label, None, true))

    def share_of_time(self, name, row, parts):
        """Of the time behind the first report, and of all the time, which a bound is of; both end somewhere."""
        least, interval, printed = row.get("net_share_at_least"), row.get("net_share_ci95"), row["net_share"]
        self.rows += 1
        if least is not None:
            if least > max(parts[1::2]) + 1e-9:
                self.wrong.setdefault("net_share at least", []).append((name, least, parts))
        elif printed is not None:
            low, high = interval or (printed, printed)
            if high < min(parts[::2]) * (1 - 1e-4) or low > max(parts[::2]) * (1 + 1e-4):	# times with the probe's clock
                self.wrong.setdefault("net_share", []).append((name, interval or printed, parts))

    def times(self, name, row, key, times, since=None):
        """since: one of them began then, and has not ended."""
        for word in ("min", "avg", "max"):
            true = getattr(times, word)
            if word == "max" and since is not None and row[key].get("max_at_least") is not None:
                true = max(true or 0, LATEST_END_MS * HZ // 1000 - since)
            self.figure(name, row, f"{key}.{word}", true * NS if true is not None else None, (true or 0) * NS * 1e-8 if word == "avg" else 0)	# printed to nine digits

    def longest(self, name, row, key, times, since, now):
        """As times(); up to now, or the end of the profile, what has not ended has lasted so long that no shorter one may be called the
        longest. now None: that is not judged."""
        self.times(name, row, key, times, since)
        printed = row[key]["max"]
        self.rows += 1
        now = min(now, TIME_MS * HZ // 1000) if now is not None else None
        if printed is not None and since is not None and now is not None and (now - since) * NS > printed:
            self.wrong.setdefault(key + ".max unended", []).append((name, printed, (now - since) * NS))


def exceptions(report, truth, complete):
    result, rows = Judge(complete), {r["number"]: r for r in report["exceptions"]}
    for number, true in truth.exceptions.rows.items():
        row = rows.pop(number, None)
        if row is None:
            result.check(f"exception {number}", "missing row", 0 if complete else None, true.count)
            continue
        spans(result, row, f"exception {number}", true, truth.now)
        result.share_of_time(f"exception {number}", row, [true.net.total / max(now - begin, 1) for now in (truth.now, TIME_MS * HZ // 1000)
                                                          for begin in (truth.reports[0], 0)])
    for number, row in rows.items():
        result.check(f"exception {number}", "extra row", row["count"] or row["count_at_least"], 0)
    return result


def spans(result, row, name, true, now):
    result.figure(name, row, "count", true.count)
    result.figure(name, row, "net_ns.total", true.net.total * NS)
    result.figure(name, row, "gross_ns.total", true.total * NS)
    for key, since in (("net", true.opened), ("gross", true.opened), ("period", true.last), ("inactive", true.left)):
        result.longest(name, row, key + "_ns", getattr(true, key), since, None if key == "net" else now)	# of net time others have a part
    result.times(name, row, "call_ns", true.gross, true.opened)


def data(report, truth, complete):
    result = Judge(complete)
    rows = {(r["name"], r["value"]): r for r in report["data"]}
    for place in ("g_state", "g_count", "g_half"):
        quantity(result, rows.get((place, None)), place, truth.writes[place], truth.now)
    states(result, rows, "g_state", "g_state", truth)
    return result


def quantity(result, row, place, writes, now):
    if row is None:
        result.check(place, "missing row", 0 if result.complete and writes else None, len(writes))
        return
    values = [v for _, v in writes]
    changed = [at for n, (at, v) in enumerate(writes) if n > 0 and v != values[n - 1]]
    result.figure(place, row, "count", len(writes))
    result.figure(place, row, "changes", len(changed))
    result.figure(place, row, "least", min(values))
    result.figure(place, row, "most", max(values))
    result.figure(place, row, "last", values[-1])
    result.figure(place, row, "avg", sum(values) / len(values), 1e-6 * max(values))
    for key, ats in (("period_ns", [at for at, _ in writes]), ("change_period_ns", changed)):
        result.longest(place, row, key, compare_times(ats), ats[-1] if ats else None, now)
    if len(writes) > 1:
        sums = sum(abs(b - a) for a, b in zip(values, values[1:]))
        result.figure(place, row, "rate.avg", sums * HZ / (writes[-1][0] - writes[0][0]), 1e-6 * sums * HZ)


def compare_times(ats):
    from swo_truth import Times
    times = Times()
    for before, at in zip(ats, ats[1:]):
        times.add(at - before)
    return times


def states(result, rows, name, place, truth):
    found, now = truth.states(place)
    end_ns = (TIME_MS * 1000000, truth.now * NS)	# it ends somewhere there
    begin_ns = truth.writes[place][0][0] * NS
    for value, (count, stays, periods, since) in found.items():
        row = rows.get((name, str(value)))
        label = f"{place} = {value}"
        if row is None:
            result.check(label, "missing row", 0 if result.complete else None, count)
            continue
        result.figure(label, row, "count", count)
        result.longest(label, row, "duration_ns", stays, since if value == now else None, truth.now)
        result.longest(label, row, "period_ns", periods, since, truth.now)
        if value != now:
            result.figure(label, row, "duration_ns.total", stays.total * NS)
        shares = [(stays.total * NS + (end - since * NS if value == now else 0)) / (end - begin_ns) for end in end_ns]
        middle, half = sum(shares) / 2, abs(shares[0] - shares[1]) / 2
        result.figure(label, row, "share", middle, half + 1e-9)


def task(report, truth, complete):
    result, rows = Judge(complete), {r["name"]: r for r in report["tasks"]}
    found, now = truth.states("g_running")
    for value, (count, stays, periods, since) in found.items():
        row = rows.get(f"task{value}")
        if row is None:
            result.check(f"task{value}", "missing row", 0 if complete else None, count)
            continue
        result.figure(f"task{value}", row, "count", count)
        result.longest(f"task{value}", row, "slice_ns", stays, since if value == now else None, truth.now)
        result.longest(f"task{value}", row, "period_ns", periods, since, truth.now)
    return result


def ports(report, truth, complete):
    result = Judge(complete)
    rows = {(r["name"], r["value"]): r for r in report["data"]}
    if truth.writes["port.3"]:
        quantity(result, rows.get(("port.3", None)), "port.3", truth.writes["port.3"], truth.now)
    if truth.writes["port.1"]:
        states(result, rows, "port.1", "port.1", truth)
    signalled = {r["name"]: r for r in report["signalled"]}
    for number, true in truth.spans.rows.items():
        row = signalled.get(f"port.2 {number}")
        if row is None:
            result.check(f"span {number}", "missing row", 0 if complete else None, true.count)
        else:
            spans(result, row, f"span {number}", true, truth.now)
    return result


def limits(place, key):
    """What is printed of a figure: the least and the most that it can be."""
    low, interval = place.get(key + "_at_least"), place.get(key + "_ci95")
    return (low, math.inf) if low is not None else tuple(interval) if interval is not None else (place[key], place[key])


def counters(report, truth, complete):
    """Each packet stands for 256: an interval, or a bound. When the trace was turned off follows from the cycles that the CPI counter
    counts, which are many to the end."""
    result, rows, true = Judge(complete), {r["name"]: r for r in report["counters"]}, truth.counters
    least, most = limits(rows["cpi"], "count") if "cpi" in rows else (0, math.inf)
    first, last = true.when(least, most)
    result.check("cpi", "count", int(first <= last and first < len(true.at)), 1)
    if first > last or first == len(true.at):
        return result
    for name in ("cpi", "lsu", "sleep", "exceptions"):
        low, high = true.between(name, max(first - 1, 0), last)
        row = rows.get(name)
        if row is None:
            result.check(name, "missing row", 0 if complete and low >= 256 else None, low)
            continue
        between(result, name, "count", limits(row, "count"), low, high)
        if row["per_s"]["avg"] is not None or row["per_s"].get("avg_at_least") is not None:
            between(result, name, "per_s.avg", limits(row["per_s"], "avg"), low * HZ / true.at[last], high * HZ / true.at[max(first - 1, 0)])
        elif complete:
            result.check(name, "per_s.avg blank", 0, 1)
    if "folded" in rows:
        between(result, "folded", "count", limits(rows["folded"], "count"), 0, 0)
    return result


def between(result, name, key, printed, low, high):
    """The truth lies between low and high, and must in what is printed."""
    result.rows += 1
    if printed[0] > high * (1 + 1e-9) or printed[1] < low * (1 - 1e-9):
        result.wrong.setdefault(key, []).append((name, printed, (low, high)))


JUDGES = {"exceptions": exceptions, "data": data, "task": task, "ports": ports, "counters": counters}
VIEW_OF = {"exceptions": "exceptions", "data": "data", "task": "tasks", "ports": "signalled", "counters": "counters"}


def exact_run(proftap, folder, seed, setup):
    """{(view, format): Judge}, the flag, and nothing else that truth asks for. setup None: any, of a number of its own."""
    setup = setup or list(SETUPS)[seed % len(SETUPS)]
    kind = list(KINDS)[(seed + list(SETUPS).index(setup)) % len(KINDS)]
    found, flag, report = run(Runs(proftap, folder), seed, setup, kind)
    return found, f"{kind} {flag}", None, report


def run(runs, seed, setup, kind):
    words, _, busy, by_exit = SETUPS[setup]
    elf, orti, flag, script = swo_program.build(seed, runs.folder, busy)
    log = runs.path("swo.flow")
    capture = runs.profile(elf, orti, setup, kind, seed, log)
    truth = SwoTruth(elf, log, script, by_exit, kind == "counters")
    os.unlink(log)
    report = runs.swo_report(elf, orti, capture, kind)
    complete = report["incomplete"] is None and not any(row["fault"] for row in report["loss"])
    found = {("exceptions", "json"): exceptions(report, truth, complete)}
    found[VIEW_OF[kind], "json"] = JUDGES[kind](report, truth, complete)
    if "fifo=64" in words and setup not in SILENT + ("trace-sleeps", "manchester"):
        found["exceptions", "json"].check("report", "complete", int(complete), 1)
    return found, flag, report
