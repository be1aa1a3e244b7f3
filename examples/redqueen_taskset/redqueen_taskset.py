"""RedQueen's problems as a taskset of verifiers, in the form that its tools install and publish."""
from redqueen.adapters.verifiers import RedQueenTaskset

__all__ = ["RedQueenTaskset"]
