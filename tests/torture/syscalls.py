"""System calls that fail, once each: a profile with a capture, a decode and a daemon, each with the k-th call of a kind refused by
strace (-e inject), at every k that a run without a fault has. It goes on, or ends with a sentence and a status, never by a
signal; what it calls done is done: the report is the same, the capture keeps its laws; the board is as it was before, by itself
or at the next start; a daemon answers the next client and gives every descriptor back."""
import collections
import multiprocessing
import os
import random
import re
import shutil
import subprocess
import tempfile
import time

from boards import DEMOS, FIRMWARE, Client, Daemon, describe

MOST_K, QUICK_EACH = 40, 1	# of a call and an error: this many k; the quick part draws so many
REFUSED = (1, 2, 3, 4)
DEADLINE_S = 60
SPACE, FILES, AGAIN, LATER = "ENOSPC", "EMFILE", "EINTR", "EAGAIN"
ERRORS = {	# what a call may fail with, as its manual page has it
    "openat": (FILES, SPACE, AGAIN), "write": (SPACE, AGAIN, LATER), "pwrite64": (SPACE, AGAIN), "writev": (SPACE, AGAIN, LATER),
    "read": (AGAIN, "EIO"), "pread64": (AGAIN, "EIO"), "fsync": ("EIO", SPACE, AGAIN), "fdatasync": ("EIO", SPACE, AGAIN),
    "ftruncate": ("EIO", AGAIN), "dup": (FILES,), "pipe2": (FILES,), "eventfd2": (FILES,), "epoll_create1": (FILES,),
    "socket": (FILES,), "accept4": (FILES, LATER, AGAIN), "epoll_ctl": (SPACE,), "epoll_wait": (AGAIN,), "epoll_pwait": (AGAIN,),
    "poll": (AGAIN,), "ppoll": (AGAIN,), "recvfrom": (LATER, AGAIN), "recvmsg": (LATER, AGAIN), "sendto": (LATER, AGAIN),
    "sendmsg": (LATER, AGAIN), "connect": (AGAIN,), "clone3": (LATER,), "flock": (AGAIN,), "rename": ("EIO",), "unlink": ("EIO",),
}
OF_LIBUV = ("pipe2", "eventfd2", "epoll_ctl", "epoll_create1")	# where one fails it calls abort(), for which there are words
SETTINGS = {0xe000edf0: 1, 0xe000edfc: 0x01000401, 0xe0002000: 1, 0xe0001020: 0xffffffff, 0xe0001028: 0x1f,
            **{0xf0000000 + at: 0xffffffff for at in (0, 4, 8)}}	# of a KL27, that a profile writes: address, bits that count
ELF = os.path.join(FIRMWARE, DEMOS["arm"])
Case = collections.namedtuple("Case", "what call error k")


def proftap(*words):
    return [os.path.abspath("proftap"), *words]


def strace(*words):
    return ["strace", "-D", "-f", "-qq", *words, "--"]


def words_of(what, folder, address=None):
    capture = os.path.join(folder, "a.ptcap")
    if what == "decode":
        return proftap("decode", os.path.join(folder, "good.ptcap"), "--format", "json", "--output", os.path.join(folder, "out"))
    return proftap("profile", "--probe", f"cmsis-dap:tcp={address}", "--elf", ELF, "--source", "mtb", "--mode", "burst", "--for", "100ms",
                   "--capture", capture, "--format", "json", "--output", os.path.join(folder, "out"))


class Served:
    """A board in a process of its own, with a folder for the notes about it, and one for a daemon that knows nothing of them."""

    def __init__(self, folder):
        self.child = subprocess.Popen(proftap("board", f"kl27?elf={ELF}", "--listen", "127.0.0.1:0", "--print-ports"), stdout=subprocess.PIPE,
                                      stderr=subprocess.DEVNULL, text=True)
        self.address = self.child.stdout.readline().split()[1]
        self.notes, self.other = os.path.join(folder, "notes"), os.path.join(folder, "other")
        os.makedirs(self.notes), os.makedirs(self.other)
        os.environ["XDG_RUNTIME_DIR"] = self.notes
        self.before = self.seen()

    def seen(self):
        """The registers that a profile changes. Asked again where the machine was so busy that the probe did not answer in time."""
        for attempt in range(5):
            try:
                return self.look()
            except (ValueError, AssertionError):	# an error in the place of hex; or the daemon could not put the board back
                if attempt == 4:
                    raise

    def look(self):
        os.environ["XDG_RUNTIME_DIR"] = self.other
        try:
            with Daemon(os.getcwd(), probe=f"cmsis-dap:tcp={self.address}") as daemon:
                rsp = Client(daemon.address)
                rsp.ask("QNonStop:1")
                rsp.ask("?")
                values = {hex(at): int.from_bytes(bytes.fromhex(rsp.ask(f"m{at:x},4")), "little") & mask
                          for at, mask in SETTINGS.items()}
                rsp.close()
                return values
        finally:
            os.environ["XDG_RUNTIME_DIR"] = self.notes

    def judge(self):
        """What is wrong with the board, once the next start has put back what was noted."""
        noted = os.path.exists(os.path.join(self.notes, "proftap", self.address + ".restore"))
        if noted:
            done = subprocess.run(proftap("restore", "--probe", f"cmsis-dap:tcp={self.address}"), capture_output=True, text=True,
                                  timeout=DEADLINE_S, check=False)
            if done.returncode != 0:
                return [f"restore: exit {done.returncode}: {done.stderr[-200:]}"]
        after = self.seen()
        left = {at: hex(value) for at, value in after.items() if value != self.before[at]}
        return [f"the board is not put back: {left}"] if left else []

    def close(self):
        self.child.kill()
        self.child.wait()


