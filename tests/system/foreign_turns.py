"""What an operation costs on USB, on a foreign probe: proftap and OpenOCD on the same device, counted by it. Where proftap does
more by itself, OpenOCD does the same by further commands:
  attach            proftap finds out what the chip is and has; OpenOCD is told by its configuration.
  attach, told      the chip is named (chip=), so neither of them looks through it.
  attach, identify  behind it `dap info` of OpenOCD reads the tables that proftap's attach has read.
  write a word      proftap's has the answer of the bus. Firmware of an ST-Link and of CMSIS-DAP asks for it; where OpenOCD itself
                    sends the bits its next command fails in the place of a write that was refused (refused_unseen()), so RDBUFF
                    is read behind it.
  load into flash   proftap's begins with a reset, is compared at the end, and leaves RAM as it was: so does OpenOCD's
                    `program FILE verify` with a work area that is put back."""
import os
import random
import signal
import subprocess

from foreign_probes import DEADLINE_S, HID, RAM, Counter, Openocd, counted
from gdb_session import Rsp

URIS = {"cmsis-dap": "cmsis-dap:", "st-link-v2": "stlink:", "st-link-v3": "stlink:", "j-link": "jlink:", "ftdi": "ftdi:"}
COUNTED = {**URIS, HID: "cmsis-dap:link=hid"}
COUNTS = "turns", "transfers", "bytes"		# a turn: the host speaks on after an answer
OPERATIONS = "attach", "attach, told the chip", "attach, identify", "read a word", "read 1 KiB", "read 64 KiB", "write a word", "load 16 KiB into RAM", "load 16 KiB into flash, verified"
FINDS_OUT = "attach"		# in which only proftap does so: turns are compared, and bytes with those of "attach, identify"
TOLD, CHIP, HID_CHIP = "attach, told the chip", "MKL27Z64", "MKL27Z256"
FLASH_ADDR, SECTOR, TRIES, PACKET = 0x4000, 1024, 4, 0x2000
ATTACHES, FAILED = 2, False
KEEP_RAM = "chip.cpu configure -work-area-backup 1"
SENT_AS_BITS = "j-link", "ftdi"
RDBUFF, NOWHERE = "chip.dap dpreg 0xc", 0x50000000	# no device answers there
BLOB = random.Random(3).randbytes(0x4000)


def ram_of(kind):
    return 0x1fffe000 if kind == HID else RAM		# the virtual board's


def wide_of(kind):
    """Where 64 KiB are."""
    return 0 if kind == HID else RAM


def escaped(data):
    return "".join("}" + chr(c ^ 32) if chr(c) in "}#$*" else chr(c) for c in data)


