"""All boards at once, for long: each row of boards.py has a daemon and a client that profiles, asks for reports, goes and comes
again; every now and then the probe is unplugged. Memory, descriptors and threads of each daemon are looked at all the time. Of each
block of the time the least is judged: what a profile or a report needs for a while is no growth. What grows does so by less
than three times the error of its slope (45 slopes are judged at once).

Memory is the bytes in use as malloc() counts them, and RSS; heap.c is preloaded for both, and gives what was freed back to the
system, as RSS else has what the C library keeps. Under a sanitizer, which has an allocator of its own, it is RSS alone.

make soak [SOAK=40]; in a tree that is built with -fsanitize=thread it is the soak under TSan, of which 10 minutes are enough."""
import fnmatch
import math
import os
import random
import subprocess
import tempfile
import threading
import time

from boards import DEMOS, FIRMWARE, HERE, ROWS, Bench, Client, describe

LOOK_S = 1.0
SETTLES = 0.3		# of the time is not judged: the first profiles and reports make room for themselves
JUDGED_S = 600		# a shorter run prints growth and does not judge it: the heap is still filling
BLOCKS = 30
ERRORS = 3
LEAST = {"KiB in use": 1024, "KiB resident": 4096, "descriptors": 1.5, "threads": 4.5}	# over the run: libuv begins 4 threads once
REPORTS = ("", " calls format=json", " lines format=csv", " format=html", " format=pprof", " gaps", " format=callgrind", " why name=*a*")
UNPLUG_EVERY_S = 20.0


def sockets_of(pid):
    folder = f"/proc/{pid}/fd"
    return sum(os.readlink(os.path.join(folder, fd)).startswith("socket:") for fd in os.listdir(folder))


def look(pid, emulator):
    """Of an emulated USB device umockdev has a socket in the daemon for each opening of its node, of which some stay when that
    is closed: they have their other ends in the emulator, and are not counted."""
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        fields = dict(line.split(":", 1) for line in file)
    seen = {"KiB resident": int(fields["VmRSS"].split()[0]), "threads": int(fields["Threads"])}
    heap = os.path.join(os.environ.get("PT_HEAP_FOLDER", ""), str(pid))
    if os.path.exists(heap):
        with open(heap, encoding="ascii") as file:
            seen["KiB in use"] = int(file.read()) / 1024
    return {**seen, "descriptors": len(os.listdir(f"/proc/{pid}/fd")) - (sockets_of(emulator) if emulator != pid else 0)}


def slope(points):
    """Least squares: what a second adds, and the standard error of that."""
    n = len(points)
    mean_t, mean_y = sum(t for t, _ in points) / n, sum(y for _, y in points) / n
    spread = sum((t - mean_t) ** 2 for t, _ in points)
    k = sum((t - mean_t) * (y - mean_y) for t, y in points) / spread
    rest = sum((y - mean_y - k * (t - mean_t)) ** 2 for t, y in points)
    return k, math.sqrt(rest / (n - 2) / spread)


class Looker(threading.Thread):
    def __init__(self, pid, emulator):
        super().__init__(daemon=True)
        self.pid, self.emulator, self.points, self.over = pid, emulator, [], threading.Event()
        self.start()

    def run(self):
        began = time.monotonic()
        while not self.over.wait(LOOK_S):
            try:
                self.points.append((time.monotonic() - began, look(self.pid, self.emulator)))
            except (OSError, KeyError, ValueError):
                if self.points:
                    return


def pid_of(bench):
    """That of proftap; where it is run by another program, the child of that."""
    pid = bench.daemon.child.pid
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
        children = file.read().split()
    return int(children[0]) if bench.row.place == "usb" and children else pid


def work(bench, dice, end, did):
    """Each kind of report is asked for once before any growth is judged: what it needs is had from then on."""
    unplugged = time.monotonic() + dice.uniform(0, UNPLUG_EVERY_S)
    while time.monotonic() < end:
        said = bench.rsp.monitor("profile start " + bench.row.start)
        if "profiling" in said:
            did["profiles"] += 1
            time.sleep(dice.uniform(0.1, 0.5))
            if time.monotonic() > unplugged and "unplug" in bench.row.faults:
                unplugged += UNPLUG_EVERY_S
                did["unplugged"] += 1
                bench.arm("unplug@1")
                time.sleep(0.5)
                bench.replug()
            bench.rsp.monitor("profile stop")
            for report in REPORTS if did["reports"] == 0 else dice.sample(REPORTS, 3):
                bench.rsp.monitor("profile report" + report)
                did["reports"] += 1
        else:
            did["refused"] += 1
            time.sleep(0.2)
            bench.replug()	# on a busy machine it may have been unplugged after it was plugged in again
        if dice.random() < 0.3:
            bench.rsp.close()
            bench.rsp = Client(bench.daemon.address)
            bench.rsp.ask("QNonStop:1")
            bench.rsp.ask("?")
            did["clients"] += 1


