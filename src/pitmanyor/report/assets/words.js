// Words and hashtags of the chosen topic; without a choice, all topics at a glance.

panel({
  id: "words",
  title: "Topics and their words",
  wide: true,
  hint: () =>
    state.topic === null
      ? "Each card is a topic with its words in order. Choose one, here or at the side, and every panel follows."
      : "Coloured: how often the topic uses a word. Grey: how often all topics do. Slide from frequent to distinctive words.",
  draw(body) {
    const slider = make("input", { type: "range", id: "relevance", min: 0, max: 1, step: 0.05, "aria-label": "Relevance: 0 distinctive, 1 frequent" });
    slider.addEventListener("input", () => choose({ relevance: Number(slider.value) }));
    this.slider = slider;
    this.content = make("div", {});
    body.append(make("div", { class: "choice" }, make("span", {}, "distinctive"), slider, make("span", {}, "frequent")), this.content);
  },
  update() {
    this.slider.value = state.relevance;
    this.line.textContent = this.hint();
    renew(this.content, state.topic === null ? topicCards() : topicWords(state.topic, this.content));
  },
  table() {
    const chosen = state.topic === null ? d3.range(data.topics.length) : [state.topic];
    const rows = [["topic", "label", "share", "share_low", "share_high", "found_by_chains", "kind", "word", "probability", "probability_in_all_topics"]];
    for (const k of chosen) {
      const { id, label, share, low, high, found, words, tags } = data.topics[k];
      for (const [kind, entries] of [["word", words], ["hashtag", tags ?? []]])
        for (const [word, p, everywhere] of entries) rows.push([id, label, share, low, high, found ?? "", kind, word, p, everywhere]);
    }
    return rows;
  },
});

const FEW = 12; // cards, after which one asks for the others: the side has them all

function topicCards() {
  const cards = make("div", { class: "cards" });
  const found = listed();
  const many = found.length > FEW + 3; // for less it is not worth a button
  for (const k of found.slice(0, many && !state.cards ? FEW : found.length)) {
    const words = relevant(data.topics[k].words, 9).map((entry) => entry[0]).join(", ");
    const card = make("button", { class: "card", "data-topic": k, onclick: () => choose({ topic: k }) },
      make("div", {}, own(topicName(k), { class: "name" }), make("span", { class: "soft number" }, `  ${percent(data.topics[k].share)} `), foundBy(k)),
      make("div", { class: "words" }, own(words)));
    card.style.setProperty("--family", colour(k));
    cards.append(card);
  }
  const more = make("button", { class: "quiet", id: "more-cards", onclick: () => choose({ cards: !state.cards }) }, state.cards ? "Fewer topics" : `All ${plural(found.length, "topic")}`);
  return make("div", {}, cards, many && make("p", {}, more));
}

function topicWords(k, body) {
  const topic = data.topics[k];
  const box = make("div", {});
  const name = make("h3", { tabindex: -1 }, badge(k), " ", own(topic.label));
  const about = `${percent(topic.share)} of all tokens${range(k) ? ` (90 % interval ${range(k)})` : ""}: ${plural(topic.tokens, "token")}.`;
  box.append(name, make("p", { class: "soft" }, about));
  if (topic.tags?.length) {
    const chips = relevant(topic.tags, 12).map(([tag, p]) => make("li", {}, own(`#${tag}`), make("span", { class: "number" }, percent(p))));
    box.append(make("ul", { class: "chips", "aria-label": "Hashtags" }, ...chips));
  }
  box.append(wordChart(k, relevant(topic.words, 24), body));
  return box;
}

/** Two columns of bars where there is room, one on a phone. */
function wordChart(k, entries, body) {
  const columns = body.getBoundingClientRect().width > 620 ? 2 : 1;
  const rows = Math.ceil(entries.length / columns);
  const line = 22;
  const svg = canvas(body, rows * line + 24, `The words of ${topicName(k)}`);
  const wide = svg.property("size").width / columns;
  const x = d3.scaleLinear([0, d3.max(entries, (e) => e[1])], [0, wide - 200]);
  const cells = svg.selectAll("g.word").data(entries).join("g").attr("class", "word")
    .attr("transform", (_, i) => `translate(${Math.floor(i / rows) * wide},${(i % rows) * line + 4})`);
  cells.append("text").attr("x", 122).attr("y", 13).attr("text-anchor", "end").text((e) => short(e[0], 17));
  cells.append("rect").attr("x", 130).attr("y", 3).attr("height", 13).attr("rx", 2).attr("width", (e) => x(e[1])).style("fill", colour(k));
  cells.append("rect").attr("x", 130).attr("y", 12).attr("height", 4).attr("width", (e) => Math.min(x(e[2]), x(e[1]))).style("fill", "var(--grey)");
  cells.append("text").attr("x", (e) => 136 + x(e[1])).attr("y", 13).style("fill", "var(--soft)").text((e) => d3.format(",.3~g")(1000 * e[1]));
  withTip(cells, (e) => `${e[0]}: ${d3.format(".3~g")(1000 * e[1])} of 1,000 words here, ${d3.format(".3~g")(1000 * e[2])} in all topics`);
  svg.append("text").attr("x", 130).attr("y", rows * line + 18).style("fill", "var(--soft)").text("uses in 1,000 words of the topic");
  return svg.node();
}
