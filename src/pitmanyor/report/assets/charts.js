// A panel is a section with a title, a line that says how to read it, buttons to save it, and a body.

/** Add a panel: { id, title, hint(), wide, has(), draw(body), update(), table() }. Absent data, absent panel.
 *  Title and width may be functions as well. */
function panel(one) {
  panels.push({ wide: false, has: () => true, update: () => {}, shown: false, ...one });
}

function place(one) {
  if (!one.has()) return;
  one.shown = true;
  one.body = make("div", { class: "body" });
  const tools = make("div", { class: "tools" });
  // A panel may have several drawings, or none for now: each is saved, and buttons that would do nothing are hidden.
  const drawings = () => [...one.body.querySelectorAll("svg.chart")];
  const save = (way) => drawings().forEach((svg, i, all) => way(svg, all.length > 1 ? `${one.id}-${i + 1}` : one.id));
  const pictures = [["SVG", saveSvg], ["PNG", savePng]].map(([kind, way]) =>
    make("button", { class: "quiet", title: `Save as ${kind}`, onclick: () => save(way) }, kind));
  tools.append(...pictures);
  one.tidy = () => pictures.forEach((button) => (button.hidden = !drawings().length));
  if (one.table) tools.append(make("button", { class: "quiet", title: "Save the table as CSV", onclick: () => saveCsv(one.table(), one.id) }, "CSV"));
  one.line = make("p", { class: "hint" });
  const [wide, title] = [one.wide, one.title].map((said) => (typeof said === "function" ? said() : said));
  one.section = make("section", { class: `panel${wide ? " wide" : ""}`, id: one.id, "aria-label": title });
  one.section.append(make("header", {}, make("h2", {}, title), tools, one.line), one.body);
  document.getElementById("panels").append(one.section);
  one.line.append(one.hint());
}

/** A drawing as wide as its panel; `role` and `label` tell it to those who do not see, and its marks what they say. */
function canvas(body, height, label) {
  const width = Math.max(260, Math.floor(body.getBoundingClientRect().width));
  return d3
    .create("svg")
    .attr("class", "chart")
    .attr("viewBox", [0, 0, width, height])
    .attr("width", width)
    .attr("height", height)
    .attr("role", "group")
    .attr("aria-label", label)
    .property("size", { width, height });
}

/** Lines over sweeps, a chain each: small, for the trust panel. */
function lineChart(body, series, { height = 150, label, format = d3.format("~s"), mark = null }) {
  const svg = canvas(body, height, label);
  const { width } = svg.property("size");
  const edge = { left: 46, right: 8, top: 8, bottom: 34 };
  const points = series.flat();
  const x = d3.scaleLinear(d3.extent(points, (p) => p[0]), [edge.left, width - edge.right]);
  const y = d3.scaleLinear(d3.extent(points, (p) => p[1]), [height - edge.bottom, edge.top]).nice();
  if (mark !== null) {
    svg.append("rect").attr("x", x(mark)).attr("width", width - edge.right - x(mark)).attr("y", edge.top)
      .attr("height", height - edge.top - edge.bottom).style("fill", "var(--wash)");
  }
  svg.append("g").attr("class", "axis").attr("transform", `translate(0,${height - edge.bottom})`).call(d3.axisBottom(x).ticks(5).tickSizeOuter(0));
  svg.append("g").attr("class", "axis").attr("transform", `translate(${edge.left},0)`).call(d3.axisLeft(y).ticks(4, format).tickSizeOuter(0));
  axisTitle(svg, "sweep");
  const line = d3.line((p) => x(p[0]), (p) => y(p[1]));
  svg.selectAll(".line").data(series).join("path").attr("class", "line").attr("fill", "none").attr("d", line)
    .style("stroke", (_, i) => `var(--f${i % 8})`).style("stroke-width", 1.3);
  return svg.node();
}

/** What the axis at the bottom counts, below its right end. */
function axisTitle(svg, text) {
  const { width, height } = svg.property("size");
  svg.append("text").attr("x", width - 8).attr("y", height - 3).attr("text-anchor", "end").style("fill", "var(--soft)").text(text);
}

/** Says of one box [left, top, right, bottom] after the other whether it has room beside those that had it before. */
function roomy() {
  const taken = [];
  return (box) => {
    if (taken.some((b) => box[0] < b[2] && box[2] > b[0] && box[1] < b[3] && box[3] > b[1])) return false;
    taken.push(box);
    return true;
  };
}

/** Who is who among the colours. */
function legend() {
  const list = make("ul", { class: "legend" });
  data.families.forEach((name, f) => {
    const sign = make("span", { class: "badge" }, "ABCDEFGH"[f]);
    sign.style.setProperty("--family", `var(--f${f})`);
    list.append(make("li", {}, sign, own(name)));
  });
  return list;
}