def soak_one(row, seed, seconds, outcomes):
    """Adds (row, what was done, growth, what is wrong)."""
    dice, did, wrong, growth = random.Random(f"{seed} {row.name}"), dict.fromkeys(
        ("profiles", "reports", "clients", "unplugged", "refused"), 0), [], {}
    with tempfile.TemporaryDirectory(prefix="torture.") as folder:
        try:
            with Bench(row, os.path.join(FIRMWARE, DEMOS[row.family]), folder) as bench:
                if row.scheme == "rsp:":
                    bench.rsp.ask("vCont;c")
                looker = Looker(pid_of(bench), bench.daemon.child.pid)
                began = time.monotonic()
                work(bench, dice, began + seconds, did)
                looker.over.set()
                looker.join()
                growth, wrong = judge([(t, seen) for t, seen in looker.points if t > SETTLES * seconds], seconds)
                if did["profiles"] == 0:
                    wrong.append("no profile began")
        except Exception as error:
            wrong.append(describe(error))
    outcomes.append((row.name, did, growth, wrong))


def least_of_blocks(points, what):
    """The least of each of BLOCKS blocks, where it was seen."""
    began, block = points[0][0], (points[-1][0] - points[0][0]) / BLOCKS
    blocks = [[(seen[what], t) for t, seen in points if i * block <= t - began < (i + 1) * block] for i in range(BLOCKS)]
    return [(t, value) for value, t in (min(seen) for seen in blocks if seen)]


def judge(points, seconds):
    growth, wrong = {}, []
    for what, least in LEAST.items():
        if len(points) < 2 * BLOCKS:
            wrong.append("too short to tell growth")
            break
        if what not in points[0][1] or (what == "KiB resident" and is_under("tsan")):	# which has memory beside each byte that was ever in use
            continue
        k, error = slope(least_of_blocks(points, what))
        growth[what] = (k * seconds, error * seconds)
        if seconds >= JUDGED_S and k > ERRORS * error and k * seconds > least:
            wrong.append(f"{k * seconds:.1f} +- {error * seconds:.1f} {what} more in {seconds:.0f} s")
    return growth, wrong


def preload_heap(folder):
    library = os.path.join(folder, "heap.so")
    compiler = (os.environ.get("CC") or "cc").split()
    subprocess.run([*compiler, "-shared", "-fPIC", "-O1", "-o", library, os.path.join(HERE, "heap.c"), "-lpthread"], check=True)
    os.environ.update(LD_PRELOAD=library, PT_HEAP_FOLDER=folder)


def is_under(sanitizer):
    with open("proftap", "rb") as file:
        return f"__{sanitizer}_init".encode() in file.read()


def run(options):
    wrong, outcomes = [], []
    os.environ["MALLOC_ARENA_MAX"] = "1"	# else the C library keeps what was freed, for each thread that ever asked for memory
    rows = [row for row in ROWS if any(fnmatch.fnmatch(row.name, p) for p in (options.rows or "*").split(","))]
    if is_under("tsan"):
        print("SKIPPED: emulated USB devices: TSan reports races of GLib and umockdev in the emulator's own process")
        rows = [row for row in rows if row.place != "usb"]
    with tempfile.TemporaryDirectory(prefix="torture.") as folder:
        if not is_under("tsan") and not is_under("asan"):
            preload_heap(folder)
        threads = [threading.Thread(target=soak_one, args=(row, options.seed, options.minutes * 60, outcomes)) for row in rows]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    print(f"{'board':16} {'profiles':>8} {'reports':>8} {'clients':>8} {'unplugged':>9} {'refused':>8}   growth over {options.minutes} min: "
          f"{', '.join(LEAST)}")
    for name, did, growth, found in sorted(outcomes):
        print(f"{name:16} {did['profiles']:8} {did['reports']:8} {did['clients']:8} {did['unplugged']:9} {did['refused']:8}   "
              + ", ".join(f"{value:.1f} +- {error:.1f}" for value, error in growth.values()))
        wrong += [f"{name}: {text}" for text in found]
    return wrong
