"""States: counts and topics of a chain, the only thing that changes."""

from pitmanyor.state.state import Rule, State, new_state

__all__ = ["Rule", "State", "new_state"]
