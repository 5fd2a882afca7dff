// Authors and topics: a row an author, a column a topic.

const MOST_ROWS = 60;

panel({
  id: "heat",
  title: "Authors and topics",
  has: () => Boolean(data.authors && data.authors.shares.length > 1),
  hint() {
    const n = data.authors.names.length;
    const some = n > MOST_ROWS ? `The ${MOST_ROWS} authors with most posts, of ${count(n)}. ` : "";
    return `${some}The darker a field, the larger the topic's share of what the author writes (${data.authors.said}).`;
  },
  draw(body) {
    this.columns = d3.sort(large().slice(0, 40), (k) => data.topics[k].family);
    const authors = d3.range(Math.min(data.authors.shares.length, MOST_ROWS));
    const rank = new Map(this.columns.map((k, i) => [k, i]));
    this.rows = d3.sort(authors, (a) => rank.get(mainTopic(a)) ?? 99, (a) => -d3.max(data.authors.shares[a]));
    const line = Math.max(9, Math.min(16, 400 / this.rows.length));
    const left = 84;
    const top = 66;
    const svg = canvas(body, top + line * this.rows.length + 4, "Shares of topics by author");
    const { width } = svg.property("size");
    const x = d3.scaleBand(d3.range(this.columns.length), [left, width - 4]).paddingInner(0.06);
    const fields = this.rows.flatMap((a, i) => this.columns.map((k, j) => ({ a, k, i, j, share: shareOf(a, k) })));
    const visible = fields.filter((f) => f.share >= 0.005);
    svg.append("rect").attr("x", left).attr("y", top).attr("width", width - left - 4).attr("height", line * this.rows.length).style("fill", "var(--wash)");
    this.fields = svg.append("g").selectAll("rect").data(visible).join("rect").attr("data-topic", (f) => f.k)
      .attr("x", (f) => x(f.j)).attr("y", (f) => top + f.i * line).attr("width", x.bandwidth()).attr("height", line - 0.6)
      .on("click", (_, f) => toggle(f.k));
    withTip(this.fields, (f) => `${data.authors.names[f.a]}: ${percent(f.share)} ${topicName(f.k)}`);
    this.names = svg.append("g").selectAll("text").data(this.rows).join("text").attr("x", left - 5).attr("text-anchor", "end")
      .attr("y", (_, i) => top + (i + 0.78) * line).style("font-size", `${Math.min(11, line)}px`).text((a) => short(data.authors.names[a], 13));
    this.heads = svg.append("g").selectAll("text").data(this.columns).join("text").attr("data-topic", (k) => k)
      .attr("transform", (_, j) => `translate(${x(j) + x.bandwidth() / 2 + 3},${top - 5}) rotate(-52)`)
      .text((k) => short(topicName(k).split(" ")[0].replace(/,$/, ""), 12)).on("click", (_, k) => toggle(k));
    body.append(svg.node());
  },
  update() {
    const q = state.q.toLowerCase();
    const found = (a) => q && data.authors.names[a].toLowerCase().includes(q);
    this.fields.style("fill", (f) => shade(f.k)).style("opacity", (f) => Math.min(1, 0.12 + 0.95 * Math.sqrt(f.share)));
    this.names.style("font-weight", (a) => (found(a) ? 700 : 400));
    this.heads.style("font-weight", (k) => (state.topic === k ? 700 : 400)).style("opacity", (k) => (isShown(k) ? 1 : 0.5));
  },
  table: () => [
    ["author", "posts", ...data.topics.map((t) => t.label)],
    ...data.authors.shares.map((row, a) => [data.authors.names[a], data.authors.posts[a], ...row.map((s) => s / 1000)]),
  ],
});
