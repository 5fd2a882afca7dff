"""What the commands that measure do: measures of a run, and how its chains agree."""

from __future__ import annotations

import math
import shlex
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pitmanyor.cli.answers import Answer
from pitmanyor.cli.show import count_facts
from pitmanyor.cli.work import Source
from pitmanyor.errors import PitmanyorError, PlanError

if TYPE_CHECKING:
    from pitmanyor.corpus import Corpus
    from pitmanyor.evaluate import Diagnosis, Perplexity
    from pitmanyor.results.fitting import Fit


@dataclass(frozen=True)
class Asked:
    """Options of `evaluate`: files, and how topics and clusters are judged."""

    test: Source | None
    links: Path | None
    reference: Source | None
    n_words: int
    window: int | None
    n_topics: int | None
    left_to_right: bool
    measures: list[str]


def evaluate_run(path: Path, asked: Asked, options: dict[str, Any]) -> Answer:
    """`options` are those of `Fit.perplexity`."""
    from pitmanyor.results.fitting import load

    fit = load(path)
    facts: dict[str, Any] = {"run": str(path)} | count_facts(fit)
    if fit.graph.streams:
        facts |= topic_quality(fit, asked)
    if fit.state.network:
        facts["network log likelihood"] = {
            links.name: fit.network_log_likelihood(links.name)._asdict() for links in fit.graph.link_sets
        }
    if asked.links is not None:
        facts["held-out links"] = _link_facts(fit, asked.links)
    test = None if asked.test is None else asked.test.read_later(fit)
    if asked.measures:
        facts["measures"] = plugged_in_measures(fit, test, asked.measures)
    next_ = [f"pitmanyor diagnose {shlex.quote(str(path))}    # whether to trust it"]
    if test is not None:
        if len(fit.runs) > 1:
            facts["weights of the chains"] = {
                f"chain {run.settings.chain}": w for run, w in zip(fit.runs, fit.weights.tolist(), strict=True)
            }
        facts |= _test_facts(fit, test, asked, options)
    else:
        next_.insert(0, f"pitmanyor evaluate {shlex.quote(str(path))} --test POSTS    # how well it predicts")
    return Answer(facts, _lines(facts), next_)


def plugged_in_measures(fit: Fit, test: Corpus | None, names: list[str]) -> dict[str, Any]:
    """Measures that other packages offer: of the fit, and of test posts if there are any."""
    from pitmanyor import plugins

    found: dict[str, Any] = {}
    for name in names:
        measure = plugins.load(plugins.MEASURES, name, error=PlanError)
        try:
            value = measure(fit, test)
            found[name] = {key: float(one) for key, one in value.items()} if isinstance(value, dict) else float(value)
        except PitmanyorError:
            raise
        except Exception as error:
            raise PlanError(f"measure {name!r} failed with {type(error).__name__}: {error}") from error
    return found


def topic_quality(fit: Fit, asked: Asked) -> dict[str, Any]:
    """What the large topics are like. Where words have no order, words occur together in whole documents."""
    from pitmanyor import evaluate
    from pitmanyor.evaluate.coherence import WINDOW
    from pitmanyor.evaluate.windows import in_order

    words = evaluate.top_words(fit, asked.n_words, large=True)
    if not words or len(words[0]) < 2:  # nothing can co-occur
        return {}
    window, corpus = asked.window, fit.corpus if asked.reference is None else asked.reference.read_later(fit)
    if window is None and not in_order(corpus.streams[fit.stream().name]):
        window = 0
    coherence: dict[str, Any] = {}
    for name, usual in WINDOW.items():
        coherence[name] = float(evaluate.coherence(words, corpus, name, window=window).mean())
        coherence[f"window of {name}"] = (usual if window is None else window) or "whole documents"
    return {"diversity": evaluate.diversity(words), "coherence": coherence}


