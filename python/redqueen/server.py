"""A `redqueen serve` process of this program: for a trainer that has none yet, for Ray's actors, and for tests.

    >>> import redqueen
    >>> from redqueen.server import Server
    >>> with Server() as server:
    ...     client = redqueen.connect(server.url)
    ...     client.score("Sorting@1/0/5", "no idea").reward
    -1.0
"""
from __future__ import annotations

import ctypes
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from typing import Callable, Sequence

from . import _command

_PR_SET_PDEATHSIG = 1  # <sys/prctl.h>
_SECONDS_TO_START = 60.0


def binary() -> str:
    """The program `redqueen`: `$REDQUEEN_BINARY`, that beside this Python, that on the path, or that of this package."""
    named = os.environ.get("REDQUEEN_BINARY")
    beside = shutil.which("redqueen", path=str(pathlib.Path(sys.executable).parent))
    found = named or beside or shutil.which("redqueen") or _command.program()
    if not found or not os.access(found, os.X_OK):
        raise FileNotFoundError(f"there is no program `redqueen`{f' at {named}' if named else ''}; set REDQUEEN_BINARY to its path")
    return found


class Server:
    """Starts `redqueen serve` on a free port (or `port`) and stops it at the end of `with`.

    A server that was started by the main thread dies with this process, however that ends.

    Args:
        options: more of the command line, such as `["--environments", "environment.py"]`.
        host: the address that it listens on and that others call it by. On another than a loopback address it needs a
            token or `--without-token`.
        token: what clients must send; it does not appear on the command line.
        program: the binary, if not that of `binary()`.
    """

    def __init__(self, options: Sequence[str] = (), host: str = "127.0.0.1", port: int = 0, token: str | None = None,
                 program: str | None = None):
        self._folder = tempfile.TemporaryDirectory(prefix="redqueen-server-")
        announced = pathlib.Path(self._folder.name, "url")
        errors = pathlib.Path(self._folder.name, "errors")
        command = [program or binary(), "serve", "--address", host, "--port", str(port), "--announce", str(announced), *options]
        with errors.open("wb") as file:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=file,
                                            env={**os.environ, "REDQUEEN_TOKEN": token} if token else None,
                                            preexec_fn=_die_with_parent())
        give_up = time.monotonic() + _SECONDS_TO_START
        while not announced.exists():
            if self.process.poll() is not None or time.monotonic() > give_up:
                self.stop(keep=True)
                said = errors.read_text(errors="replace").strip()
                self._folder.cleanup()
                raise RuntimeError(f"`{' '.join(command)}` did not start: {said or 'it said nothing'}")
            time.sleep(0.01)
        self.url = announced.read_text().strip()

    def is_alive(self) -> bool:
        """Whether its process still runs."""
        return self.process.poll() is None

    def stop(self, keep: bool = False) -> None:
        """Lets what is in flight finish; kills a server that takes longer than that."""
        if self.is_alive():
            self.process.terminate()
            try:
                self.process.wait(15)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        if not keep:
            self._folder.cleanup()

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def _die_with_parent() -> Callable[[], object] | None:
    # The kernel sends the signal when the thread that started the child ends, so only the main thread may ask for it.
    if sys.platform != "linux" or threading.current_thread() is not threading.main_thread():
        return None
    prctl = ctypes.CDLL(None, use_errno=True).prctl  # looked up before the fork, where nothing may be allocated
    return lambda: prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
