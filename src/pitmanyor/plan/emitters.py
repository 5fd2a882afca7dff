"""Word nodes whose customers are tokens."""

from __future__ import annotations

from pitmanyor.plan.plan import Plan


def find_emitters(plan: Plan) -> dict[str, str]:
    """Shared word nodes per topic, and the node by which each emits tokens: itself, or its one child, if that is local
    and per topic.
    """
    emit = {stream.emit for stream in plan.graph.streams}
    children = {node.name: [c for c in plan.nodes if node.name in c.parents] for node in plan.nodes}
    found = {}
    for node in plan.nodes:
        if node.local or not node.per_topic:
            continue
        below = children[node.name]
        if node.name in emit and not below:
            found[node.name] = node.name
        elif node.name not in emit and len(below) == 1 and below[0].name in emit:
            child = below[0]
            if child.local and child.per_topic and len(child.parents) == 1 and not children[child.name]:
                found[node.name] = child.name
    return found
