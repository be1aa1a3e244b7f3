"""Runs one of Gymnasium's environments for the arena and answers frames on descriptor 3: u32 bytes, then the frame, whose values are
those of value_frames.h. An answer that fits lies in the memory of descriptor 4 instead, and its u32 has the highest bit set. The
process is trusted: policies run elsewhere.

It is sent: M id, or D id if it is to draw; R u64 seed; S action; P for a picture. It tells: c the card in JSON; o f64 reward, u8 flags
(terminated + 2 truncated), u32 bytes of the info, the info in JSON, the observation; p the picture, an array; e an error, as text."""
import functools
import importlib
import inspect
import json
import math
import mmap
import os
import random
import socket
import struct
import sys
import traceback
import warnings

IN_MEMORY = 1 << 31
TYPES = ("bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64")
REGISTERING = ("minigrid", "highway_env", "gymnasium_robotics", "ale_py", "miniworld", "mo_gymnasium")


def length(count):
    return struct.pack("<I", count)


def encode(value):
    if isinstance(value, np.ndarray):
        head = bytes((TYPES.index(value.dtype.name), value.ndim)) + struct.pack(f"<{value.ndim}I", *value.shape)
        return b"a" + head + np.ascontiguousarray(value).tobytes()
    if isinstance(value, (float, np.floating)):
        return struct.pack("<cd", b"d", value)
    if isinstance(value, str):
        text = value.encode()
        return b"s" + length(len(text)) + text
    if isinstance(value, (tuple, list)):
        return b"t" + length(len(value)) + b"".join(map(encode, value))
    if isinstance(value, dict):
        keys = [key.encode() for key in value]
        return b"m" + length(len(value)) + b"".join(length(len(key)) + key + encode(part) for key, part in zip(keys, value.values()))
    return struct.pack("<cq", b"i", int(value))


class Reader:
    """Takes values off a frame."""

    def __init__(self, data):
        self.data = data
        self.at = 0

    def take(self, layout):
        values = struct.unpack_from("<" + layout, self.data, self.at)
        self.at += struct.calcsize("<" + layout)
        return values

    def text(self):
        return self.take(f"{self.take('I')[0]}s")[0].decode()

    def value(self):
        tag = self.take("c")[0]
        if tag in b"id":
            return self.take("q" if tag == b"i" else "d")[0]
        if tag == b"s":
            return self.text()
        if tag == b"a":
            kind, axes = self.take("BB")
            shape = self.take(f"{axes}I")
            count = math.prod(shape)
            array = np.frombuffer(self.data, TYPES[kind], count, self.at).reshape(shape).copy()
            self.at += array.nbytes
            return array
        count = self.take("I")[0]
        if tag == b"t":
            return tuple(self.value() for _ in range(count))
        return {self.text(): self.value() for _ in range(count)}


def plain(value):
    """Whatever an environment tells, in JSON."""
    if isinstance(value, dict):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    if isinstance(value, (np.ndarray, np.generic)):
        return plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Inf" if value > 0 else "-Inf"
    return value if isinstance(value, (bool, int, float, str, type(None))) else str(value)


def bounds(array):
    """One number where all are alike, else all of them."""
    numbers = np.asarray(array, dtype=np.float64).ravel()
    return plain(numbers[:1] if numbers.size and (numbers == numbers[0]).all() else numbers)


def describe(space, sample=None):
    """A space in JSON; a dictionary's keys in the order in which `sample`, an observation, has them."""
    kind = type(space).__name__
    if kind == "Discrete":
        return {"type": kind, "n": int(space.n), "start": int(space.start)}
    if kind == "Box":
        return {"type": kind, "dtype": space.dtype.name, "shape": list(space.shape), "low": bounds(space.low), "high": bounds(space.high)}
    if kind == "MultiDiscrete":
        return {"type": kind, "nvec": plain(space.nvec), "start": plain(space.start)}
    if kind == "MultiBinary":
        return {"type": kind, "shape": list(space.shape)}
    if kind == "Tuple":
        return {"type": kind, "parts": [describe(part) for part in space.spaces]}
    if kind == "Dict":
        known = sample if isinstance(sample, dict) and set(sample) == set(space.spaces) else {}
        keys = list(known or space.spaces)
        return {"type": kind, "keys": keys, "parts": [describe(space.spaces[key], known.get(key)) for key in keys]}
    if kind in ("Text", "MissionSpace"):
        return {"type": "Text", "max_length": int(getattr(space, "max_length", 1024))}
    raise TypeError(f"spaces of the kind {kind} are not known here")


def versions(environment):
    import importlib.metadata as metadata

    module = type(environment.unwrapped).__module__.split(".")[0]
    names = {"gymnasium", "numpy", *metadata.packages_distributions().get(module, [])}
    names |= {name for name in ("mujoco", "Box2D", "pygame") if name in sys.modules or name.lower() in sys.modules}
    found = {}
    for name in sorted(names):
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            pass
    return found


def register(gymnasium, name):
    """Imports packages until one has an environment of this name; tells of those that are there and cannot be imported."""
    faults = []
    for module in REGISTERING:
        if name in gymnasium.registry:
            break
        try:
            gymnasium.register_envs(importlib.import_module(module))
        except Exception as error:
            if not isinstance(error, ModuleNotFoundError) or error.name != module:
                faults.append(f"{module} is installed and cannot be imported: {error}")
    return faults


