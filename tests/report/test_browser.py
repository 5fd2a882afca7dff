"""The page in a real browser: every panel draws, a choice filters, nothing is loaded, and nothing hostile runs."""

import shutil
import threading
import time
from contextlib import contextmanager

import pytest

from pitmanyor import Fit, fit
from pitmanyor.report import build_page, build_payload
from pitmanyor.report.live import Draft, Inference
from pitmanyor.report.view import atlas_of

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
playwright = pytest.importorskip("playwright.sync_api", reason="no Playwright: pip install 'pitmanyor[browser]'")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here; on Debian: apt-get install chromium")

FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip
PANELS = ["words", "posts", "map", "network", "times", "groups", "heat", "draft", "trust"]


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as starter:
        browser = starter.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def file(payload, tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(build_page(payload))
    return path


@contextmanager
def opened(browser, address, **options):
    """A page, ready. At the end: no error was logged, and nothing but the page itself was asked for."""
    context = browser.new_context(
        **{"viewport": {"width": 1300, "height": 900}, "color_scheme": "light", "reduced_motion": "reduce"} | options
    )
    wrong, asked = [], []
    context.route(
        "**/*", lambda route: route.continue_() if route.request.url.split("#")[0] == address else route.abort()
    )
    page = context.new_page()
    page.on("request", lambda request: asked.append(request.url.split("#")[0]))
    page.on("console", lambda message: wrong.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("dialog", lambda dialog: (wrong.append(dialog.message), dialog.dismiss()))
    page.goto(address)
    page.wait_for_selector("body[data-ready]")
    yield page
    assert wrong == []
    assert [url for url in asked if url != address and not url.startswith(("data:", "blob:"))] == []
    context.close()


@pytest.fixture(scope="module")
def view(browser, file):
    """One page for the tests that look; each starts from the whole view."""
    with opened(browser, file.as_uri()) as page:
        yield page


@pytest.fixture
def page(view):
    view.keyboard.press("Escape")
    view.wait_for_selector("[aria-pressed=true]", state="detached")
    return view


def choose(page, i):
    page.locator("#list .topic").nth(i).click()


def test_every_panel_draws(page):
    assert page.locator("section.panel").evaluate_all("all => all.map(one => one.id)") == PANELS
    for panel in ("map", "network", "times", "groups", "heat"):
        marks = page.locator(f"#{panel} svg.chart").locator("circle, rect, line, path.layer")
        assert marks.count() > 5, panel
    assert page.locator("#trust svg.chart").count() == 3
    assert page.locator("#posts li").count() == 12 and page.locator("#posts mark").count() > 30
    for hint in page.locator(".hint").all_text_contents():
        assert len(hint) > 30


def test_the_head_says_what_was_read_and_one_sentence_on_trust(page, payload):
    head = page.locator("#head").inner_text()
    assert "240 posts" in head and "10 authors" in head and "Jan 2026" in head
    assert payload["trust"]["sentence"] in head
    assert f"{sum(not topic['small'] for topic in payload['topics'])} topics in 240 posts" in head


def test_choosing_a_topic_filters_posts_and_graph(page, payload):
    dots = "all => all.filter(dot => dot.classList.contains('in')).length"
    everybody = page.locator("#network circle").evaluate_all(dots)
    choose(page, 1)
    label = payload["topics"][1]["label"]
    with_topic = sum(1 in marks[2::3] for _, marks in payload["posts"]["posts"])
    assert page.locator("#posts-said").inner_text() == f"{with_topic} posts with {label}"
    assert all(
        n > 0
        for n in page.locator("#posts li").evaluate_all(
            "all => all.map(li => li.querySelectorAll('mark.chosen').length)"
        )
    )
    share = [payload["authors"]["shares"][a][1] for a, _, _ in payload["network"]["nodes"]]
    assert page.locator("#network circle").evaluate_all(dots) == sum(s >= 150 for s in share) < everybody
    assert label in page.locator("#words").inner_text() and page.locator("#words svg.chart .word").count() > 10
    grey = "all => new Set(all.map(dot => getComputedStyle(dot).fill)).size"
    assert page.locator("#map circle").evaluate_all(grey) == 2  # the chosen one, and grey
    choose(page, 1)
    assert page.locator("#posts-said").inner_text() == "240 posts"


def test_the_address_keeps_the_choice(browser, file, page, payload):
    choose(page, 2)
    page.locator("#relevance").fill("0.2")
    page.locator("#search").fill("the")
    page.wait_for_timeout(400)  # it follows once the reader pauses
    address = page.evaluate("location.hash.slice(1)")
    assert f"topic={payload['topics'][2]['id']}" in address and "relevance=0.2" in address and "q=the" in address
    with opened(browser, file.as_uri()) as other:
        other.evaluate(f"location.hash = {address!r}")
        other.wait_for_selector("[aria-pressed=true]")
        assert other.locator("[aria-pressed=true]").get_attribute("data-topic") == "2"
        assert other.locator("#search").input_value() == "the" and other.locator("#relevance").input_value() == "0.2"
        assert other.locator("#posts-said").inner_text() == page.locator("#posts-said").inner_text()


def test_a_choice_is_followed_where_the_address_cannot_be_changed(browser, file):
    with opened(browser, file.as_uri()) as page:
        page.evaluate("() => { history.replaceState = () => { throw new Error('too many'); }; }")
        choose(page, 1)
        assert page.locator("[aria-pressed=true]").get_attribute("data-topic") == "1"
        page.wait_for_timeout(300)  # the address would have followed by now


def test_keys(page):
    pressed = "[...document.querySelectorAll('#list [aria-pressed=true]')].map(one => one.dataset.topic).join()"
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    assert page.evaluate(pressed) == "1"
    page.keyboard.press("ArrowUp")
    assert page.evaluate(pressed) == "0"
    page.keyboard.press("/")
    page.keyboard.type("zzzz")
    assert page.evaluate("document.activeElement.id") == "search"
    assert page.locator("#list .topic").count() == 1 and page.locator("#posts li").count() == 0
    page.keyboard.press("Escape")
    assert page.evaluate(pressed) == "" and page.locator("#list .topic").count() > 2
    page.keyboard.press("?")
    assert page.locator("#help").is_visible() and "through the topics" in page.locator("#help").inner_text()
    page.keyboard.press("Escape")
    assert not page.locator("#help").is_visible()


def test_the_focus_stays_where_it_was(page, payload):
    held = "document.activeElement.dataset.topic ?? document.activeElement.tagName"
    page.locator("#list .topic").nth(2).focus()
    page.keyboard.press("Enter")
    assert page.evaluate(held) == "2" and page.locator("[aria-pressed=true]").get_attribute("data-topic") == "2"
    page.keyboard.press("ArrowDown")
    assert page.evaluate(held) == "3"
    page.keyboard.press("Escape")
    page.locator("#words .card").first.focus()
    page.keyboard.press("Enter")
    assert page.evaluate(held) == "H3"
    page.locator("#draft-text").fill(" ".join(word for word, _, _ in payload["topics"][0]["words"][:6]))
    page.wait_for_selector("#draft-tags button")
    page.locator("#draft-tags button").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("#draft-out[aria-busy=false]")
    assert page.evaluate("document.activeElement.closest('#draft-tags') !== null")
    page.locator("#draft-text").fill("")


def test_marks_of_charts_by_keyboard(page, payload):
    """Tab comes to every set of marks once, arrows go from mark to mark and say what they are, Enter chooses."""
    pressed = "[...document.querySelectorAll('#list [aria-pressed=true]')].map(one => one.dataset.topic).join()"
    held = "(document.activeElement.dataset.topic ?? document.activeElement.dataset.author)"
    stops = {"map": 1, "network": 1, "times": 1, "heat": 2, "trust": 1}
    for panel, n in stops.items():
        assert page.locator(f'#{panel} svg.chart [tabindex="0"]').count() == n, panel
        for i in range(n):
            page.locator(f'#{panel} svg.chart [tabindex="0"]').nth(i).focus()
            page.keyboard.press("Shift")  # as somebody does who uses the keyboard
            first = page.evaluate("document.activeElement.getAttribute('aria-label')")
            seen = {first}
            for key in ["ArrowRight", "ArrowDown", "ArrowLeft", "ArrowUp"] * 2:
                page.keyboard.press(key)
                seen.add(page.evaluate("document.activeElement.getAttribute('aria-label')"))
                assert page.locator("#tip").inner_text() == page.evaluate(
                    "document.activeElement.getAttribute('aria-label')"
                )
            assert len(seen) > 1 and page.locator(f'#{panel} svg.chart [tabindex="0"]').count() == n, (panel, seen)
            assert page.evaluate(pressed) == ""  # arrows did not go through the topics meanwhile
    for panel in ("map", "heat"):
        page.locator(f'#{panel} svg.chart [tabindex="0"]').first.focus()
        topic = page.evaluate(held)
        page.keyboard.press("Enter")
        assert page.evaluate(pressed) == topic == page.evaluate(held), panel
        page.keyboard.press(" ")
        assert page.evaluate(pressed) == ""
    page.locator('#network svg.chart [tabindex="0"]').focus()
    name = payload["authors"]["names"][int(page.evaluate(held))]
    page.keyboard.press("Enter")
    assert page.locator("#search").input_value() == name
    page.keyboard.press("Escape")
    assert page.locator("#tip").is_hidden() and page.locator("#search").input_value() == ""


# The first mark of a row that has one in each of the first three columns: topics that an author never has leave gaps.
FOCUS_ON_A_FULL_ROW = """() => {
  const marks = [...document.querySelectorAll("#heat rect[tabindex]")];
  const place = (mark) => mark.getBoundingClientRect();
  const columns = [...new Set(marks.map((mark) => place(mark).x))].sort((a, b) => a - b).slice(0, 3);
  const row = (mark) => marks.filter((other) => place(other).y === place(mark).y).map((other) => place(other).x);
  marks.find((mark) => place(mark).x === columns[0] && columns.every((x) => row(mark).includes(x))).focus();
}"""


def test_the_next_mark_lies_in_the_direction_of_the_arrow(page):
    places = []
    page.evaluate(FOCUS_ON_A_FULL_ROW)
    for key in ("ArrowRight", "ArrowRight", "ArrowDown", "ArrowLeft"):
        box = page.evaluate("(({ x, y }) => [x, y])(document.activeElement.getBoundingClientRect())")
        page.keyboard.press(key)
        after = page.evaluate("(({ x, y }) => [x, y])(document.activeElement.getBoundingClientRect())")
        places.append([after[0] - box[0], after[1] - box[1]])
    right, again, down, left = places
    assert right[0] > 0 and again[0] > 0 and down[1] > 0 and left[0] < 0
    assert right[1] == again[1] == left[1] == 0  # along the row


def test_topics_of_a_draft_by_keyboard(page, payload):
    page.locator("#draft-text").fill(" ".join(word for word, _, _ in payload["topics"][1]["words"][:6]))
    page.wait_for_selector("#draft-topics button")
    page.locator("#draft-author").focus()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('#draft-topics') !== null")
    page.keyboard.press("Enter")
    assert page.locator("#list [aria-pressed=true]").get_attribute("data-topic") == "1"
    chip = page.locator('#draft-topics button[data-topic="1"]')
    assert chip.get_attribute("aria-pressed") == "true"
    page.keyboard.press("Escape")
    assert chip.get_attribute("aria-pressed") == "false"
    page.locator("#draft-text").fill("")


def test_the_list_of_topics_can_be_skipped(browser, file):
    with opened(browser, file.as_uri()) as page:
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.innerText") == "Skip the list of topics"
        page.keyboard.press("Enter")
        assert page.evaluate("document.activeElement.closest('.panel').id") == "words"


def test_many_topics_are_a_few_cards_at_first(browser, payload, tmp_path):
    many = [payload["topics"][0] | {"id": 100 + i, "label": f"#t{i}", "small": False} for i in range(20)]
    times = payload["times"] | {name: [payload["times"][name][0]] * 20 for name in ("shares", "low", "high")}
    few = {"topics": many, "times": times, "families": ["#t0"]}
    gone = {name: value for name, value in payload.items() if name not in ("posts", "authors", "network", "draft")}
    topics = [one | {"family": 0} for one in many]
    draft = {"words": {}, "base": {"word": [0.05] * 20}}
    with drawn(browser, gone | few | {"topics": topics, "draft": draft}, tmp_path / "many.html") as (page, wrong):
        assert page.locator("#words .card").count() == 12 and page.locator("#list .topic").count() == 20
        page.locator("#more-cards").focus()
        page.keyboard.press("Enter")
        assert page.locator("#words .card").count() == 20 and wrong == []
        page.locator("#search").fill("#t1")
        assert page.locator("#words .card").count() == 11


def test_search_finds_authors_and_words(page, payload):
    name = payload["authors"]["names"][0]
    page.locator("#search").fill(name)
    found = page.locator("#posts li").all_inner_texts()
    assert len(found) == 12 and all(name in text for text in found)
    tag = payload["topics"][0]["tags"][0][0]
    page.locator("#search").fill(f"#{tag}")
    assert page.locator('#list [data-topic="0"]').count() == 1


def test_the_slider_goes_from_frequent_to_distinctive(page, payload):
    choose(page, 0)
    entries = payload["topics"][0]["words"]
    words = page.locator("#words .word text:first-child")
    page.locator("#relevance").fill("1")
    assert words.nth(0).text_content() == max(entries, key=lambda e: e[1])[0]
    page.locator("#relevance").fill("0")
    found = words.nth(0).text_content()
    assert next(e[1] / e[2] for e in entries if e[0] == found) == max(e[1] / e[2] for e in entries)


def test_charts_and_tables_are_saved(page, payload):
    def saved(panel, kind):
        with page.expect_download() as download:
            page.locator(f"#{panel} .tools button", has_text=kind).click()
        return download.value.suggested_filename, download.value.path().read_bytes()

    name, svg = saved("map", "SVG")
    assert name == "map.svg" and svg.startswith(b"<svg") and b"var(--" not in svg and b"class=" not in svg
    name, png = saved("network", "PNG")
    assert name == "network.png" and png.startswith(b"\x89PNG") and len(png) > 5_000
    name, table = saved("heat", "CSV")
    rows = table.decode("utf-8-sig").splitlines()
    assert name == "heat.csv" and len(rows) == 1 + len(payload["authors"]["shares"])
    for panel in ("words", "posts", "map", "network", "times", "trust"):
        assert len(saved(panel, "CSV")[1].splitlines()) > 5, panel


def test_a_draft_gets_hashtags_without_a_server(page, payload):
    for k in range(3):
        words = [word for word, _, _ in payload["topics"][k]["words"][:6]]
        page.locator("#draft-text").fill(" ".join(words))
        page.wait_for_selector(f'#draft-topics li:first-child[data-topic="{k}"]')
        offered = [tag.strip("#") for tag in page.locator("#draft-tags button").all_inner_texts()]
        known = {tag for tag, _, _ in payload["topics"][k]["tags"]}
        assert len(offered) == 8 and len(known & set(offered)) >= 3
    page.locator("#draft-tags button").first.click()
    assert page.locator("#draft-text").input_value().endswith(f"#{offered[0]}")
    page.locator("#draft-text").fill("")


def test_the_topics_of_drafts_in_the_page_are_near_those_of_the_model(page, blog, payload):
    """Expectation and maximisation over the commonest words, against Gibbs sweeps over all of the model."""
    infer, texts = Inference(atlas_of(blog)), [text for text, _ in payload["posts"]["posts"][:40]]
    same_topic = same_tag = 0
    for i, text in enumerate(texts[::4]):
        author = None if i % 2 else i
        page.locator("#draft-author").select_option("" if author is None else str(author))
        page.locator("#draft-text").fill(text)
        page.wait_for_selector("#draft-out[aria-busy=false]")
        found = infer(Draft(text, author))
        topic, shares = page.locator("#draft-topics li").first.get_attribute("data-topic"), found["shares"]
        same_topic += topic == str(shares.index(max(shares)))
        tags = [f"#{one['tag']}" for one in found["tags"][:3]]
        same_tag += page.locator("#draft-tags button").first.inner_text() in tags
    page.locator("#draft-author").select_option("")
    page.locator("#draft-text").fill("")
    assert same_topic >= 8 and same_tag >= 8


def test_hashtags_are_those_of_posts_like_the_draft(browser, payload, tmp_path):
    """Two posts with a word and a hashtag that no other has: both are offered, and first that of the same author."""
    said, names = payload["posts"], payload["posts"]["names"]
    posts = said | {"posts": [*said["posts"]], "authors": [*said["authors"]], "minutes": [*said["minutes"]]}
    for author, tag in enumerate(("zebra", "yak")):
        posts["posts"].append([f"quark #{tag}", [0, 5, 0, 1, 1 + len(tag), 0]])
        posts["authors"].append(author)
        posts["minutes"].append(None)
    with drawn(browser, payload | {"posts": posts}, tmp_path / "echo.html") as (page, wrong):
        for author, tag in enumerate(("zebra", "yak")):
            page.locator("#draft-author").select_option(label=names[author])
            page.locator("#draft-text").fill("a quark")
            page.wait_for_selector(f"#draft-tags button:first-of-type:has-text('#{tag}')")
            assert {"#zebra", "#yak"} <= set(page.locator("#draft-tags button").all_inner_texts())
        assert wrong == []


@pytest.mark.parametrize(("width", "scheme"), [(390, "light"), (1300, "dark")])
def test_phones_and_the_dark(browser, file, width, scheme):
    with opened(browser, file.as_uri(), viewport={"width": width, "height": 800}, color_scheme=scheme) as page:
        assert page.evaluate("document.documentElement.dataset.theme") == scheme
        assert page.evaluate("document.documentElement.scrollWidth") <= width  # nothing to be pushed sideways
        choose(page, 0)
        paper, ink = (page.evaluate(f"getComputedStyle(document.body).{what}") for what in ("backgroundColor", "color"))
        light = [sum(map(int, colour[4:-1].split(","))) for colour in (paper, ink)]
        assert (light[0] > light[1]) == (scheme == "light")
        page.locator("#theme").click()
        assert page.evaluate("document.documentElement.dataset.theme") != scheme


def test_panels_without_data_are_absent(browser, plain, tmp_path):
    path = tmp_path / "plain.html"
    path.write_text(build_page(build_payload(plain)))
    with opened(browser, path.as_uri()) as page:
        assert page.locator("section.panel").evaluate_all("all => all.map(one => one.id)") == [
            "words",
            "posts",
            "draft",
            "trust",
        ]
        choose(page, 1)
        page.locator("#draft-text").fill("goal match")
        page.wait_for_selector("#draft-topics li")


@contextmanager
def drawn(browser, payload, path, ready="body[data-ready]"):
    """A page of a payload as it would be for other data; yields it and what was logged as an error."""
    path.write_text(build_page(payload))
    page, wrong = browser.new_page(), []
    page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.goto(path.as_uri())
    page.wait_for_selector(ready)
    yield page, wrong
    page.close()


def test_several_chains_show_who_found_what_and_what_to_do(browser, blog, tmp_path):
    other = fit(blog.graph, blog.corpus, sweeps=20, seed=9)
    whole = Fit([blog.run, other.run])
    shared, large = whole.shared_topics, int(atlas_of(whole).large.sum())
    with drawn(browser, build_payload(whole), tmp_path / "chains.html") as (page, wrong):
        head = page.locator("#head").inner_text()
        assert whole.diagnose().summary in head and "2 chains" in head and f"{large} topics in" in head
        marks = page.locator("#list .found")
        assert marks.count() == large
        said = [mark.get_attribute("title") for mark in marks.all()]
        order = [one[0] for one, big in zip(atlas_of(whole).members, atlas_of(whole).large, strict=True) if big]
        assert said == [f"found by {shared.found[topic]} of 2 chains" for topic in order]
        trust = page.locator("#trust").inner_text()
        for finding in whole.diagnose().findings:
            assert finding.sentence in trust
        assert f"What to do: {whole.diagnose().advice.sentences[0]}" in trust
        assert page.locator("#words .card .found").count() == min(large, 12 if large > 15 else large) and wrong == []


def test_periods_without_posts_are_gaps(browser, payload, tmp_path):
    def without(rows):
        return [[None if i == 5 else value for i, value in enumerate(row)] for row in rows]

    times = payload["times"] | {name: without(payload["times"][name]) for name in ("shares", "low", "high")}
    with drawn(browser, payload | {"times": times}, tmp_path / "gap.html") as (page, wrong):
        path = page.locator("#times path.layer").first.get_attribute("d")
        assert path.count("M") == len(times["minutes"]) - 1 and "NaN" not in path and wrong == []
        gap = page.locator("#times rect.gap")
        assert gap.count() == 1 and gap.get_attribute("aria-label").startswith("no posts: ")
        assert "without posts" in page.locator("#times .hint").inner_text()
        assert gap.bounding_box()["width"] > 5


def test_a_lone_period_between_gaps_is_seen(browser, payload, tmp_path):
    """An area of one point has no width: the year between two years without posts was not there."""

    def alone(rows):
        return [[value if i in (0, 5) else None for i, value in enumerate(row)] for row in rows]

    times = payload["times"] | {name: alone(payload["times"][name]) for name in ("shares", "low", "high")}
    with drawn(browser, payload | {"times": times}, tmp_path / "lone.html") as (page, wrong):
        box = page.locator("#times path.layer").first.bounding_box()
        assert box["width"] > 20 and page.locator("#times rect.gap").count() == 2 and wrong == []
        page.locator("#list .topic").first.click()
        assert page.locator("#times circle").count() == 2


def test_topics_by_group_follow_the_choice(browser, payload, tmp_path):
    label = payload["groups"][0]
    more = label | {"name": "party", "labels": [f"party {i}" for i in range(len(label["labels"]))]}
    with drawn(browser, payload | {"groups": [label, more]}, tmp_path / "groups.html") as (page, wrong):
        n = len(label["labels"])
        assert page.locator("#groups svg rect").count() == n * len(payload["families"])
        page.locator("#list .topic").first.click()
        assert (
            page.locator("#groups circle").count() == n
            and "90 % interval" in page.locator("#groups .hint").inner_text()
        )
        page.locator("#groups select").select_option(label="party")
        assert "each party" in page.locator("#groups .hint").inner_text()
        assert "party 1" in page.locator("#groups svg").text_content() and wrong == []


def test_intervals_are_left_out_where_chains_disagree(browser, blog, tmp_path):
    """8.4 to 8.9 % beside an R-hat of 2.4 is false precision."""
    assert blog.diagnose().disagrees
    said = build_payload(blog)
    assert not any({"low", "high"} & set(one) for one in (*said["topics"], *said["groups"], said["times"]))
    with drawn(browser, said, tmp_path / "poor.html") as (page, wrong):
        assert page.locator("#list .topic small").first.inner_text() == "" and page.locator(".bar-range").count() == 0
        assert "interval" not in page.locator("#side").inner_text()
        page.locator("#list .topic").first.click()
        assert "interval" not in page.locator("#panels").inner_text() and wrong == []


def test_a_map_without_a_graph_is_as_wide_as_the_other_panels(browser, payload, tmp_path):
    for network, wide in ((payload["network"], False), (None, True)):
        with drawn(browser, payload | {"network": network}, tmp_path / "page.html") as (page, wrong):
            assert ("wide" in page.locator("#map").get_attribute("class").split()) == wide and not wrong


def test_a_map_of_many_topics_can_be_read(browser, payload, tmp_path):
    """Circles stay apart and within the map, and no label hides another topic."""
    many = []
    for i in range(84):
        place = {"x": (i * 0.618) % 1, "y": (i * 0.754) % 1, "family": i % 8, "share": 0.03 / (1 + i % 9)}
        many.append(payload["topics"][0] | place | {"id": i, "label": f"#topic{i}", "small": False})
    times = payload["times"] | {name: [payload["times"][name][0]] * 84 for name in ("shares", "low", "high")}
    gone = ("posts", "authors", "network", "draft", "groups")
    rest = {name: value for name, value in payload.items() if name not in gone}
    few = {"topics": many, "times": times, "families": [f"#topic{i}" for i in range(8)]}
    few["draft"] = {"words": {}, "base": {"word": [1 / 84] * 84}}
    with drawn(browser, rest | few, tmp_path / "crowd.html") as (page, wrong):
        circles = page.locator("#map circle").evaluate_all(
            "all => all.map(c => ['cx', 'cy', 'r'].map(name => Number(c.getAttribute(name))))"
        )
        size = page.locator("#map svg.chart").bounding_box()
        assert len(circles) == 84 and wrong == []
        for i, (x, y, r) in enumerate(circles):
            assert r <= x <= size["width"] - r + 1 and r <= y <= size["height"] - r + 1
            for x2, y2, r2 in circles[:i]:
                assert (x - x2) ** 2 + (y - y2) ** 2 > (0.85 * (r + r2)) ** 2
        assert 5 <= page.locator("#map text.label").count() <= 60


def test_an_author_shows_all_links_and_why_others_are_near(browser, payload, tmp_path):
    """By pointer all links of the author pointed at; by keyboard or search also the reasons, as a list of buttons."""
    network = payload["network"]
    rows = [[1, 1, 620, 12, 4, -3, 0], [2, 0, 310, 0, 2, 9, 1]]
    told = {"network": network | {"near": {"parts": ["words", "links", "popularity", "answer"], "of": {"0": rows}}}}
    name = [payload["authors"]["names"][network["nodes"][i][0]] for i in (0, 1, 2)]
    with drawn(browser, payload | told, tmp_path / "near.html") as (page, wrong):
        dot = page.locator(f'#network circle[data-author="{network["nodes"][0][0]}"]')
        dot.hover()
        ends = [link for link in network["links"] if 0 in link]
        lines = """['out', 'back'].map((name) => document.querySelector(`#network .${name}`).getAttribute('d') ?? '')
            .map((path) => path.split('M').length - 1)"""
        out, back = page.evaluate(lines)
        assert out == sum(i == 0 for i, _ in ends)
        assert back == sum(j == 0 and [0, i] not in ends for i, j in ends)
        assert page.locator("#network circle.near").count() == len({i for link in ends for i in link})
        page.mouse.move(0, 0)
        assert page.evaluate(lines) == [0, 0] and page.locator("#network .why li").count() == 0
        dot.focus()
        assert page.evaluate(lines) == [out, back]
        page.keyboard.press("Enter")
        said = page.locator("#network .why").inner_text()
        assert f"{name[0]} follows" in said and f"{name[1]} 62.0 % words +1.2 links +0.4 popularity −0.3" in " ".join(
            said.split()
        )
        assert page.locator("#network .why b").all_inner_texts() == ["words +1.2", "popularity +0.9"]
        page.locator("#network .why button").last.click()
        assert page.locator("#search").input_value() == name[2] and not wrong


def test_a_panel_that_fails_leaves_the_others(browser, payload, tmp_path):
    broken = {"network": payload["network"] | {"nodes": None}}
    with drawn(browser, payload | broken, tmp_path / "broken.html") as (page, wrong):
        assert "could not be drawn" in page.locator("#network").inner_text() and wrong
        assert page.locator("#trust svg.chart").count() == 3 and page.locator("#posts li").count() == 12
    with drawn(browser, payload | {"trust": None}, tmp_path / "none.html", "#broken") as (page, _):
        assert "could not be drawn" in page.locator("#broken").inner_text()


def test_odd_data_are_drawn(browser, payload, tmp_path):
    """Tiny shares, one post, hashes in words without hashtags, and a network from the first sweep on."""
    topics = [topic | {"share": 1e-9, "low": 0, "high": 1e-9} for topic in payload["topics"]]
    trust = payload["trust"] | {"joined": 0, "traces": {"log_joint": payload["trust"]["traces"]["log_joint"]}}
    draft = {"words": {"#goal": [0, 1000]}, "base": {"word": [1 / len(topics)] * len(topics)}}
    network = payload["network"] | {"n_authors": 400}
    odd = {"topics": topics, "trust": trust, "draft": draft, "network": network}
    odd["about"] = payload["about"] | {"documents": 1, "authors": 1}
    with drawn(browser, payload | odd, tmp_path / "odd.html") as (page, wrong):
        head = page.locator("#head").inner_text()
        assert "in 1 post" in head and "1 author\n" in head + "\n" and "< 0.01 %" in page.locator("#list").inner_text()
        assert "NaN" not in page.locator("#map").inner_html() and "e-" not in page.locator("#list").inner_text()
        assert page.locator("#trust svg.chart").count() == 2
        assert "of 400 linked authors" in page.locator("#network .hint").inner_text()
        page.locator("#draft-text").fill("#goal")
        page.wait_for_selector("#draft-topics li")
        assert wrong == []


def test_one_draft_is_asked_at_a_time(browser, payload):
    page, asked = browser.new_page(), []
    page.route(
        "http://page.example/",
        lambda route: route.fulfill(content_type="text/html", body=build_page(payload, live=True)),
    )
    page.route("http://page.example/infer", lambda route: asked.append(route))
    page.goto("http://page.example/")
    page.wait_for_selector("body[data-ready]")
    for text in ("one", "two", "three"):
        page.locator("#draft-text").fill(text)
        page.wait_for_timeout(450)
    assert [route.request.post_data_json["text"] for route in asked] == ["one"]
    asked[0].fulfill(status=422, json={"error": "of the first"})
    page.wait_for_timeout(200)
    assert [route.request.post_data_json["text"] for route in asked] == ["one", "three"]
    asked[1].fulfill(status=422, json={"error": "of the last"})
    page.wait_for_selector("#draft-out p:has-text('of the last')")
    page.close()


def test_redacted_pages_work(browser, blog, tmp_path):
    path = tmp_path / "redacted.html"
    path.write_text(build_page(build_payload(blog, redact=True)))
    with opened(browser, path.as_uri()) as page:
        assert page.locator("#posts").count() == 0 and page.locator("#network circle").count() == 9
        choose(page, 0)


def test_hostile_text_is_shown_and_does_not_run(browser, hostile, tmp_path):
    path = tmp_path / "hostile.html"
    path.write_text(build_page(build_payload(hostile)))
    with opened(browser, path.as_uri()) as page:
        for i in range(page.locator("#list .topic").count()):
            choose(page, i)
        page.keyboard.press("Escape")
        page.locator("#search").fill("<script>")
        assert "<script>window.pwned=1</script>" in page.locator("#posts").inner_text()
        page.keyboard.press("Escape")
        page.locator("#draft-text").fill("bread <img src=x onerror=window.pwned=1>")
        page.wait_for_selector("#draft-out p")
        assert page.evaluate("window.pwned") is None
        assert page.locator("#panels script, #panels img, #panels b, #list img, #panels iframe").count() == 0
        assert "\u202e" not in page.content() and "[U+202E]" in page.content()


def test_the_policy_stands_behind_all_this(browser, file):
    """A script or a picture that did get into the page would not run or load."""
    context = browser.new_context()
    page, refused, asked = context.new_page(), [], []
    page.on("console", lambda message: refused.append(message.text))
    page.goto(file.as_uri())
    page.wait_for_selector("body[data-ready]")
    page.on("requestfinished", lambda request: asked.append(request.url))
    page.evaluate(
        """() => {
            const script = document.createElement("script");
            script.textContent = "window.pwned = 1";
            const image = document.createElement("img");
            image.src = "http://evil.example/x.png";
            document.body.append(script, image);
        }"""
    )
    assert page.evaluate("window.pwned") is None
    assert page.evaluate("fetch('http://evil.example/').then(() => 'sent', () => 'refused')") == "refused"
    assert len(refused) >= 3 and all("Content Security Policy" in text for text in refused[:2]) and asked == []
    context.close()


def test_live_inference(browser, payload, blog):
    uvicorn = pytest.importorskip("uvicorn")
    from pitmanyor.report.server import allowed_hosts, build_app

    app = build_app(build_page(payload, live=True), Inference(atlas_of(blog)), allowed_hosts("127.0.0.1"))
    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=0, log_level="error"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    until = time.monotonic() + 30
    while not server.started and time.monotonic() < until:
        time.sleep(0.02)
    port = server.servers[0].sockets[0].getsockname()[1]
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"http://127.0.0.1:{port}/")
    page.wait_for_selector("body[data-ready]")
    with page.expect_response("**/infer") as answer:
        page.locator("#draft-text").fill(" ".join(word for word, _, _ in payload["topics"][0]["words"][:6]))
    assert answer.value.status == 200
    page.wait_for_selector("#draft-tags button")
    assert page.locator("#draft-topics li").first.get_attribute("data-topic") == "0"
    page.locator("#draft-text").fill("xyzzy")
    page.wait_for_selector("#draft-out p:has-text('vocabulary')")
    server.should_exit = True
    thread.join(20)
    page.locator("#draft-text").fill("goal")
    page.wait_for_selector("#draft-out p:has-text('does not answer')")
    context.close()
