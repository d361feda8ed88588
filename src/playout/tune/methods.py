"""One door for all that tunes: `ask` for samples, `tell` their scores, and in the end `best`.

Beside the cross-entropy method stand those that it is compared with: random search, simultaneous perturbation
(Spall 1998), and the samplers of Optuna, which is installed by itself (`playout[tune]`).
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from playout.errors import InputError, near
from playout.settings import setting
from playout.tune.cross_entropy import CrossEntropy, CrossEntropySettings
from playout.tune.space import Space

OPTUNA = {"tpe": "TPESampler", "cma-es": "CmaEsSampler", "gp": "GPSampler"}
NAMES = ("cross-entropy", "random", "spsa", *OPTUNA)


class Method(Protocol):
    """What asks for the fitness of samples and learns from it.

    elite: how many samples of those that it asks for matter; 0 if all scores do. A race needs an elite.
    """

    @property
    def elite(self) -> int: ...

    @property
    def is_finished(self) -> bool:
        """Whether it asks for nothing more by itself."""

    def ask(self) -> np.ndarray:
        """Samples whose fitness is wanted, a row each."""

    def tell(self, samples: np.ndarray, scores: np.ndarray, elite: np.ndarray) -> None:
        """Their shares of points, and the numbers of the elite."""

    def best(self) -> np.ndarray:
        """The point that it would return now."""


@dataclass(frozen=True, kw_only=True)
class PeerSettings:
    """Settings of the other methods."""

    step: float = setting(0.2, "spsa: first step for a difference of all points, in half ranges", low=0)
    difference: float = setting(0.2, "spsa: half the first difference, in half ranges", low=0.001, high=1)


class _Luckiest:
    """The sample with the best score so far, as most methods return it."""

    elite = 0
    is_finished = False

    def __init__(self, space: Space) -> None:
        self._point, self._score = space.default, -np.inf

    def tell(self, samples: np.ndarray, scores: np.ndarray, elite: np.ndarray) -> None:
        k = int(scores.argmax())
        if scores[k] > self._score:
            self._point, self._score = samples[k], float(scores[k])

    def best(self) -> np.ndarray:
        return self._point


class RandomSearch(_Luckiest):
    """Samples anywhere in the ranges, all alike."""

    def __init__(self, space: Space, samples: int, seed: int) -> None:
        super().__init__(space)
        self._space, self._samples, self._seed, self._t = space, samples, seed, 0

    def ask(self) -> np.ndarray:
        rng = np.random.default_rng(np.random.SeedSequence(self._seed, spawn_key=(3, self._t)))
        self._t += 1
        space, shape = self._space, (self._samples, self._space.low.size)
        numbers = rng.uniform(space.low, space.high, shape)
        words = rng.integers(0, np.maximum(space.choices, 1), shape)
        return np.where(space.choices > 0, words, numbers)


class Spsa:
    """Simultaneous perturbation stochastic approximation, with the gains that Spall (1998) advises.

    In iteration k both x + c_k Δ and x − c_k Δ are tried, Δ = ±1 in every component by chance, and x moves by
    a_k (f⁺ − f⁻) / (2 c_k) Δ; a_k = a / (A + k + 1)^0.602, c_k = c / (k + 1)^0.101. Ranges are from −1 to 1.
    """

    elite = 0
    is_finished = False
    patience = 10.0  # A

    def __init__(self, space: Space, settings: PeerSettings, seed: int) -> None:
        if space.choices.any():
            raise InputError("spsa: parameters that are choices have no differences; take another method")
        self._middle, self._half = (space.low + space.high) / 2, (space.high - space.low) / 2
        self._settings, self._seed, self._k = settings, seed, 0
        self._x = (space.default - self._middle) / self._half

    def _signs(self) -> np.ndarray:
        rng = np.random.default_rng(np.random.SeedSequence(self._seed, spawn_key=(3, self._k)))
        return rng.choice([-1.0, 1.0], self._x.size)

    def _width(self) -> float:
        return self._settings.difference / (self._k + 1) ** 0.101

    def ask(self) -> np.ndarray:
        away = self._width() * self._signs()
        return np.array([self._outside(self._x + away), self._outside(self._x - away)])

    def tell(self, samples: np.ndarray, scores: np.ndarray, elite: np.ndarray) -> None:
        a = self._settings.step * (self.patience + 1) ** 0.602 / (self.patience + self._k + 1) ** 0.602
        slope = (scores[0] - scores[1]) / (2 * self._width()) * self._signs()
        self._x = np.clip(self._x + a * slope, -1, 1)
        self._k += 1

    def best(self) -> np.ndarray:
        return self._outside(self._x)

    def _outside(self, x: np.ndarray) -> np.ndarray:
        return np.asarray(self._middle + self._half * np.clip(x, -1, 1))


class Optuna(_Luckiest):
    """A sampler of Optuna's, asked for one sample at a time; it returns the trial with the best score."""

    def __init__(self, space: Space, name: str, seed: int) -> None:
        super().__init__(space)
        try:
            import optuna
        except ImportError:
            raise InputError(f"the method {name} needs Optuna: pip install 'playout[tune]'") from None
        optuna.logging.set_verbosity(optuna.logging.ERROR)
        self._space = space
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what is experimental in Optuna
            try:
                sampler: Any = getattr(optuna.samplers, OPTUNA[name])(seed=seed)
            except ImportError as error:
                missing = getattr(error, "name", None) or "another package"
                raise InputError(f"Optuna's sampler {name} needs {missing}: pip install {missing}") from None
        self._study = optuna.create_study(direction="maximize", sampler=sampler)
        self._trials: list[Any] = []

    def ask(self) -> np.ndarray:
        trial = self._study.ask()
        self._trials = [trial]
        x = []
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for parameter, low, high in zip(
                self._space.parameters, self._space.low, self._space.high, strict=True
            ):
                if parameter.kind == "choice":
                    chosen = trial.suggest_categorical(parameter.name, parameter.choices)
                    x.append(float(parameter.choices.index(chosen)))
                else:
                    x.append(trial.suggest_float(parameter.name, float(low), float(high)))
        return np.array([x])

    def tell(self, samples: np.ndarray, scores: np.ndarray, elite: np.ndarray) -> None:
        super().tell(samples, scores, elite)
        for trial, score in zip(self._trials, scores, strict=True):
            self._study.tell(trial, float(score))


def make_method(
    name: str,
    space: Space,
    seed: int,
    cross_entropy: CrossEntropySettings | None = None,
    peer: PeerSettings | None = None,
) -> Method:
    """A method by its name."""
    settings = cross_entropy or CrossEntropySettings()
    if name == "cross-entropy":
        return CrossEntropy(space, settings, seed)
    if name == "random":
        return RandomSearch(space, settings.samples, seed)
    if name == "spsa":
        return Spsa(space, peer or PeerSettings(), seed)
    if name in OPTUNA:
        return Optuna(space, name, seed)
    raise InputError(f"there is no method {name[:40]!r}{near(name, NAMES)}")
