// Authors and topics: a column an author, a row a topic.

const MOST_AUTHORS = 80;

panel({
  id: "heat",
  title: "Authors and topics",
  wide: true,
  has: () => Boolean(data.authors && data.authors.shares.length > 1),
  hint() {
    return `A column for each of the authors with most posts. The stronger the colour of a field, the larger the topic's share of what the author writes (${data.authors.said}).`;
  },
  draw(body) {
    const left = 130;
    const top = 72;
    const line = 17;
    this.topics = d3.sort(large().slice(0, 50), (k) => data.topics[k].family);
    const width = Math.max(260, body.getBoundingClientRect().width);
    const most = Math.min(data.authors.shares.length, MOST_AUTHORS, Math.floor((width - left) / 13));
    const rank = new Map(this.topics.map((k, i) => [k, i]));
    this.people = d3.sort(d3.range(most), (a) => rank.get(mainTopic(a)) ?? 99, (a) => -d3.max(data.authors.shares[a]));
    const svg = canvas(body, top + line * this.topics.length + 4, "Shares of topics by author");
    const x = d3.scaleBand(d3.range(most), [left, width - 16]);
    const fields = this.people.flatMap((a, i) => this.topics.map((k, j) => ({ a, k, i, j, share: shareOf(a, k) })));
    svg.append("rect").attr("x", left).attr("y", top).attr("width", x.bandwidth() * most).attr("height", line * this.topics.length).style("fill", "var(--wash)");
    this.fields = svg.append("g").selectAll("rect").data(fields.filter((f) => f.share >= 0.005)).join("rect").attr("data-topic", (f) => f.k)
      .attr("x", (f) => x(f.i)).attr("y", (f) => top + f.j * line).attr("width", x.bandwidth() - 0.8).attr("height", line - 0.8)
      .on("click", (_, f) => toggle(f.k));
    withTip(this.fields, (f) => `${data.authors.names[f.a]}: ${percent(f.share)} ${topicName(f.k)}`);
    this.names = svg.append("g").selectAll("text").data(this.people).join("text").style("font-size", "10px")
      .attr("transform", (_, i) => `translate(${x(i) + x.bandwidth() / 2 + 3},${top - 5}) rotate(-62)`).text((a) => short(data.authors.names[a], 11));
    this.heads = svg.append("g").selectAll("text").data(this.topics).join("text").attr("data-topic", (k) => k).attr("x", left - 7)
      .attr("text-anchor", "end").attr("y", (_, j) => top + (j + 0.72) * line).text((k) => `${firstTag(k)}  ${letter(k)}`).on("click", (_, k) => toggle(k));
    withTip(this.heads, (k) => `${letter(k)}: ${topicName(k)}, ${percent(data.topics[k].share)} of all tokens`);
    body.append(svg.node(), shadeLegend());
  },
  update() {
    const q = state.q.toLowerCase();
    const found = (a) => q && data.authors.names[a].toLowerCase().includes(q);
    this.fields.style("fill", (f) => shade(f.k)).style("opacity", (f) => darkness(f.share));
    this.names.style("font-weight", (a) => (found(a) ? 700 : 400));
    this.heads.style("font-weight", (k) => (state.topic === k ? 700 : 400)).style("opacity", (k) => (isShown(k) ? 1 : 0.5));
  },
  table: () => [
    ["author", "posts", ...data.topics.map((t) => t.label)],
    ...data.authors.shares.map((row, a) => [data.authors.names[a], data.authors.posts[a], ...row.map((s) => s / 1000)]),
  ],
});

const darkness = (share) => Math.min(1, 0.12 + 0.95 * Math.sqrt(share));

/** How dark a share is. */
function shadeLegend() {
  const steps = [0.01, 0.1, 0.3, 0.6].map((share) => {
    const field = make("span", { class: "field" });
    field.style.opacity = darkness(share);
    return make("li", {}, field, `${d3.format(".0%")(share).replace("%", " %")}`);
  });
  return make("ul", { class: "legend", "aria-label": "Shares" }, ...steps);
}