# --- what calls there are

def count_calls(words):
    """{call: the most that one thread makes}"""
    with tempfile.NamedTemporaryFile(prefix="torture.", mode="r") as log:
        subprocess.run([*strace("-o", log.name, "-e", "trace=" + ",".join(ERRORS)), *words], stdout=subprocess.DEVNULL,
                       stderr=subprocess.PIPE, timeout=DEADLINE_S, check=True)
        time.sleep(0.2)		# strace, which is nobody's child, writes on
        found = collections.Counter(re.findall(r"^(\d+)\s+(\w+)\(", log.read(), re.M))
    most = collections.Counter()
    for (_, call), n in found.items():
        most[call] = max(most[call], n)
    return most


def cases_of(what, calls, options, dice):
    cases = []
    for call, n in sorted(calls.items()):
        for error in ERRORS[call] if what == "decode" or call not in ("read", "write") else ():	# most are an eventfd's, which never fail
            all_k = range(1, n + 1)
            some = dice.sample(all_k, min(n, QUICK_EACH if options.quick else MOST_K))
            cases += [Case(what, call, error, k) for k in sorted(some)]
    return cases


# --- one case

board = None


def prepare(folder):
    """A board for each process of the pool."""
    global board
    mine = tempfile.mkdtemp(dir=folder)
    board = Served(mine)


def fail_one(job):
    """(case, status, what is wrong)"""
    case, folder = job
    with tempfile.TemporaryDirectory(prefix="torture.", dir=folder) as mine:
        try:
            os.symlink(os.path.join(folder, "good.ptcap"), os.path.join(mine, "good.ptcap"))
            words = words_of(case.what, mine, board.address)
            inject = strace("-o", "/dev/null", "-e", "trace=" + case.call, "-e",
                            f"inject={case.call}:error={case.error}:when={case.k}")
            done = subprocess.run([*inject, *words], capture_output=True, text=True, errors="replace", timeout=DEADLINE_S, check=False)
            wrong = judge_end(case, done) + judge_files(case, done.returncode, mine, folder, done.stderr)
            if case.what == "profile":
                wrong += board.judge()
        except Exception as error:
            return case, None, [describe(error)]
    return case, done.returncode, wrong


def judge_end(case, done):
    said = done.stderr.strip()
    if "error while loading shared libraries" in said:		# it has not begun
        return []
    if done.returncode == -6 and "proftap has to end" in said and case.call in OF_LIBUV:
        return []
    if done.returncode < 0:
        return [f"signal {-done.returncode}: {said[-200:]}"]
    if done.returncode == 0:
        return []
    mute = case.call in ("write", "writev")		# it may have been the sentence itself that could not be written
    if done.returncode not in REFUSED or (not mute and not re.search(r"[a-z]{2,} [a-z]{2,}", said)):
        return [f"exit {done.returncode}: {said[-200:]!r}"]
    return [f"{case.error} is to be tried again: exit {done.returncode}: {said[-200:]!r}"] if must_go_on(case) else []


def must_go_on(case):
    """A signal that was handled is no reason to give up; where handlers have SA_RESTART, the system goes on with other calls."""
    return case.error == AGAIN and case.call in ("poll", "ppoll", "epoll_wait", "epoll_pwait")


def judge_files(case, status, mine, folder, said):
    out, capture = os.path.join(mine, "out"), os.path.join(mine, "a.ptcap")
    if case.what == "decode":
        same = os.path.exists(out) and open(out, "rb").read() == open(os.path.join(folder, "good.json"), "rb").read()
        return [] if same or status != 0 or "warning" in said else ["exit 0 without a word, but the report is another"]
    if not os.path.exists(capture) or os.path.getsize(capture) == 0:
        return ["exit 0 without a capture"] if status == 0 else []
    done = subprocess.run(proftap("decode", capture, "--self-check"), capture_output=True, text=True, timeout=DEADLINE_S, check=False)
    if done.returncode != 0 and not (status != 0 and os.path.getsize(capture) < 512):	# not even the head could be written
        return [f"decode --self-check: exit {done.returncode}: {done.stderr[-200:]}"]
    return []


# --- a daemon

def converse(daemon):
    client = Client(daemon.address)
    client.ask("QNonStop:1")
    client.ask("?")
    client.monitor("profile start source=mtb mode=burst")
    time.sleep(0.1)
    client.monitor("profile stop")
    said = client.monitor("profile report format=json")
    client.close()
    return said


