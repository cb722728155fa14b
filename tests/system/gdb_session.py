"""What the tests of the GDB server share: the daemon as a child, stock GDB with a script, and a bare RSP client."""
import os
import random
import re
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

TESTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
DEMO = os.path.join(TESTS, "firmware", "demo.elf")
GDB = shutil.which("gdb-multiarch") or shutil.which("arm-none-eabi-gdb")
os.environ["PROFTAP_CONFIG"] = "/dev/null"	# not what stands on this machine for its own board
DEADLINE_S = 300	# for what hangs: an instrumented daemon on a busy machine takes minutes
GDB_SETTINGS = ("set debuginfod enabled off", "set pagination off", "set confirm off",
                "set remotetimeout 5")	# GDB's own 2 s are short on a busy machine; a monitor command at work waits for it


def other_gdb():
    """The GDB that knows S12Z and MicroBlaze (cross_tools.sh); None where there is none that runs."""
    here = os.path.dirname(os.path.abspath(__file__))
    env = dict(os.environ, srcdir=os.path.join(here, "..", ".."))
    found = subprocess.run(["sh", os.path.join(here, "cross_tools.sh")], stdout=subprocess.PIPE, text=True, env=env,
                           check=False)
    program = os.path.join(found.stdout.strip(), "gdb", "bin", "arm-none-eabi-gdb")
    works = found.returncode == 0 and subprocess.run([program, "--version"], stdout=subprocess.DEVNULL,
                                                     stderr=subprocess.DEVNULL, check=False).returncode == 0
    return program if works else None


def sanitizer_spoke(messages):
    return "Sanitizer" in messages or "runtime error: " in messages


class Daemon:
    """proftap on a virtual board, until the with block ends. under: a command that runs it, ended by --
    What it says, and what a sanitizer says of it, is kept in a file and printed if anything goes wrong."""

    def __init__(self, build, *options, probe="virtual:kl27?elf=" + DEMO, address="127.0.0.1:0", under=()):
        self.stderr = tempfile.NamedTemporaryFile(prefix="proftap-stderr-")
        self.command = [*under, os.path.join(build, "proftap"), "serve", *(["--probe", probe] if probe is not None else []),
                        "--gdb", address, "--print-ports", *options]
        self.child = subprocess.Popen(self.command, stdout=subprocess.PIPE, stderr=self.stderr, text=True)
        line = self.child.stdout.readline()
        if not line.startswith("gdb "):
            self.end(signal.SIGKILL)
            raise AssertionError(f"no address from {' '.join(self.command)}: {line!r} {self.messages()}")
        self.address = line.split()[1]

    def messages(self):
        """A file of its own to read from: the daemon's position in the one it writes to stays where it is."""
        return text_of(self.stderr.name)

    def end(self, signum):
        """How it ended. A sanitizer may be at its trace when we come, which takes a while on a busy machine."""
        self.child.send_signal(signum)
        try:
            return self.child.wait(timeout=DEADLINE_S)
        except subprocess.TimeoutExpired:
            self.child.kill()
            self.child.wait()
            return "never came to an end"

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        status, messages = self.end(signal.SIGINT), self.messages()
        if kind is not None:
            print(f"daemon, ended with {status}:\n{messages}", file=sys.stderr, flush=True)
        elif status != 0 or sanitizer_spoke(messages):
            raise AssertionError(f"the daemon ended with {status}: {messages}")


def gdb_command(commands, elf=DEMO, program=None):
    arguments = [program or GDB, "-nx", "-q", "-batch"]
    for setting in GDB_SETTINGS:
        arguments += ["-iex", setting]
    for command in commands:
        arguments += ["-ex", command]
    return arguments + ([elf] if elf else [])


def gdb(daemon, *commands, elf=DEMO, interrupt_when=None):
    """All that a GDB prints that connects and gets these commands. SIGINT, as from Ctrl-C, once interrupt_when(printed) is
    true, where printed is what it has printed so far."""
    command = gdb_command((f"target extended-remote {daemon.address}", *commands), elf)
    with tempfile.NamedTemporaryFile(mode="r", prefix="gdb-") as printed:
        with open(printed.name, "w", encoding="utf-8") as out:
            child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT)
        try:
            if interrupt_when is not None:
                eventually(lambda: child.poll() is not None or interrupt_when(text_of(printed.name)))
                child.send_signal(signal.SIGINT)
            child.wait(timeout=DEADLINE_S)
        except (subprocess.TimeoutExpired, AssertionError) as late:
            child.kill()
            child.wait()
            raise AssertionError(f"GDB hangs: {text_of(printed.name)}") from late
        return text_of(printed.name)


