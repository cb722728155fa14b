"""The foreign probes of tests/usb_probes for tests and benches: a program with one plugged in, its counts, and OpenOCD on it."""
import os
import re
import signal
import socket
import subprocess
import tempfile
import time

DEADLINE_S = 60
KINDS = "st-link-v2", "st-link-v3", "j-link", "ftdi", "cmsis-dap"
ADAPTERS = {
    "st-link-v2": "adapter driver st-link; st-link vid_pid 0x0483 0x3748; transport select dapdirect_swd",
    "st-link-v3": "adapter driver st-link; st-link vid_pid 0x0483 0x374f; transport select dapdirect_swd",
    "j-link": "adapter driver jlink; transport select swd",
    "ftdi": "adapter driver ftdi; ftdi vid_pid 0x0403 0x6010; ftdi layout_init 0x0008 0x000b; ftdi layout_signal SWD_EN -data 0; "
            "ftdi layout_signal SWDIO_OE -data 0; transport select swd",
    "cmsis-dap": "adapter driver cmsis-dap; cmsis_dap_vid_pid 0x1209 0x0002; cmsis_dap_backend usb_bulk; transport select swd",
}
JTAG = {
    "st-link-v2": ADAPTERS["st-link-v2"].replace("dapdirect_swd", "dapdirect_jtag"),
    "st-link-v3": ADAPTERS["st-link-v3"].replace("dapdirect_swd", "dapdirect_jtag"),
    "j-link": "adapter driver jlink; transport select jtag",
    "ftdi": "adapter driver ftdi; ftdi vid_pid 0x0403 0x6010; ftdi layout_init 0x0008 0x000b; transport select jtag",
}
FLASH = ("chip.cpu configure -work-area-phys 0x20000000 -work-area-size 0x2000 -work-area-backup 0; "
         "flash bank pf kinetis 0 0 0 0 chip.cpu; kinetis create_banks; cortex_m reset_config sysresetreq; "
         "chip.cpu configure -event reset-init { kinetis disable_wdog }")
TARGET = ("swd newdap chip cpu -expected-id 0x0bc11477; dap create chip.dap -chain-position chip.cpu; "
          "target create chip.cpu cortex_m -dap chip.dap")
RAM, RAM_BYTES = 0x1fffc000, 0x10000
HID = "cmsis-dap-v1"		# the one of the virtual board, as no foreign probe is a HID device
ADAPTERS[HID] = "adapter driver cmsis-dap; cmsis_dap_vid_pid 0x1209 0x0001; cmsis_dap_backend hid; transport select swd"


def program(build):
    return os.path.join(build, "tests/usb_probes/foreign_probe")


def counted(build, kind, count, *options):
    """The beginning of a command line, whose program has such a probe, which writes its counts."""
    if kind == HID:
        return [os.path.join(build, "tests/usb_probe"), "--hidraw", "--instant", "--count", count, *options, "--"]
    return [program(build), kind, *options, "--count", count, "--"]


def openocd(kind, script, setup="", tcl="disabled", jtag=False):
    """The command line of OpenOCD on such a probe."""
    target = TARGET.replace("swd newdap chip cpu -expected-id 0x0bc11477", "jtag newtap chip cpu -irlen 4 -expected-id 0x0ba00477")
    return ["openocd", "-c", f"gdb_port disabled; tcl_port {tcl}; telnet_port disabled",
            "-c", f"{(JTAG if jtag else ADAPTERS)[kind]}; adapter speed 4000; {setup}", "-c", target if jtag else TARGET,
            "-c", FLASH, "-c", f"init; {script}"]


def read_counts(path):
    with open(path, encoding="ascii") as file:
        return {name: int(value) for name, value in (line.split() for line in file)}


def run(build, kind, options, *command, errors=subprocess.STDOUT):
    """What a program printed with such a probe plugged in, and the probe's counts. errors: where its standard error goes."""
    with tempfile.TemporaryDirectory(prefix="usb-count-") as folder:
        count = os.path.join(folder, "count")
        done = subprocess.run([*counted(build, kind, count, *options), *command], stdout=subprocess.PIPE, stderr=errors, text=True, timeout=DEADLINE_S, check=False, errors="replace")
        return done.stdout, read_counts(count)


class Counter:
    """The counts of a probe while its program runs."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="usb-count-")
        self.path = os.path.join(self.folder.name, "count")

    def now(self, emulation):
        """emulation: the process of foreign_probe"""
        if os.path.exists(self.path):
            os.unlink(self.path)
        emulation.send_signal(signal.SIGHUP)
        end = time.monotonic() + DEADLINE_S
        while not os.path.exists(self.path):
            assert emulation.poll() is None and time.monotonic() < end, "the probe does not count"
            time.sleep(0.001)
        return read_counts(self.path)


class Openocd:
    """OpenOCD on a probe, asked by its Tcl port, until the with block ends."""

    def __init__(self, build, kind, counter, *options):
        self.child = subprocess.Popen([*counted(build, kind, counter.path, *options),
                                       *openocd(kind, "poll off", tcl="0")], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        said = ""
        for line in self.child.stderr:
            said += line
            port = re.search(r"Listening on port (\d+) for tcl", line)
            if port:
                self.socket = socket.create_connection(("127.0.0.1", int(port[1])))
                return
        raise AssertionError(f"OpenOCD does not come to listen: {said}")

    def ask(self, command):
        self.socket.sendall(command.encode() + b"\x1a")
        said = b""
        while not said.endswith(b"\x1a"):
            data = self.socket.recv(65536)
            assert data, f"OpenOCD has ended at {command}: {said}"
            said += data
        return said[:-1].decode()

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        self.socket.close()
        self.child.terminate()
        self.child.communicate(timeout=DEADLINE_S)
