"""GraphML and GEXF: nodes and edges, by a parser that refuses declarations of entities."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO
from xml.parsers import expat

from pitmanyor.errors import CorpusError
from pitmanyor.reading.encodings import open_bytes

BLOCK = 1 << 16
LONGEST = 1 << 20  # bytes of a tag with its attributes, and characters of a name
LABELS = ("label", "name", "username", "screen_name")


@dataclass
class XmlGraph:
    """Edges between ids, another name for some ids, and which edges go both ways."""

    edges: list[tuple[str, str, bool]] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)

    def pairs(self) -> Iterator[tuple[str, str]]:
        for source, target, directed in self.edges:
            yield source, target
            if not directed:
                yield target, source


def read_xml_graph(path: Path) -> XmlGraph:
    reader = _Reader(path)
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.text
    parser.StartDoctypeDeclHandler = reader.refuse
    parser.EntityDeclHandler = reader.refuse
    reader.parser = parser
    with open_bytes(path) as file:
        try:
            _parse(parser, file, path)
        except expat.ExpatError as error:
            raise CorpusError(
                f"{path}, line {error.lineno}, column {error.offset + 1}: not well-formed XML "
                f"({expat.ErrorString(error.code)}); export the graph again"
            ) from error
        except CorpusError:
            raise
        except (OSError, EOFError, zlib.error, LookupError, ValueError) as error:
            raise CorpusError(
                f"{path}: cannot be read ({error}); it is cut or damaged, or of an unknown encoding; save it as UTF-8"
            ) from error
    if reader.root not in ("graphml", "gexf"):
        raise CorpusError(f"{path}: the document is <{reader.root}>, neither <graphml> nor <gexf>")
    return reader.graph


def _parse(parser: expat.XMLParserType, file: BinaryIO, path: Path) -> None:
    """Parse a file in blocks; a tag, attribute or comment that does not end is refused before it fills the memory."""
    fed = 0
    while block := file.read(BLOCK):
        parser.Parse(block, False)
        fed += len(block)
        if fed - max(parser.CurrentByteIndex, 0) > LONGEST:
            raise CorpusError(
                f"{path}, line {parser.CurrentLineNumber}: a tag of more than {LONGEST:,} bytes; export the graph again"
            )
    parser.Parse(b"", True)


class _Reader:
    def __init__(self, path: Path) -> None:
        self.path = path
        self.graph = XmlGraph()
        self.root = ""
        self.directed = True
        self.node: str | None = None
        self.keys: dict[str, str] = {}
        self.data: list[str] | None = None
        self.n_data = 0
        self.parser: expat.XMLParserType

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        tag = tag.rpartition(" ")[2]
        self.root = self.root or tag
        if tag == "graph":
            kind = attributes.get("edgedefault") or attributes.get("defaultedgetype") or self._default()
            self.directed = kind == "directed"
        elif tag == "key":
            self.keys[attributes.get("id", "")] = attributes.get("attr.name", "")
        elif tag == "node":
            self.node = self._need(attributes, "id", tag)
            if "label" in attributes:
                self.graph.names[self.node] = attributes["label"]
        elif tag == "data" and self.node is not None and self.keys.get(attributes.get("key", "")) in LABELS:
            self.data, self.n_data = [], 0
        elif tag == "edge":
            said = attributes.get("directed") or attributes.get("type")
            directed = self.directed if said is None else said in ("true", "1", "directed")
            source, target = (self._need(attributes, end, tag) for end in ("source", "target"))
            self.graph.edges.append((source, target, directed))

    def end(self, tag: str) -> None:
        tag = tag.rpartition(" ")[2]
        if tag == "node":
            self.node = None
        elif tag == "data" and self.data is not None:
            if self.node is not None:
                self.graph.names[self.node] = "".join(self.data).strip()
            self.data = None

    def text(self, data: str) -> None:
        if self.data is not None:
            self.data.append(data)
            self.n_data += len(data)
            if self.n_data > LONGEST:
                raise CorpusError(
                    f"{self.path}, line {self.parser.CurrentLineNumber}: a name of more than {LONGEST:,} characters"
                )

    def refuse(self, *_: object) -> None:
        raise CorpusError(
            f"{self.path}, line {self.parser.CurrentLineNumber}: a document type or an entity is declared; graphs do "
            "not need them and attacks use them; remove it"
        )

    def _default(self) -> str:
        """What the two formats say of a graph that does not tell."""
        return "undirected" if self.root == "gexf" else "directed"

    def _need(self, attributes: dict[str, str], name: str, tag: str) -> str:
        if name not in attributes:
            raise CorpusError(
                f"{self.path}, line {self.parser.CurrentLineNumber}: <{tag}> has no attribute {name!r}; export it again"
            )
        return attributes[name]