def fail_daemon(job):
    """The fault comes with whichever client is there; the next one is answered, and all descriptors come back."""
    case, _ = job
    inject = () if case.call is None else strace("-o", "/dev/null", "-e", "trace=" + case.call, "-e",
                                                 f"inject={case.call}:error={case.error}:when={case.k}")
    wrong = []
    try:
        daemon = Daemon(os.getcwd(), "--elf", ELF, probe=f"virtual:kl27?elf={ELF}&clock=virtual", under=inject)
    except AssertionError as error:		# it refused to begin, in words
        ended = " ".join(str(error).split())
        words = re.search(r"[a-z]{2,} [a-z]{2,}", ended.split("''", 1)[-1])
        return case, 1, [] if words else [describe(error)]
    try:
        for attempt in range(3):
            try:
                said = converse(daemon)
                break
            except (OSError, EOFError, AssertionError, TypeError) as error:
                said = ""
                if daemon.child.poll() is not None or attempt == 2:
                    raise AssertionError(f"no client is answered: {describe(error)} {daemon.messages()[-300:]}") from error
                time.sleep(0.5)	# out of descriptors it turns away all that wait, until none does
        if '"views"' not in said and '"rows"' not in said:
            converse(daemon)
        idle = len(os.listdir(f"/proc/{daemon.child.pid}/fd"))
        converse(daemon)
        end = time.monotonic() + 5
        while len(os.listdir(f"/proc/{daemon.child.pid}/fd")) > idle and time.monotonic() < end:
            time.sleep(0.05)
        if len(os.listdir(f"/proc/{daemon.child.pid}/fd")) > idle:
            wrong.append("descriptors stay open")
    except Exception as error:
        wrong.append(describe(error))
    status = daemon.end(2)
    if status == -6 and case.call in OF_LIBUV and "proftap has to end" in daemon.messages():
        return case, status, []
    if status in REFUSED and re.search(r"error: .*[a-z]{2,} [a-z]{2,}", daemon.messages()):	# it began, and ended with a sentence
        return case, status, []
    if status not in (0, *REFUSED) or not isinstance(status, int):
        wrong.append(f"the daemon ended with {status}: {daemon.messages()[-300:]}")
    return case, status, wrong


def daemon_calls():
    with tempfile.NamedTemporaryFile(prefix="torture.", mode="r") as log:
        daemon = Daemon(os.getcwd(), "--elf", ELF, probe=f"virtual:kl27?elf={ELF}&clock=virtual",
                        under=strace("-o", log.name, "-e", "trace=" + ",".join(ERRORS)))
        converse(daemon)
        daemon.end(2)
        time.sleep(0.2)
        found = collections.Counter(re.findall(r"^(\d+)\s+(\w+)\(", log.read(), re.M))
    most = collections.Counter()
    for (_, call), n in found.items():
        most[call] = max(most[call], n)
    return most


# --- all of them

def can_trace():
    if shutil.which("strace") is None:
        return "there is no strace (Debian package strace)"
    done = subprocess.run([*strace("-o", "/dev/null", "-e", "trace=read", "-e", "inject=read:error=EIO:when=1000"), "true"],
                          capture_output=True, text=True, check=False)
    return None if done.returncode == 0 else f"strace cannot trace here: {done.stderr.strip()[:100]}"


def run(options):
    why_not = can_trace()
    if why_not is not None:
        print(f"SKIPPED: system calls that fail: {why_not}")
        return []
    dice, wrong = random.Random(f"{options.seed} syscalls"), []
    with tempfile.TemporaryDirectory(prefix="torture.") as folder:
        good = os.path.join(folder, "good.ptcap")
        subprocess.run(proftap("profile", "--probe", "virtual:kl27?clock=virtual", "--for", "50ms", "--capture", good), check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        subprocess.run(proftap("decode", good, "--format", "json", "--output", os.path.join(folder, "good.json")), check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        cases = cases_of("decode", count_calls(words_of("decode", folder)), options, dice)
        prepare(folder)
        cases += cases_of("profile", count_calls(words_of("profile", folder, board.address)), options, dice)
        board.close()
        daemons = cases_of("daemon", daemon_calls(), options, dice)
        if options.quick:
            cases, daemons = dice.sample(cases, 18), dice.sample(daemons, 6)
        with multiprocessing.Pool(options.jobs, prepare, (folder,)) as pool:
            outcomes = pool.map(fail_one, [(case, folder) for case in cases], 1)
            outcomes += pool.map(fail_daemon, [(case, folder) for case in daemons], 1)
            pool.map(close_board, range(options.jobs), 1)
    for what in ("decode", "profile", "daemon"):
        of = [(case, status, found) for case, status, found in outcomes if case.what == what]
        print(f"{what}: calls failed {len(of)}, done all the same {sum(status == 0 for _, status, _ in of)}, refused in words "
              f"{sum(status not in (0, None) and not found for _, status, found in of)}, wrong {sum(bool(found) for *_, found in of)}")
    for case, _, found in outcomes:
        wrong += [f"{case.what}, {case.call} number {case.k} fails with {case.error}: {text}" for text in found]
    return wrong


def close_board(_):
    board.close()
