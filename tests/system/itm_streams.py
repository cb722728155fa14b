"""Streams of an ITM for tests that compare our packets with another decoder's, and what our library reads in one."""
import os
import subprocess

LISTING = os.path.join(os.getcwd(), "tests", "system", "itm_listing")
SYNC = b"\0\0\0\0\0\x80"


def sized(header, value, n_bytes):
    return bytes([header | {1: 1, 2: 2, 4: 3}[n_bytes]]) + value.to_bytes(n_bytes, "little")


def continued(value):
    out = bytearray()
    while True:
        out.append(value & 0x7f | (0x80 if value > 0x7f else 0))
        value >>= 7
        if value == 0:
            return bytes(out)


def random_packet(dice):
    """A packet of those that every decoder knows."""
    n_bytes = dice.choice((1, 2, 4))
    value = dice.randrange(1 << 8 * n_bytes)
    return dice.choice((
        lambda: sized(dice.randrange(1, 32) << 3, value & 0xffff, max(2, n_bytes)),	# single bytes are letters to sigrok
        lambda: bytes([0xc0 | dice.randrange(4) << 4]) + continued(dice.randrange(1 << dice.choice((7, 14, 28)))),
        lambda: bytes([dice.randrange(1, 7) << 4]),
        lambda: sized(0x0c, dice.randrange(16, 256) | dice.choice((0x1000, 0x2000, 0x3000)), 2),
        lambda: sized(0x14, dice.randrange(1 << 32), 4),
        lambda: sized(0x04, dice.randrange(1, 32), 1),
        lambda: sized((8 + 2 * dice.randrange(4)) << 3 | 4, dice.randrange(1 << 32), 4),
        lambda: sized((9 + 2 * dice.randrange(4)) << 3 | 4, dice.randrange(1 << 16), 2),
        lambda: sized((16 + dice.randrange(8)) << 3 | 4, value, n_bytes),
        lambda: b"\x70",
    ))()


def packets(stream, *words):
    """(kind, which, bytes of value, late, value, bytes of the packet) of each, as our library reads them."""
    done = subprocess.run([LISTING, *words], input=stream, capture_output=True, timeout=300, check=True)
    lines = (line.split() for line in done.stdout.decode().splitlines())
    return [(kind, *(int(n, 0) for n in numbers)) for kind, *numbers in lines]