class Mi:
    """A GDB that works on while it is waited for: its machine interface. Non-stop if wanted."""

    def __init__(self, daemon, *settings, elf=DEMO, connects=True):
        command = [GDB, "-nx", "-q", "--interpreter=mi3"]
        for setting in (*GDB_SETTINGS, *settings):
            command += ["-iex", setting]
        self.child = subprocess.Popen(command + ([elf] if elf else []), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                      stderr=subprocess.STDOUT)
        self.said, self.at = "", 0
        if connects:
            self.say(f"target extended-remote {daemon.address}")

    def read(self, timeout_s):
        if select.select([self.child.stdout], [], [], timeout_s)[0]:
            data = os.read(self.child.stdout.fileno(), 65536)
            assert data, "GDB has ended: " + self.said
            self.said += data.decode("utf-8", "replace")

    def until(self, word, timeout_s=DEADLINE_S):
        """What it says up to word and with it, from where the last one ended."""
        end = time.monotonic() + timeout_s
        while (found := self.said.find(word, self.at)) < 0:
            assert time.monotonic() < end, f"no {word!r} in {self.said[self.at:]}"
            self.read(0.1)
        said, self.at = self.said[self.at:found + len(word)], found + len(word)
        return said

    def say(self, command):
        """A command of the console; what it prints."""
        self.child.stdin.write(command.encode() + b"\n")
        self.child.stdin.flush()
        said = self.until("(gdb)")
        while not ("^done" in said or "^running" in said or "^error" in said or "^connected" in said or "^exit" in said):
            said += self.until("(gdb)")
        return said

    def begins(self, command):
        """Whether a command lets the program run. GDB 13 may have half a frame in its cache after Ctrl-C, in front of any server,
        and refuses to resume from that: it has to forget it first."""
        self.child.stdin.write(command.encode() + b"\n")
        self.child.stdin.flush()
        answer = self.until("\n^")
        kind = self.until("\n")
        if not kind.startswith("error"):
            assert kind.startswith("running"), answer + kind
            return True
        assert "failed to find previous frame" in kind, answer + kind
        self.until("(gdb)")
        return False

    def interrupted(self, command):
        """A command that lets the program run, and Ctrl-C at some moment of GDB's work: what is said up to the stop. GDB
        may end its command by itself ("Quit"), and reports no stop then."""
        while not self.begins(command):		# once in twenty interrupts
            self.say("maintenance flush register-cache")
        time.sleep(random.uniform(0, 0.1))
        self.child.send_signal(signal.SIGINT)
        said = self.until("(gdb)")
        while "*stopped" not in said and '&"Quit' not in said:
            said += self.until("(gdb)")
        return said

    def close(self):
        self.child.kill()
        self.child.wait()
        self.child.stdin.close()
        self.child.stdout.close()


