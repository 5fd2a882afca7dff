// Who follows whom. Authors are coloured by their largest topic; a chosen topic shows in whom it is.

const shareOf = (a, k) => (data.authors.shares[a]?.[k] ?? 0) / 1000;
const mainTopic = (a) => d3.maxIndex(data.authors.shares[a]);

panel({
  id: "network",
  title: "Who follows whom",
  has: () => Boolean(data.network),
  hint() {
    const { nodes, n_authors, n_links, n_drawn } = data.network;
    const who = nodes.length < n_authors ? `The ${count(nodes.length)} of ${count(n_authors)} linked authors with most links` : plural(nodes.length, "author");
    const some = n_drawn < n_links ? ` ${count(n_drawn)} of ${count(n_links)} links are drawn.` : "";
    return state.topic === null
      ? `${who}, coloured by their largest topic. Near ones follow each other. Drag to move; Ctrl and wheel, or two fingers, to zoom.${some}`
      : `Authors with the topic stand out: the more of it, the larger. Links between them stand out.${some}`;
  },
  draw(body) {
    const svg = canvas(body, 430, "Authors and the links between them");
    const { width, height } = svg.property("size");
    const [x, y] = [d3.scaleLinear([-1, 1], [14, width - 14]), d3.scaleLinear([-1, 1], [14, height - 14])];
    this.nodes = data.network.nodes.map(([a, u, v]) => ({ a, x: x(u), y: y(v), main: mainTopic(a) }));
    const world = svg.append("g");
    this.links = world.append("g").selectAll("line").data(data.network.links).join("line")
      .attr("x1", (l) => this.nodes[l[0]].x).attr("y1", (l) => this.nodes[l[0]].y)
      .attr("x2", (l) => this.nodes[l[1]].x).attr("y2", (l) => this.nodes[l[1]].y);
    this.dots = world.append("g").selectAll("circle").data(this.nodes).join("circle").attr("data-author", (n) => n.a)
      .attr("cx", (n) => n.x).attr("cy", (n) => n.y).style("stroke", "var(--card)")
      .on("click", (_, n) => choose({ q: state.q === data.authors.names[n.a] ? "" : data.authors.names[n.a] }));
    withTip(this.dots, (n) => `${data.authors.names[n.a]}: ${plural(data.authors.posts[n.a], "post")}, mostly ${topicName(n.main)}`
      + (state.topic === null ? "" : `; ${percent(shareOf(n.a, state.topic))} ${topicName(state.topic)}`));
    this.names = world.append("g").selectAll("text").data(this.nodes).join("text").attr("class", "label")
      .attr("x", (n) => n.x + 7).attr("y", (n) => n.y + 3).text((n) => short(data.authors.names[n.a], 16));
    // A wheel or one finger belongs to the page, which scrolls; with Ctrl, or two fingers, to the graph.
    const ours = (event) => (event.type === "wheel" ? event.ctrlKey : event.touches ? event.touches.length > 1 : !event.button);
    const zoom = d3.zoom().scaleExtent([1, 8]).filter(ours).on("zoom", ({ transform }) => world.attr("transform", transform));
    svg.call(zoom).style("touch-action", "pan-y");
    const by = (factor) => () => (factor ? svg.call(zoom.scaleBy, factor) : svg.call(zoom.transform, d3.zoomIdentity));
    this.legend = legend();
    const button = (label, factor) => make("button", { class: "quiet", onclick: by(factor) }, label);
    body.append(svg.node(), make("div", { class: "choice" }, button("Closer", 1.6), button("Farther", 1 / 1.6), button("Whole graph", 0)), this.legend);
  },
  update() {
    this.line.textContent = this.hint();
    const k = state.topic;
    this.legend.hidden = k !== null;
    const q = state.q.toLowerCase();
    const strength = (n) => (k === null ? 1 : shareOf(n.a, k));
    const least = k === null ? 0 : Math.min(0.15, 2 * data.topics[k].share); // of many topics none is large in anybody
    const inIt = (n) => strength(n) >= least && (!q || k !== null || !this.searched.size || this.searched.has(n.a));
    this.searched = new Set(q ? this.nodes.filter((n) => data.authors.names[n.a].toLowerCase().includes(q)).map((n) => n.a) : []);
    this.dots.classed("in", inIt)
      .attr("r", (n) => (k === null ? 3 + Math.min(4, Math.sqrt(data.authors.posts[n.a]) / 2.5) : inIt(n) ? 3 + 8 * Math.sqrt(strength(n)) : 3))
      .style("fill", (n) => (inIt(n) ? (k === null ? colour(n.main) : colour(k)) : "var(--grey)"))
      .style("opacity", (n) => (inIt(n) ? 1 : 0.55));
    const bold = ([i, j]) => k !== null && inIt(this.nodes[i]) && inIt(this.nodes[j]);
    this.links.style("stroke", (l) => (bold(l) ? "var(--soft)" : "var(--grey)")).style("stroke-width", 0.7)
      .style("opacity", (l) => (bold(l) ? 0.7 : Math.min(0.5, 250 / data.network.links.length)));
    const fits = roomy();
    const asked = (n) => this.searched.has(n.a) || (k !== null && strength(n) >= 0.5) || (k === null && !q && this.nodes.length <= 40);
    const named = (n) => asked(n) && fits([n.x, n.y - 6, n.x + 12 + 6.5 * data.authors.names[n.a].length, n.y + 6]);
    this.names.attr("x", (n) => n.x + (k === null ? 7 : 5 + 8 * Math.sqrt(strength(n)))).style("display", (n) => (named(n) ? null : "none"));
  },
  table() {
    const rows = [["from", "to", "largest_topic_of_from", "largest_topic_of_to"]];
    for (const [i, j] of data.network.links) rows.push([...[i, j].map((n) => data.authors.names[this.nodes[n].a]), ...[i, j].map((n) => topicName(this.nodes[n].main))]);
    return rows;
  },
});
