// The posts behind a topic, each word in the colour of its topic's family.

const STEP = 12;

panel({
  id: "posts",
  title: "Posts",
  wide: true,
  has: () => Boolean(data.posts?.posts.length),
  hint() {
    const { posts, of, said } = data.posts;
    const some = posts.length < of ? ` This page holds ${count(posts.length)} of the ${count(of)} posts.` : "";
    const what = state.topic === null ? "The most typical posts of each topic in turn." : "The most typical posts of the topic come first.";
    return `${what} Words are underlined in the colour of their topic's family. ${said}${some}`;
  },
  draw(body) {
    this.list = make("ol", { class: "posts" });
    this.more = make("button", { class: "quiet", onclick: () => this.fill() }, "More posts");
    this.said = make("p", { class: "soft", id: "posts-said" });
    body.append(this.said, this.list, this.more);
  },
  update() {
    this.line.textContent = this.hint();
    this.found = findPosts();
    this.list.replaceChildren();
    const filters = [state.topic !== null && topicName(state.topic), state.q && `“${state.q}”`].filter(Boolean);
    this.said.replaceChildren(`${plural(this.found.length, "post")}`, filters.length ? make("span", {}, " with ", own(filters.join(" and "))) : "");
    this.fill();
  },
  fill() {
    const from = this.list.children.length;
    this.list.append(...this.found.slice(from, from + STEP).map(postItem));
    this.more.hidden = this.list.children.length >= this.found.length;
  },
  table() {
    const rows = [["author", "time", "text", "topics"]];
    for (const i of this.found) rows.push([author(i), when(i), data.posts.posts[i][0], [...topicsOf(i)].map(topicName).join("; ")]);
    return rows;
  },
});

const author = (i) => (data.posts.authors ? data.posts.names[data.posts.authors[i]] : null);
const when = (i) => (data.posts.minutes?.[i] != null ? day(data.posts.minutes[i]) : null);
const once = (make) => {
  const kept = new Map();
  return (i) => kept.get(i) ?? kept.set(i, make(i)).get(i);
};
const topicsOf = once((i) => new Set(data.posts.posts[i][1].filter((_, place) => place % 3 === 2)));
const searched = once((i) => `${data.posts.posts[i][0]}\n${author(i) ?? ""}`.toLowerCase());

/** Posts that have the chosen topic and the searched text; those that show a topic best come first. */
function findPosts() {
  const { posts, best } = data.posts;
  const first = state.topic !== null ? best[state.topic] : inTurn(large().map((k) => best[k]));
  const order = new Set([...first, ...d3.range(posts.length)]);
  const q = state.q.toLowerCase();
  return [...order].filter((i) => {
    if (state.topic !== null && !topicsOf(i).has(state.topic)) return false;
    return !q || searched(i).includes(q);
  });
}

const inTurn = (lists) => d3.range(d3.max(lists, (list) => list.length) ?? 0).flatMap((i) => lists.flatMap((list) => (i < list.length ? [list[i]] : [])));

/** The tokens of a post: where each begins and ends, and its topic. */
function* tokensOf(marks) {
  let at = 0;
  for (let m = 0; m < marks.length; m += 3) {
    const start = at + marks[m]; // from the end of the word before
    at = start + marks[m + 1];
    yield { start, end: at, topic: marks[m + 2] };
  }
}

function postItem(i) {
  const [text, marks] = data.posts.posts[i];
  const line = make("p", { dir: "auto" });
  let at = 0;
  for (const { start, end, topic } of tokensOf(marks)) {
    const word = make("mark", { title: `${letter(topic)}: ${topicName(topic)}` }, text.slice(start, end));
    word.style.setProperty("--family", colour(topic));
    if (state.topic !== null) word.className = state.topic === topic ? "chosen" : "other";
    line.append(text.slice(at, start), word);
    at = end;
  }
  line.append(text.slice(at));
  const by = make("div", { class: "by" }, author(i) && own(author(i)), when(i) && make("span", {}, when(i)));
  return make("li", {}, by, line);
}