def load(client, addr, data):
    """Into flash, as GDB does it."""
    sectors = -(-len(data) // SECTOR) * SECTOR
    packets = [f"vFlashErase:{addr:x},{sectors:x}"]
    packets += [f"vFlashWrite:{addr + at:x}:{escaped(data[at:at + PACKET])}" for at in range(0, len(data), PACKET)]
    for packet in *packets, "vFlashDone":
        reply = client.ask(packet)
        assert reply == "OK", (packet[:30], reply)


class Proftap:
    """proftap on a probe; its first client halts the core."""

    def __init__(self, build, kind, counter, *words):
        self.child = subprocess.Popen(
            [*counted(build, kind, counter.path), "env", f"XDG_RUNTIME_DIR={counter.folder.name}",
             "PROFTAP_CONFIG=/dev/null", os.path.join(build, "proftap"), "serve", "--probe", COUNTED[kind], "--gdb", "127.0.0.1:0", *words],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        said = ""
        for line in self.child.stderr:
            said += line
            if "listening on " in line:
                self.address = line.split()[-1]
            if "attached: " in line:
                return
        raise AssertionError(f"proftap does not attach: {said}")

    def halt(self):
        self.client = Rsp(self.address)
        assert self.client.ask("?").startswith("T05")

    def read(self, addr, n):
        for at in range(0, n, PACKET):
            reply = self.client.ask(f"x{addr + at:x},{min(PACKET, n - at):x}")
            assert reply.startswith("b"), reply

    def write(self, addr, data):
        for at in range(0, len(data), PACKET):
            part = data[at:at + PACKET]
            reply = self.client.ask(f"X{addr + at:x},{len(part):x}:{escaped(part)}")
            assert reply == "OK", reply

    def load(self, addr, data):
        load(self.client, addr, data)

    def close(self):
        self.client.close()
        self.child.send_signal(signal.SIGINT)
        self.child.communicate(timeout=DEADLINE_S)


def difference(after, before):
    return {name: after[name] - before[name] for name in COUNTS}


def least(one, other):
    return {name: min(one[name], other[name]) for name in COUNTS} if one else other


def cost_of(counter, child, operation, number):
    """Of one that has not failed: OpenOCD may give up its load into flash on a machine that is busy."""
    for _ in range(TRIES):
        before = counter.now(child)
        if operation(number) is not FAILED:
            return difference(counter.now(child), before)
    raise AssertionError(f"an operation has failed {TRIES} times")


def operations(counter, child, costs, run_each):
    """run_each: by operation, a function of the number of the try. The first word of a session may cost more than later ones."""
    for name, operation in run_each.items():
        for i in range(1 if "KiB" in name else TRIES):
            costs[name] = least(costs.get(name), cost_of(counter, child, operation, i))
    return costs


def ours(build, kind):
    """{operation: {count: n}}, the least of some tries, as the daemon looks after the core between them."""
    costs, counter, ram, wide = {}, Counter(), ram_of(kind), wide_of(kind)
    for i in range(ATTACHES):
        told = Proftap(build, kind, counter, "--set", f"chip={CHIP if kind != HID else HID_CHIP}")
        costs[TOLD] = least(costs.get(TOLD), {name: counter.now(told.child)[name] for name in COUNTS})
        told.halt()
        told.close()
    for i in range(ATTACHES):
        proftap = Proftap(build, kind, counter)
        costs["attach"] = least(costs.get("attach"), {name: counter.now(proftap.child)[name] for name in COUNTS})
        proftap.halt()
        if i < ATTACHES - 1:
            proftap.close()
    costs["attach, identify"] = costs["attach"]
    try:
        return operations(counter, proftap.child, costs, {
            "read a word": lambda i: proftap.read(ram + 0x100 * i, 4),
            "read 1 KiB": lambda i: proftap.read(ram + 0x400 * i, 0x400),
            "read 64 KiB": lambda _: proftap.read(wide, 0x10000),
            "write a word": lambda i: proftap.write(ram + 0x100 * i, b"word"),
            "load 16 KiB into RAM": lambda _: proftap.write(ram, BLOB),
            "load 16 KiB into flash, verified": lambda _: proftap.load(FLASH_ADDR, BLOB)})
    finally:
        proftap.close()


def theirs(build, kind):
    counter, ram, wide = Counter(), ram_of(kind), wide_of(kind)
    blob = os.path.join(counter.folder.name, "blob")
    with open(blob, "wb") as file:
        file.write(BLOB)
    with Openocd(build, kind, counter) as openocd:
        costs = {"attach": {name: counter.now(openocd.child)[name] for name in COUNTS}}
        costs[TOLD] = costs["attach"]
        openocd.ask("dap info")
        costs["attach, identify"] = {name: counter.now(openocd.child)[name] for name in COUNTS}
        openocd.ask("halt")
        return operations(counter, openocd.child, costs, {
            "read a word": lambda i: openocd.ask(f"read_memory {ram + 0x100 * i} 32 1"),
            "read 1 KiB": lambda i: openocd.ask(f"read_memory {ram + 0x400 * i} 32 256"),
            "read 64 KiB": lambda _: openocd.ask(f"dump_image /dev/null {wide} 65536"),
            "write a word": lambda i: openocd.ask(f"mww {ram + 0x100 * i} 1" + (f"; {RDBUFF}" if kind in SENT_AS_BITS else "")),
            "load 16 KiB into RAM": lambda _: openocd.ask(f"load_image {blob} {ram} bin"),
            "load 16 KiB into flash, verified": lambda _: f"verified {len(BLOB)} bytes" in openocd.ask(
                f"{KEEP_RAM}; reset init; flash write_image erase {blob} {FLASH_ADDR} bin; verify_image {blob} {FLASH_ADDR} bin")})


def refused_unseen(build, kind):
    """Does OpenOCD call a write done that the bus refused?"""
    with Openocd(build, kind, Counter()) as openocd:
        openocd.ask("halt")
        return openocd.ask(f"catch {{mww {NOWHERE} 1}}") == "0" and openocd.ask(f"catch {{mww {ram_of(kind)} 1}}") != "0"
