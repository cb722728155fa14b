"""Stand-ins for servers that run on an e500's own Linux, in front of the GDB server of the virtual board: that executes, these
have the habits. Kgdb is the kernel's; ProcessServer is gdbserver with a program of user code. Sources: Linux,
kernel/debug/gdbstub.c, debug_core.c, arch/powerpc/kernel/kgdb.c, arch/powerpc/include/asm/kgdb.h; GDB,
features/rs6000/powerpc-e500l.xml, gdbserver/server.cc, linux-ppc-low.cc; for what the kernel lets a debugger change,
arch/powerpc/kernel/ptrace/ptrace-view.c."""
import re
import select
import socket
import struct
import threading

from gdb_session import Rsp


def frame(packet):
    return f"${packet}#{sum(packet.encode('latin1')) & 255:02x}".encode("latin1")


class StandIn:
    """Serves on .address until the with block ends. Of a kind: answer(packet), stopped(reply), hear_running(data)."""

    acknowledges = True

    def __init__(self, board):
        self.board = Rsp(board)
        assert self.board.ask("?").startswith("T")
        self.running = False
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = "127.0.0.1:%d" % self.listener.getsockname()[1]
        self.here, self.there = socket.socketpair()
        self.client, self.bytes = None, b""
        self.thread = threading.Thread(target=self.serve, daemon=True)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.here.close()
        self.thread.join(60)
        for end in (self.listener, self.there, self.client, self.board.socket):
            if end is not None:
                end.close()

    def serve(self):
        while True:
            ends = [self.listener, self.there, self.board.socket] + ([self.client] if self.client else [])
            ready = select.select(ends, [], [])[0]
            if self.there in ready:
                if not self.there.recv(1):
                    return
                self.pressed()
            if self.board.socket in ready and self.running:
                reply = self.board.packet()
                self.running = False
                self.stopped(reply)
            if self.listener in ready:
                self.accept()
            elif self.client in ready:
                self.hear(self.client.recv(65536))

    def accept(self):
        if self.client:
            self.client.close()
        self.client, self.bytes, self.acknowledges = self.listener.accept()[0], b"", True
        self.client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def pressed(self):
        pass

    def say(self, packet):
        if self.client:
            self.client.sendall(frame(packet))

    def hear(self, data):
        if not data:
            self.client.close()
            self.client = None
        elif self.running:
            self.hear_running(data)
        else:
            self.bytes += data
            self.take()

    def take(self):
        while not self.running and (start := self.bytes.find(b"$")) >= 0:
            end = self.bytes.find(b"#", start)
            if end < 0 or len(self.bytes) < end + 3:
                return
            packet, self.bytes = self.bytes[start + 1:end].decode("latin1"), self.bytes[end + 3:]
            if self.acknowledges:
                self.client.sendall(b"+")
            answer = self.answer(packet)
            if answer is not None:
                self.say(answer)

    def run(self, packet):
        self.board.send(packet)
        self.running = True

    def plant(self, packet):
        """A breakpoint in code: the board has those of hardware."""
        return self.board.ask(packet[0] + "1" + packet[2:])


MOST_BYTES, SHADOW, TASKS, SHOWN_BYTES, REGISTERS = 1095, "fffffffe", ("01", "2a", "01f4"), 280, 70


MSR, EE = 65, 0x8000		# a register's number in g, its bit that lets interrupts in


