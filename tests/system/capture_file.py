"""The records of a capture file, as src/capture/capture.h has them; and captures of any length."""
import struct
import zlib

HEAD_BYTES, PREAMBLE_BYTES = 64, 24


def records(data):
    """(offset, kind of record, kind of chunk, stored bytes) of each."""
    found, offset = [], PREAMBLE_BYTES
    while offset + HEAD_BYTES <= len(data):
        stored, kind, chunk = (struct.unpack_from("<I", data, offset + 16)[0], struct.unpack_from("<H", data, offset + 28)[0],
                               struct.unpack_from("<H", data, offset + 60)[0])
        found.append((offset, kind, chunk, stored))
        offset += HEAD_BYTES + stored
    assert offset == len(data), "a record that is not whole"
    return found


def long_capture(data, megabytes):
    """The DATA of a capture over and over, in pieces."""
    whole = records(data)
    first = next(i for i, r in enumerate(whole) if r[2] == 2)
    body = [r for r in whole[first:] if r[2] == 2]
    yield data[:whole[first][0]]
    number, made, last_ns = first, 0, struct.unpack_from("<Q", data, whole[first][0] + 32)[0]
    while made < megabytes * 1000000:
        for offset, _, _, stored in body:
            record = bytearray(data[offset:offset + HEAD_BYTES + stored])
            struct.pack_into("<I", record, 12, number)
            struct.pack_into("<QQ", record, 32, last_ns, last_ns + 1000)
            struct.pack_into("<I", record, 4, zlib.crc32(record[8:HEAD_BYTES]))
            number, last_ns, made = number + 1, last_ns + 1000, made + len(record)
            yield bytes(record)
