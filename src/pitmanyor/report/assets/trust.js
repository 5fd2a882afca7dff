// Whether to trust the run: traces, R-hat, how many topics, and what was left out of the data.

panel({
  id: "trust",
  title: "Can this be trusted?",
  wide: true,
  hint: () => "What pitmanyor diagnose says about the run. Traces should look like noise around a level, not like a slope.",
  draw(body) {
    const { traces, rhat, n_topics, removed, findings, advice } = data.trust;
    const number = traces["topics/large"];
    const chains = traces.log_joint.length;
    const half = d3.max(traces.log_joint.flat(), (p) => p[0]) / 2;
    const compared = chains > 1 ? "Chains and their halves compared" : "The two halves of one chain compared; several chains would say more";
    const boxes = [
      ["Log joint by sweep", `${plural(chains, "chain")}; the shaded second half is what counts.`],
      ["Topics by sweep", `Topics that hold ${percent(n_topics.least)} of the tokens or more${data.trust.joined == null ? "" : `; the network joined after ${plural(data.trust.joined, "sweep")}`}.`],
      ["Number of topics", `Posterior, from the second half of ${chains > 1 ? "all chains" : "the chain"}${data.trust.intervals ? `; 90 % are ${n_topics.low} – ${n_topics.high}` : ""}. Equivalent to ${n_topics.effective} topics of equal size.`],
      ["R-hat", `${compared}. Below 1.05 is good. Draws: the number of independent draws that the sweeps are worth.`],
    ].map(([title, note]) => make("div", {}, make("h3", {}, title), make("p", { class: "soft" }, note)));
    const said = make("ul", { class: "findings" }, ...findings.map(([level, sentence]) => make("li", { class: `trust ${level}` }, own(sentence))));
    const next = make("p", { class: "advice" }, make("strong", {}, "What to do: "), own(advice.join(" ")));
    body.append(said, next, make("div", { class: "columns" }, ...boxes.filter((_, i) => i !== 1 || number), removed && make("div", { class: "span" }, ...whatWasRemoved(removed))));
    boxes[0].append(lineChart(boxes[0], traces.log_joint, { label: "Log joint by sweep", mark: half }));
    if (number) boxes[1].append(lineChart(boxes[1], number, { label: "Number of topics by sweep", format: "d", mark: half }));
    boxes[2].append(histogram(boxes[2], n_topics.probability));
    boxes[3].append(...rhatTables(rhat));
  },
  table() {
    const rows = [["quantity", "chain", "sweep", "value"]];
    for (const [name, chains] of Object.entries(data.trust.traces)) chains.forEach((points, c) => points.forEach(([sweep, value]) => rows.push([name, c, sweep, value])));
    data.trust.rhat.forEach(([name, rhat, ess]) => rows.push([`R-hat of ${name}`, "", "", rhat], [`effective draws of ${name}`, "", "", ess]));
    return rows;
  },
});

const WORST = 5; // quantities in sight; the others on demand

/** What the verdict is about, the worst first; parameters of priors, which may wander, by themselves. */
function rhatTables(rhat) {
  const said = ([name, value, ess]) => [name, value === null ? "–" : value.toFixed(2), ess === null ? "–" : count(Math.round(ess))];
  const heads = ["quantity", "R-hat", "draws"];
  const [vague, main] = [true, false].map((is) => d3.sort(rhat.filter((one) => one[3] === is), ([, value]) => -(value ?? Infinity)));
  const folded = (rows, title) => (rows.length ? make("details", {}, make("summary", { class: "soft" }, title), table(heads, rows.map(said))) : "");
  const [worst, others] = [main.slice(0, WORST), main.slice(WORST)];
  return [table(heads, worst.map(said)), folded(others, `${plural(others.length, "more quantity").replace("quantitys", "quantities")}`), folded(vague, `${plural(vague.length, "parameter")} of priors, which may wander`)];
}

function table(heads, rows) {
  const cells = (tag, values) => values.map((value, i) => make(tag, { class: i && /^[\d.,–∞]*$/.test(rows[0]?.[i] ?? "") ? "number" : null }, own(String(value))));
  return make("div", { class: "scroll" }, make("table", {}, make("thead", {}, make("tr", {}, ...cells("th", heads))), make("tbody", {}, ...rows.map((row) => make("tr", {}, ...cells("td", row))))));
}

function histogram(body, counts) {
  const svg = canvas(body, 150, "Posterior of the number of topics");
  const { width, height } = svg.property("size");
  const [from, to] = d3.extent(counts, (c) => c[0]);
  const x = d3.scaleBand(d3.range(from, to + 1), [38, width - 8]).paddingInner(0.15);
  const total = d3.sum(counts, (c) => c[1]);
  const y = d3.scaleLinear([0, d3.max(counts, (c) => c[1]) / total], [height - 22, 8]);
  const bars = svg.selectAll("rect").data(counts).join("rect").attr("x", (c) => x(c[0])).attr("width", x.bandwidth())
    .attr("y", (c) => y(c[1] / total)).attr("height", (c) => height - 22 - y(c[1] / total)).style("fill", "var(--f0)");
  withTip(bars, (c) => `${plural(c[0], "topic")}: ${percent(c[1] / total)} of the draws`);
  const every = Math.ceil((to - from + 1) / 8);
  svg.append("g").attr("class", "axis").attr("transform", `translate(0,${height - 22})`).call(d3.axisBottom(x).tickValues(x.domain().filter((v) => (v - from) % every === 0)).tickSizeOuter(0));
  svg.append("g").attr("class", "axis").attr("transform", "translate(38,0)").call(d3.axisLeft(y).ticks(3, "~%").tickSizeOuter(0));
  return svg.node();
}

function whatWasRemoved({ n_read, n_bad_lines, filters, columns, notes }) {
  const said = [`${plural(n_read, "post")} ${n_read === 1 ? "was" : "were"} read.`, n_bad_lines ? `${plural(n_bad_lines, "line")} could not be read.` : "", columns?.length ? `Columns: ${columns.join(", ")}.` : ""];
  const parts = [make("h3", {}, "What was removed from the data"), make("p", { class: "soft" }, own(said.filter(Boolean).join(" ")))];
  if (filters.length) parts.push(table(["filter", "why", "posts", "tokens", "authors"], filters.map(([name, why, ...numbers]) => [name, why, ...numbers.map(count)])));
  if (notes?.length) parts.push(make("ul", { class: "soft" }, ...notes.map((note) => make("li", {}, own(note)))));
  return parts;
}
