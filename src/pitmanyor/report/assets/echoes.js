// Hashtags by example, as topics/echoes.py has them: those of posts on this page that share words with a draft, and
// above all those of the same author.

const postIndex = once(() => {
  const found = new Map(); // word: [[post, count], ...]
  const tags = data.posts.posts.map(([text, marks], i) => {
    const tokens = [...tokensOf(marks)].map(({ start, end }) => text.slice(start, end).toLowerCase());
    for (const [word, many] of d3.rollup(tokens.filter((token) => token[0] !== "#"), (all) => all.length, (token) => token)) {
      if (!found.has(word)) found.set(word, []);
      found.get(word).push([i, many]);
    }
    return tokens.filter((token) => token[0] === "#").map((token) => token.slice(1));
  });
  const lengths = new Float64Array(tags.length);
  for (const posts of found.values()) for (const [i, many] of posts) lengths[i] += (Math.log1p(many) * rarity(posts)) ** 2;
  return { found, tags, lengths: lengths.map(Math.sqrt) };
});

const rarity = (posts) => Math.log(data.posts.posts.length / posts.length);

/** Distributions over hashtags, as maps: by the posts of all, and by those of an author; none if nothing is alike. */
function echoesOf(words, author) {
  const { found, tags, lengths } = postIndex(0);
  const cosine = new Float64Array(tags.length);
  let length = 0;
  for (const [word, many] of d3.rollup(words.filter((one) => found.has(one)), (all) => all.length, (one) => one)) {
    const posts = found.get(word);
    const weight = Math.log1p(many) * rarity(posts);
    length += weight ** 2;
    for (const [i, times] of posts) if (lengths[i]) cosine[i] += (weight * Math.log1p(times) * rarity(posts)) / lengths[i];
  }
  const near = cosine.map((c) => (length ? c / Math.sqrt(length) : 0));
  const [all, own, ever] = data.draft.echo;
  const name = author === null ? -1 : data.posts.names.indexOf(data.authors.names[author]);
  const ways = [(i) => near[i] ** all, (i) => (data.posts.authors?.[i] === name ? near[i] ** own + ever : 0)];
  return ways.slice(0, name < 0 ? 1 : 2).map((weight) => shared(tags, weight)).filter((one) => one.size);
}

/** The hashtags of all posts, each with the weight of its post, as a distribution. */
function shared(tags, weight) {
  const sums = new Map();
  tags.forEach((some, i) => {
    const w = some.length && weight(i);
    if (w) for (const tag of some) sums.set(tag, (sums.get(tag) ?? 0) + w);
  });
  const total = d3.sum(sums.values());
  return new Map([...sums].map(([tag, sum]) => [tag, sum / total]));
}
