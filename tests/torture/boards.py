"""Boards, each behind each probe and wire that there is, with a daemon in front: what the parts of the campaign share.

A board is in the daemon's process ("here": its clock is virtual, so that a second takes a tenth of one), served by `proftap
board` over TCP, or plugged in as an emulated USB device. Faults come through a FIFO (faults-from=) and count from then."""
import calendar
import collections
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "system"), os.path.join(HERE, "..", "truth")]
from gdb_session import DEADLINE_S, Daemon, Rsp, eventually, sanitizer_spoke

# --- what may happen on which wire; each fault lasts for one transfer or packet

SWD = ("wait", "fault", "reset", "power")
BDC = ("wait", "fault", "reset", "power", "clock")
PACKETS = ("lost", "stall", "short", "late", "unplug")
FRAMES = PACKETS + ("cut",)
STREAM = ("late", "cut", "unplug")		# TCP loses nothing in the middle
SERVER = STREAM + ("stall",)			# but a GDB server may keep an answer to itself

# --- rows: name, family of programs, where the board is, its address, options of the daemon, the profile, faults

Row = collections.namedtuple("Row", "name family place board scheme options start faults")
ARM = ("--target", "cortexm", "--core-clock", "48M")
S12Z = ("--set", "bus-clock=50M")
BINS = ("--set", "low=0", "--set", "high=0xfff", "--set", "period=20ms")
MDM = ("--set", "mdm.axi.base=0x41400000", "--set", "mdm.axi.parallel=on", "--set", "upstream-memory=running") + BINS
ROWS = (
    Row("kl27 mtb", "arm", "here", "kl27?", "virtual:", ARM, "source=mtb mode=burst", SWD + PACKETS),
    Row("kl27 mtb stream", "arm", "here", "kl27?", "virtual:", ARM, "source=mtb mode=stream", SWD + PACKETS),
    Row("kl27 mtb+pcsr", "arm", "here", "kl27?link=hid-fs", "virtual:", ARM, "source=mtb+pcsr", SWD + PACKETS),
    Row("kl27 pcsr", "arm", "here", "kl27?link=bulk-fs", "virtual:", ARM, "source=pcsr", SWD + PACKETS),
    Row("kl27 bulk", "arm", "usb", "kl27?", "cmsis-dap:link=bulk", ARM, "source=mtb mode=burst", SWD + PACKETS),
    Row("kl27 hid", "arm", "usb", "kl27?", "cmsis-dap:link=hid", ARM, "source=pcsr", SWD + PACKETS),
    Row("kl27 tcp", "arm", "served", "kl27?", "cmsis-dap:tcp=", ARM, "source=mtb+pcsr", SWD + FRAMES),
    Row("kl27 xvc", "arm", "served", "kl27?probe=xvc", "xvc:", ARM, "source=pcsr", STREAM),
    Row("kl27 bitbang", "arm", "served", "kl27?probe=bitbang", "bitbang:", ARM + ("--set", "transport=swd"), "source=pcsr", STREAM),
    Row("kl27 jlink", "arm", "here", "kl27?probe=jlink", "virtual:", ARM, "source=mtb+pcsr", SWD + PACKETS),
    Row("kl27 jlink jtag", "arm", "here", "kl27?probe=jlink&jlink=v10", "virtual:", ARM + ("--set", "transport=jtag"), "source=pcsr",
        SWD + PACKETS),
    Row("kl27 jlink usb", "arm", "usb", "kl27?probe=jlink&jlink=v10", "jlink:", ARM, "source=pcsr", SWD + PACKETS),
    Row("kl27 stlink", "arm", "here", "kl27?probe=stlink", "virtual:", ARM, "source=mtb+pcsr", SWD + PACKETS),
    Row("kl27 stlink usb", "arm", "usb", "kl27?probe=stlink&stlink=v3j7", "stlink:", ARM, "source=pcsr", SWD + PACKETS),
    Row("kl27 ftdi", "arm", "here", "kl27?probe=ftdi", "virtual:", ARM, "source=mtb+pcsr", SWD + PACKETS),
    Row("kl27 ftdi jtag", "arm", "here", "kl27?probe=ftdi&wiring=jtag", "virtual:", ARM + ("--set", "transport=jtag"), "source=pcsr",
        SWD + PACKETS),
    Row("kl27 ftdi usb", "arm", "usb", "kl27?probe=ftdi", "ftdi:", ARM, "source=pcsr", SWD + PACKETS),
    Row("s12z pipe", "s12z", "here", "s12zvm?probe=pipe", "virtual:", S12Z, "source=dbg-profile mode=bdc", BDC + PACKETS),
    Row("s12z osbdm", "s12z", "here", "s12zvm?probe=osbdm", "virtual:", S12Z, "source=sync-pc", BDC + PACKETS),
    Row("s12z usbdm", "s12z", "here", "s12zvm?probe=usbdm", "virtual:", S12Z, "source=dbg-profile mode=bdc", BDC + PACKETS),
    Row("microblaze rsp", "microblaze", "served", "microblaze?freq=5M", "rsp:", MDM, "source=bins", STREAM),
    Row("microblaze xvc", "microblaze", "served", "microblaze?freq=5M&probe=xvc", "xvc:",
        ("--target", "microblaze", "--set", "mdm.jtag.experimental=on") + BINS, "source=bins", STREAM),
    Row("e500 rsp", "e500", "served", "e500?freq=5M", "rsp:", (), "source=pc-sampling", SERVER),
)


