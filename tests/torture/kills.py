"""kill -9 at any moment of a capture, and a daemon that is stopped for a while: what was recorded is read back, and time in
which nobody looked is not called observed."""
import fnmatch
import multiprocessing
import os
import random
import signal
import subprocess
import tempfile
import time

from boards import DEMOS, FIRMWARE, ROWS, Bench, describe, worst
import json_report

KILLS, QUICK_KILLS = 1000, 12
LATEST_S = 2.5		# of a capture, that it is killed
KEPT_S = 1.0		# what is missing at the end of a capture is no older
PATIENCE_S = 10		# the same in the check, as a busy machine is no fault
STOPS_S, QUICK_STOPS_S = 12.0, 1.5
LOOKS_S = 0.3		# a profile that is let go on may count so much of what it was stopped for: the piece at hand
STOPPED = ("kl27 tcp", "kl27 xvc", "kl27 bitbang", "e500 rsp")	# here the host must look; an MDM's bins count by themselves

# --- kill -9

MODES = (("source=mtb", "mode=burst"), ("source=mtb", "mode=stream"), ("source=pcsr",), ("source=mtb+pcsr",))


def decode(capture, *words):
    done = subprocess.run([os.path.abspath("proftap"), "decode", capture, *words], capture_output=True, timeout=120, check=False)
    return done.returncode, done.stdout, done.stderr.decode(errors="replace")


def kill_one(job):
    """(mode, bytes, what is missing at the end in s or None, what is wrong)"""
    seed, n, kept_s = job
    dice = random.Random(f"{seed} kill {n}")
    mode, moment = dice.choice(MODES), dice.uniform(0, LATEST_S)
    options = [word for setting in mode for word in ("--" + setting.split("=")[0], setting.split("=")[1])]
    with tempfile.TemporaryDirectory(prefix="torture.") as folder:
        capture = os.path.join(folder, "a.ptcap")
        child = subprocess.Popen([os.path.abspath("proftap"), "profile", "--probe", "virtual:kl27", *options, "--capture", capture],
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        begun = await_file(capture, child)
        time.sleep(moment)
        child.send_signal(signal.SIGKILL)
        killed = time.monotonic()
        child.wait()
        try:
            missing, wrong = judge_capture(capture, killed - begun, kept_s)
        except Exception as error:
            missing, wrong = None, [describe(error)]
        size = os.path.getsize(capture)
    return f"{' '.join(mode)}, killed after {moment:.3f} s, {size} bytes", missing, wrong


def await_file(path, child):
    end = time.monotonic() + 60
    while not (os.path.exists(path) and os.path.getsize(path) > 0):
        assert time.monotonic() < end and child.poll() is None, "no capture"
        time.sleep(0.001)
    return time.monotonic()


def judge_capture(capture, lasted_s, kept_s):
    """What is missing at its end, and what is wrong with what is there."""
    status, _, said = decode(capture, "--self-check")
    if status != 0:
        return None, [f"decode --self-check: exit {status}: {said[-300:]}"]
    status, text, said = decode(capture, "--format", "json")
    if status != 0:
        return None, [f"decode: exit {status}: {said[-300:]}"]
    report = json_report.read(text)
    json_report.check_sums("time", report)
    json_report.check_exact(report)
    missing = lasted_s - (report["total_ns"] or 0) / 1e9
    wrong = [] if report["cut_short"] else ["it is not called cut short"]
    if missing > kept_s:
        wrong.append(f"{missing:.2f} s are missing at the end of {lasted_s:.2f} s")
    return missing, wrong


# --- SIGSTOP

def stop_one(job):
    """(row, observed at most in s, of s that it was not stopped, what is wrong)"""
    row, for_s = job
    with tempfile.TemporaryDirectory(prefix="torture.") as folder:
        try:
            return (row.name, *stop_profile(row, folder, for_s))
        except Exception as error:
            return row.name, None, None, [describe(error)]


def stop_profile(row, folder, for_s):
    elf, capture = os.path.join(FIRMWARE, DEMOS[row.family]), os.path.join(folder, "a.ptcap")
    with Bench(row, elf, folder) as bench:
        if row.scheme == "rsp:":
            bench.rsp.ask("vCont;c")
        bench.rsp.monitor(f"profile start {row.start} capture={capture}")
        time.sleep(0.3)
        bench.daemon.child.send_signal(signal.SIGSTOP)
        stopped = time.monotonic()
        time.sleep(for_s)
        stopped = time.monotonic() - stopped
        bench.daemon.child.send_signal(signal.SIGCONT)
        time.sleep(0.3)
        bench.rsp.monitor("profile stop")
    status, text, said = decode(capture, "--elf", elf, "--format", "json")
    assert status == 0, said[-300:]
    report = json_report.read(text)
    json_report.check_sums("time", report)
    observed = max(a["observed_ns_at_most" if a["observed_is_bound"] else "observed_ns"]
                   for a in json_report.accounts(report)) / 1e9
    awake = report["total_ns"] / 1e9 - stopped
    wrong = []
    if observed > max(awake, 0) + LOOKS_S:
        wrong.append(f"{observed:.3f} s of {report['total_ns'] / 1e9:.3f} s are called observed; it was stopped for {stopped:.3f} s")
    return observed, awake, wrong


# --- both

def run(options):
    wrong = []
    n, for_s = (QUICK_KILLS, QUICK_STOPS_S) if options.quick else (KILLS, STOPS_S)
    rows = [row for row in ROWS if row.name in STOPPED and fnmatch.fnmatch(row.name, options.rows or "*")]
    with multiprocessing.Pool(options.jobs) as pool:
        kills = pool.map(kill_one, [(options.seed, i, PATIENCE_S if options.quick else KEPT_S) for i in range(n)], 1)
        stops = pool.map(stop_one, [(row, for_s) for row in rows], 1)
    for name, _, found in kills:
        wrong += [f"{name}: {text}" for text in found]
    print(f"killed: tried {n}, read back {sum(not found for _, _, found in kills)}, missing at the end, median/most "
          f"{worst([missing for _, missing, _ in kills])}")
    for name, observed, awake, found in stops:
        wrong += [f"{name} stopped for {for_s} s: {text}" for text in found]
        if observed is not None:
            print(f"stopped for {for_s} s: {name}: {observed:.3f} s observed of {awake:.3f} s not stopped")
    return wrong
