"""Runs beside a policy in its process and answers the judge's frames; value_frames.h has their values.

While it loads, they come over the socket, descriptor 4: F a file of the policy (u16 bytes of its path, the path, bytes to append), I the
context in JSON. In an episode they come through the memory behind descriptor 5 (shared_frames.h): A an observation, E the end of
the episode. The judge is told, in the same way: r ready (with a word), a an action, e an error in JSON."""
import gc as _gc
import importlib as _importlib
import json as _json
import mmap as _mmap
import os as _os
import random as _random
import struct as _struct
import sys as _sys
import threading as _threading
import traceback as _traceback
import types as _types

try:
    import numpy as _numpy
except ImportError:  # the sandbox was given none
    _numpy = None

_TYPES = ('bool', 'int8', 'uint8', 'int16', 'uint16', 'int32', 'uint32', 'int64', 'uint64', 'float32', 'float64')
_FORMATS = '?bBhHiIqQfd'
_CHANNEL = 4
_MEMORY = 5
_MOST = 1 << 18  # bytes of a frame of the socket's
_MOST_ANSWER = 160 << 10
_ASKED = 8  # where the judge's frame lies in the memory, and the policy's
_ANSWER = (1 << 20) + 8
# Words of the memory, each of four bytes: counts and sizes of frames, flags.
_JUDGE_COUNT, _JUDGE_BYTES, _POLICY_COUNT, _POLICY_BYTES = 0, 1, 1 << 18, (1 << 18) + 1
_MAY_WATCH, _POLICY_SLEEPS, _JUDGE_SLEEPS = 3 << 17, (3 << 17) + 16, (3 << 17) + 32
_LOOKS = 4000  # for the judge's next frame, some 250 microseconds, before this process sleeps
_INTEGERS = {number: b'ai' + number.to_bytes(8, 'little', signed=True) for number in range(-1, 64)}  # answers


