// Topics on a map: near ones use the same words.

const CROWD = 30; // topics, above which the map is larger and only labels that cover no other circle are written
const COVERED = 0.2; // share of the map that circles cover at most

panel({
  id: "map",
  title: "Map of topics",
  wide: () => !data.network || data.network.nodes?.length > CROWDED, // no gap beside it, whether or not there is a graph
  hint: () => "Topics that are close use similar words; the area of a circle is the topic's share. Directions have no meaning.",
  has: () => data.topics.length > 2,
  draw(body) {
    const shown = d3.range(data.topics.length).filter((k) => !data.topics[k].small || data.topics[k].share > 0.0005);
    const svg = canvas(body, shown.length > CROWD ? 560 : 400, "Topics as circles; close ones use similar words");
    const { width, height } = svg.property("size");
    const largest = d3.max(shown, (k) => data.topics[k].share);
    // However many topics there are, circles cover only so much of the map, and room is left to tell them apart.
    const room = Math.sqrt((COVERED * width * height * largest) / (Math.PI * d3.sum(shown, (k) => data.topics[k].share)));
    const radius = d3.scaleSqrt([0, largest], [0, Math.min(44, width / 11, room)]);
    const frame = large().length > 2 ? large() : shown; // small topics around them do not shrink the map
    const scale = (axis, from, to) => d3.scaleLinear(d3.extent(frame, (k) => data.topics[k][axis]), [from, to]);
    const [x, y] = [scale("x", 60, width - 60), scale("y", height - 54, 54)];
    this.spots = shown.map((k) => ({ k, x: x(data.topics[k].x), y: y(data.topics[k].y), r: Math.max(2, radius(data.topics[k].share)) }));
    // Circles that lie upon each other are moved apart a little, so that each can be chosen.
    d3.forceSimulation(this.spots).force("x", d3.forceX((s) => x(data.topics[s.k].x)).strength(0.2))
      .force("y", d3.forceY((s) => y(data.topics[s.k].y)).strength(0.2)).force("apart", d3.forceCollide((s) => s.r + 1).iterations(4)).stop().tick(shown.length > CROWD ? 300 : 80);
    for (const s of this.spots) {
      s.x = Math.max(s.r, Math.min(width - s.r, s.x));
      s.y = Math.max(s.r, Math.min(height - s.r, s.y));
    }
    this.circles = svg.selectAll("circle").data(this.spots).join("circle").attr("data-topic", (s) => s.k)
      .attr("cx", (s) => s.x).attr("cy", (s) => s.y).attr("r", (s) => s.r).style("stroke", "var(--card)")
      .on("click", (_, s) => toggle(s.k));
    withTip(this.circles, (s) => `${letter(s.k)}: ${topicName(s.k)}, ${percent(data.topics[s.k].share)}`);
    this.labels = svg.append("g").selectAll("text").data(uncrowded(this.spots, width)).join("text").attr("class", "label")
      .attr("text-anchor", "middle").attr("x", (s) => s.lx).attr("y", (s) => s.y + 4).text((s) => s.text);
    body.append(svg.node(), legend());
  },
  update() {
    this.circles.style("fill", (s) => shade(s.k)).style("fill-opacity", (s) => (state.topic === s.k ? 1 : 0.75));
    this.labels.style("font-weight", (s) => (state.topic === s.k ? 700 : 400)).style("opacity", (s) => (isShown(s.k) ? 1 : 0.5));
  },
  table: () => [["topic", "label", "family", "share", "x", "y"], ...data.topics.map((t, k) => [t.id, t.label, letter(k), t.share, t.x, t.y])],
});

/** Labels that have room: the largest topics first, none upon another; in a crowd, none upon another circle either. */
function uncrowded(spots, width) {
  const fits = roomy();
  const hides = (s, [left, top, right, bottom]) => spots.length > CROWD &&
    spots.some((o) => o !== s && Math.hypot(o.x - Math.max(left, Math.min(right, o.x)), o.y - Math.max(top, Math.min(bottom, o.y))) < o.r);
  return d3.sort(spots.filter((s) => !data.topics[s.k].small), (s) => -s.r).filter((s) => {
    const within = Math.floor((2 * s.r) / 6.8); // letters that the circle itself has room for
    return [firstTag(s.k), within > 4 && short(firstTag(s.k), within)].some((text) => {
      if (!text) return false;
      const half = 3.4 * [...text].length;
      s.text = text;
      s.lx = Math.max(half, Math.min(width - half, s.x));
      const box = [s.lx - half, s.y - 7, s.lx + half, s.y + 7];
      return !hides(s, box) && fits(box);
    });
  });
}
