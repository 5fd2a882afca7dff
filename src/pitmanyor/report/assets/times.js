// Shares over time: families as layers; a chosen topic as a line, with its interval if there is one.

const BAND = { samples: "from posterior samples", documents: "among other posts of the same kind, given the topics" };

panel({
  id: "times",
  title: "Topics over time",
  wide: true,
  has: () => Boolean(data.times),
  hint() {
    const each = `each ${data.times.every}`;
    const empty = emptyPeriods().length ? ` Grey: ${data.times.every}s without posts.` : "";
    if (state.topic === null) return `How the families of topics share the tokens of ${each}.${empty} Choose a topic to see it alone.`;
    return `The topic's share of the tokens of ${each}.${data.times.low ? ` The band is a 90 % interval ${BAND[data.times.interval]}.` : ""}${empty}`;
  },
  draw(body) {
    this.content = make("div", {});
    this.legend = legend();
    body.append(this.content, this.legend);
  },
  update() {
    this.line.textContent = this.hint();
    this.legend.hidden = state.topic !== null;
    this.content.replaceChildren(timeChart(this.content));
  },
  table() {
    const rows = [["from", "tokens", ...data.topics.map((t) => t.label)]];
    data.times.minutes.forEach((m, i) => rows.push([new Date(m * 60000).toISOString(), data.times.tokens[i], ...data.times.shares.map((s) => (s[i] === null ? null : s[i] / 1000))]));
    return rows;
  },
});

/** What a tick adds to those around it: the hour, the day, the month or the year. */
const shortDate = (date) => d3.utcFormat(date.getUTCHours() || date.getUTCMinutes() ? "%H:%M" : date.getUTCDate() > 1 ? "%-d %b" : date.getUTCMonth() ? "%b" : "%Y")(date);

/** Runs of periods without posts: [first, last]. */
function emptyPeriods() {
  const runs = [];
  data.times.shares[0].forEach((share, i) => {
    if (share !== null) return;
    if (runs.length && runs.at(-1)[1] === i - 1) runs.at(-1)[1] = i;
    else runs.push([i, i]);
  });
  return runs;
}

function timeChart(body) {
  const { minutes, shares, low, high } = data.times;
  const k = state.topic;
  const svg = canvas(body, 230, k === null ? "Shares of families over time" : `Share of ${topicName(k)} over time`);
  const { width, height } = svg.property("size");
  const edge = { left: 44, right: 12, top: 10, bottom: 24 };
  const dates = minutes.map((m) => new Date(m * 60000));
  const empty = emptyPeriods();
  // With gaps a period is a bar from its beginning to the next; a line or an area would hide the gap, or the period.
  const ends = [...dates.slice(1), new Date(2 * dates.at(-1) - dates.at(-2))];
  const x = d3.scaleUtc(empty.length ? [dates[0], ends.at(-1)] : d3.extent(dates), [edge.left, width - edge.right]);
  const most = k === null ? 1000 : d3.max((high ?? shares)[k]) * 1.05 || 1;
  const y = d3.scaleLinear([0, most / 1000], [height - edge.bottom, edge.top]);
  const gaps = svg.append("g").selectAll("rect").data(empty).join("rect").attr("class", "gap").attr("x", ([a]) => x(dates[a])).attr("width", ([a, b]) => x(ends[b]) - x(dates[a]))
    .attr("y", edge.top).attr("height", height - edge.top - edge.bottom).style("fill", "var(--grey)").style("fill-opacity", 0.25);
  withTip(gaps, ([a, b]) => `no posts: ${day(minutes[a], data.times.every)}${b > a ? ` – ${day(minutes[b], data.times.every)}` : ""}`);
  if (k === null) {
    const rows = dates.map((_, i) => d3.rollup(d3.range(shares.length), (ks) => d3.sum(ks, (j) => shares[j][i]) / 1000, (j) => data.topics[j].family));
    const layers = d3.stack().keys(d3.range(data.families.length)).value((row, f) => row.get(f) ?? 0)(rows);
    const bar = (p, i) => (shares[0][i] === null ? "" : `M${x(dates[i])},${y(p[0])}H${x(ends[i])}V${y(Math.min(1, p[1]))}H${x(dates[i])}Z`);
    const bars = (layer) => layer.map(bar).join("");
    const area = empty.length ? bars : d3.area((_, i) => x(dates[i]), (p) => y(p[0]), (p) => y(Math.min(1, p[1])));
    const paths = svg.selectAll(".layer").data(layers).join("path").attr("class", "layer").attr("d", area)
      .style("fill", (layer) => `var(--f${layer.key})`).style("fill-opacity", 0.8).style("stroke", "var(--card)").style("stroke-width", 0.7);
    withTip(paths, (layer) => `Family ${"ABCDEFGH"[layer.key]}: ${data.families[layer.key]}`);
  } else {
    const points = dates.map((date, i) => ({ i, at: empty.length ? (x(date) + x(ends[i])) / 2 : x(date), share: shares[k][i] === null ? null : shares[k][i] / 1000 }));
    const known = (p) => p.share !== null;
    if (low) {
      const band = d3.area((p) => p.at, (p) => y(low[k][p.i] / 1000), (p) => y(high[k][p.i] / 1000)).defined(known);
      svg.append("path").attr("d", band(points)).style("fill", colour(k)).style("fill-opacity", 0.25);
    }
    const line = d3.line((p) => p.at, (p) => y(p.share)).defined(known);
    svg.append("path").attr("class", "layer").attr("d", line(points)).attr("fill", "none").style("stroke", colour(k)).style("stroke-width", 2);
    const dots = svg.selectAll("circle").data(points.filter(known)).join("circle").attr("cx", (p) => p.at).attr("cy", (p) => y(p.share)).attr("r", 3).style("fill", colour(k));
    withTip(dots, (p) => `${percent(p.share)}, ${day(minutes[p.i], data.times.every)}`);
  }
  svg.append("g").attr("class", "axis").attr("transform", `translate(0,${height - edge.bottom})`).call(d3.axisBottom(x).ticks(Math.min(8, width / 90)).tickFormat(shortDate).tickSizeOuter(0));
  svg.append("g").attr("class", "axis").attr("transform", `translate(${edge.left},0)`).call(d3.axisLeft(y).ticks(4, "~%").tickSizeOuter(0));
  return svg.node();
}