class _Host:
    def __init__(self):
        self.layouts = {}
        self.vector = (b'\0', None)  # of frames that hold one list of numbers: their head, its reader
        self.buffer = bytearray(_MOST)  # frames are received here: a new megabyte for each would cost more than a step
        self.arrays = False
        self.policy = None
        self.make = None
        self.context = None
        self.folder = ''
        self.memory = self.words = None
        self.order = _threading.Lock()
        self.bell = [bytearray(1)]

    # --- frames in memory ---

    def fence(self):
        """No later look into the memory comes before an earlier write: taking a lock is what orders them."""
        self.order.acquire()
        self.order.release()

    def tell(self, frame):
        words = self.words
        size = len(frame)
        if size <= _MOST_ANSWER:  # of one that is longer the judge needs to see the size only
            self.memory[_ANSWER:_ANSWER + size] = frame
        words[_POLICY_BYTES] = size
        words[_POLICY_COUNT] = words[_POLICY_COUNT] + 1 & 0xFFFFFFFF
        if words[_MAY_WATCH]:
            self.fence()
            if not words[_JUDGE_SLEEPS]:
                return
        _os.write(_CHANNEL, b'!')

    def sleep(self, count):
        """Until the judge has sent more than `count` frames. False: the judge is gone."""
        words = self.words
        if words[_MAY_WATCH]:
            words[_POLICY_SLEEPS] = 1
            self.fence()
        elif not _os.readv(_CHANNEL, self.bell):
            return False
        while words[_JUDGE_COUNT] == count:
            if not _os.readv(_CHANNEL, self.bell):
                return False
        words[_POLICY_SLEEPS] = 0
        return True

    # --- values ---

    def layout(self, head):
        """What an array's head says: reader of its elements, shape, NumPy's type, bytes of the elements."""
        shape = _struct.unpack_from('<%dI' % head[1], head, 2)
        count = 1
        for length in shape:
            count *= length
        reader = _struct.Struct('<%d%s' % (count, _FORMATS[head[0]]))
        known = self.layouts[head] = (reader, shape, _TYPES[head[0]], count)
        return known

    def receive(self):
        return bytes(memoryview(self.buffer)[:_os.readv(_CHANNEL, [self.buffer])])

    def observation(self, frame):
        if frame[1] == 97 and frame[3] == 1 and not self.arrays:
            self.vector = (frame[:8], self.layout(frame[2:8])[0].unpack_from)
        return self.decode(frame, 1)[0]

    def array(self, data, at):
        start = at + 2 + 4 * data[at + 1]
        head = data[at:start]
        reader, shape, kind, count = self.layouts.get(head) or self.layout(head)
        end = start + reader.size
        if self.arrays or len(shape) > 1 and _numpy is not None:
            value = _numpy.frombuffer(data, kind, count, start).reshape(shape)
            return (value.copy() if self.arrays else self.lists(value)), end
        value = list(reader.unpack_from(data, start))
        if not shape:
            return value[0], end
        for length in shape[:0:-1]:
            value = [value[i:i + length] for i in range(0, len(value), length)]
        return value, end

    def lists(self, value):
        """An array as lists. The collector of garbage would look at the thousands of lists of a picture while they are made."""
        collects = _gc.isenabled()
        _gc.disable()
        try:
            return value.tolist()
        finally:
            if collects:
                _gc.enable()

    def text(self, data, at):
        end = at + 4 + int.from_bytes(data[at:at + 4], 'little')
        return data[at + 4:end].decode(), end

    def decode(self, data, at):
        tag = data[at]
        at += 1
        if tag == 97:  # a
            return self.array(data, at)
        if tag == 105:  # i
            return int.from_bytes(data[at:at + 8], 'little', signed=True), at + 8
        if tag == 100:  # d
            return _struct.unpack_from('<d', data, at)[0], at + 8
        if tag == 115:  # s
            return self.text(data, at)
        count = int.from_bytes(data[at:at + 4], 'little')
        at += 4
        if tag == 116:  # t
            parts = []
            for _ in range(count):
                part, at = self.decode(data, at)
                parts.append(part)
            return tuple(parts), at
        parts = {}
        for _ in range(count):
            key, at = self.text(data, at)
            parts[key], at = self.decode(data, at)
        return parts, at

    def flat(self, value, kinds):
        """A list of numbers as an array; None where it is more than that."""
        try:
            if kinds <= {int, bool}:
                return b'a\x07\x01' + _struct.pack('<I%dq' % len(value), len(value), *value)
            if kinds <= {int, bool, float}:
                return b'a\x0a\x01' + _struct.pack('<I%dd' % len(value), len(value), *value)
        except (_struct.error, OverflowError):
            raise TypeError('act() returned an integer of more than 64 bits') from None
        return None

    def encode(self, value, depth=0):
        kind = type(value)
        if kind is int or kind is bool:
            if not -1 << 63 <= value < 1 << 63:
                raise TypeError('act() returned an integer of more than 64 bits')
            return b'i' + int(value).to_bytes(8, 'little', signed=True)
        if kind is float:
            return _struct.pack('<cd', b'd', value)
        if depth > 12:
            raise TypeError('act() returned a value that is nested too deeply')
        if _numpy is not None:
            if isinstance(value, _numpy.generic):
                return self.encode(value.item(), depth + 1)
            if isinstance(value, _numpy.ndarray):
                if value.dtype.name not in _TYPES:
                    raise TypeError(f'act() returned an array of {value.dtype}, which is no action')
                little = value.astype(value.dtype.newbyteorder('<'), copy=False)
                return (b'a' + bytes((_TYPES.index(value.dtype.name), value.ndim))
                        + _struct.pack('<%dI' % value.ndim, *value.shape) + little.tobytes())
        if isinstance(value, (list, tuple)):
            packed = self.flat(value, set(map(type, value))) if value else None
            return packed or b't' + _struct.pack('<I', len(value)) + b''.join([self.encode(v, depth + 1) for v in value])
        if isinstance(value, dict):
            parts = [b'm', _struct.pack('<I', len(value))]
            for key, part in value.items():
                name = str(key).encode()
                parts += (_struct.pack('<I', len(name)), name, self.encode(part, depth + 1))
            return b''.join(parts)
        if isinstance(value, str):
            text = value.encode('utf-8', 'replace')
            return b's' + _struct.pack('<I', len(text)) + text
        raise TypeError(f'act() returned {kind.__name__}, which is no action')

    # --- errors ---

    def complaint(self, kind, error):
        """A frame that tells what the policy raised, with the lines of the policy's own files."""
        trace = error.__traceback__
        while trace is not None and trace.tb_frame.f_code.co_filename in ('<prelude>', '<call>'):
            trace = trace.tb_next
        try:
            text = ''.join(_traceback.format_exception(type(error), error, trace))
        except Exception:
            text = type(error).__name__
        text = text.encode('utf-8', 'replace').decode()  # a lone surrogate is no JSON
        text = text.replace(self.folder + '/', 'system/') if self.folder else text
        told = {'kind': kind, 'exception': type(error).__name__, 'traceback': text[-8000:]}
        return b'e' + _json.dumps(told).encode()

    # --- the judge's three calls ---

    def receive_files(self):
        """The policy's folder, up to the context."""
        _os.mkdir('system')
        _os.chdir('system')
        self.folder = _os.getcwd()
        fault = None
        while True:
            frame = self.receive()
            if frame[:1] != b'F':
                break
            length = int.from_bytes(frame[1:3], 'little')
            path = frame[3:3 + length].decode()
            try:
                if '/' in path:
                    _os.makedirs(path.rpartition('/')[0], exist_ok=True)
                with open(path, 'ab') as file:
                    file.write(frame[3 + length:])
            except OSError as error:  # the judge is heard out first
                fault = fault or error
        if fault is not None:
            raise fault
        return _json.loads(frame[1:])

    def seed(self, seed):
        _random.seed(seed)
        if _numpy is not None:
            _numpy.random.seed(seed & 0xFFFFFFFF)

    def load(self):
        kind = 'import_error'
        self.memory = _mmap.mmap(_MEMORY, 0)
        self.words = memoryview(self.memory).cast('I')
        try:
            context = self.receive_files()
            self.seed(context['seed'])
            _sys.path.insert(0, self.folder)
            module = _importlib.import_module('policy')
            kind = 'init_error'
            if hasattr(module, 'make_policy'):
                self.make = module.make_policy
                self.arrays = _numpy is not None
                spaces = {'observation_space': context['obs_space'], 'action_space': context['action_space']}
                self.context = {**spaces, 'metadata': context['env_meta'], 'environment_parameters': {}}
            elif hasattr(module, 'Policy'):
                self.arrays = _numpy is not None and getattr(module, 'OBS', None) == 'numpy'
                self.policy = module.Policy(context['obs_space'], context['action_space'], context['env_meta'])
            else:
                kind = 'missing_policy'
                raise ImportError('system/policy.py exports neither class Policy nor make_policy')
        except BaseException as error:
            answer = self.complaint(kind, error)
        else:
            answer = b'r' + (b'make_policy' if self.make else b'Policy')
        _os.write(_CHANNEL, answer)

    def episode(self, index, seed):
        try:
            self.seed(seed)
            if self.make is not None:
                self.policy = self.make(_types.SimpleNamespace(**self.context, policy_seed=seed))
            elif hasattr(self.policy, 'reset'):
                self.policy.reset(index)
            act = self.policy.act
        except BaseException as error:
            return self.tell(self.complaint('reset_error', error))
        words, memory, tell, encode, integers = self.words, self.memory, self.tell, self.encode, _INTEGERS
        head, unpack = self.vector
        most = _LOOKS if words[_MAY_WATCH] else 0
        count = words[_JUDGE_COUNT]
        tell(b'r')
        while True:
            looks = most
            while looks and words[_JUDGE_COUNT] == count:
                looks -= 1
            if not looks and not self.sleep(count):
                return
            count = words[_JUDGE_COUNT]
            if memory[_ASKED] != 65:  # A
                return
            try:
                if memory[_ASKED:_ASKED + 8] == head:
                    seen = list(unpack(memory, _ASKED + 8))
                else:
                    seen = self.observation(memory[_ASKED:_ASKED + words[_JUDGE_BYTES]])
                    head, unpack = self.vector
                action = act(seen)
                answer = type(action) is int and integers.get(action) or b'a' + encode(action)
            except BaseException as error:
                return tell(self.complaint('act_error', error))
            tell(answer)


_host = _Host()
