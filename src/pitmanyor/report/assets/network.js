// Who follows whom. Of all links only the backbone is drawn (topics/network_backbone.py). Those of one author show while the
// pointer or the keyboard is on them, and when they are searched for.

const shareOf = (a, k) => (data.authors.shares[a]?.[k] ?? 0) / 1000;
const mainTopic = (a) => d3.maxIndex(data.authors.shares[a]);
const CROWDED = 60; // authors, above which the graph has the width of the page
const MOST_NAMES = 45;
const follows = () => /^follow/i.test(data.network.name);

/** What sets an author apart: the family of topics, and its topic, that they have most of beyond others: p log(p / q). */
function ownTopic(a, all = d3.range(data.topics.length)) {
  const beyond = (part) => {
    const [p, q] = [d3.sum(part, (k) => shareOf(a, k)), d3.sum(part, (k) => data.topics[k].share)];
    return p * Math.log((p + 1e-6) / Math.max(q, 1e-4));
  };
  const family = d3.greatest(d3.group(all, (k) => data.topics[k].family).values(), beyond);
  return d3.greatest(family, (k) => beyond([k]));
}

panel({
  id: "network",
  title: () => (follows() ? "Who follows whom" : `Links: ${data.network.name}`),
  has: () => Boolean(data.network),
  wide: () => data.network.nodes?.length > CROWDED,
  hint() {
    const { nodes, n_authors, n_links } = data.network;
    const who = nodes.length < n_authors ? `The ${count(nodes.length)} of ${count(n_authors)} linked authors with most links` : plural(nodes.length, "author");
    const lines = `Lines join authors with the same neighbours: ${count(data.network.backbone.length)} pairs stand for ${plural(n_links, "link")}.`;
    return state.topic === null
      ? `${who}, larger with more ${follows() ? "followers" : "links to them"}, coloured by the family of topics that sets them apart. ${lines} Point at an author to see all links of theirs${data.network.near ? "; choose one to see who is near them, and why" : ""}. Drag to move; Ctrl and wheel, or two fingers, to zoom.`
      : `Authors with the topic stand out: the more of it, the larger. Lines between them stand out.`;
  },
  draw(body) {
    const { nodes, links, backbone, of, to } = data.network;
    const svg = canvas(body, nodes.length > CROWDED ? 680 : 430, "Authors and the links between them");
    const { width, height } = (this.size = svg.property("size"));
    const [x, y] = [d3.scaleLinear([-1, 1], [34, width - 34]), d3.scaleLinear([-1, 1], [24, height - 24])];
    const room = Math.sqrt((width * height) / nodes.length); // between two authors, if they were spread evenly
    [this.least, this.most] = [Math.max(1.8, Math.min(4, 0.06 * room)), Math.max(8, Math.min(13, 0.18 * room))];
    const radius = d3.scaleSqrt([0, d3.max(of) || 1], [this.least, this.most]);
    this.nodes = nodes.map(([a, u, v], i) => ({ a, i, x: x(u), y: y(v), r: radius(of[i]), main: ownTopic(a), to: [], of: [] }));
    for (const [i, j] of links) this.nodes[i].to.push(this.nodes[j]) && this.nodes[j].of.push(this.nodes[i]);
    this.pairs = backbone.map(([i, j]) => [this.nodes[i], this.nodes[j]]);
    apart(this.nodes, width, height);
    this.k = 1;
    const world = svg.append("g").style("--faint", Math.max(0.24, Math.min(0.55, 16 / Math.sqrt(backbone.length))));
    const lines = world.append("g").attr("fill", "none");
    this.faint = lines.selectAll("path").data(d3.groups(this.pairs, sameFamily)).join("path").attr("class", "layer")
      .attr("d", ([, pairs]) => between(pairs)).style("stroke", ([k]) => (k === "" ? "var(--soft)" : `var(--f${k})`));
    [this.bold, this.back, this.out] = ["bold", "back", "out"].map((name) => lines.append("path").attr("class", `links ${name}`));
    this.dots = world.append("g").selectAll("circle").data(d3.sort(this.nodes, (n) => -n.r)).join("circle").attr("data-author", (n) => n.a)
      .attr("cx", (n) => n.x).attr("cy", (n) => n.y).style("stroke", "var(--card)")
      .on("click", (_, n) => choose({ q: state.q === data.authors.names[n.a] ? "" : data.authors.names[n.a] }));
    const name = (n) => data.authors.names[n.a];
    withTip(this.dots, (n) => `${name(n)}: ${follows() ? `${plural(of[n.i], "follower")}, follows ${count(to[n.i])}` : `${plural(to[n.i], "link")} to others, ${count(of[n.i])} from others`}; ${plural(data.authors.posts[n.a], "post")}, above others in ${topicName(n.main)}`
      + (state.topic === null ? "" : `; ${percent(shareOf(n.a, state.topic))} ${topicName(state.topic)}`));
    const over = (node) => () => this.point(node);
    this.dots.on("pointerenter.links focus.links", (_, n) => this.point(n)).on("pointerleave.links blur.links", over(null));
    this.names = world.append("g");
    this.world = world;
    // A wheel or one finger belongs to the page, which scrolls; with Ctrl, or two fingers, to the graph.
    const ours = (event) => (event.type === "wheel" ? event.ctrlKey : event.touches ? event.touches.length > 1 : !event.button);
    const zoom = d3.zoom().scaleExtent([1, 12]).filter(ours).on("zoom", ({ transform }) => this.move(transform));
    svg.call(zoom).style("touch-action", "pan-y");
    const by = (factor) => () => (factor ? svg.call(zoom.scaleBy, factor) : svg.call(zoom.transform, d3.zoomIdentity));
    this.legend = legend();
    const button = (label, factor) => make("button", { class: "quiet", onclick: by(factor) }, label);
    this.near = make("div", { class: "why", "aria-live": "polite" });
    body.append(svg.node(), make("div", { class: "choice" }, button("Closer", 1.6), button("Farther", 1 / 1.6), button("Whole graph", 0)), this.legend, this.near);
  },
  /** Closer up, authors and lines grow less than their distances, and there is room for more names. */
  move(transform) {
    this.world.attr("transform", transform);
    this.view = transform;
    if (transform.k === this.k) return clearTimeout(this.later) || (this.later = setTimeout(() => this.label(), 60));
    this.k = transform.k;
    this.resize();
    this.label();
  },
  update() {
    this.line.textContent = this.hint();
    const k = state.topic;
    this.legend.hidden = k !== null;
    const q = state.q.toLowerCase();
    const strength = (n) => (k === null ? 1 : shareOf(n.a, k));
    const least = k === null ? 0 : Math.min(0.15, 2 * data.topics[k].share); // of many topics none is large in anybody
    const called = (test) => (q ? this.nodes.filter((n) => test(data.authors.names[n.a].toLowerCase())) : []);
    const [whole, part] = [called((name) => name === q), called((name) => name.includes(q))];
    this.searched = new Set(whole.length ? whole : part);
    const asked = new Set([...this.searched].flatMap((n) => (this.searched.size === 1 ? [n, ...n.to, ...n.of] : [n])));
    const inIt = (n) => strength(n) >= least && (k !== null || !asked.size || asked.has(n));
    for (const n of this.nodes) [n.strength, n.in] = [strength(n), inIt(n)];
    this.dots.classed("in", (n) => n.in).style("fill", (n) => (n.in ? (k === null ? colour(n.main) : colour(k)) : "var(--grey)"));
    this.bold.attr("d", k === null ? null : between(this.pairs.filter(([a, b]) => a.in && b.in)));
    this.world.classed("dim", k !== null);
    this.resize();
    this.point(null);
    renew(this.near, ...(this.one ? whyNear(this.one) : []));
  },
  resize() {
    const size = (n) => (state.topic === null ? n.r : n.in ? Math.max(n.r, this.least + 0.6 * (this.most - this.least) * Math.sqrt(n.strength)) : Math.min(n.r, 3));
    this.dots.attr("r", (n) => (n.now = size(n) / Math.sqrt(this.k))).style("stroke-width", 0.8 / this.k);
    this.world.style("--line", 1 / this.k);
  },
  /** Show all links of one author: of the one pointed at, or else of the only one that is searched for. */
  point(node) {
    const one = (this.one = node ?? (this.searched.size === 1 ? [...this.searched][0] : null));
    this.world.classed("one", one !== null);
    const to = new Set(one?.to);
    this.out.attr("d", one && between(one.to.map((n) => [one, n])));
    this.back.attr("d", one && between(one.of.filter((n) => !to.has(n)).map((n) => [one, n])));
    const near = new Set(one ? [one, ...one.to, ...one.of] : []);
    this.dots.classed("near", (n) => near.has(n));
    this.label();
  },
  /** Names that have room: of those asked for, then of those with most followers. */
  label() {
    const { k, one } = this;
    const [left, top] = this.view ? this.view.invert([0, 0]) : [0, 0];
    const seen = (n) => n.x >= left && n.y >= top && n.x <= left + this.size.width / k && n.y <= top + this.size.height / k;
    const rank = (n) => (n === one ? 3e9 : this.searched.has(n) ? 2e9 : 0) + (state.topic === null ? n.r : n.in ? n.strength : -1);
    const about = (n) => (one ? n === one || one.to.includes(n) || one.of.includes(n) : state.topic === null || n.in);
    const wanted = d3.sort(this.nodes.filter((n) => seen(n) && (about(n) || this.searched.has(n))), (a, b) => rank(b) - rank(a));
    const fits = roomy();
    const covers = covered(wanted.slice(0, 150), k);
    const put = (n) => {
      const text = short(data.authors.names[n.a], 18);
      const [wide, gap] = [6.4 * [...text].length + 4, n.now * k + 3];
      for (const [anchor, from] of [["start", n.x * k + gap], ["end", n.x * k - gap - wide]]) {
        const box = [from, n.y * k - 6, from + wide, n.y * k + 6];
        const inside = from >= left * k && from + wide <= left * k + this.size.width;
        if (inside && (n === one || !covers(n, box)) && fits(box)) return { n, text, anchor, x: n.x + (anchor === "start" ? gap : -gap) / k };
      }
      return null;
    };
    const said = [];
    for (const n of wanted) {
      const label = put(n);
      if (label) said.push(label);
      if (said.length >= MOST_NAMES) break;
    }
    this.names.selectAll("text").data(said).join("text").attr("class", "label").attr("text-anchor", (l) => l.anchor)
      .attr("transform", (l) => `translate(${l.x},${l.n.y + 3.5 / k}) scale(${1 / k})`).text((l) => l.text)
      .style("font-weight", (l) => (l.n === one ? 700 : 400));
  },
  table() {
    const rows = [["from", "to", "own_topic_of_from", "own_topic_of_to"]];
    for (const [i, j] of data.network.links) rows.push([...[i, j].map((n) => data.authors.names[this.nodes[n].a]), ...[i, j].map((n) => topicName(this.nodes[n].main))]);
    return rows;
  },
});