def text_of(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


CONTINUE = ("echo CONTINUES\\n", "continue")


def running(daemon, *in_report):
    """For interrupt_when: the CONTINUE of this GDB is at work, and the profile, where one is asked for, has these words."""
    def look(printed):
        if "CONTINUES" not in printed:
            return False	# the core still runs because nobody has halted it yet
        rsp = Rsp(daemon.address)
        try:
            said = rsp.monitor("status")
            there = "has the program" in said and "core 0: running" in said
            report = rsp.monitor("profile report") if there and in_report else ""
            return there and all(word in report for word in in_report)
        finally:
            rsp.close()
    return look


class Rsp:
    """A client that says exactly what a test wants."""

    def __init__(self, address):
        if address.startswith("unix:"):
            self.socket = socket.socket(socket.AF_UNIX)
            self.socket.connect(address[5:])
        else:
            host, port = address.rsplit(":", 1)
            self.socket = socket.create_connection((host, int(port)))
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.bytes = b""
        assert self.ask("QStartNoAckMode") == "OK"
        self.socket.sendall(b"+")

    def send(self, payload):
        payload = payload.encode("latin1")
        self.socket.sendall(b"$%s#%02x" % (payload, sum(payload) & 255))

    def raw(self, data):
        self.socket.sendall(data)

    def packet(self, timeout_s=DEADLINE_S):
        """The next packet's payload, None if none comes in time."""
        end = time.monotonic() + timeout_s
        while True:
            start = self.bytes.find(b"$")
            stop = self.bytes.find(b"#", start)
            if start >= 0 and 0 <= stop <= len(self.bytes) - 3:
                payload, self.bytes = self.bytes[start + 1:stop], self.bytes[stop + 3:]
                return payload.decode("latin1")
            if not select.select([self.socket], [], [], max(0, end - time.monotonic()))[0]:
                return None
            data = self.socket.recv(65536)
            if not data:
                raise EOFError
            self.bytes += data

    def notification(self, timeout_s=DEADLINE_S):
        """The next notification's payload, None if none comes in time. Packets before it stay."""
        end = time.monotonic() + timeout_s
        while True:
            start = self.bytes.find(b"%")
            stop = self.bytes.find(b"#", start)
            if start >= 0 and 0 <= stop <= len(self.bytes) - 3:
                payload, self.bytes = self.bytes[start + 1:stop], self.bytes[:start] + self.bytes[stop + 3:]
                return payload.decode("latin1")
            if not select.select([self.socket], [], [], max(0, end - time.monotonic()))[0]:
                return None
            data = self.socket.recv(65536)
            if not data:
                raise EOFError
            self.bytes += data

    def comes(self, timeout_s):
        """Whether something more has come, or comes in time."""
        return bool(self.bytes) or bool(select.select([self.socket], [], [], timeout_s)[0])

    def ask(self, payload, timeout_s=DEADLINE_S):
        self.send(payload)
        return self.packet(timeout_s)

    def monitor(self, text):
        """The answer's text, like GDB: O packets and the last one."""
        self.send("qRcmd," + text.encode().hex())
        said = ""
        while True:
            reply = self.packet()
            if reply == "OK" or reply.startswith("E"):
                return said + ("" if reply == "OK" else reply)
            if reply.startswith("O"):
                said += bytes.fromhex(reply[1:]).decode()
                if not self.comes(0.1):		# GDB waits 2 s
                    self.raw(b"-")
            else:
                return said + bytes.fromhex(reply).decode()

    def close(self):
        self.socket.close()


def missing(text, *wanted):
    """Each of these stands in text behind the one before: None. Else the first that does not, and where it was looked for."""
    at = 0
    for want in wanted:
        found = text.find(want, at)
        if found < 0:
            return want, text[at:]
        at = found + len(want)
    return None


def unbroken(text):
    """Sentences with a path in them are broken anywhere; in what GDB/MI quotes a line's end is a backslash and n."""
    return re.sub(r"(\n|\\n) *", " ", text)


def expect(text, *wanted):
    gone = missing(text, *wanted)
    assert gone is None, f"no {gone[0]!r} in:\n{gone[1]}"


def await_status(daemon, word):
    """The command of GDB that waits until `monitor status` has this word."""
    return f"shell {sys.executable} -B {os.path.abspath(__file__)} {daemon.address} '{word}'"


def eventually(true, timeout_s=DEADLINE_S, or_else=lambda: "it does not come true"):
    """Asked again and again, but no more than a quarter of the time: an answer costs what is asked processor time, too."""
    end = time.monotonic() + timeout_s
    asked = time.monotonic()
    while not true():
        now = time.monotonic()
        assert now < end, or_else()
        time.sleep(min(max(0.01, 3 * (now - asked)), 0.5))
        asked = time.monotonic()


def main(tests):
    build = sys.argv[1] if len(sys.argv) > 1 else "."
    if GDB is None:
        print("SKIPPED: there is no gdb-multiarch (Debian package gdb-multiarch), so stock GDB was not tried")
        sys.exit(77)
    for test in tests:
        if len(sys.argv) < 3 or sys.argv[2] == test.__name__:
            began = time.monotonic()
            test(build)
            print(f"ok: {test.__doc__ or test.__name__} ({time.monotonic() - began:.1f} s)", flush=True)


if __name__ == "__main__":
    eventually(lambda: sys.argv[2] in Rsp(sys.argv[1]).monitor("status"))
