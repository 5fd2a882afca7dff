// A draft post: its topics, and hashtags for it. By itself the page knows the commonest words and its own posts; a live
// server knows all.

const TOKEN = /#?[\p{L}\p{N}_][\p{L}\p{M}\p{N}_']*/gu;
const PRIOR = 1.5; // how many words the author's (or everybody's) topics count for
const LEAST = 1e-3; // how much less than elsewhere, at least, a word is used by topics that it is not told to have

panel({
  id: "draft",
  title: "Hashtags for a draft",
  wide: true,
  hint: () => (data.draft.tags ? "Write a post: its topics, and the hashtags that go with them and with posts like it. " : "Write a post to see its topics. ")
    + (live ? "Topics are sampled by the fitted model." : "Computed in this page; nothing is sent anywhere."),
  draw(body) {
    this.text = make("textarea", { id: "draft-text", placeholder: "Write a draft…", "aria-label": "Draft", maxlength: 5000, dir: "auto" });
    this.out = make("div", { id: "draft-out", "aria-live": "polite" });
    this.author = make("select", { id: "draft-author", "aria-label": "Author" }, make("option", { value: "" }, "anybody"));
    (data.authors?.shares ?? []).forEach((_, a) => this.author.append(make("option", { value: a }, data.authors.names[a])));
    const by = data.authors ? make("label", { class: "choice" }, "written by ", this.author) : "";
    for (const one of [this.text, this.author]) one.addEventListener("input", () => this.later());
    body.append(this.text, by, this.out);
  },
  later() {
    this.out.setAttribute("aria-busy", "true");
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.recommend(), live ? 350 : 60);
  },
  async recommend() {
    this.changed = true;
    if (this.asking) return; // one question at a time: what is written meanwhile is asked next
    this.asking = true;
    let found;
    try {
      while (this.changed) {
        this.changed = false;
        found = await this.ask(this.text.value);
      }
    } finally {
      this.asking = false;
    }
    renew(this.out, ...(found ? draftResult(found, this.text) : []));
    this.out.setAttribute("aria-busy", "false");
  },
  update() {
    for (const chip of this.out?.querySelectorAll("button.chip") ?? []) chip.setAttribute("aria-pressed", String(Number(chip.dataset.topic) === state.topic));
  },
  async ask(text) {
    const author = this.author.value === "" ? null : Number(this.author.value);
    if (!text.trim()) return null;
    return live ? askServer(text, author) : inPage(text, author);
  },
});

/** Topics of a draft by a few steps of expectation and maximisation, and hashtags for it. */
function inPage(text, author) {
  const tokens = [...text.toLowerCase().matchAll(TOKEN)].map((m) => m[0]);
  const known = tokens.filter((token) => Object.hasOwn(data.draft.words, token));
  const prior = author === null ? data.topics.map((t) => t.share) : data.authors.shares[author].map((s) => Math.max(s / 1000, 1e-4));
  const rows = known.map((token) => lifts(data.draft.words[token], data.draft.base[token[0] === "#" ? "hashtag" : "word"] ?? data.draft.base.word ?? data.draft.base.hashtag));
  let theta = prior;
  for (let step = 0; step < 30; step++) {
    const next = prior.map((p) => PRIOR * p);
    for (const row of rows) {
      const weights = row.map((p, k) => p * theta[k]);
      const total = d3.sum(weights);
      weights.forEach((w, k) => (next[k] += w / total));
    }
    const total = d3.sum(next);
    theta = next.map((t) => t / total);
  }
  return { shares: theta, tags: tagsFor(theta, tokens, author), known: known.length, tokens: tokens.length };
}

/** Hashtags for a draft: the mean of what its topics say, what posts like it say, and what the author's own do. */
function tagsFor(theta, tokens, author) {
  if (!data.draft.tags) return [];
  const chances = data.draft.tags.map((tag, t) => [tag, d3.sum(theta, (share, k) => share * data.draft.chances[k][t])]);
  const total = d3.sum(chances, (one) => one[1]) || 1;
  const parts = [new Map(chances.map(([tag, chance]) => [tag, chance / total]))];
  if (data.posts) parts.push(...echoesOf(tokens.filter((token) => token[0] !== "#"), author));
  const named = new Set(parts.flatMap((part) => [...part.keys()]));
  const scored = [...named].map((tag) => ({ tag, score: d3.mean(parts, (part) => part.get(tag) ?? 0) }));
  return d3.sort(scored, (one) => -one.score);
}

/** p(word | topic) / p(word) for every topic. Topics that are not told share what the others leave. */
function lifts(told, base) {
  const given = new Map(d3.range(0, told.length, 2).map((i) => [told[i], told[i + 1] / 1000]));
  const left = 1 - d3.sum(given.values());
  const rest = Math.max(LEAST, left / (1 - d3.sum(given.keys(), (k) => base[k]) || 1));
  return base.map((p, k) => (given.has(k) ? given.get(k) / p : Math.min(1, rest)));
}

async function askServer(text, author) {
  const silent = { error: "The server does not answer. Is it still running?" };
  try {
    const body = JSON.stringify({ text, author });
    const answer = await fetch("infer", { method: "POST", headers: { "Content-Type": "application/json" }, body });
    const said = await answer.json();
    return answer.ok ? said : { error: said.error ?? silent.error };
  } catch {
    return silent;
  }
}

function draftResult({ error, shares, tags, known, tokens }, box) {
  if (error) return [make("p", { class: "soft" }, error)];
  const used = new Set(box.value.toLowerCase().match(TOKEN) ?? []);
  const out = [make("p", { class: "soft" }, `${known} of ${plural(tokens, "word")} known here.`)];
  const best = d3.sort(d3.range(shares.length), (k) => -shares[k]).filter((k) => shares[k] >= 0.05).slice(0, 4);
  out.push(make("ul", { class: "chips", id: "draft-topics" }, ...best.map((k) => {
    const chip = make("button", { class: "chip", "data-topic": k, "aria-pressed": String(state.topic === k), onclick: () => toggle(k) },
      badge(k), " ", own(topicName(k)), make("span", { class: "number" }, percent(shares[k])));
    return make("li", { "data-topic": k }, chip);
  })));
  const fresh = tags.filter(({ tag }) => !used.has(`#${tag}`)).slice(0, 8);
  if (fresh.length) {
    out.push(make("div", { class: "choice", id: "draft-tags" }, "Add:", ...fresh.map(({ tag }) => make("button", { class: "tag-button", onclick: () => {
      box.value = `${box.value.trimEnd()} #${tag}`;
      box.dispatchEvent(new Event("input"));
    } }, own(`#${tag}`)))));
  }
  return out;
}
