"""The served page: two addresses, limits, and inference by the fitted model."""

import asyncio
import json
import threading
from types import SimpleNamespace

import pytest
from fastapi.testclient import TestClient

from pitmanyor import Corpus, PlanError, fit, models, recommend_tags
from pitmanyor.report import build_page, server
from pitmanyor.report.live import LONGEST, Inference, parse
from pitmanyor.report.redact import name_check
from pitmanyor.report.server import MOST_BYTES, MOST_WAITING, allowed_hosts, build_app, host_name, is_loopback
from pitmanyor.report.view import atlas_of
from pitmanyor.topics.drafts import as_corpus

DRAFT = "guitar concert and a new album"


@pytest.fixture(scope="module")
def inference(blog):
    return Inference(atlas_of(blog))


@pytest.fixture(scope="module")
def client(payload, inference):
    app = build_app(build_page(payload, live=True), inference, allowed_hosts("127.0.0.1"))
    return TestClient(app, base_url="http://127.0.0.1:8642")


def test_the_page_is_served_and_nothing_else(client, home):
    page = client.get("/")
    assert page.status_code == 200 and 'data-live="true"' in page.text
    assert page.headers["X-Content-Type-Options"] == "nosniff" and page.headers["X-Frame-Options"] == "DENY"
    for path in (
        "/docs",
        "/openapi.json",
        "/redoc",
        "/infer",
        "/header.json",
        "/../header.json",
        f"/{home}/run/header.json",
    ):
        assert client.get(path).status_code in (404, 405), path


def test_drafts_are_inferred_by_the_model(client, blog, inference):
    said = client.post("/infer", json={"text": DRAFT}).json()
    shares = blog.infer(as_corpus(blog, [DRAFT]), threads=1).shares
    assert said["shares"] == pytest.approx(inference.atlas.fold(shares)[0].tolist(), abs=1e-4)
    assert [one["tag"] for one in said["tags"][:5]] == [one.label for one in recommend_tags(blog, DRAFT, n=5)]
    known = set(blog.corpus.vocabulary) & {"guitar", "concert", "new", "album"}  # "and", "a" are stop words
    assert (said["known"], said["tokens"]) == (len(known), 4)
    author = 1
    by = client.post("/infer", json={"text": DRAFT, "author": author}).json()
    who = inference.authors[author]
    assert [one["tag"] for one in by["tags"][:5]] == [one.label for one in recommend_tags(blog, DRAFT, who, n=5)]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"text": "x" * (LONGEST + 1)}, 422),
        ({"text": ""}, 422),
        ({"text": 5}, 422),
        ({"text": DRAFT, "author": 10**6}, 422),
        ({"text": DRAFT, "author": "ann"}, 422),
        ({"text": DRAFT, "author": True}, 422),
        ({"no": "text"}, 422),
        (["text"], 422),
        ({"text": "xyzzy plugh"}, 422),
        ({"text": "the"}, 422),
        ({"text": "x" * MOST_BYTES}, 413),
    ],
)
def test_what_is_no_draft_is_refused_with_a_sentence(client, body, status):
    answer = client.post("/infer", json=body)
    assert answer.status_code == status and len(answer.json()["error"]) > 20


