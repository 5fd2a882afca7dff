"""Declarations: the statements of the language, each of which adds a node, a stream or a link set to a graph."""

from __future__ import annotations

from numbers import Integral

from pitmanyor.call_checks import checked_methods
from pitmanyor.errors import GraphError
from pitmanyor.graph.bases import Base, base_fields
from pitmanyor.graph.checks import checked_links, checked_node, checked_stream
from pitmanyor.graph.nodes import Beta, ConcentrationPer, Gamma, Kernel, Links, Node, Tokens
from pitmanyor.graph.values import PRIOR, TOPIC_DISCOUNT, WORD_DISCOUNT, as_name


@checked_methods(GraphError)
class Declarations:
    """What a graph declares. Each declaration is checked on its own and returned."""

    def __init__(self) -> None:
        self._nodes: dict[str, Node] = {}
        self._streams: dict[str, Tokens] = {}
        self._links: dict[str, Links] = {}
        self._hashed = False

    def gem(self, name: str, *, discount: float | Beta = TOPIC_DISCOUNT, concentration: float | Gamma = PRIOR) -> Node:
        """Declare the root of infinitely many topics, GEM(discount, concentration).

        Parameters
        ----------
        name
            Name of the node.
        discount
            A number in [0, 1) is fixed; a `Beta` is a prior, under which it is sampled.
        concentration
            A positive number is fixed; a `Gamma` is a prior, under which it is sampled.
        """
        return self._add(Node(name, "gem", "topic", discount=discount, concentration=concentration))

    def pyp(
        self,
        name: str,
        *,
        base: Base,
        plate: str | tuple[str, ...] | None = None,
        discount: float | Beta | None = None,
        concentration: float | Gamma = PRIOR,
        concentration_per: ConcentrationPer = "layer",
    ) -> Node:
        """Declare PYP(discount, concentration, base), one for every instance of the plate.

        Parameters
        ----------
        name
            Name of the node.
        base
            A node or its name, `mix(...)` of several, or `uniform("vocabulary")`.
        plate
            "document", "topic", a grouping of the corpus such as "author", or a tuple of them. By default there is one
            node for the whole corpus.
        discount
            A number in [0, 1) is fixed; a `Beta` is a prior, and one discount for all instances is sampled. By default
            0 over topics and 0.5 over words.
        concentration
            A positive number is fixed; a `Gamma` is a prior, under which it is sampled.
        concentration_per
            "layer" for one concentration for all instances, "instance" for one for each.
        """
        fields = base_fields(name, base, self._nodes)
        over_words = fields.over is not None or any(
            self._nodes[parent].side == "word" for parent in fields.parents if parent in self._nodes
        )
        default = WORD_DISCOUNT if over_words else TOPIC_DISCOUNT
        node = Node(
            name,
            "pyp",
            "word" if over_words else "topic",
            plate=plate,  # type: ignore[arg-type]  # made canonical by checked_node
            discount=default if discount is None else discount,
            concentration=concentration,
            concentration_per=concentration_per,
            **fields._asdict(),
        )
        return self._add(node)

    def dirichlet(
        self,
        name: str,
        *,
        over: str | int,
        plate: str | tuple[str, ...] | None = None,
        concentration: float | Gamma = PRIOR,
        concentration_per: ConcentrationPer = "layer",
    ) -> Node:
        """Declare a symmetric Dirichlet, always a root.

        Parameters
        ----------
        name
            Name of the node.
        over
            "vocabulary" or the name of a stream for a distribution over words; a number for one over that many topics.
        plate
            As in `pyp`.
        concentration
            TOTAL concentration b, which is b/n for each of n words or topics. A number is fixed; a `Gamma` is a prior.
        concentration_per
            As in `pyp`.
        """
        side = "topic" if isinstance(over, Integral) else "word"
        node = Node(name, "dirichlet", side, (), over, plate, 0.0, concentration, concentration_per)  # type: ignore[arg-type]
        return self._add(node)

    def tokens(self, name: str, *, topic: Node | str, emit: Node | str) -> Tokens:
        """Declare a stream of observed tokens.

        Parameters
        ----------
        name
            Name of the stream in the corpus, such as "word" or "hashtag".
        topic
            Node from which each token draws its topic.
        emit
            Node from which it then draws its word, given the topic.
        """
        self._check_free("token stream", name)
        stream = checked_stream(Tokens(name, self._name(topic), self._name(emit)), self._nodes)
        self._streams[name] = stream
        return stream

    def links(
        self,
        name: str,
        *,
        between: Node | str,
        directed: bool = True,
        kernel: Kernel = "similarity",
        intercept: bool = False,
        self_links: bool = False,
        signal: float = 1.0,
        length: float = 1.0,
        noise: float = 1.0,
        popularity: bool = False,
        reciprocity: bool = False,
    ) -> Links:
        """Declare observed links between the instances of a node, such as authors who follow each other (maths 6).

        With a kernel of similarity or pairs the scores of pairs are a Gaussian process; its parameters are the paper's
        s, l and sigma. With blocks, links are events between topics, for networks of any size. With traits, they depend
        on latent traits of both ends, which the vectors predict.

        Parameters
        ----------
        name
            Name of the link set in the corpus, such as "follows".
        between
            Node over topics whose plate is a grouping, such as "author".
        directed
            Whether a link from i to j differs from one from j to i.
        kernel
            "similarity": over the cosine of two vectors, with that cosine as mean. "pair": over the pair of vectors,
            with mean 0. "blocks": topics of one link to topics of others at rates that are learned. "traits": everybody
            has latent traits, as a source and as a target; what the vectors say of them is learned.
        intercept
            Add a constant to all scores, which suits sparse networks.
        self_links
            Whether an instance may be linked to itself.
        signal
            Scale s of the Gaussian process.
        length
            Length scale l.
        noise
            Standard deviation sigma of the noise.
        popularity
            With blocks and traits: how active everybody is as a source, and how popular as a target, is learned.
        reciprocity
            With blocks: a link may be answered by one back. With traits: the scores of both directions of a pair have
            a part in common.
        """
        self._check_free("link set", name)
        process = (intercept, self_links, signal, length, noise)
        links = Links(name, self._name(between), directed, kernel, *process, popularity, reciprocity)
        self._links[name] = checked_links(links, self._nodes)
        return self._links[name]

    def _add(self, node: Node) -> Node:
        self._check_free("node", node.name)
        node = checked_node(node, self._nodes)
        self._nodes[node.name] = node
        return node

    def _check_free(self, what: str, name: str) -> None:
        if self._hashed:
            raise GraphError(
                f"this graph is in use as a key and can no longer change; add {name!r} to its copy() instead"
            )
        if as_name(what, name) in self:
            raise GraphError(f"this graph already has a {name!r}; nodes, streams and link sets need names of their own")

    @staticmethod
    def _name(node: Node | str) -> str:
        return node.name if isinstance(node, Node) else node

    def __contains__(self, name: object) -> bool:
        """Whether a node, a stream or a link set has this name."""
        return name in self._nodes or name in self._streams or name in self._links
