"""Connections of the server: limits of time for headers, and of number for those whose request is not whole."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

PATIENCE = 10.0  # seconds for the headers of a request
MOST_CONNECTIONS = 256


class ImpatientProtocol(H11Protocol):
    """HTTP with a time limit for headers, which uvicorn does not have, and a bound on open connections."""

    since = 0.0
    deadline: asyncio.TimerHandle | None = None

    @property
    def waiting(self) -> bool:
        """Whether no request is being answered."""
        return self.cycle is None or self.cycle.response_complete

    @property
    def is_owed(self) -> bool:
        """Whether no whole request has come that is not answered yet: its headers are missing, or its body."""
        return self.waiting or bool(self.cycle.more_body)

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self.since = self.loop.time()
        self._wait()
        alive = [one for one in self.connections if isinstance(one, ImpatientProtocol) and not one.closing]
        idle = [one for one in alive if one.is_owed]
        if len(alive) > MOST_CONNECTIONS and idle:
            min(idle, key=lambda one: one.since).close()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if not self.waiting:  # a request has come; between two of them uvicorn has a limit of its own
            self._stop_waiting()
        elif self.deadline is None:
            self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    @property
    def closing(self) -> bool:
        return bool(self.transport.is_closing())

    def close(self) -> None:
        if not self.closing:
            self.transport.abort()

    def _wait(self) -> None:
        self.deadline = self.loop.call_later(PATIENCE, self._late)

    def _stop_waiting(self) -> None:
        if self.deadline is not None:
            self.deadline.cancel()
            self.deadline = None

    def _late(self) -> None:
        self.deadline = None
        if self.waiting:
            self.close()
