"""A host that behaves as hosts rarely do, by a preloaded shim (shim.c): its clock of the day jumps; it is
suspended; files and connections take and
give a few bytes at a time; and pipes that no program reads, at standard output and at standard error. Time stays that of the
board, reports and captures are the same, the board is put back before a report is waited with, and a daemon serves on."""
import os
import shutil
import signal
import subprocess
import tempfile
import time

from boards import HERE, Client, Daemon, describe
import json_report
from syscalls import DEADLINE_S, ELF, Served, proftap

FOR_S, SLEPT_S = 0.6, 100
JUMPS = "100:3600,250:-7200,400:86400,500:-90000"	# ms: s


def shim(folder):
    out = os.path.join(folder, "shim.so")
    compiler = (os.environ.get("CC") or "cc").split()
    subprocess.run([*compiler, "-shared", "-fPIC", "-O1", "-o", out, os.path.join(HERE, "shim.c"), "-ldl"], check=True, timeout=DEADLINE_S)
    return out


def environment(library, **settings):
    asan = os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"
    return dict(os.environ, LD_PRELOAD=library, ASAN_OPTIONS=asan, **settings)


def run_one(env, *words):
    return subprocess.run(proftap(*words), env=env, capture_output=True, text=True, errors="replace", timeout=DEADLINE_S, check=False)


def report_of(capture):
    done = run_one(os.environ, "decode", capture, "--self-check")
    assert done.returncode == 0, f"decode --self-check: {done.stderr[-300:]}"
    report = json_report.read(run_one(os.environ, "decode", capture, "--format", "json").stdout)
    json_report.check_sums("time", report)
    return report


# --- the clock of the day

def clock_of_a_profile(folder, library):
    """total time is the board's, whatever the clock of the day does"""
    capture = os.path.join(folder, "clock.ptcap")
    began = time.monotonic()
    done = run_one(environment(library, PT_CLOCK_JUMPS=JUMPS), "profile", "--probe", f"virtual:kl27?elf={ELF}&clock=wall", "--for", f"{FOR_S}s",
                   "--capture", capture)
    took = time.monotonic() - began
    assert done.returncode == 0, done.stderr[-300:]
    total = report_of(capture)["total_ns"] / 1e9
    assert FOR_S * 0.9 <= total <= took, f"{total} s in all, of {FOR_S} s asked for and {took} s that it took"


def clock_of_a_daemon(folder, library):
    """a client is answered in time, and monitor log has a line of each change"""
    old, os.environ["LD_PRELOAD"] = os.environ.get("LD_PRELOAD"), library
    os.environ["PT_CLOCK_JUMPS"] = JUMPS
    try:
        daemon = Daemon(os.getcwd(), "--elf", ELF, probe=f"virtual:kl27?elf={ELF}")
    finally:
        del os.environ["PT_CLOCK_JUMPS"]
        os.environ.pop("LD_PRELOAD")
        if old is not None:
            os.environ["LD_PRELOAD"] = old
    with daemon:
        client = Client(daemon.address)
        client.ask("QNonStop:1")
        client.ask("?")
        began = time.monotonic()
        client.monitor("profile start")
        while time.monotonic() < began + FOR_S:
            asked = time.monotonic()
            assert client.ask("m20000000,4") is not None
            assert time.monotonic() < asked + 5, "an answer took long"
        client.monitor("profile stop")
        ran = time.monotonic() - began
        report = json_report.read(client.monitor("profile report format=json"))
        json_report.check_sums("time", report)
        assert report["total_ns"] / 1e9 <= ran + 0.05, f"{report['total_ns']} ns in {ran} s"
        assert client.monitor("log").count("profile st") == 2, client.monitor("log")
        client.close()


# --- a machine that is suspended

def suspended(folder, library):
    """a machine that is suspended in the middle of a profile: that is time of the board, and no more is observed than before"""
    seen = []
    for sleeps in "", f"400:{SLEPT_S}":
        board, capture = Served(tempfile.mkdtemp(dir=folder)), os.path.join(folder, f"slept{len(sleeps)}.ptcap")
        try:
            began = time.monotonic()
            done = run_one(environment(library, PT_SLEEPS=sleeps), "profile", "--probe", f"cmsis-dap:tcp={board.address}", "--elf", ELF,
                           "--source", "mtb", "--mode", "stream", "--for", "1s", "--capture", capture)
            assert done.returncode == 0, done.stderr[-300:]
            report, took = report_of(capture), time.monotonic() - began
            observed = max(a["observed_ns_at_most" if a["observed_is_bound"] else "observed_ns"]
                           for a in json_report.accounts(report)) / 1e9
            slept, total = SLEPT_S if sleeps else 0, report["total_ns"] / 1e9
            assert slept <= total <= slept + took, f"{total} s in all, of {took} s awake and {slept} s suspended"
            assert observed <= took, f"{observed} s are called observed, of {took} s awake and {slept} s suspended"
            seen.append(observed)
        finally:
            board.close()
    assert min(seen) > 0, seen


# --- few bytes at a time

