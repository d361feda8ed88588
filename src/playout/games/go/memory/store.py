"""Weights of local shapes in files (`memory.archives`)."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from playout.errors import InputError, shown
from playout.games.go.memory.shapes import Features, Shapes, features_of
from playout.memory.archives import Archives, read_arrays, write_arrays

KIND, VERSION = "weights of local shapes", 1


@dataclass(frozen=True)
class Weights:
    """Learnt weights: of which features, and how they were made."""

    shapes: Shapes
    theta: np.ndarray
    how: dict[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"Weights({self.theta.size:,} of {self.shapes})"

    @property
    def features(self) -> Features:
        """The features that they are the weights of."""
        return features_of(self.shapes)

    def pairs(self) -> np.ndarray:
        """The weights as kernels read them."""
        return self.features.pairs(self.theta)

    def on(self, side: int) -> Weights:
        """The weights for a board of another size, where that has a meaning.

        Location-independent weights mean the same on every board; the others belong to theirs.
        """
        if side == self.shapes.side:
            return self
        if self.shapes.sharing != "independent":
            own = self.shapes.side
            raise InputError(
                f"these weights are for {own}×{own} boards and depend on the place; "
                f"on {side}×{side} only location-independent ones have a meaning"
            )
        shapes = Shapes(**{**self.shapes.facts(), "side": side, "sizes": self.shapes.sizes})
        if features_of(shapes).unique != self.theta.size:
            raise InputError(
                f"weights by stage of the game belong to {self.shapes.side}×{self.shapes.side} boards"
            )
        return Weights(shapes, self.theta, self.how)

    @property
    def purpose(self) -> str | None:
        """What they were learnt for: the values of positions, or a policy's choices; None if nobody says."""
        learner = self.how.get("learner")  # the settings of TD, or the name of what learns policies
        return "values" if isinstance(learner, dict) else "policy" if isinstance(learner, str) else None

    def save(self, path: str | Path, half: bool = False, force: bool = False) -> None:
        """Write the archive and, beside it, its facts as JSON. half: in 16 bits a weight, to be small.

        force: also over files that are no weights.
        """
        facts = self.facts()
        FILES.check(path, force)
        FILES.write_facts(path, facts)  # first: the archive says that all is done
        write_arrays(path, facts, {"theta": self.theta.astype(np.float16 if half else np.float32)})

    def facts(self) -> dict[str, Any]:
        """What the file says of itself."""
        return {
            "kind": KIND,
            "version": VERSION,
            "shapes": self.shapes.facts(),
            "weights": int(self.theta.size),
            "how": self.how,
        }


FILES = Archives("a weight file", KIND)


def load(path: str | Path, purpose: str | None = None) -> Weights:
    """Weights from a file. purpose: what they are to be of, values or a policy; else they are refused."""
    weights = weights_of(path, *read_arrays(path))
    if purpose is not None and weights.purpose not in (purpose, None):
        words = {
            "values": "weights of values, as playout train td makes them",
            "policy": f"weights of a policy ({shown(weights.how.get('learner'))})",
        }
        wanted = {"values": "weights of values are needed here", "policy": "a policy's are needed here"}
        raise InputError(f"{path} holds {words[str(weights.purpose)]}; {wanted[purpose]}")
    return weights


def weights_of(path: str | Path, facts: dict[str, Any], arrays: dict[str, np.ndarray]) -> Weights:
    """Weights from what a file holds, if it holds what it should."""
    if facts.get("kind") != KIND:
        raise InputError(f"{path} holds {str(facts.get('kind'))[:60]!r}; {KIND!r} were expected")
    if facts.get("version") != VERSION:
        raise InputError(
            f"{path} is of version {str(facts.get('version'))[:20]}; this playout reads version {VERSION}"
        )
    try:
        words = dict(facts["shapes"])
        shapes = Shapes(**{**words, "sizes": tuple(words["sizes"])})
        theta = arrays["theta"]
    except InputError as error:
        raise InputError(f"{path} has features that we do not know: {error}") from None
    except (KeyError, TypeError, ValueError):
        raise InputError(f"{path} does not say which features its weights belong to") from None
    expected = features_of(shapes).unique
    if theta.ndim != 1 or theta.dtype.kind != "f" or theta.size != expected:
        raise InputError(
            f"{path} has {theta.size:,} weights; the features that it names have {expected:,} of them"
        )
    if not np.all(np.isfinite(theta)):
        raise InputError(f"{path} has weights that are not numbers")
    how = facts.get("how")
    return Weights(shapes, theta.astype(np.float32), how if isinstance(how, dict) else {})