def longest(environment):
    """The steps after which an environment ends an episode by itself, as MiniGrid and highway-env tell them; 0: it does not tell."""
    config = getattr(environment, "config", None)
    if isinstance(config, dict) and "duration" in config and "policy_frequency" in config:
        return math.ceil(config["duration"] * config["policy_frequency"])
    return int(getattr(environment, "max_steps", 0))


def quicken_car_racing(environment):
    """CarRacing asks of some 700 polygons a frame whether they are on the screen, corner by corner. Here one corner tells of those that
    are far away; the others are left to it, in the same order, so that what is drawn is the same. Its font is loaded once."""
    module = sys.modules[type(environment).__module__]
    width, height, widest, side = module.WINDOW_W, module.WINDOW_H, module.MAX_SHAPE_DIM, module.GRASS_DIM
    # It draws what has a corner within `widest` of the screen, and no two corners of a polygon are farther apart than that.
    far, high = width / 2 + 2 * widest, height / 2 + 2 * widest
    places = [(side * x, side * y) for x in range(-20, 20, 2) for y in range(-20, 20, 2)]
    grass = [[(x + side, y), (x, y), (x, y + side), (x + side, y + side)] for x, y in places]
    field = [(sign * module.PLAYFIELD, other * module.PLAYFIELD) for sign, other in ((1, 1), (1, -1), (-1, -1), (-1, 1))]

    def render_road(zoom, translation, angle):
        draw = environment._draw_colored_polygon
        along, across = math.cos(angle) * zoom, math.sin(angle) * zoom
        left, top = translation[0] - width / 2, translation[1] - height / 2

        def is_near(corner):
            x, y = corner[0], corner[1]
            return abs(x * along - y * across + left) <= far and abs(x * across + y * along + top) <= high

        draw(environment.surf, field, environment.bg_color, zoom, translation, angle, clip=False)
        for polygon in grass:
            if is_near(polygon[0]):
                draw(environment.surf, polygon, environment.grass_color, zoom, translation, angle)
        for polygon, color in environment.road_poly:
            if is_near(polygon[0]):
                draw(environment.surf, [(p[0], p[1]) for p in polygon], [int(c) for c in color], zoom, translation, angle)

    environment._render_road = render_road
    module.pygame.font.Font = functools.lru_cache(module.pygame.font.Font)


class Host:
    def __init__(self, channel):
        self.channel = channel
        self.memory = mmap.mmap(4, 0)
        self.environment = None

    def receive(self, size):
        parts = bytearray()
        while len(parts) < size:
            part = self.channel.recv(size - len(parts))
            if not part:
                sys.exit(0)  # the judge is gone
            parts += part
        return bytes(parts)

    def serve(self):
        while True:
            frame = self.receive(struct.unpack("<I", self.receive(4))[0])
            try:
                answer = {b"M": self.make, b"D": self.make_drawing, b"R": self.reset, b"S": self.step, b"P": self.picture}[frame[:1]](frame[1:])
            except Exception:
                answer = b"e" + traceback.format_exc(limit=-3).encode()
            self.send(answer)

    def send(self, answer):
        if len(answer) > len(self.memory):
            self.channel.sendall(length(len(answer)) + answer)
            return
        self.memory[:len(answer)] = answer
        self.channel.sendall(length(len(answer) | IN_MEMORY))

    def make_drawing(self, name):
        os.environ.setdefault("MUJOCO_GL", "egl")  # draws without a screen
        return self.make(name, render_mode="rgb_array")

    def make(self, name, render_mode=None):
        import gymnasium

        gymnasium.logger.min_level = gymnasium.logger.ERROR
        name = name.decode()
        faults = register(gymnasium, name)
        try:
            self.environment = gymnasium.make(name, render_mode=render_mode, disable_env_checker=True)
        except gymnasium.error.Error as error:
            if not faults:
                raise
            raise ImportError("; ".join(faults)) from error
        plain_one = self.environment.unwrapped
        if name == "CarRacing-v3":
            quicken_car_racing(plain_one)
        first, _ = self.environment.reset(seed=0)
        card = {
            "description": inspect.cleandoc(type(plain_one).__doc__ or ""),
            "observation_space": describe(self.environment.observation_space, first),
            "action_space": describe(self.environment.action_space),
            "max_episode_steps": self.environment.spec.max_episode_steps or longest(plain_one),
            "versions": versions(self.environment),
        }
        return b"c" + json.dumps(card).encode()

    def answer(self, observation, reward, flags, info):
        told = json.dumps(plain(info)).encode()
        return struct.pack("<cdBI", b"o", reward, flags, len(told)) + told + encode(observation)

    def reset(self, data):
        seed = struct.unpack("<Q", data)[0]
        random.seed(seed)
        np.random.seed(seed % (1 << 32))
        self.environment.action_space.seed(seed % (1 << 32))  # some environments sample it
        observation, info = self.environment.reset(seed=seed)
        return self.answer(observation, 0.0, 0, info)

    def step(self, data):
        observation, reward, terminated, truncated, info = self.environment.step(Reader(data).value())
        return self.answer(observation, float(reward), bool(terminated) + 2 * bool(truncated), info)

    def picture(self, _):
        return b"p" + encode(np.asarray(self.environment.render(), dtype=np.uint8))


os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
warnings.simplefilter("ignore")
connection = socket.socket(fileno=3)
try:
    import numpy as np
except ImportError as error:
    fault = f"e{error}".encode()
    connection.sendall(length(len(fault)) + fault)
    sys.exit(1)
Host(connection).serve()
