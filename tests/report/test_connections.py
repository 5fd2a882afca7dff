"""Requests that are sent by halves keep nobody from the page."""

import socket
import threading
import time

import httpx
import pytest
import uvicorn
from fastapi import FastAPI

from pitmanyor.report import connections
from pitmanyor.report.server import listen

HALF = b"POST /infer HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-"


@pytest.fixture
def port(monkeypatch):
    """A server with a page, and limits that a test can reach."""
    monkeypatch.setattr(connections, "PATIENCE", 1.0)
    monkeypatch.setattr(connections, "MOST_CONNECTIONS", 20)
    app = FastAPI()
    app.get("/")(lambda: "page")
    listening = listen("127.0.0.1", 0)
    config = uvicorn.Config(app, http=connections.ImpatientProtocol, log_level="warning", access_log=False)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield listening.getsockname()[1]
    server.should_exit = True
    thread.join(10)


def closed(one):
    """Whether the server ends a connection."""
    one.settimeout(20)
    try:
        return one.recv(1) == b""
    except ConnectionResetError:
        return True


def test_half_a_request_is_given_up(port):
    with socket.create_connection(("127.0.0.1", port)) as one:
        one.sendall(HALF)
        assert closed(one)


def test_many_halves_leave_the_page_to_others(port, monkeypatch):
    monkeypatch.setattr(connections, "PATIENCE", 600.0)
    halves = [socket.create_connection(("127.0.0.1", port)) for _ in range(100)]
    for one in halves:
        one.sendall(HALF)
    assert httpx.get(f"http://127.0.0.1:{port}/", timeout=20).json() == "page"
    assert sum(map(closed, halves[:60])) == 60  # the oldest
    for one in halves:
        one.close()


def test_a_second_half_on_the_same_connection(port):
    with socket.create_connection(("127.0.0.1", port)) as one:
        one.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        assert one.recv(4096).startswith(b"HTTP/1.1 200")
        one.sendall(HALF)
        while not closed(one):
            pass