@pytest.mark.parametrize("body", [b"", b"{", b"\xff\xfe", b"[" * 9_000, b'{"text": "\\ud800 goal"}'])
def test_broken_requests_do_not_break_the_server(client, body):
    answer = client.post("/infer", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code in (200, 422)


def test_other_pages_cannot_ask(client):
    assert client.get("/", headers={"Host": "evil.example"}).status_code == 400
    assert (
        client.post("/infer", content=json.dumps({"text": DRAFT}), headers={"Content-Type": "text/plain"}).status_code
        == 422
    )
    assert "access-control-allow-origin" not in client.get("/", headers={"Origin": "http://evil.example"}).headers
    with pytest.raises(PlanError, match="Content-Type"):
        parse("text/plain", b"{}")


def test_more_than_a_few_at_once_are_sent_away(payload):
    entered, leave = threading.Semaphore(0), threading.Event()

    def slow(draft):
        entered.release()
        leave.wait(20)
        return {}

    with TestClient(build_app("", slow, ["*"])) as client:
        found = []
        ask = [
            threading.Thread(target=lambda: found.append(client.post("/infer", json={"text": "a"}).status_code))
            for _ in range(MOST_WAITING)
        ]
        for one in ask:
            one.start()
        for _ in ask:
            assert entered.acquire(timeout=20)
        assert client.post("/infer", json={"text": "a"}).status_code == 503
        leave.set()
        for one in ask:
            one.join()
        assert found == [200] * MOST_WAITING
        assert client.post("/infer", json={"text": "a"}).status_code == 200


def test_models_without_hashtags_or_authors_have_topics_only(plain):
    said = Inference(atlas_of(plain))(parse("application/json", b'{"text": "goal match"}'))
    assert said["tags"] == [] and sum(said["shares"]) == pytest.approx(1.0, abs=1e-3)


def test_only_this_machine_is_loopback():
    assert [is_loopback(host) for host in ("127.0.0.1", "localhost", "::1", "0.0.0.0", "10.0.0.1", "name")] == [
        True
    ] * 3 + [False] * 3
    assert allowed_hosts("127.0.0.1") == ["localhost", "127.0.0.1"] and allowed_hosts("0.0.0.0") == ["*"]
    assert allowed_hosts("0:0:0:0:0:0:0:1") == ["localhost", "::1"] and host_name("[") is None


def test_at_the_loopback_of_ipv6_other_names_are_refused_too():
    client = TestClient(build_app("page", lambda draft: {}, allowed_hosts("::1")))
    status = {
        host: client.get("/", headers={"Host": host}).status_code for host in ("[::1]:8642", "[::1]", "localhost:1")
    }
    assert set(status.values()) == {200}
    for host in ("evil.example", "[::2]:8642", "[", ""):
        assert client.get("/", headers={"Host": host}).status_code == 400, host


def test_redacted_inference_tells_no_name():
    documents = {"word": [["goal", "match"], ["bread", "oven"]] * 8, "hashtag": [["janedoe"], ["bread"]] * 8}
    corpus = Corpus.from_tokens(documents, groups={"author": (["jane_doe", "bob", "cy", "dan", "eve", "fay"] * 3)[:16]})
    found = fit(models.tntm().without("follows"), corpus, sweeps=6, seed=1)
    draft = parse("application/json", b'{"text": "goal match"}')
    open_, hidden = (
        {one["tag"] for one in infer(draft)["tags"]}
        for infer in (Inference(atlas_of(found)), Inference(atlas_of(found), name_check(corpus)))
    )
    assert "janedoe" in open_ and open_ - hidden == {"janedoe"}


def test_serving_hides_names_if_asked(home, monkeypatch):
    asked = []
    monkeypatch.setattr(server, "build_app", lambda page, inference, hosts: asked.append(inference))
    monkeypatch.setattr(server.uvicorn, "Config", lambda *args, **options: None)
    monkeypatch.setattr(server.uvicorn, "Server", lambda config: SimpleNamespace(run=lambda sockets: None))
    for redact in (True, False):
        server.serve_run(home / "run", ("127.0.0.1", 0), redact=redact)
    name = str(asked[0].authors[0])
    assert [inference.hidden(name) for inference in asked] == [True, False]


def test_those_who_send_slowly_take_no_place_and_are_sent_away(monkeypatch):
    monkeypatch.setattr(server, "PATIENCE", 0.3)
    app = build_app("", lambda draft: {}, ["*"])
    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "POST", "path": "/infer",
        "raw_path": b"/infer", "query_string": b"", "root_path": "", "scheme": "http",
        "headers": [(b"content-type", b"application/json")], "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 2),
    }  # fmt: skip

    async def ask(*parts):
        """The status of a request whose body is these parts, and then nothing more for ever."""
        left, status = list(parts), []

        async def receive():
            if left:
                return {"type": "http.request", "body": left.pop(0), "more_body": parts[0] == b"{"}
            await asyncio.sleep(60)

        async def send(message):
            status.extend([message["status"]] if "status" in message else [])

        await asyncio.wait_for(app(dict(scope), receive, send), 20)
        return status

    async def all_at_once():
        slow = [asyncio.create_task(ask(b"{")) for _ in range(MOST_WAITING)]
        await asyncio.sleep(0.05)
        quick = await ask(b'{"text": "a"}')
        return quick, await asyncio.gather(*slow)

    quick, slow = asyncio.run(all_at_once())
    assert quick == [200] and slow == [[408]] * MOST_WAITING