def few_bytes(folder, library):
    """a capture that is written and read in pieces, and a report in pieces, are the same"""
    env, capture = environment(library, PT_MOST_BYTES="9"), os.path.join(folder, "few.ptcap")
    profile = ("profile", "--probe", f"virtual:kl27?elf={ELF}&clock=virtual&seed=3", "--seed", "3", "--for", "20ms", "--capture")
    done = run_one(env, *profile, capture)
    assert done.returncode == 0, done.stderr[-300:]
    whole = run_one(os.environ, "decode", capture, "--format", "json")
    pieces = run_one(env, "decode", capture, "--format", "json")
    assert whole.returncode == pieces.returncode == 0 and whole.stdout == pieces.stdout, pieces.stderr[-300:]
    report_of(capture)
    other = os.path.join(folder, "whole.ptcap")
    done = run_one(os.environ, *profile, other)
    assert done.returncode == 0, done.stderr[-300:]
    of_both = [run_one(os.environ, "decode", path, "--format", "csv").stdout for path in (capture, other)]
    assert of_both[0] == of_both[1], "the same profile, written in pieces, is another"


def few_bytes_of_a_daemon(folder, library):
    """packets and answers in pieces"""
    os.environ["PT_MOST_BYTES"], os.environ["LD_PRELOAD"] = "9", library
    try:
        daemon = Daemon(os.getcwd(), "--elf", ELF, probe=f"virtual:kl27?elf={ELF}&clock=virtual")
    finally:
        del os.environ["PT_MOST_BYTES"], os.environ["LD_PRELOAD"]
    with daemon:
        client = Client(daemon.address)
        client.ask("QNonStop:1")
        client.ask("?")
        with open(ELF, "rb") as file:
            assert file.read(4) == b"\x7fELF"
        memory = client.ask("m0,400")
        assert len(memory) == 0x800, memory
        client.monitor("profile start")
        time.sleep(0.1)
        client.monitor("profile stop")
        json_report.check_sums("time", json_report.read(client.monitor("profile report format=json")))
        client.close()


# --- pipes that no program reads

def full_pipe():
    """Both ends; the one to write has no room, and blocks."""
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    try:
        while os.write(writing, b"x" * 4096):
            pass
    except BlockingIOError:
        pass
    os.set_blocking(writing, True)
    return reading, writing


def full_output(folder, _):
    """the board is put back although nobody takes the report; a signal ends it"""
    board = Served(tempfile.mkdtemp(dir=folder))
    reading, writing = full_pipe()
    capture = os.path.join(folder, "pipe.ptcap")
    try:
        child = subprocess.Popen(proftap("profile", "--probe", f"cmsis-dap:tcp={board.address}", "--elf", ELF, "--source", "mtb",
                                         "--mode", "burst", "--for", "200ms", "--capture", capture), stdout=writing,
                                 stderr=subprocess.DEVNULL)
        time.sleep(2)
        assert child.poll() is None, f"it does not wait for the pipe: {child.returncode}"
        wrong = board.judge()
        assert not wrong, wrong
        child.send_signal(signal.SIGINT)
        child.wait(10)
        report_of(capture)
    finally:
        child.kill()
        child.wait()
        os.close(reading), os.close(writing)
        board.close()


def full_error(folder, _):
    """a daemon whose messages nobody reads answers, and says later that some are lost"""
    reading, writing = full_pipe()
    os.makedirs(os.path.join(folder, "run"), exist_ok=True)
    env = dict(os.environ, XDG_RUNTIME_DIR=os.path.join(folder, "run"))
    child = subprocess.Popen(proftap("serve", "--probe", f"virtual:kl27?elf={ELF}&clock=virtual", "--elf", ELF, "--gdb",
                                     "127.0.0.1:0", "--print-ports", "--log", "debug,gdb"), stdout=subprocess.PIPE, stderr=writing,
                             text=True, env=env)
    os.close(writing)
    try:
        client = Client(child.stdout.readline().split()[1])
        for _ in range(200):
            assert client.ask("m20000000,4", 5) is not None, "it waits for the pipe"
        os.set_blocking(reading, False)
        said = drain(reading)
        assert b"error" not in said, said[-300:]
        client.ask("m20000000,4")
        said = drain(reading)
        assert b"earlier message" in said, said[-300:]
        client.close()
        child.send_signal(signal.SIGINT)
        assert child.wait(20) == 0
    finally:
        child.kill()
        child.wait()
        child.stdout.close()
        os.close(reading)


def full_device(folder, _):
    """an address that cannot be printed ends a daemon and a board with a sentence, as a script would wait for it"""
    for words in (("serve", "--probe", "virtual:kl27", "--gdb", "127.0.0.1:0", "--print-ports"), ("board", "kl27", "--listen", "127.0.0.1:0")):
        with open("/dev/full", "w", encoding="ascii") as full:
            done = subprocess.run(proftap(*words), stdout=full, stderr=subprocess.PIPE, text=True, timeout=DEADLINE_S, check=False)
        assert done.returncode > 0 and "No space left" in done.stderr, (words, done)


def drain(fd):
    said = b""
    try:
        while data := os.read(fd, 1 << 16):
            said += data
    except BlockingIOError:
        pass
    return said.lstrip(b"x")


# --- all of them

PARTS = (clock_of_a_profile, clock_of_a_daemon, suspended, few_bytes, few_bytes_of_a_daemon, full_output, full_error, full_device)


def run(_):
    wrong = []
    if shutil.which((os.environ.get("CC") or "cc").split()[0]) is None:
        print("SKIPPED: host: no C compiler to build the shim")
        return wrong
    with tempfile.TemporaryDirectory(prefix="torture.") as folder:
        library = shim(folder)
        for part in PARTS:
            began = time.monotonic()
            try:
                part(folder, library)
                print(f"{part.__name__}: {part.__doc__} ({time.monotonic() - began:.1f} s)", flush=True)
            except Exception as error:
                wrong.append(f"{part.__name__}: {describe(error)}")
    return wrong