class Kgdb(StandIn):
    """No description, no qSupported, no vCont, nothing without acknowledgements. g has 292 bytes: 32 words, 32 upper halves, pc,
    msr, cr, lr, ctr, xer; acc and spefscr are zero. A packet longer than 1095 bytes is lost. Threads are the CPU's shadow and
    all tasks; registers of a task that does not run are few, and cannot be written. While the kernel runs, as it does at first,
    nobody hears anything, not even 0x03: sysrq_g() stops it."""

    def __init__(self, board):
        super().__init__(board)
        self.connected, self.n_stops, self.n_lost, self.n_deaf = False, 0, 0, 0
        self.use = self.cont = self.current = SHADOW
        self.breaks = set()
        self.steps = False
        self.run("vCont;c")

    def sysrq_g(self):
        self.here.send(b"g")

    def pressed(self):
        if self.running:
            self.board.raw(b"\x03")

    def stopped(self, reply):
        assert reply.startswith("T"), reply
        self.n_stops += self.connected and not self.steps and self.may_switch()	# another task runs when it has gone on
        self.current = (SHADOW, *TASKS)[self.n_stops % 4]
        self.use = self.cont = self.current
        if self.connected:
            self.say(f"T05thread:{self.current};")

    def may_switch(self):
        """Code with interrupts off, as scratch code, keeps its task."""
        return int(self.board.ask("g")[8 * MSR:8 * MSR + 8], 16) & EE != 0

    def hear_running(self, data):
        self.n_deaf += len(data)

    def answer(self, packet):
        self.connected = True
        if len(packet) > MOST_BYTES:
            self.n_lost += 1
            return None
        one = {"?": self.status, "g": self.get, "G": self.put, "p": self.get_one, "P": self.put_one, "m": self.memory,
               "M": self.memory, "X": self.memory, "Z": self.insert, "z": self.insert, "H": self.choose, "T": self.alive,
               "q": self.query, "D": self.detach, "k": self.detach, "c": self.go, "s": self.go, "C": self.go}.get(packet[:1])
        return one(packet) if one else ""

    def status(self, _):
        for at in list(self.breaks):
            self.plant(f"z0,{at},4")
        self.breaks.clear()
        return "S05"

    def get(self, _):
        if self.use not in (self.current, SHADOW):
            return "0" * 2 * (SHOWN_BYTES + 12)	# what it kept when it went to sleep
        return self.board.ask("g")[:2 * SHOWN_BYTES] + "0" * 24

    def put(self, packet):
        if self.use not in (self.current, SHADOW):
            return "E22"
        return self.board.ask("G" + packet[1:1 + 2 * SHOWN_BYTES] + self.board.ask("g")[2 * SHOWN_BYTES:])

    def get_one(self, packet):
        number = int(packet[1:], 16)
        if number >= REGISTERS:
            return "E22"
        return self.get("g")[8 * number:8 * number + 8]

    def put_one(self, packet):
        number, value = packet[1:].split("=")
        if int(number, 16) >= REGISTERS or self.use not in (self.current, SHADOW):
            return "E22"
        return self.board.ask(f"P{number}={value}")

    def memory(self, packet):
        answer = self.board.ask(packet)
        return "E22" if answer.startswith("E") else answer

    def insert(self, packet):
        kind, at, _ = packet[1:].split(",")
        if kind != "0":
            return ""
        if packet[0] == "z" and at not in self.breaks:
            return "E22"
        (self.breaks.add if packet[0] == "Z" else self.breaks.discard)(at)
        return self.plant(packet)

    def choose(self, packet):
        number = int(packet[2:], 16)
        names = {int(name, 16): name for name in (SHADOW, *TASKS)}
        thread = self.current if number in (0, -1) else names.get(number & 0xffffffff)
        if thread is None:
            return "E22"
        if packet[1] == "g":
            self.use = thread
        else:
            self.cont = thread
        return "OK"

    def alive(self, _):
        return "OK"

    def query(self, packet):
        if packet == "qfThreadInfo":
            return "m" + ",".join((SHADOW, *TASKS))
        if packet == "qsThreadInfo":
            return "l"
        if packet == "qC":
            return "QC" + self.current
        if packet.startswith("qThreadExtraInfo,"):
            return (b"shadowCPU0" if packet.split(",")[1] in (SHADOW, "-2") else b"task").hex()
        return ""

    def detach(self, packet):
        self.status("?")
        self.steps = False
        self.run("vCont;c")
        self.connected = False
        return "OK" if packet[0] == "D" else None

    def go(self, packet):
        if self.cont not in (self.current, SHADOW):
            return "E22"
        self.steps = packet[0] == "s"
        self.run("vCont;s" if self.steps else "vCont;c")
        return None


PID = "1a"
MSR_AT, SPECIAL_AT = 65 * 4, 70 * 4		# in the board's g; there orig_r3 and trap come behind xer
SUPPORTED = ("PacketSize=47ff;QPassSignals+;QProgramSignals+;QCatchSyscalls+;qXfer:libraries-svr4:read+;qXfer:auxv:read+;"
             "qXfer:features:read+;QStartNoAckMode+;multiprocess+;swbreak+;vContSupported+;no-resumed+")
USER_MSR = 0x02004000


def description():
    def reg(name, number, bits=32):
        return f'<reg name="{name}" bitsize="{bits}" regnum="{number}"/>'

    core = [reg(f"r{n}", n) for n in range(32)] + [reg(n, 64 + i) for i, n in enumerate(("pc", "msr", "cr", "lr", "ctr", "xer"))]
    spe = [reg(f"ev{n}h", 32 + n) for n in range(32)] + [reg("acc", 73, 64), reg("spefscr", 74)]
    linux = [reg("orig_r3", 71), reg("trap", 72)]
    return ('<?xml version="1.0"?><!DOCTYPE target SYSTEM "gdb-target.dtd"><target><architecture>powerpc:e500</architecture>'
            "<osabi>GNU/Linux</osabi>"
            f'<feature name="org.gnu.gdb.power.core">{"".join(core)}</feature>'
            f'<feature name="org.gnu.gdb.power.spe">{"".join(spe)}</feature>'
            f'<feature name="org.gnu.gdb.power.linux">{"".join(linux)}</feature></target>')


