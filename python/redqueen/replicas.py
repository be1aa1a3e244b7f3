"""Requests to several servers that all give the same answers, over connections that are kept."""
from __future__ import annotations

import http.client
import json
import os
import threading
import time
import urllib.parse
from typing import Any, Callable, Sequence

# Statuses that say "not now": another replica, or the same one a little later, may do it.
_NOT_NOW = frozenset({408, 429, 502, 503, 504})
_LONGEST_REST = 2.0  # seconds for which a replica that failed is left alone, at most
_MOST_BYTES = 64 << 20  # of a body, as the server has it


class Unavailable(Exception):
    """No server answered within the time that the client has patience for."""


class Refused(Exception):
    """A server answered with an error that asking again does not mend; `status` is HTTP's."""

    def __init__(self, message: str, status: int):
        super().__init__(message)
        self.status = status


class Replicas:
    """URLs of servers, and connections to them: one a thread and replica.

    A request that fails is sent to the next replica. Every request of the client may therefore arrive twice; those that
    change something carry a sequence number, so that they count once.

    Args:
        urls: base URLs, `http://host:port` or `https://…`; a path in front of the routes is kept.
        token: sent as `Authorization: Bearer`.
        timeout: seconds that one server may take for one answer.
        patience: seconds after which a request that no server answered fails.
    """

    def __init__(self, urls: Sequence[str], token: str | None, timeout: float, patience: float):
        self.token, self.timeout, self.patience = token, timeout, patience
        self._local = threading.local()
        self._lock = threading.Lock()
        self._rests: dict[str, tuple[int, float]] = {}  # URL -> failures in a row, time at which it is asked again
        self._turn = 0
        self.replace(urls)

    def replace(self, urls: Sequence[str]) -> None:
        """Asks these servers from now on; requests under way go on."""
        cleaned = tuple(url.rstrip("/") for url in urls)
        for url in cleaned:
            if not _is_url(url):
                raise ValueError(f'"{url}" is not a URL of a server; expected http://HOST:PORT')
        if not cleaned:
            raise ValueError("at least one URL is needed")
        with self._lock:
            self.urls = cleaned
            self._rests = {url: rest for url, rest in self._rests.items() if url in cleaned}

    def ask(self, method: str, path: str, body: Any = None, *, of: Callable[[], str] | None = None,
            patience: float | None = None) -> Any:
        """The JSON of the first answer. `of` names the one server that is asked, each time anew, where not all will do."""
        data = None if body is None else json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
        if data is not None and len(data) > _MOST_BYTES:
            raise Refused(f"{method} {path}: the request has {len(data) >> 20} MiB, and a server takes {_MOST_BYTES >> 20}; send it in "
                          "several parts", 413)
        patience = self.patience if patience is None else patience
        give_up = time.monotonic() + patience
        while True:
            url = self._next() if of is None else of()
            try:
                left = max(0.001, min(self.timeout, give_up - time.monotonic()))
                status, retry_after, answer = self._send(url, method, path, data, left)
                problem = f"it answered {status}"
            except (OSError, http.client.HTTPException) as error:
                status, retry_after, answer = 0, None, b""
                problem = f"{type(error).__name__}: {error}".rstrip(": ")
            if status and status not in _NOT_NOW:
                self._rests.pop(url, None)
                return _read(answer, status, f"{method} {url}{path}")
            self._rest(url, retry_after)
            wait = 0.0 if of is None and self._is_any_awake() else self._shortest_rest(url if of else None)
            if time.monotonic() + wait >= give_up:
                raise Unavailable(f"{method} {path}: no server answered within {patience:g} s; the last one asked was "
                                  f"{url} ({problem}); is `redqueen serve` at work there?")
            time.sleep(wait)

    def _next(self) -> str:
        """The replica of this thread, or the next one that is not left alone; of those that all are, the first to wake."""
        now = time.monotonic()
        urls = self.urls
        if not hasattr(self._local, "turn"):
            with self._lock:
                self._local.turn = self._turn
                self._turn += 1
        for i in range(len(urls)):
            url = urls[(self._local.turn + i) % len(urls)]
            if self._rests.get(url, (0, 0.0))[1] <= now:
                return url
        return min(urls, key=lambda url: self._rests.get(url, (0, 0.0))[1])

    def _rest(self, url: str, retry_after: float | None) -> None:
        with self._lock:
            failures = self._rests.get(url, (0, 0.0))[0] + 1
            seconds = min(_LONGEST_REST, retry_after if retry_after is not None else 0.02 * 2 ** min(failures, 10))
            self._rests[url] = (failures, time.monotonic() + seconds)

    def _is_any_awake(self) -> bool:
        now = time.monotonic()
        return any(self._rests.get(url, (0, 0.0))[1] <= now for url in self.urls)

    def _shortest_rest(self, url: str | None) -> float:
        ends = [self._rests.get(u, (0, 0.0))[1] for u in ([url] if url else self.urls)]
        return max(0.0, min(ends) - time.monotonic())

    def _send(self, url: str, method: str, path: str, data: bytes | None, timeout: float) -> tuple[int, float | None, bytes]:
        connections = self._connections()
        connection = connections.pop(url, None)
        if connection is not None:
            connection.timeout = timeout
            if connection.sock is not None:
                connection.sock.settimeout(timeout)
            try:
                return self._exchange(connections, url, connection, method, path, data)
            except (OSError, http.client.HTTPException) as error:
                connection.close()
                if isinstance(error, TimeoutError):
                    raise
                # A server may have closed an idle connection; a new one tells whether it lives.
        return self._exchange(connections, url, self._connect(url, timeout), method, path, data)

    def _exchange(self, connections: dict, url: str, connection: http.client.HTTPConnection, method: str, path: str,
                  data: bytes | None) -> tuple[int, float | None, bytes]:
        headers = {"Content-Type": "application/json"} if data is not None else {}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        try:
            try:
                connection.request(method, urllib.parse.urlsplit(url).path + path, data, headers)
            except (BrokenPipeError, ConnectionResetError):
                if connection.sock is None:  # it was reset while the connection was made: no answer will come
                    raise
                # A server may refuse a body before it has all of it; its answer says why.
            response = connection.getresponse()
            answer = response.read()
        except BaseException:
            connection.close()
            raise
        connections[url] = connection
        after = response.getheader("Retry-After", "")
        return response.status, float(after) if after.isdigit() else None, answer

    def _connect(self, url: str, timeout: float) -> http.client.HTTPConnection:
        parts = urllib.parse.urlsplit(url)
        kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        return kind(parts.hostname or "", parts.port, timeout=timeout)

    def _connections(self) -> dict[str, http.client.HTTPConnection]:
        # A process that was forked shares its parent's sockets and must not write to them.
        if getattr(self._local, "process", None) != os.getpid():
            self._local.process, self._local.connections = os.getpid(), {}
        return self._local.connections


def _is_url(url: str) -> bool:
    try:
        parts = urllib.parse.urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # a port that is no number, or too large
        return False


def _read(answer: bytes, status: int, what: str) -> Any:
    try:
        value = json.loads(answer)
    except ValueError:
        raise Refused(f"{what}: it answered {status} and no JSON, so this is no server of RedQueen", status) from None
    if status != 200:
        detail = value.get("detail", value) if isinstance(value, dict) else value
        said = detail if isinstance(detail, str) else json.dumps(detail)
        if status in (404, 405) and said in ("Not Found", "Method Not Allowed"):
            said = f"{what}: there is no such path; the URL is wrong, or the server is of another version than this client"
        elif said.startswith("there is no key "):
            said = f"{what}: {said}; the server may be of another version than this client"
        raise Refused(said, status)
    return value
