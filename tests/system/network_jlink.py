#!/usr/bin/env python3
"""J-Links on a network of their own, for tests: a namespace with this machine, another with the probes, and a cable.
As a program it is the probes: network_jlink.py HOW PROFTAP answers searches, and serves a board on TCP port 19020."""
import os
import signal
import socket
import struct
import subprocess
import sys
import threading
import time

PORT = 19020
HELLO = b"\x00\x01\x00\x07virtual"
LENGTHS = {0x05: 3, 0x09: 14, 0xc1: 5, 0xc2: 5, 0xc7: 2}	# of commands that are longer than a byte
PROBES = "10.99.0.2", "10.99.0.3", "10.99.0.4"
CABLE = ("ip link set lo up; ip link del ptown 2>/dev/null || :; ip link add ptown type veth peer name ptother; ip link set ptother netns {pid}; "
         "ip addr add 10.99.0.1/24 brd + dev ptown; ip link set ptown up")
FAR_END = "ip link set lo up; {addresses} ip link set ptother up".format(
    addresses="".join(f"ip addr add {address}/24 brd + dev ptother; " for address in PROBES))


# --- over TCP ---

def receive(connection, n):
    data = b""
    while len(data) < n:
        part = connection.recv(n - len(data))
        if not part:
            raise EOFError
        data += part
    return data


def command_of(host):
    """One command of the host, which a 7 stands in front of."""
    mark, code = receive(host, 2)
    assert mark == 7, mark
    if code in (0xce, 0xcf):
        head = receive(host, 3)
        return bytes((code,)) + head + receive(host, 2 * -(-struct.unpack("<xH", head)[0] // 8))
    return bytes((code,)) + receive(host, LENGTHS.get(code, 1) - 1)


def copy_answers(board, host):
    try:
        while True:
            host.sendall(receive(board, struct.unpack("<4xHxx", receive(board, 8))[0]))
    except (EOFError, OSError):
        host.close()


def serve_network(listener, address):
    """Each host that connects is one of a J-Link on the network: the board's packets travel without their frames."""
    try:
        while True:
            host = listener.accept()[0]
            with socket.create_connection(address) as board:
                threading.Thread(target=copy_answers, args=(board, host), daemon=True).start()
                host.sendall(HELLO)
                try:
                    while True:
                        command = command_of(host)
                        board.sendall(struct.pack("<4sHBB", b"DAP\0", len(command), 1, 0) + command)
                except (EOFError, OSError):
                    board.shutdown(socket.SHUT_RDWR)	# a thread waits for it
    except OSError:
        pass		# the listener is closed


def start_board(proftap):
    """The process, and its address."""
    board = subprocess.Popen([proftap, "board", "kl27?probe=jlink", "--listen", "127.0.0.1:0"], stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL, text=True)
    return board, board.stdout.readline().split()[1].split(":")


# --- searches ---

def found(serial, product=b"J-Link PRO", nickname=b"", address="10.99.0.2"):
    return struct.pack("<16s4s12s6s10xII8x32s32s", b"Found", socket.inet_aton(address), b"", b"\x00\x22\xc7\x01\x02\x03", serial,
                       3040000, product, nickname)


def answers(how):
    """What each address answers, and how often."""
    if how == "mute":
        return {}
    if how == "hostile":
        lies = [b"Found", found(1)[:-1], found(1) + b"\0", found(2) * 4, b"Fount" + found(3)[5:], b"", os.urandom(128)]
        return {PROBES[0]: [*lies, found(0xffffffff, b"\x1b[2J\x1b]0;x\x07" + b"A" * 24, b"\n{\"uri\":\"\xff" + b"B" * 40, "8.8.8.8")],
                PROBES[1]: [found(0, b"", b"")]}
    return {PROBES[0]: [found(504000123, nickname=b"rack 3, top")], PROBES[1]: [found(504000124)]}


def answer_searches(how):
    search = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    search.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    search.bind(("", PORT))
    senders = {}
    for address in PROBES:
        senders[address] = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        senders[address].setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        senders[address].bind((address, PORT))
    while True:
        question, asker = search.recvfrom(2048)
        if len(question) != 64 or question.rstrip(b"\0") != b"Discover":
            continue
        for address, messages in answers(how).items():
            for message in messages:
                senders[address].sendto(message, asker)
        ends = time.monotonic() + 60
        while how == "flood" and time.monotonic() < ends:
            senders[PROBES[2]].sendto(found(7), asker)


def main():
    how, proftap = sys.argv[1:]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())	# which ends the board, too
    board, address = start_board(proftap)
    listener = socket.create_server(("", PORT))
    threading.Thread(target=serve_network, args=(listener, address), daemon=True).start()
    print("ready", flush=True)
    try:
        answer_searches(how)
    finally:
        board.terminate()


# --- the two ends ---

class Cable:
    """This process is at one end (it has to be in a namespace of its own, `unshare -Urn`), probes are at the other."""
    def __init__(self, how, proftap):
        self.probes = subprocess.Popen(["unshare", "-n", "sh", "-c", f"read go; {FAR_END}; exec {sys.executable} {os.path.abspath(__file__)} "
                                        f"{how} {os.path.abspath(proftap)}"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        while os.readlink(f"/proc/{self.probes.pid}/ns/net") == os.readlink("/proc/self/ns/net"):
            time.sleep(0.01)
        subprocess.run(["sh", "-ec", CABLE.format(pid=self.probes.pid)], check=True)
        self.probes.stdin.write("go\n")
        self.probes.stdin.flush()
        assert self.probes.stdout.readline() == "ready\n"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.probes.terminate()
        self.probes.communicate()


def can_have_namespaces():
    return subprocess.run(["unshare", "-Urn", "sh", "-ec", CABLE.format(pid="$$")], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                          check=False).returncode == 0


if __name__ == "__main__":
    main()
