"""The report as a local web page with live inference. It serves the page and answers drafts; it reads no files."""

from __future__ import annotations

import asyncio
import socket
import sys
import threading
from collections.abc import Awaitable, Callable
from contextlib import suppress
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

import uvicorn
from fastapi import FastAPI, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import HTMLResponse, JSONResponse, Response

from pitmanyor.errors import FileError, PitmanyorError
from pitmanyor.report.connections import ImpatientProtocol
from pitmanyor.report.live import Inference, parse
from pitmanyor.report.page import build_page
from pitmanyor.report.payload import build_payload
from pitmanyor.report.redact import name_check
from pitmanyor.report.view import atlas_of
from pitmanyor.results.fitting import load

MOST_BYTES = 32_768  # of a request
MOST_WAITING = 8  # requests at a time; others are refused
PATIENCE = 10.0  # seconds to receive a request
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}


def build_app(page: str, inference: Inference, hosts: list[str]) -> FastAPI:
    """An application with two routes: the page, and /infer for drafts. It answers only to these host names."""
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    places = threading.BoundedSemaphore(MOST_WAITING)

    @app.middleware("http")
    async def own_names_only(request: Request, answer: Callable[[Request], Awaitable[Response]]) -> Response:
        # DNS rebinding: a foreign page must not reach this server under another host name.
        if "*" in hosts or host_name(request.headers.get("host", "")) in hosts:
            return await answer(request)
        return refusal(400, "This server does not answer to that name.")

    @app.get("/")
    def show() -> Response:
        return HTMLResponse(page, headers=HEADERS)

    @app.post("/infer")
    async def infer(request: Request) -> Response:
        try:
            body = await asyncio.wait_for(limited_body(request), PATIENCE)
        except TimeoutError:
            return refusal(408, f"A request is sent within {PATIENCE:.0f} seconds; send it again.")
        if body is None:
            return refusal(413, f"A request has {MOST_BYTES:,} bytes at most.")
        # A slot is taken only now, so that slow senders do not block others.
        if not places.acquire(blocking=False):
            return refusal(503, "Too many drafts at once; try again in a moment.")
        try:
            draft = parse(request.headers.get("content-type", ""), body)
            return JSONResponse(await run_in_threadpool(inference, draft), headers=HEADERS)
        except PitmanyorError as error:
            return refusal(422, str(error))
        finally:
            places.release()

    return app


async def limited_body(request: Request) -> bytes | None:
    """The body of a request; None, and not read to its end, if it is too long."""
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > MOST_BYTES:
            return None
    return body


def refusal(status: int, why: str) -> JSONResponse:
    return JSONResponse({"error": why}, status_code=status, headers=HEADERS)


def serve_run(
    run: Path, address: tuple[str, int], *, posts: Path | None = None, redact: bool = False, open_page: bool = False
) -> str:
    """Serve the page of a run until Ctrl-C; returns its address."""
    host, port = address
    listening = listen(host, port)
    fit = load(run)
    page = build_page(build_payload(fit, posts=posts, redact=redact), live=True)
    inference = Inference(atlas_of(fit), name_check(fit.corpus)) if redact else Inference(atlas_of(fit))
    app = build_app(page, inference, allowed_hosts(host))
    url = f"http://{f'[{host}]' if ':' in host else host}:{port}/"
    print(f"The page is at {url}. Ctrl-C ends it.", file=sys.stderr)
    if not is_loopback(host):
        print(f"warning: {host} can be reached from other machines, and there is no authentication", file=sys.stderr)
    if open_page:
        import webbrowser

        threading.Timer(1.0, webbrowser.open, [url]).start()
    config = uvicorn.Config(
        app, http=ImpatientProtocol, log_level="warning", access_log=False, server_header=False, ws="none"
    )
    with listening, suppress(KeyboardInterrupt):
        uvicorn.Server(config).run(sockets=[listening])
    return url


def listen(host: str, port: int) -> socket.socket:
    try:
        return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        why = error.strerror or error
        raise FileError(
            f"cannot listen at {host}, port {port} ({why}); choose another with --port or --host"
        ) from error


def allowed_hosts(host: str) -> list[str]:
    """On this machine, only its own names; otherwise the user has opened the server to all."""
    if not is_loopback(host):
        return ["*"]
    return ["localhost", host if host == "localhost" else str(ip_address(host))]


def host_name(header: str) -> str | None:
    """The name in the Host header, without a port.

    >>> host_name("LocalHost:8642"), host_name("[::1]:8642")
    ('localhost', '::1')
    """
    try:
        return urlsplit(f"//{header}").hostname
    except ValueError:
        return None


def is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False