def _link_facts(fit: Fit, file: Path) -> dict[str, Any]:
    """How well the pairs that the run held out are predicted; the file says which of them are linked."""
    from pitmanyor.reading.links import read_links
    from pitmanyor.reading.options import FileOptions

    if not fit.state.network:
        raise PlanError("--links predicts links, and this run has sampled none; fit a model with links, such as tntm")
    found: dict[str, Any] = {}
    for links in fit.graph.link_sets:
        if not len(fit.corpus.links[links.name].hidden):
            raise PlanError(f"this run was shown all pairs of {links.name!r}; fit again with --hold-links 0.1")
        authors = [str(label) for label in fit.corpus.links[links.name].labels]
        whole = read_links(file, FileOptions(), authors).links
        held = fit.corpus.reveal_links(links.name, whole.pairs, links.directed)
        scores = fit.link_scores(held, links.name)
        found[links.name] = {
            "AUC": scores.auc,
            "average precision": scores.average_precision,
            "share linked, what guessing has": scores.base_rate,
            "pairs": scores.n_pairs,
        }
    return found


def _test_facts(fit: Fit, test: Corpus, asked: Asked, options: dict[str, Any]) -> dict[str, Any]:
    from pitmanyor import evaluate

    found = fit.perplexity(test, **options)
    facts: dict[str, Any] = {"test documents": test.n_documents, "perplexity": _perplexity_facts(found)}
    if asked.left_to_right:
        whole = fit.left_to_right(test, seed=options["seed"])
        facts["perplexity of whole posts, from left to right"] = {"of all": whole.total, **whole.by_stream}
    if "label" in test.groups:
        group = test.groups["label"]
        how = {name: value for name, value in options.items() if name != "observed"}
        known = group.known
        facts["clusters"] = {}
        if known.any():
            clusters = evaluate.dominant_topics(fit.infer(test, **how).shares, n_topics=asked.n_topics)[known]
            labels = group.codes[known]
            measures = {"purity": evaluate.purity, "nmi": evaluate.nmi, "adjusted rand": evaluate.adjusted_rand}
            facts["clusters"] |= {name: measure(clusters, labels) for name, measure in measures.items()}
            facts["clusters"]["dominant topics"] = len(set(clusters.tolist()))
        facts["clusters"]["posts without a label, left out"] = int((~known).sum())
    return facts


def _perplexity_facts(found: Perplexity) -> dict[str, Any]:
    return {
        "of all": found.total,
        **found.by_stream,
        "scored tokens": found.n_tokens,
        "unknown tokens": sum(found.n_dropped.values()),
        "states averaged over": found.n_states,
    }


def _lines(facts: dict[str, Any], indent: str = "") -> list[str]:
    lines = []
    for name, value in facts.items():
        if isinstance(value, dict):
            lines += [f"{indent}{name}", *_lines(value, indent + "  ")]
        else:
            lines.append(f"{indent}{name}: {value:,.4g}" if isinstance(value, float) else f"{indent}{name}: {value}")
    return lines


def diagnose_runs(paths: list[Path], discard: float | None) -> Answer:
    from pitmanyor.evaluate import diagnose
    from pitmanyor.evaluate.advice import duration
    from pitmanyor.results.fitting import load

    fits = [load(path) for path in paths]
    found = diagnose(fits, discard=discard)
    facts = {"runs": [str(path) for path in paths]} | asdict(found) | {"summary": found.summary}
    facts["topic_count"]["probability"] = {str(n): share for n, share in found.topic_count.probability.items()}
    facts["quantities"] = [{k: v if _sayable(v) else None for k, v in asdict(one).items()} for one in found.quantities]
    next_ = []
    if found.advice.sweeps is not None:
        sweeps, long = found.advice.sweeps, duration(found.advice.seconds or 0.0)
        next_ = [f"pitmanyor resume {shlex.quote(str(path))} --sweeps {sweeps}    # {long}" for path in paths]
    if found.n_chains == 1:
        next_.append("pitmanyor fit POSTS --chains 4 -o RUN    # chains to compare")
    return Answer(facts, [str(found), "", _quantity_table(found)], next_)


def _sayable(value: object) -> bool:
    """JSON has no infinity, which is the R-hat of chains that stand still in different places."""
    return not isinstance(value, float) or math.isfinite(value)


def _quantity_table(found: Diagnosis) -> Any:
    from rich.table import Table

    table = Table("quantity", "mean", "sd", "R-hat", "effective draws")
    for one in found.quantities:
        table.add_row(one.name, f"{one.mean:,.4g}", f"{one.sd:,.3g}", f"{one.rhat:.3f}", f"{one.ess:,.0f}")
    return table