FIRMWARE = os.path.abspath(os.path.join(HERE, "..", "firmware"))
DEMOS = {"arm": "demo.elf", "s12z": "s12z_demo.elf", "microblaze": "microblaze_demo_el.elf", "e500": "e500_demo.elf"}


def describe(error):
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text[:300]} ... {text[-300:]}"


def worst(values, percent=False):
    """The one in the middle, and the largest."""
    values = sorted(v for v in values if v is not None)
    if not values:
        return "-"
    return f"{values[len(values) // 2]:.2f}/{values[-1]:.2f} {'%' if percent else 's'}"


class Client(Rsp):
    """One that is not as slow as GDB."""

    def monitor(self, text):
        self.send("qRcmd," + text.encode().hex())
        said, more = b"", True
        while more:
            reply = self.packet()
            more = reply.startswith("O") and reply != "OK"
            said += reply.encode() if reply.startswith("E") else bytes.fromhex(reply.removeprefix("O")) if reply != "OK" else b""
            if more:
                time.sleep(0.05)	# GDB takes 2 s
                self.raw(b"-")
        return said.decode(errors="replace")		# a report may be of bytes


class Bench:
    """A row's board and daemon, running."""

    def __init__(self, row, elf, folder):
        self.row, self.served = row, None
        self.fifo = os.path.join(folder, "faults")
        if not os.path.exists(self.fifo):
            os.mkfifo(self.fifo)
        self.fd = os.open(self.fifo, os.O_RDWR | os.O_NONBLOCK)
        board = f"{row.board}{'' if row.board.endswith('?') else '&'}elf={elf}&faults-from={self.fifo}&core-drift=37"
        self.said = tempfile.NamedTemporaryFile(prefix="proftap-board-")
        under, probe = (), row.scheme
        if row.place == "here":
            probe += board + "&clock=virtual"
        elif row.place == "usb":
            under = (os.path.abspath("tests/usb_probe"), "--hidraw", "--board", board, "--")
        else:
            address = f"unix:{folder}/board" if row.scheme == "bitbang:" else "127.0.0.1:0"
            self.served = subprocess.Popen([os.path.abspath("proftap"), "board", board, "--listen", address],
                                           stdout=subprocess.PIPE, stderr=self.said, text=True)
            probe += self.served.stdout.readline().split()[1]
        self.daemon = Daemon(os.getcwd(), "--elf", elf, *row.options, probe=probe, under=under)
        self.rsp = Client(self.daemon.address)
        self.rsp.ask("QNonStop:1")
        self.rsp.ask("?")

    def __enter__(self):
        eventually(self.attached, or_else=lambda: f"{self.row.name}: {self.rsp.monitor('status')}")
        return self

    def __exit__(self, kind, value, trace):
        try:
            self.rsp.close()
            self.daemon.__exit__(kind, value, trace)
        finally:
            if self.served is not None:
                self.served.terminate()
                self.served.wait(DEADLINE_S)
                self.served.stdout.close()
            os.close(self.fd)
        said = self.messages()
        assert not sanitizer_spoke(said), said

    def messages(self):
        return self.daemon.messages() + open(self.said.name, encoding="utf-8", errors="replace").read()

    def attached(self):
        return "core 0: " in self.rsp.monitor("status")

    # --- faults

    def arm(self, fault):
        self.armed_at = len(self.messages())
        os.write(self.fd, fault.encode() + b"\n")

    def over_at(self):
        """When the board said that the fault is over (time of day), or when it is seen that it has; None: it has not."""
        found = re.search(r"^(\S+Z )?virtual board: the fault \S+ is over", self.messages()[self.armed_at:], re.M)
        return None if found is None else seconds_of(found[1].strip()) if found[1] else time.time()

    def replug(self):
        if self.row.place == "usb":
            self.daemon.child.send_signal(signal.SIGUSR2)


def seconds_of(stamp):
    whole, part = stamp.rstrip("Z").split(".")
    return calendar.timegm(time.strptime(whole, "%Y-%m-%dT%H:%M:%S")) + float("0." + part)
