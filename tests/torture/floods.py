"""Floods: far more connections than there is room for, of strangers who say nothing, who say half a packet, and of clients who
ask for reports and do not read them; and resets all through a profile. The owner is answered nearly as soon as when all is
quiet, memory stays under a limit and comes back, and who is sent away hears why or is let wait."""
import os
import resource
import select
import socket
import statistics
import time

from boards import DEMOS, FIRMWARE, Client, Daemon, describe

CONNECTIONS, QUICK_CONNECTIONS = 1000, 300
ASKS = 200		# round trips that are measured
MOST_KIB = 64 << 10	# more than idle, over all clients
LEFT_KIB = 32 << 10	# more than idle, when they have gone: what the C library keeps of what was freed
PATIENCE_S = 60

def packet(text):
    payload = text.encode()
    return b"$%s#%02x" % (payload, sum(payload) & 255)


# what they say first, and when that is answered (b"": they do not wait)
KINDS = (("silent", b"", b""), ("half a packet", b"+$qSupported:multipro", b""),
         ("slow readers", b"+" + packet("QStartNoAckMode"), b"+" + packet("qRcmd," + b"profile report top=0".hex()) * 20))


def memory_kib(pid, field):
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return int(next(line.split()[1] for line in file if line.startswith(field)))


def descriptors(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


def round_trip_ms(client):
    """Median, and the longest."""
    took = []
    for _ in range(ASKS):
        began = time.monotonic()
        assert client.ask("m20004090,4", PATIENCE_S) is not None, "the owner is not answered"
        took.append(1000 * (time.monotonic() - began))
    return statistics.median(took), max(took)


def connect(address, n, first, then):
    """So many of them."""
    host, port = address.rsplit(":", 1)
    peers = []
    for _ in range(n):
        peer = socket.socket()
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        peer.settimeout(PATIENCE_S)
        peer.connect((host, int(port)))
        try:
            peer.sendall(first)
            if then and peer.recv(16):
                peer.sendall(then)
        except OSError:
            pass		# it was sent away already
        peers.append(peer)
    return peers


def closed(peers):
    """How many have been sent away."""
    n = 0
    for peer in peers:
        peer.setblocking(False)
        try:
            while (data := peer.recv(1 << 16)) != b"" and len(data) == 1 << 16:
                pass
            n += data == b""
        except BlockingIOError:
            pass
        except OSError:
            n += 1
    return n


def flood(daemon, owner, kind, first, then, n, idle):
    """A line of the table, and what is wrong."""
    pid, wrong = daemon.child.pid, []
    peers = connect(daemon.address, n, first, then)
    median, longest = round_trip_ms(owner)
    most = memory_kib(pid, "VmRSS") - idle["kib"]
    sent_away = closed(peers)
    for peer in peers:
        peer.close()
    end = time.monotonic() + PATIENCE_S
    while descriptors(pid) > idle["descriptors"] and time.monotonic() < end:
        time.sleep(0.05)
    left, left_open = memory_kib(pid, "VmRSS") - idle["kib"], descriptors(pid) - idle["descriptors"]
    if most > MOST_KIB:
        wrong.append(f"{kind}: {most} KiB more than idle")
    if left > LEFT_KIB or left_open > 0:
        wrong.append(f"{kind}: {left} KiB and {left_open} descriptors stay")
    print(f"{kind:16} {n:6} {sent_away:10} {median:8.2f}/{longest:.2f} ms {most:9} KiB {left:7} KiB",
          flush=True)
    return wrong


def resets(daemon, owner, n):
    """A storm of them during a profile, which then ends and tells of its loss."""
    said = owner.monitor("profile start source=mtb mode=burst")
    assert "profiling" in said, said
    for _ in range(n):
        owner.monitor("reset run")
    said = owner.monitor("profile stop") + owner.monitor("profile report details")
    wrong = [] if "profile stopped" in said else ["resets: the profile does not end: " + said[:200]]
    if "core 0: " not in owner.monitor("status"):
        wrong.append("resets: the board is gone")
    print(f"{'resets':16} {n:6}", flush=True)
    return wrong


def run(options):
    n, wrong = QUICK_CONNECTIONS if options.quick else CONNECTIONS, []
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(4096, resource.getrlimit(resource.RLIMIT_NOFILE)[1]),) * 2)
    elf = os.path.join(FIRMWARE, DEMOS["arm"])
    try:
        with Daemon(os.getcwd(), "--elf", elf, probe=f"virtual:kl27?elf={elf}") as daemon:
            owner = Client(daemon.address)
            owner.ask("QNonStop:1")
            owner.ask("?")
            owner.monitor("profile start source=mtb mode=burst")
            time.sleep(1)
            owner.monitor("profile stop")
            owner.monitor("profile report top=0")
            idle = {"kib": memory_kib(daemon.child.pid, "VmRSS"), "descriptors": descriptors(daemon.child.pid)}
            median, longest = round_trip_ms(owner)
            print(f"{'flood':16} {'tried':>6} {'sent away':>10} {'owner, median/longest':>20} {'at most':>11} {'stays':>9}")
            print(f"{'idle':16} {'':6} {'':>10} {median:8.2f}/{longest:.2f} ms {idle['kib']:9} KiB")
            for kind, first, then in KINDS:
                wrong += flood(daemon, owner, kind, first, then, n, idle)
            wrong += resets(daemon, owner, n // 10)
            owner.close()
    except Exception as error:
        wrong.append(describe(error))
    return wrong
