"""read_events FILE: prints the events of a TensorBoard file as JSON lines. An independent reader: framing and CRC32C are
checked here bit by bit, and any byte that is not understood is an error."""
import json
import math
import struct
import sys


def crc32c(data):
    remainder = 0xFFFFFFFF
    for byte in data:
        remainder ^= byte
        for _ in range(8):
            remainder = remainder >> 1 ^ (0x82F63B78 if remainder & 1 else 0)
    return remainder ^ 0xFFFFFFFF


def check(data, stored):
    crc = crc32c(data)
    masked = ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF
    assert masked == struct.unpack("<I", stored)[0], "a checksum is wrong"


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def fields(data):
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        kind = key & 7
        if kind == 0:
            value, at = varint(data, at)
        elif kind == 1:
            value, at = struct.unpack("<d", data[at:at + 8])[0], at + 8
        elif kind == 2:
            size, at = varint(data, at)
            assert at + size <= len(data), "a message is cut"
            value, at = data[at:at + size], at + size
        elif kind == 5:
            value, at = struct.unpack("<f", data[at:at + 4])[0], at + 4
        else:
            raise AssertionError(f"wire type {kind}")
        yield key >> 3, value


def event(data):
    read = {"values": []}
    for field, value in fields(data):
        if field == 5:
            for inner, scalar in fields(value):
                assert inner == 1, inner
                scalar = dict(fields(scalar))
                assert set(scalar) == {1, 2}, scalar
                read["values"].append([scalar[1].decode(), scalar[2] if math.isfinite(scalar[2]) else None])
        else:
            read[{1: "time", 2: "step", 3: "version"}[field]] = value.decode() if field == 3 else value
    return read


with open(sys.argv[1], "rb") as file:
    content = file.read()
at = 0
while at < len(content):
    check(content[at:at + 8], content[at + 8:at + 12])
    size = struct.unpack("<Q", content[at:at + 8])[0]
    data = content[at + 12:at + 12 + size]
    check(data, content[at + 12 + size:at + 16 + size])
    at += 16 + size
    print(json.dumps(event(data)))
assert at == len(content), "the last record is cut"
