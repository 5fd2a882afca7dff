"""One file: nothing outside it, nothing hostile inside it, and not too large."""

import base64
import gzip
import hashlib
import html
import json
import re
from importlib.resources import files

import numpy as np
import pytest

from pitmanyor import FileError, Sampler, fit, models, read
from pitmanyor.report import build_page, build_payload, write_report
from pitmanyor.report.page import SCRIPTS


def unpack(page):
    packed = re.search(r'id="data"[^>]*>([^<]*)</script>', page)[1]
    return json.loads(gzip.decompress(base64.b64decode(packed)))


@pytest.fixture(scope="module")
def page(payload):
    return build_page(payload)


def test_the_page_holds_the_payload_and_is_the_same_every_time(page, payload):
    assert unpack(page) == json.loads(json.dumps(payload))
    assert build_page(payload) == page


def test_the_title_counts(payload):
    one = {"about": {"documents": 1}, "topics": [*payload["topics"][:1], payload["topics"][0] | {"small": True}]}
    assert "<title>1 topic of 1 post</title>" in build_page(payload | one)


def test_nothing_is_loaded_from_anywhere(page):
    markup = re.sub(r"<script>.*?</script>", "<script></script>", page, flags=re.DOTALL)
    assert re.findall(r'(?:src|href)="([^"]*)"', markup) == ["data:,"]
    style = re.search(r"<style>(.*?)</style>", page, flags=re.DOTALL)[1]
    assert "url(" not in style and "@import" not in style
    for name in SCRIPTS:
        script = files("pitmanyor.report").joinpath(f"assets/{name}.js").read_text()
        code = re.sub(r"^\s*//.*$", "", script, flags=re.MULTILINE)
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\.html\(|eval\(|import\(", code)
        assert re.findall(r"fetch\(([^,)]*)", code) == (['"infer"'] if name == "draft" else [])


@pytest.mark.parametrize("live", [False, True])
def test_the_policy_lets_in_these_scripts_and_no_other(payload, live):
    page = build_page(payload, live=live)
    policy = html.unescape(re.search(r'Content-Security-Policy" content="([^"]*)"', page)[1])
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    scripts = re.findall(r"<script>(.*?)</script>", page, flags=re.DOTALL)
    digests = [f"'sha256-{base64.b64encode(hashlib.sha256(s.encode()).digest()).decode()}'" for s in scripts]
    assert rules["script-src"].split() == digests and len(digests) == 2
    assert rules["default-src"] == "'none'" and rules["connect-src"] == ("'self'" if live else "'none'")


def test_the_licence_of_the_library_is_in_the_page(page):
    assert "Permission to use, copy, modify, and/or distribute this software" in page


def test_hostile_text_is_not_markup(hostile):
    payload = build_payload(hostile)
    assert "<script>" in json.dumps(payload)  # it is there ...
    page = build_page(payload | {"about": payload["about"] | {"source": "</title><script>window.pwned=1</script>"}})
    assert "pwned" not in page.replace("&lt;script&gt;window.pwned", "")  # ... and HTML does not see it
    assert page.count("<script") == page.count("</script>") == 3
    assert "\u202e" not in json.dumps(unpack(page), ensure_ascii=False)


def test_ten_thousand_long_posts_stay_below_three_megabytes(tmp_path):
    rng = np.random.default_rng(1)
    letters = np.array(list("abcdefghijklmnopqrstuvwxyz"))
    words = ["".join(rng.choice(letters, rng.integers(3, 11))) for _ in range(8_000)]
    ranks = np.minimum(rng.zipf(1.25, 10_000 * 38), len(words)) - 1
    rows = [" ".join(words[w] for w in some) for some in ranks.reshape(10_000, 38)]
    (tmp_path / "posts.csv").write_text("text,author\n" + "".join(f"{row},a{i % 90}\n" for i, row in enumerate(rows)))
    found = fit(
        models.lda(30),
        read(tmp_path / "posts.csv", stop_words=None),
        sweeps=1,
        seed=1,
        sampler=Sampler(kind="collapsed"),
        threads=1,
    )
    payload = build_payload(found)
    posts = payload["posts"]
    assert len(build_page(payload).encode()) < 3_000_000
    assert posts["of"] == 10_000 and len(posts["posts"]) > 5_000  # and the page says how many it has
    assert all(len(best) >= 30 for best in posts["best"])  # those that show a topic best come first


def test_reports_of_runs_and_fits(home, blog, tmp_path):
    one, two = (write_report(what, tmp_path / f"{i}.html") for i, what in enumerate((home / "run", blog)))
    assert one.read_bytes() == two.read_bytes()
    assert "posts" not in unpack(write_report(blog, tmp_path / "hidden.html", redact=True).read_text())
    with pytest.raises(FileError, match="give the name of a file"):
        write_report(blog, tmp_path / "none" / "report.html")
