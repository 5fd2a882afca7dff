"""Perplexity against sums over topics written out, and against enumeration of all seatings."""

import math
import re
import sys

import numpy as np
import pytest

from exact_shares import Document
from pitmanyor import Corpus, Graph, Network, PlanError, fit, mix, models, simulate, uniform
from pitmanyor.evaluate import left_to_right, perplexity, token_probabilities, topic_shares
from pitmanyor.evaluate.perplexity import _completion_stages, _prefix_stages, streams_of
from pitmanyor.evaluate.token_parts import with_tokens
from pitmanyor.fold_in import Way, infer
from pitmanyor.fold_in.fixed_vectors import concentration_of


def chatty():
    """A document's own words of each topic stand on the topic's words and on words that it has whatever the topic."""
    g = Graph()
    theta = g.pyp("theta", base=g.gem("mu"), plate="document", discount=0.3)
    gamma = g.pyp("gamma", base=uniform("vocabulary"))
    phi = g.pyp("phi", base=gamma, plate="topic")
    chat = g.pyp("chat", base=gamma, plate="document", discount=0.2)
    own = g.pyp("own", base=mix(phi, chat), plate=("document", "topic"), discount=0.4)
    g.tokens("hashtag", topic=theta, emit=own)
    g.tokens("word", topic=theta, emit=own)
    return g


GRAPHS = {
    "chatty": chatty(),
    "hpyp": models.hpyp(),
    "lda": models.lda(3),
    "author_topic": models.author_topic(),
    "tntm": models.tntm().without("follows"),
    "bursty lda": models.bursty(models.lda(2)),
    "bursty hdp": models.bursty(models.hdp_lda()),
    "bursty tntm": models.bursty(models.tntm().without("follows")),
}
FITS: dict = {}


def fitted(name):
    """Fits are made once. Three topics at most, so that everything can be enumerated."""
    if name not in FITS:
        graph = GRAPHS[name]
        fixed = graph.set("*", concentration=2.0)
        corpus = simulate(fixed, documents=25, tokens=8, groups={"author": 3}, vocabulary=12, seed=1).corpus
        most = None if "lda" in name else 2 if name in ("tntm", "bursty tntm", "chatty") else 3
        FITS[name] = fit(graph, corpus, sweeps=12, seed=1, max_topics=most, keep=2)
    return FITS[name]


def new_corpus(result, documents, authors=None):
    """Documents as {stream: words by number}; an author by number, or one that the fit does not know."""
    names = {stream.name for stream in result.graph.streams}
    vocabulary, labels = result.corpus.vocabulary, result.corpus.groups["author"].labels
    streams = {name: [[vocabulary[w] for w in one.get(name, ())] for one in documents] for name in names}
    who = [labels[a] if a is not None else "nobody" for a in (authors or [0] * len(documents))]
    return Corpus.from_tokens(streams, groups={"author": who}, vocabulary=vocabulary)


def by_hand(result, given, scored, stream, **options):
    """p(w) = mean over samples of sum over topics of theta_k phi_kw, in plain loops over what `infer` says."""
    emit = next(one.emit for one in result.graph.streams if one.name == stream)
    way = {"completion": "gibbs", "sweeps": 20, "seed": 0, "threads": None} | options
    found = []
    for d in range(scored.n_documents):
        tokens = scored.streams[stream]
        for w in tokens.words[tokens.offsets[d] : tokens.offsets[d + 1]]:
            chances = []
            for draw in result.samples:
                theta, phi = infer(draw, given, Way(**way)).shares[d], draw.mean(emit)
                chances.append(sum(float(theta[k]) * float(phi[k, w]) for k in range(draw.n_topics)))
            found.append(sum(chances) / len(chances))
    return found