/** Authors that lie upon each other are moved apart a little, so that each can be chosen. */
function apart(nodes, width, height) {
  const here = nodes.map(({ x, y }) => [x, y]);
  d3.forceSimulation(nodes).force("x", d3.forceX((_, i) => here[i][0]).strength(0.15)).force("y", d3.forceY((_, i) => here[i][1]).strength(0.15))
    .force("apart", d3.forceCollide((n) => n.r + 0.8).iterations(2)).stop().tick(40);
  for (const n of nodes) {
    n.x = Math.max(n.r + 2, Math.min(width - n.r - 2, n.x));
    n.y = Math.max(n.r + 2, Math.min(height - n.r - 2, n.y));
  }
}

const sameFamily = ([a, b]) => (data.topics[a.main].family === data.topics[b.main].family ? data.topics[a.main].family : "");

/** One path of straight lines between pairs of authors. */
const between = (pairs) => pairs.map(([a, b]) => `M${a.x.toFixed(1)},${a.y.toFixed(1)}L${b.x.toFixed(1)},${b.y.toFixed(1)}`).join("");

/** Whether a box covers one of these authors, other than its own. */
function covered(nodes, k) {
  return (own, [left, top, right, bottom]) => nodes.some((n) => n !== own &&
    Math.hypot(n.x * k - Math.max(left, Math.min(right, n.x * k)), n.y * k - Math.max(top, Math.min(bottom, n.y * k))) < 0.7 * n.now * k);
}