class ProcessServer(StandIn):
    """gdbserver, with a program that runs in user mode from begin on: what a debugger writes to msr is not kept. Its core is told by the
    auxiliary vector alone. traps: the kernel answers mfpmr by SIGILL; n_killed: a program that got it died of that."""

    def __init__(self, board, begin, platform, traps=False):
        super().__init__(board)
        self.multiprocess, self.traps, self.n_trapped, self.n_killed, self.n_signals = False, traps, 0, 0, 0
        assert self.plant(f"Z0,{begin:x},4") == "OK"	# the board's program gets there in supervisor mode
        assert self.board.ask("vCont;c").startswith("T05") and self.plant(f"z0,{begin:x},4") == "OK"
        self.set_pmc0(0x12345678)
        assert self.board.ask(f"P41={USER_MSR:08x}") == "OK"
        name = platform.encode() + b"\0"
        assert self.board.ask(f"M8f0000,{len(name):x}:{name.hex()}") == "OK"
        self.auxv = struct.pack(">8I", 16, 0x84e08000, 15, 0x8f0000, 6, 4096, 0, 0).decode("latin1")

    def set_pmc0(self, value):
        """What the kernel does: mtpmr 16,r3, in supervisor mode."""
        r3, pc = self.board.ask("p3"), self.board.ask("p40")
        for packet in f"P3={value:08x}", "M800000,4:7c70039c", "P40=00800000":
            assert self.board.ask(packet) == "OK", packet
        assert self.board.ask("vCont;s").startswith("T05")
        for packet in f"P3={r3}", "M800000,4:00000000", f"P40={pc}":
            assert self.board.ask(packet) == "OK", packet

    def thread_id(self):
        return f"p{PID}.{PID}" if self.multiprocess else PID

    def stopped(self, reply):
        self.say(f"{reply[:3]}{'swbreak:;' if 'swbreak' in reply else ''}thread:{self.thread_id()};")

    def hear_running(self, data):
        if b"\x03" in data:
            self.board.raw(b"\x03")

    def answer(self, packet):
        if packet[:1] in "mMX":
            return self.board.ask(packet)
        if packet[:1] in "Zz":
            return self.plant(packet) if packet[1] == "0" else ""
        for begin, answer in (("g", self.get), ("G", self.put), ("p", self.get_one), ("P", self.put_one), ("vCont;", self.go),
                              ("qXfer:", self.document), ("D", self.detach)):
            if packet.startswith(begin):
                return answer(packet)
        return self.query(packet)

    def query(self, packet):
        if packet.startswith("qSupported"):
            self.multiprocess = "multiprocess+" in packet
            return SUPPORTED
        if packet == "QStartNoAckMode":
            self.acknowledges = False
        if packet.startswith(("H", "T", "QPassSignals", "QProgramSignals", "QStartNoAckMode", "!")):
            return "OK"
        return {"?": f"T05thread:{self.thread_id()};", "vCont?": "vCont;c;C;s;S;t", "qfThreadInfo": "m" + self.thread_id(),
                "qsThreadInfo": "l", "qC": "QC" + self.thread_id(), "qAttached": "1"}.get(packet.split(":")[0], "")

    def get(self, _):
        g = self.board.ask("g")
        return g[:2 * SPECIAL_AT] + f"{0:08x}{0x700:08x}" + g[2 * SPECIAL_AT:]

    def put(self, packet):
        ours, g = self.board.ask("g"), packet[1:]
        g = g[:2 * SPECIAL_AT] + g[2 * SPECIAL_AT + 16:]
        return self.board.ask("G" + g[:2 * MSR_AT] + ours[2 * MSR_AT:2 * MSR_AT + 8] + g[2 * MSR_AT + 8:])

    def get_one(self, packet):
        number = int(packet[1:], 16)
        return {71: f"{0:08x}", 72: f"{0x700:08x}"}.get(number) or ("E01" if number > 74 else self.board.ask(packet))

    def put_one(self, packet):
        return "OK" if int(packet[1:].split("=")[0], 16) in (65, 71, 72) else self.board.ask(packet)

    def document(self, packet):
        kind, _, annex, span = packet[6:].split(":")
        text = {"features": description() if annex == "target.xml" else None, "auxv": self.auxv,
                "libraries-svr4": '<library-list-svr4 version="1.0"/>'}.get(kind)
        if text is None:
            return "E00" if kind == "features" else ""
        at, length = (int(n, 16) for n in span.split(","))
        piece = text[at:at + length]
        return ("m" if at + length < len(text) else "l") + re.sub("[}$#*]", lambda c: "}" + chr(ord(c[0]) ^ 0x20), piece)

    def go(self, packet):
        action = packet.split(";")[1]
        pc = self.board.ask("p40")
        self.n_signals += action[:1] in "CS"
        self.n_killed += action[:3] == "C04"
        if self.traps and int(self.board.ask(f"m{pc},4"), 16) & 0xfc0007fe == 0x7c00029c:
            self.n_trapped += 1
            return f"T04thread:{self.thread_id()};"
        self.run("vCont;s" if action[:1] in "sS" else "vCont;c")
        return None

    def detach(self, _):
        self.run("vCont;c")
        return "OK"
