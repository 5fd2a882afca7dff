"""Requests that are sent by halves keep nobody from the page."""

import gc
import http.client
import socket
import threading
import time
from contextlib import closing

import httpx
import pytest
import uvicorn

from pitmanyor.report import connections
from pitmanyor.report.server import build_app, listen

HALF = b"POST /infer HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-"
JSON = b"POST /infer HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: "
HALF_A_BODY = JSON + b'100\r\n\r\n{"text'


APP = build_app("page", lambda draft: {"shares": []}, ["*"])
REQUESTS = [
    ("GET", "/", None, 200),
    ("GET", "/run/state.safetensors", None, 404),
    ("POST", "/infer", b'{"text": "a"}', 200),
    ("POST", "/infer", b"{'text': 1", 422),
]


@pytest.fixture
def port(monkeypatch):
    """A server with a page, and limits that a test can reach."""
    monkeypatch.setattr(connections, "PATIENCE", 1.0)
    monkeypatch.setattr(connections, "MOST_CONNECTIONS", 20)
    listening = listen("127.0.0.1", 0)
    config = uvicorn.Config(APP, http=connections.ImpatientProtocol, log_level="warning", access_log=False)
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


@pytest.mark.parametrize("half", [HALF, HALF_A_BODY])
def test_many_halves_leave_the_page_to_others(port, monkeypatch, half):
    monkeypatch.setattr(connections, "PATIENCE", 600.0)
    halves = [socket.create_connection(("127.0.0.1", port)) for _ in range(100)]
    for one in halves:
        one.sendall(half)
    assert httpx.get(f"http://127.0.0.1:{port}/", timeout=20).text == "page"
    assert sum(map(closed, halves[:60])) == 60  # the oldest
    for one in halves:
        one.close()


def test_more_halves_than_a_process_may_have_open_files(port, monkeypatch, caplog):
    """They come in rounds, each of which is given up by its sender without a word."""
    monkeypatch.setattr(connections, "PATIENCE", 600.0)
    for turn in range(10):
        halves = [socket.create_connection(("127.0.0.1", port)) for _ in range(150)]
        for i, one in enumerate(halves):
            one.sendall((HALF, HALF_A_BODY)[(i + turn) % 2])
        assert httpx.get(f"http://127.0.0.1:{port}/", timeout=20).text == "page"
        for one in halves:
            one.close()
    assert not caplog.records  # no traceback in the terminal


def test_a_connection_is_used_for_longer_than_a_request_may_take(port, monkeypatch):
    monkeypatch.setattr(connections, "PATIENCE", 0.2)
    with closing(http.client.HTTPConnection("127.0.0.1", port)) as one:
        for _ in range(2):
            one.request("GET", "/")
            assert one.getresponse().read() == b"page"
            time.sleep(0.4)
        one.auto_open = 0  # still the same
        one.request("GET", "/")
        assert one.getresponse().read() == b"page"


def test_memory_is_flat_under_requests(port, pytestconfig):
    """No object stays of a request, whatever it asked."""

    def ask(times):
        with closing(http.client.HTTPConnection("127.0.0.1", port)) as one:
            for turn in range(times):
                *asked, expected = REQUESTS[turn % len(REQUESTS)]
                one.request(*asked, headers={"Content-Type": "application/json"})
                answer = one.getresponse()
                assert answer.read() and answer.status == expected
        gc.collect()
        return len(gc.get_objects())

    before, n_requests = min(ask(50) for _ in range(3)), pytestconfig.getoption("--requests")
    assert ask(n_requests) < before + n_requests / 10


def test_a_second_half_on_the_same_connection(port):
    with socket.create_connection(("127.0.0.1", port)) as one:
        one.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        assert one.recv(4096).startswith(b"HTTP/1.1 200")
        one.sendall(HALF)
        while not closed(one):
            pass
