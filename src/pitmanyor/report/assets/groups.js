// Topics by groups such as parties or countries: families as layers of a bar, a chosen topic as a dot with its interval.

panel({
  id: "groups",
  title: "Topics by group",
  wide: true,
  has: () => Boolean(data.groups),
  chosen: 0,
  hint() {
    const { name, labels, of, interval, low } = data.groups[this.chosen];
    const which = labels.length < of ? ` (the ${labels.length} of ${of} with most posts)` : "";
    if (state.topic === null) return `How the families of topics share the tokens of each ${name}${which}. Choose a topic to see it alone.`;
    return `The topic's share of the tokens of each ${name}${which}.${low ? ` The line is a 90 % interval ${BAND[interval]}.` : ""}`;
  },
  draw(body) {
    this.content = make("div", {});
    this.legend = legend();
    if (data.groups.length > 1) {
      const list = make("select", { "aria-label": "Grouping" }, ...data.groups.map((one, i) => make("option", { value: i, selected: i === this.chosen }, one.name)));
      list.addEventListener("change", () => ((this.chosen = Number(list.value)), refresh(this)));
      body.append(make("div", { class: "choice" }, list));
    }
    body.append(this.content, this.legend);
  },
  update() {
    this.line.textContent = this.hint();
    this.legend.hidden = state.topic !== null;
    this.content.replaceChildren(groupChart(this.content, data.groups[this.chosen]));
  },
  table: () => [
    ["grouping", "group", "posts", ...data.topics.map((t) => t.label)],
    ...data.groups.flatMap((one) => one.labels.map((label, g) => [one.name, label, one.posts[g], ...one.shares.map((s) => s[g] / 1000)])),
  ],
});

function groupChart(body, { labels, posts, shares, low, high }) {
  const k = state.topic;
  const [left, line, top] = [150, 24, 6];
  const svg = canvas(body, top + line * labels.length + 30, k === null ? "Shares of families by group" : `Share of ${topicName(k)} by group`);
  const { width, height } = svg.property("size");
  const most = k === null ? 1 : (d3.max((high ?? shares)[k]) / 1000) * 1.05 || 1;
  const x = d3.scaleLinear([0, most], [left, width - 16]);
  const y = (g) => top + g * line;
  const heads = svg.append("g").selectAll("text").data(labels).join("text").attr("x", left - 8).attr("y", (_, g) => y(g) + 16).attr("text-anchor", "end").text((label) => short(label, 20));
  withTip(heads, (label) => `${label}: ${plural(posts[labels.indexOf(label)], "post")}`);
  if (k === null) {
    const rows = labels.map((_, g) => d3.rollup(d3.range(shares.length), (ks) => d3.sum(ks, (j) => shares[j][g]) / 1000, (j) => data.topics[j].family));
    const parts = rows.flatMap((row, g) => {
      let from = 0;
      return d3.range(data.families.length).map((f) => ({ g, f, from, to: (from += row.get(f) ?? 0) }));
    });
    const bars = svg.append("g").selectAll("rect").data(parts).join("rect").attr("x", (p) => x(p.from)).attr("width", (p) => Math.max(0, x(Math.min(1, p.to)) - x(p.from)))
      .attr("y", (p) => y(p.g) + 3).attr("height", line - 6).style("fill", (p) => `var(--f${p.f})`).style("fill-opacity", 0.8).style("stroke", "var(--card)").style("stroke-width", 0.7);
    withTip(bars, (p) => `${labels[p.g]}: ${percent(p.to - p.from)} family ${"ABCDEFGH"[p.f]}: ${data.families[p.f]}`);
  } else {
    if (low) {
      svg.append("g").selectAll("line").data(labels).join("line").attr("x1", (_, g) => x(low[k][g] / 1000)).attr("x2", (_, g) => x(high[k][g] / 1000))
        .attr("y1", (_, g) => y(g) + line / 2).attr("y2", (_, g) => y(g) + line / 2).style("stroke", colour(k)).style("stroke-width", 2);
    }
    const dots = svg.append("g").selectAll("circle").data(labels).join("circle").attr("cx", (_, g) => x(shares[k][g] / 1000)).attr("cy", (_, g) => y(g) + line / 2).attr("r", 5).style("fill", colour(k));
    withTip(dots, (label) => `${label}: ${percent(shares[k][labels.indexOf(label)] / 1000)}`);
  }
  svg.append("g").attr("class", "axis").attr("transform", `translate(0,${height - 22})`).call(d3.axisBottom(x).ticks(Math.min(8, width / 110), "~%").tickSizeOuter(0));
  return svg.node();
}