const REASONS = { words: "words", links: "links", popularity: "popularity", answer: "link back" };

/** Whom one author follows and might follow, the likeliest first, each with what brings them near. */
function whyNear(node) {
  const { near, nodes } = data.network;
  const rows = near?.of[node.i];
  if (!rows) return [];
  const name = (i) => data.authors.names[nodes[i][0]];
  const line = ([to, , chance, ...parts]) => {
    const found = near.parts.map((part, p) => [part, parts[p] / 10]).filter(([, size]) => Math.abs(size) >= 0.1);
    const main = d3.greatest(found.filter(([, size]) => size > 0), ([, size]) => size)?.[0];
    const said = d3.sort(found, ([, size]) => -size).map(([part, size]) =>
      make(part === main ? "b" : "span", {}, `${REASONS[part]} ${size > 0 ? "+" : "−"}${Math.abs(size).toFixed(1)}`));
    return make("li", {}, make("button", { class: "chip", onclick: () => choose({ q: name(to) }) }, own(name(to))), ` ${percent(chance / 1000)} `, ...said.flatMap((one) => [one, " "]));
  };
  const list = (title, kind) => {
    const some = rows.filter((row) => row[1] === kind);
    return some.length ? make("div", {}, make("h3", {}, title), make("ul", {}, ...some.map(line))) : null;
  };
  const why = "Probability of the link; then what words, links beyond words, popularity and a link back add to its log-odds, compared with the average pair.";
  return [make("div", { class: "columns" }, ...[list(follows() ? `${name(node.i)} follows` : `Linked from ${name(node.i)}`, 1), list("Suggested", 0)].filter(Boolean)), make("p", { class: "soft" }, why)];
}