@pytest.mark.parametrize("options", [{}, {"completion": "paper", "sweeps": 2}], ids=["gibbs", "paper"])
@pytest.mark.parametrize("name", ["hpyp", "lda", "author_topic", "tntm"])
def test_words_are_scored_by_the_sum_over_topics_averaged_over_samples(name, options):
    result = fitted(name)
    test = new_corpus(
        result,
        [{"word": [1, 2, 3, 3, 4], "hashtag": [0]}, {"word": [5, 5], "hashtag": []}, {"word": [7]}],
        [0, None, 2],
    )
    found = perplexity(result, test, seed=4, **options)
    *_, (stream, given, scored) = _completion_stages(result, test, 0.5, 4)
    exact = by_hand(result, given, scored, stream, seed=4, **options)
    assert stream == "word" and len(exact) == found.n_scored["word"] == 3 + 1 + 1
    assert found.log_likelihood["word"] == pytest.approx(sum(map(math.log, exact)), abs=1e-9)
    assert found.by_stream["word"] == pytest.approx(math.exp(-sum(map(math.log, exact)) / 5), rel=1e-9)
    assert found.n_states == 2


def test_all_together_is_of_all_tokens():
    result = fitted("tntm")
    found = perplexity(result, result.corpus)
    logs = sum(found.log_likelihood.values())
    assert found.total == pytest.approx(math.exp(-logs / found.n_tokens), rel=1e-12)
    assert found.n_tokens == sum(found.n_scored.values()) and set(found.by_stream) == {"hashtag", "word"}
    assert min(found.by_stream.values()) < found.total < max(found.by_stream.values())
    assert str(found).startswith(f"perplexity {found.total:.1f} of {found.n_tokens} tokens (hashtag ")


