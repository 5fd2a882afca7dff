// The head of the page, and the list of topics at its side.

function drawHead() {
  const { about, trust } = data;
  const numbers = trust.n_topics;
  const named = (n, what) => [count(n), n === 1 ? what : `${what}s`];
  const facts = [
    named(about.documents, "post"),
    about.authors && named(about.authors, "author"),
    about.tags && named(about.tags, "hashtag"),
    named(about.words, "different word"),
    about.first && [`${day(Date.parse(about.first) / 60000)} – ${day(Date.parse(about.last) / 60000)}`, ""],
    trust.intervals && numbers.low < numbers.high && [`${numbers.low} – ${numbers.high}`, "topics with 90 % probability"],
    numbers.small && [count(numbers.small), `smaller ${numbers.small === 1 ? "one holds" : "ones hold"} ${percent(numbers.small_share)} of the tokens`],
    about.chains > 1 && named(about.chains, "chain"),
  ].filter(Boolean);
  document.getElementById("head").append(
    make("button", { class: "quiet skip", onclick: () => document.querySelector(".panel button:not([hidden]), .panel input")?.focus() }, "Skip the list of topics"),
    make("div", {},
      make("div", { class: "source" }, own(about.source ?? (about.redacted ? "Authors and texts are hidden in this page" : "A corpus"))),
      make("h1", {}, `${plural(numbers.now, "topic")} in ${plural(about.documents, "post")}`)),
    make("div", { class: "buttons" },
      make("button", { class: "quiet", id: "theme", onclick: switchTheme }, "Light / dark"),
      make("button", { class: "quiet", onclick: showHelp, "aria-label": "Help" }, "?")),
    make("ul", { class: "facts" }, ...facts.map(([value, what]) => make("li", {}, make("b", { class: "number" }, value), ` ${what}`))),
    make("p", { class: `trust ${trust.level}` }, trust.sentence),
  );
}

function switchTheme() {
  const root = document.documentElement;
  root.dataset.theme = root.dataset.theme === "dark" ? "light" : "dark";
}

function drawSide() {
  const search = make("input", { id: "search", type: "search", placeholder: "Search topics, posts, authors   ( / )", "aria-label": "Search", maxlength: 200 });
  search.addEventListener("input", () => choose({ q: search.value }));
  const clear = make("button", { class: "quiet", id: "clear", onclick: () => choose({ topic: null, q: "" }) }, "Show all");
  document.getElementById("side").append(search, make("div", { class: "bar" }, make("span", { id: "said" }), clear), make("ol", { id: "list" }));
}

function updateSide() {
  const shown = listed();
  const list = document.getElementById("list");
  const search = document.getElementById("search");
  if (search.value !== state.q) search.value = state.q;
  document.getElementById("said").textContent = state.q ? plural(shown.length, "topic") + " found" : data.trust.intervals ? "Topics by size, with 90 % intervals" : "Topics by size";
  document.getElementById("clear").hidden = state.topic === null && !state.q;
  const rows = shown.map((k) => make("li", {}, topicRow(k)));
  const small = data.topics.filter((topic) => topic.small).length;
  if (small && !state.q) {
    const text = state.all ? "Fold the small topics" : `${plural(small, "smaller topic")}, each with less than ${percent(data.trust.n_topics.least)}`;
    rows.push(make("li", {}, make("button", { class: "fold", onclick: () => choose({ all: !state.all }) }, text)));
  }
  const top = list.scrollTop;
  renew(list, ...rows);
  list.scrollTop = top;
}

function topicRow(k) {
  const topic = data.topics[k];
  const most = d3.max(data.topics, (t) => t.high ?? t.share);
  const row = make("button", { class: "topic", "data-topic": k, "aria-pressed": String(state.topic === k), onclick: () => toggle(k) });
  row.style.setProperty("--family", shade(k));
  const fill = make("span", { class: "bar-fill" });
  fill.style.width = `${(100 * topic.share) / most}%`;
  const track = make("span", { class: "bar-track" }, fill);
  if (topic.low !== undefined) {
    const span = make("span", { class: "bar-range" });
    span.style.left = `${(100 * topic.low) / most}%`;
    span.style.width = `${Math.max(1, (100 * (topic.high - topic.low)) / most)}%`;
    track.append(span);
  }
  row.append(
    badge(k),
    own(topic.label, { class: "name", title: topic.label }),
    make("span", { class: "share number" }, percent(topic.share), make("small", {}, range(k))),
    make("span", { class: "under" }, track, sparkline(k), foundBy(k)),
  );
  return row;
}

/** How many chains found the topic: a small mark, which is said in full to those who point at it or listen. */
function foundBy(k) {
  const { found: n } = data.topics[k];
  if (n === undefined) return "";
  const said = `found by ${n} of ${data.about.chains} chains`;
  return make("span", { class: `found ${n === data.about.chains ? "good" : n > 1 ? "fair" : "poor"}`, title: said, "aria-label": said }, `${n}/${data.about.chains}`);
}

/** The share over time, as a line the size of a word. */
function sparkline(k) {
  if (!data.times) return "";
  const values = data.times.shares[k];
  const x = d3.scaleLinear([0, values.length - 1], [1, 69]);
  const y = d3.scaleLinear([0, d3.max(values) || 1], [15, 1]);
  const svg = d3.create("svg").attr("width", 70).attr("height", 16).attr("aria-hidden", "true");
  svg.append("path").attr("d", d3.line((_, i) => x(i), (v) => y(v)).defined((v) => v !== null)(values)).attr("fill", "none").style("stroke", shade(k)).style("stroke-width", 1.2).style("stroke-linecap", "round"); // a lone period is a dot
  return svg.node();
}
