"""How good suggestions are: hashtags for held-out posts, and held-out links, of the US Congress on Twitter.

Run `python -m benchmarks.recommend --keep RUNS`. The data are posts with a hashtag by the core of 150 authors of
congress_follow, drawn and split anew for every seed. docs/results/recommendations.md has the figures and says how to
read them.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Hashable
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from benchmarks.corpora import DATA
from pitmanyor import Corpus, Graph, fit, load, mix, models, uniform
from pitmanyor.corpus import LinkSet
from pitmanyor.network.auc import auc
from pitmanyor.results.fitting import Fit
from pitmanyor.topics import recommend_authors, tag_probabilities
from pitmanyor.topics.tags import From

AT = (1, 3, 5)
NEIGHBOURS = 50
Floats = NDArray[np.float64]
Scores = Callable[[Hashable], dict[Hashable, float]]
Rows = dict[str, list[float]]


def congress(home: Path, n_posts: int, min_df: int, seed: int) -> Corpus:
    """Posts with a hashtag by the 150 authors of the core, a random choice of so many, and who follows whom."""
    import pyarrow.parquet as pq  # in the `bench` extra only

    authors = pq.read_table(home / "authors.parquet", columns=["author", "core150"]).to_pydict()
    core = {who for who, inside in zip(authors["author"], authors["core150"], strict=True) if inside}
    table = pq.read_table(home / "documents.parquet", columns=["tokens", "hashtags", "author"]).to_pydict()
    posts = [d for d, who in enumerate(table["author"]) if who in core and table["hashtags"][d]]
    chosen = np.sort(np.random.default_rng(seed).permutation(posts)[:n_posts])
    seen: dict[str, int] = {}
    for d in chosen:
        for token in {*table["tokens"][d], *table["hashtags"][d]}:
            seen[token] = seen.get(token, 0) + 1
    streams = {
        name: [[token for token in table[column][d] if seen[token] >= min_df] for d in chosen]
        for name, column in (("word", "tokens"), ("hashtag", "hashtags"))
    }
    kept = [d for d in range(len(chosen)) if streams["word"][d] and streams["hashtag"][d]]
    corpus = Corpus.from_tokens(
        {name: [documents[d] for d in kept] for name, documents in streams.items()},
        groups={"author": [table["author"][chosen[d]] for d in kept]},
    )
    edges = pq.read_table(home / "edges.parquet", columns=["src", "dst"]).to_pydict()
    here = set(corpus.groups["author"].labels)
    pairs = [(a, b) for a, b in zip(edges["src"], edges["dst"], strict=True) if a in here and b in here]
    return replace(corpus, links=MappingProxyType({"follows": LinkSet.from_pairs(pairs)}))


# Hashtags


def own_tags() -> Graph:
    """The text of the TNTM, where hashtags have a vocabulary of their own and authors favourites in every topic."""
    g = Graph()
    mu0 = g.gem("mu0")
    mu1 = g.pyp("mu1", base=mu0)
    nu = g.pyp("nu", base=mu0, plate="author")
    eta = g.pyp("eta", base=nu, plate="document")
    theta_tag = g.pyp("theta_tag", base=mix(mu1, eta), plate="document")
    theta = g.pyp("theta", base=mix(eta, theta_tag), plate="document")
    psi = g.pyp("psi", base=g.pyp("gamma", base=uniform("vocabulary")), plate="topic")
    psi_tag = g.pyp("psi_tag", base=g.pyp("gamma_tag", base=uniform("hashtag")), plate="topic")
    psi_own = g.pyp("psi_own", base=psi_tag, plate=("author", "topic"))
    g.tokens("hashtag", topic=theta_tag, emit=psi_own)
    g.tokens("word", topic=theta, emit=psi)
    return g


def without_tags(corpus: Corpus) -> Corpus:
    """The words and authors of posts, as drafts that have no hashtag yet."""
    return replace(corpus, streams=MappingProxyType({"word": corpus.streams["word"]}))


def matrix(corpus: Corpus, stream: str):
    """Counts of a stream, a row per document."""
    from scipy.sparse import csr_matrix

    tokens = corpus.streams[stream]
    shape = corpus.n_documents, len(corpus.vocabulary)
    return csr_matrix((np.ones(len(tokens.words)), tokens.words.copy(), tokens.offsets.copy()), shape=shape)


def tf_idf(train: Corpus, corpus: Corpus):
    """Rows of unit length: log(1 + count) times log(documents / documents that have the word)."""
    from scipy.sparse import diags

    found = np.asarray((matrix(train, "word") > 0).sum(axis=0)).ravel()
    rows = matrix(corpus, "word")
    rows.sum_duplicates()
    rows.data = np.log1p(rows.data)
    rows = rows @ diags(np.log(train.n_documents / np.maximum(found, 1)))
    norm = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel())
    return diags(1.0 / np.maximum(norm, 1e-12)) @ rows


def neighbours_tags(train: Corpus, test: Corpus) -> Floats:
    """Tags of the 50 nearest training posts by TF-IDF, each counted with its cosine."""
    from scipy.sparse import csr_matrix

    ours, theirs, tags = tf_idf(train, test).tocsr(), tf_idf(train, train).T.tocsc(), matrix(train, "hashtag")
    out = np.zeros((test.n_documents, len(train.vocabulary)))
    for start in range(0, test.n_documents, 500):
        near = (ours[start : start + 500] @ theirs).toarray()
        few = np.argpartition(-near, NEIGHBOURS, axis=1)[:, :NEIGHBOURS]
        weights = np.take_along_axis(near, few, axis=1)
        offsets = np.arange(len(near) + 1) * NEIGHBOURS
        picked = csr_matrix((weights.ravel(), few.ravel(), offsets), shape=near.shape)
        out[start : start + 500] = (picked @ tags).toarray()
    return out


def frequent_tags(train: Corpus, test: Corpus, by_author: bool) -> Floats:
    """How often every tag was used in training, by all or by the author of the post (ties go to all)."""
    everyone = np.bincount(train.streams["hashtag"].words, minlength=len(train.vocabulary)).astype(float)
    out = np.repeat(everyone[None] / everyone.sum(), test.n_documents, axis=0)
    if by_author:
        tags, author = train.streams["hashtag"], train.groups["author"].codes
        table = np.zeros((len(train.groups["author"].labels), len(train.vocabulary)))
        np.add.at(table, (author[tags.documents], tags.words), 1.0)
        out += table[test.groups["author"].codes]
    return out


def halves(one: Floats, other: Floats) -> Floats:
    """The mean of two, each scaled to sum to one for every post."""
    return sum(table / np.maximum(table.sum(axis=1, keepdims=True), 1e-12) / 2 for table in (one, other))


def our_tags(result: Fit, test: Corpus, by: From, seed: int) -> Floats:
    tags, probability = tag_probabilities(result, without_tags(test), by=by, seed=seed)
    place = {word: i for i, word in enumerate(test.vocabulary)}
    out = np.zeros((test.n_documents, len(test.vocabulary)))
    out[:, [place[tag] for tag in tags]] = probability
    return out


def both(model: Floats, posts: Floats) -> Floats:
    """What by="both" gives for posts of known authors, without inferring their topics once more."""
    return (model / model.sum(axis=1, keepdims=True) + 2 * posts) / 3


def tag_figures(scores: Floats, test: Corpus) -> list[float]:
    """Precision and recall at 1, 3 and 5, means over posts."""
    best = np.argsort(-scores, axis=1, kind="stable")[:, : max(AT)]
    tags = test.streams["hashtag"]
    truth = [set(tags.words[tags.offsets[d] : tags.offsets[d + 1]].tolist()) for d in range(test.n_documents)]
    hits = np.array([[word in own for word in row] for own, row in zip(truth, best.tolist(), strict=True)])
    sizes = np.array([len(own) for own in truth])
    precision = [float(hits[:, :n].mean()) for n in AT]
    recall = [float((hits[:, :n].sum(axis=1) / sizes).mean()) for n in AT]
    return precision + recall


# Links


def authors_of(corpus: Corpus) -> list[Hashable]:
    """Those who have posts."""
    group = corpus.groups["author"]
    return [group.labels[code] for code in np.unique(group.codes)]


def link_figures(scores: Scores, train: Corpus, pairs: dict[tuple[Hashable, Hashable], bool]) -> list[float]:
    """Precision and recall at 5 and 10 among all whom an author is not known to follow, and AUC of hidden pairs."""
    known = set(train.links["follows"].pairs)
    authors = authors_of(train)
    precision, recall, all_scores, all_linked = {5: [], 10: []}, {5: [], 10: []}, [], []
    for who in authors:
        score = scores(who)
        truth = {b for (a, b), linked in pairs.items() if a == who and linked}
        candidates = [b for b in authors if b != who and (who, b) not in known]
        order = sorted(candidates, key=lambda b: -score[b])
        for b in candidates:
            if (who, b) in pairs:
                all_scores.append(score[b])
                all_linked.append(pairs[who, b])
        for n in (5, 10):
            if truth:
                hits = len(truth & set(order[:n]))
                precision[n].append(hits / n)
                recall[n].append(hits / len(truth))
    cells = [precision[5], precision[10], recall[5], recall[10]]
    return [*(float(np.mean(cell)) for cell in cells), auc(all_scores, all_linked)]


def link_rules(train: Corpus, alone: Fit, joint: Fit) -> dict[str, Scores]:
    authors = authors_of(train)
    place = {label: i for i, label in enumerate(authors)}
    follows = np.zeros((len(authors), len(authors)))
    for a, b in train.links["follows"].pairs:
        if a in place and b in place:
            follows[place[a], place[b]] = 1.0
    codes = np.unique(train.groups["author"].codes, return_inverse=True)[1]
    tokens = matrix(train, "word").toarray(), matrix(train, "hashtag").toarray()
    by_author = [np.zeros((len(authors), len(train.vocabulary))) for _ in tokens]
    for table, rows in zip(by_author, tokens, strict=True):
        np.add.at(table, codes, rows)

    def row(table: Floats) -> Scores:
        return lambda who: dict(zip(authors, table[place[who]].tolist(), strict=True))

    def cosine(table: Floats) -> Floats:
        table = np.log1p(table) * np.log(len(authors) / np.maximum((table > 0).sum(axis=0), 1))
        unit = table / np.maximum(np.linalg.norm(table, axis=1, keepdims=True), 1e-12)
        return unit @ unit.T

    def suggested(one: Fit) -> Scores:
        return lambda who: {near.label: near.score for near in recommend_authors(one, who, n=len(authors))}

    return {
        "most followed": row(np.repeat(follows.sum(axis=0)[None], len(authors), axis=0)),
        "followed by those whom one follows": row(follows @ follows),
        "TF-IDF of words": row(cosine(by_author[0])),
        "TF-IDF of hashtags": row(cosine(by_author[1])),
        "recommend_authors, text alone (affinity)": suggested(alone),
        "recommend_authors, text and network (link probability)": suggested(joint),
    }


def newcomers(result: Fit, train: Corpus, test: Corpus, n_posts: int) -> Scores:
    """Authors as if they were new: so many held-out posts of each, without their names."""
    group, words, authors = test.groups["author"], test.streams["word"], authors_of(train)

    def scores(who: Hashable) -> dict[Hashable, float]:
        mine = np.flatnonzero(group.codes == group.labels.index(who))[:n_posts]
        posts = [[test.vocabulary[w] for w in words.words[words.offsets[d] : words.offsets[d + 1]]] for d in mine]
        if not posts:
            return dict.fromkeys(authors, 0.0)
        return {near.label: near.score for near in recommend_authors(result, posts=posts, n=len(authors))}

    return scores


# Tables: rows by name, each a list of figures


def tag_table(alone: Fit, own: Fit, train: Corpus, test: Corpus, seed: int) -> Rows:
    of_author, near = frequent_tags(train, test, by_author=True), neighbours_tags(train, test)
    tntm, richer, posts = (
        our_tags(*what, seed) for what in ((alone, test, "model"), (own, test, "model"), (alone, test, "posts"))
    )
    rules = {
        "most frequent": lambda: frequent_tags(train, test, by_author=False),
        "most frequent of the author": lambda: of_author,
        f"TF-IDF, {NEIGHBOURS} nearest posts": lambda: near,
        "the two before, half and half": lambda: halves(of_author, near),
        "TNTM, by model": lambda: tntm,
        "own hashtags, by model": lambda: richer,
        "by posts": lambda: posts,
        "TNTM, by both": lambda: both(tntm, posts),
        "own hashtags, by both": lambda: both(richer, posts),
    }
    return {name: tag_figures(rule(), test) for name, rule in rules.items()}


def newcomer_table(alone: Fit, train: Corpus, test: Corpus, follows: LinkSet) -> Rows:
    links, authors = set(follows.pairs), authors_of(train)
    truth = {(a, b): (a, b) in links for a in authors for b in authors if a != b}
    unlinked = replace(train, links=MappingProxyType({"follows": LinkSet.from_pairs([])}))
    in_degree = {b: float(sum((a, b) in links for a in authors)) for b in authors}
    return {
        "most followed": link_figures(lambda who: in_degree, unlinked, truth),
        "recommend_authors, ten posts": link_figures(newcomers(alone, train, test, 10), unlinked, truth),
    }


def print_table(title: str, heads: str, tables: list[Rows]) -> None:
    """Means over seeds, with the largest distance of a seed from its mean."""
    print(f"\n| {title} | {heads} |\n|---|{'---|' * len(heads.split('|'))}")
    for name in tables[0]:
        values = np.array([table[name] for table in tables])
        spread = np.abs(values - values.mean(axis=0)).max(axis=0)
        cells = [f"{m:.3f} ±{s:.3f}" for m, s in zip(values.mean(axis=0), spread, strict=True)]
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


def one_seed(given: argparse.Namespace, seed: int) -> dict[str, Rows]:
    corpus = congress(given.data, given.posts, given.min_df, seed)
    train, test = corpus.split(0.1, by="author", seed=seed)
    train, hidden = train.hide_links("follows", by="author", share=0.1, seed=seed)
    pairs = dict(zip(hidden.pairs, hidden.linked.tolist(), strict=True))
    held = f"{test.n_documents:,} posts held out; {len(pairs):,} pairs, {sum(pairs.values()):,} of them links"
    print(f"seed {seed}: {train!r}\n{held}", flush=True)

    def fitted(what: str, graph: Graph) -> Fit:
        run = None if given.keep is None else given.keep / f"{what}-{seed}"
        if run is not None and run.is_dir():
            return load(run)
        started = time.process_time()
        made = fit(graph, train, sweeps=given.sweeps, seed=seed, keep=given.samples, threads=1)
        print(f"{what}: {made!r}, {time.process_time() - started:.0f} CPU s", flush=True)
        if run is not None:
            made.save(run)
        return made

    alone, joint = fitted("alone", models.tntm().without("follows")), fitted("joint", models.tntm())
    return {
        "tags": tag_table(alone, fitted("own", own_tags()), train, test, seed),
        "links": {name: link_figures(scores, train, pairs) for name, scores in link_rules(train, alone, joint).items()},
        "newcomers": newcomer_table(alone, train, test, corpus.links["follows"]),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA / "congress_follow")
    parser.add_argument("--keep", type=Path, help="a directory in which fits are kept and found again")
    parser.add_argument("--seeds", type=int, nargs="+", default=[2, 3, 4])
    for name, value in (("posts", 20_000), ("min-df", 5), ("sweeps", 200), ("samples", 5)):
        parser.add_argument(f"--{name}", type=int, default=value)
    given = parser.parse_args()
    found = [one_seed(given, seed) for seed in given.seeds]
    print_table("hashtags of held-out posts", "P@1 | P@3 | P@5 | R@1 | R@3 | R@5", [one["tags"] for one in found])
    print_table("held-out links", "P@5 | P@10 | R@5 | R@10 | AUC", [one["links"] for one in found])
    print_table("links of newcomers", "P@5 | P@10 | R@5 | R@10 | AUC", [one["newcomers"] for one in found])


if __name__ == "__main__":
    main()