def test_what_is_scored_is_never_given_and_hashtags_come_before_words():
    result = fitted("tntm")
    test = result.corpus
    assert streams_of(result) == ["hashtag", "word"]
    stages = list(_completion_stages(result, test, 0.5, 0))
    assert [stage.stream for stage in stages] == ["hashtag", "word"]
    observed = stages[0].given.streams["word"]
    assert observed.lengths.tolist() == (test.streams["word"].lengths // 2).tolist()
    assert not len(stages[0].given.streams["hashtag"].words)
    assert stages[0].scored.streams["hashtag"].words.tolist() == test.streams["hashtag"].words.tolist()
    assert stages[1].given.streams["hashtag"].words.tolist() == test.streams["hashtag"].words.tolist()
    assert stages[1].given.streams["word"].words.tolist() == observed.words.tolist()
    rest, whole = stages[1].scored.streams["word"], test.streams["word"]
    for d in range(test.n_documents):
        both = [stream.words[stream.offsets[d] : stream.offsets[d + 1]] for stream in (observed, rest)]
        assert sorted(np.concatenate(both)) == sorted(whole.words[whole.offsets[d] : whole.offsets[d + 1]])
    papers = list(_completion_stages(result, test, 0.0, 0))
    assert not papers[0].given.n_tokens and not len(papers[1].given.streams["word"].words)
    assert papers[1].scored.streams["word"].words.tolist() == whole.words.tolist()


def test_nothing_given_leaves_the_prior_and_an_unseen_author_has_the_topics_of_all():
    """The formula of the paper for hashtags, p(y | nu, mu1, psi'): exact."""
    result = fitted("tntm")
    test = new_corpus(result, [{"hashtag": [3]}, {"hashtag": [3]}], [1, None])
    exact = []
    for d in (0, 1):
        chances = []
        for draw in result.samples:
            mu0, mu1, tags = (draw.mean(node, "discard") for node in ("mu0", "mu1", "psi_tag"))
            nu = draw.mean("nu", "discard")[result.axes("nu")["author"].index(result.corpus.groups["author"].labels[1])]
            theta = (mu1[0] + (nu if d == 0 else mu0[0])) / 2
            chances.append((theta / theta.sum()) @ tags[:, 3])
        exact.append(np.mean(chances))
    found = perplexity(result, test, observed=0.0)
    assert found.log_likelihood["hashtag"] == pytest.approx(np.log(exact).sum(), abs=1e-9)
    assert (found.n_scored, found.by_stream.keys()) == ({"hashtag": 2, "word": 0}, {"hashtag"})


def exactly(result, tokens):
    """A document of nobody we know, over the vectors of a state, whose seatings can all be enumerated."""
    graph, vectors = result.state.plan.graph, {}
    for node in graph.nodes:
        if not node.local:
            rows = result.mean(node.name, "discard") if node.side == "topic" else result.mean(node.name)
            vectors[node.name] = rows if node.per_topic else rows[0]
            if node.plate == ("author",):
                vectors[node.name] = vectors[node.parents[0]]
    concentrations = {node.name: concentration_of(result.state, node.name) for node in graph.nodes if node.local}
    if graph["theta"].kind == "dirichlet":  # a process without discount over a uniform base
        even = Graph()
        even.pyp("theta", base=even.pyp("even", base=even.gem("mu")), plate="document", discount=0)
        words = [node for node in graph.nodes if node.name != "theta"]
        graph = Graph.from_parts([*even.nodes, *words], graph.streams)
        vectors["even"] = np.full(result.n_topics, 1 / result.n_topics)
    return Document(graph, vectors, concentrations, tuple(tokens))


def mass(result, tokens):
    return sum(exactly(result, tokens)._states().values())


def enumerated(result, given, stream, word):
    """p(word | given), with what is left for new topics taken out."""
    words = range(len(result.state.plan.corpus.vocabulary))
    after = [mass(result, [*given, (stream, w)]) for w in words]
    return after[word] / sum(after)


@pytest.mark.parametrize("name", ["lda", "tntm", "bursty lda", "bursty hdp", "chatty"])
def test_the_next_token_against_enumeration(name):
    """2,000 copies of a document, 30 sweeps each: errors of some 0.3 %."""
    result = fitted(name)
    last = result.samples[-1]
    first = "hashtag" if name in ("tntm", "chatty") else "word"
    cases = [([(first, 3), ("word", 5)], 5), ([(first, 3), ("word", 5)], 0), ([(first, 3), ("word", 5)], 3)]
    for tokens, word in cases:
        one = {s: [w for t, w in tokens if t == s] for s in ("word", "hashtag")}
        given = new_corpus(result, [one], [None]).subset([0] * 2_000)
        asked = new_corpus(result, [{"word": [word]}], [None]).subset([0] * 2_000)
        found = token_probabilities(last, given, asked, sweeps=30, seed=1).mean()
        assert found == pytest.approx(enumerated(last, tokens, "word", word), rel=0.012)


@pytest.mark.parametrize("name", GRAPHS)
def test_chances_of_all_words_sum_to_one(name):
    """Also where a gem keeps some probability for topics that nobody has seen."""
    result = fitted(name)
    given = new_corpus(result, [{"word": [3, 3, 5]}], [None])
    asked = new_corpus(result, [{"word": range(12)}], [None])
    for known in (given, with_tokens(given, {})):
        assert token_probabilities(result, known, asked, sweeps=4).sum() == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize("name", ["lda", "bursty lda"])
def test_left_to_right_is_the_probability_of_the_document(name):
    """The chain rule: nothing is left out below a finite root, so the product is the enumerated mass itself."""
    result = fitted(name)
    last = result.samples[-1]
    tokens = [("word", 3), ("word", 3), ("word", 5)]
    document = new_corpus(result, [{"word": [3, 3, 5]}])
    found = left_to_right(last, document, sweeps=10_000)
    assert found.n_tokens == 3
    assert found.log_likelihood["word"] == pytest.approx(math.log(mass(last, tokens)), abs=0.03)


def test_left_to_right_averages_whole_documents_over_states(monkeypatch):
    """One state gives every token 0.9, the other 0.1; averaged token by token all documents would have 0.5 a token."""
    result = fitted("tntm")
    test = new_corpus(result, [{"hashtag": [0, 3], "word": [1, 2, 3]}, {"word": [4, 5]}], [1, None])
    chance = dict(zip(map(id, result.draws), (0.9, 0.1), strict=True))

    def predict(draw, given, scored, stream, way):
        return np.full(len(scored.streams[stream].words), chance[id(draw)])

    monkeypatch.setattr(sys.modules["pitmanyor.evaluate.perplexity"], "predict", predict)
    found = left_to_right(result, test)
    tags, first, second = (math.log((0.9**n + 0.1**n) / 2) for n in (2, 5, 2))
    assert found.log_likelihood == pytest.approx({"hashtag": tags, "word": first + second - tags})
    assert (found.n_scored, found.n_states) == ({"hashtag": 2, "word": 5}, 2)


def test_left_to_right_gives_every_token_what_comes_before_it():
    result = fitted("tntm")
    test = new_corpus(result, [{"hashtag": [0], "word": [1, 2, 3]}, {"word": [4]}], [1, None])
    tags, words = _prefix_stages(result, test)
    assert (tags.given.n_documents, tags.given.n_tokens) == (1, 0)
    assert tags.scored.streams["hashtag"].words.tolist() == [0]
    assert words.given.streams["word"].words.tolist() == [1, 1, 2]
    assert words.given.streams["word"].lengths.tolist() == [0, 1, 2, 0]
    assert words.given.streams["hashtag"].lengths.tolist() == [1, 1, 1, 0]
    assert words.scored.streams["word"].words.tolist() == [1, 2, 3, 4]
    assert words.scored.groups["author"].codes.tolist() == [0, 0, 0, 1]


def test_the_paper_has_no_words_of_a_document():
    result = fitted("bursty tntm")
    found = perplexity(result, result.corpus, sweeps=4)
    assert 1.0 < found.total < 12.0
    again = result.perplexity(result.corpus, sweeps=4)
    assert again == found
    with pytest.raises(PlanError, match="gives every document its own words, which the paper's pass does not support"):
        perplexity(result, result.corpus, completion="paper")


def test_unknown_words_are_counted_and_not_scored():
    result = fitted("hpyp")
    word = result.corpus.vocabulary[0]
    test = Corpus.from_tokens([[word, "never"], ["seen"]], groups={"author": ["x", "y"]})
    found = perplexity(result, test, observed=0.0)
    assert (found.n_scored, found.n_dropped) == ({"word": 1}, {"word": 2})
    assert np.isnan(token_probabilities(result, test, test)).tolist() == [False, True, True]


def test_the_same_seed_gives_the_same_and_threads_change_nothing():
    result = fitted("tntm")
    one, two, other = (perplexity(result, result.corpus, seed=s, threads=t) for s, t in ((1, 1), (1, 2), (2, 1)))
    assert one == two != other


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda r, c: perplexity(r, c, observed=1.0), "observed must be the share of words that are given"),
        (lambda r, c: perplexity(r, c, completion="guess"), "completion must be one of gibbs, paper, not 'guess'"),
        (lambda r, c: perplexity(r, Corpus.from_tokens([["never"]])), "so none can be scored"),
        (lambda r, c: token_probabilities(r, c, c, stream="tag"), "no stream 'tag': the fit has word"),
        (lambda r, c: token_probabilities(r, c, c.subset([0])), "given and scored are the same documents, but one has"),
    ],
)
def test_arguments_are_refused_with_a_sentence(call, message):
    result = fitted("lda")
    with pytest.raises(PlanError, match=re.escape(message)):
        call(result, result.corpus)


def test_left_to_right_is_for_small_data(monkeypatch):
    monkeypatch.setattr(sys.modules["pitmanyor.evaluate.perplexity"], "MOST_TOKENS", 50)
    with pytest.raises(PlanError, match="need 700 tokens to be folded in, more than 50; take fewer or shorter ones"):
        left_to_right(fitted("lda"), fitted("lda").corpus)


def test_links_alone_have_no_text():
    g = Graph()
    nu = g.pyp("nu", base=g.gem("mu"), plate="author", discount=0)
    g.links("follows", between=nu)
    people = {"author": ["ann", "bob", "cid"]}
    corpus = Corpus.from_tokens([["x"]] * 3, groups=people, links={"follows": [("ann", "bob")]})
    result = fit(g, corpus, sweeps=2, seed=1, network=Network(n_topics=2))
    with pytest.raises(PlanError, match="this model has links only, so there is no text to score"):
        perplexity(result, corpus)
    with pytest.raises(PlanError, match="this model has links only: no token has a topic"):
        topic_shares(result)
