"""What each parameter may be, checked alike on the command line, in Python and in model files.

`PARAMETERS` has one line a parameter. Every value that is set on an estimator passes it, so an
estimator holds plain numbers and words that are allowed; numpy's scalars become Python's. What
several parameters, or parameters and rows, cannot be together is refused further down.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Integral, Real
from reprlib import repr as short_repr
from typing import Any, Final, Protocol

from ikpca_cli.errors import UsageError
from ikpca_cli.models.activations.activation_names import ACTIVATIONS
from ikpca_cli.models.kernels.names import KERNELS
from ikpca_cli.noise.models.noise_names import NOISE_MODELS

LARGEST: Final = 1e75
"""Parameters between this and its inverse have fourth powers in double precision."""


class Parameter(Protocol):
    """What one parameter may be."""

    @property
    def allowed(self) -> str:
        """What is allowed, in words."""

    @property
    def metavar(self) -> str:
        """What is allowed, as the help of an option shows it."""

    def check(self, name: str, value: Any) -> Any:
        """Return `value` as a plain Python value.

        Parameters
        ----------
        name : str
            What to call the parameter where it is refused.
        value : object
            What was given.

        Raises
        ------
        UsageError
            If it is not allowed, naming parameter, value and what is.
        """

    def parse(self, option: str, text: str) -> Any:
        """Return what the text of a command line's option means; raise as `check` does."""


@dataclass(frozen=True)
class Number:
    """A number within limits, or one of some words.

    Attributes
    ----------
    least, most : float
        The limits, both allowed.
    words : tuple of str
        Words that stand for a number to be chosen, or for none.
    whole : bool
        Whether it is an integer; 360.0 is one, too.
    """

    least: float
    most: float = LARGEST
    words: tuple[str, ...] = ("auto",)
    whole: bool = False

    @property
    def allowed(self) -> str:
        """What is allowed, in words."""
        if self.whole:
            number = f"a whole number of {self.least:g} or more"
        else:
            number = f"a number from {self.least:g} to {self.most:g}"
        return ", or ".join([number, *filter(None, [_either(self.words)])])

    @property
    def metavar(self) -> str:
        """What is allowed, as the help of an option shows it."""
        return "|".join([*self.words, "N" if self.whole else "F"])

    def check(self, name: str, value: Any) -> float | int | str:
        """Return a plain number or word, see `Parameter.check`."""
        plain = _plain(value)
        if isinstance(plain, str) and plain in self.words:
            return plain
        if isinstance(plain, Real) and not isinstance(plain, bool):
            number = self._number(plain)
            if number is not None and self.least <= number <= self.most:
                return number
        raise _refusal(name, value, self.allowed)

    def parse(self, option: str, text: str) -> float | int | str:
        """Return the number or word in a text, see `Parameter.parse`."""
        text = text.strip()
        for kind in (int, float) if self.whole else (float,):
            try:
                return self.check(option, kind(text))
            except UsageError:
                raise _refusal(option, text, self.allowed) from None
            except ValueError:  # not of this kind; a UsageError is one as well
                continue
        return self.check(option, text)

    def _number(self, value: Any) -> float | int | None:
        """Return a Python number, None for one that is out of reach or not whole."""
        try:
            if not self.whole:
                return float(value)
            if isinstance(value, Integral) or float(value).is_integer():
                return int(value)
        except OverflowError:
            pass
        return None


@dataclass(frozen=True)
class Word:
    """One of some words."""

    words: tuple[str, ...]

    @property
    def allowed(self) -> str:
        """What is allowed, in words."""
        return _either(self.words)

    @property
    def metavar(self) -> str:
        """What is allowed, as the help of an option shows it."""
        return "|".join(self.words)

    def check(self, name: str, value: Any) -> str:
        """Return the word, see `Parameter.check`."""
        plain = _plain(value)
        if isinstance(plain, str) and plain in self.words:
            return str(plain)
        raise _refusal(name, value, self.allowed)

    def parse(self, option: str, text: str) -> str:
        """Return the word in a text, see `Parameter.parse`."""
        return self.check(option, text.strip())


@dataclass(frozen=True)
class Flag:
    """True or False."""

    allowed: str = "True or False"
    metavar: str = "yes|no"

    def check(self, name: str, value: Any) -> bool:
        """Return the truth value, see `Parameter.check`."""
        plain = _plain(value)
        if isinstance(plain, bool):
            return plain
        raise _refusal(name, value, self.allowed)

    def parse(self, option: str, text: str) -> bool:
        """Return the truth value in a text, see `Parameter.parse`."""
        return self.check(option, {"yes": True, "no": False}.get(text.strip(), text))


_POSITIVE = 1.0 / LARGEST

PARAMETERS: Mapping[str, Parameter] = {
    "n_components": Number(1, 2**62, whole=True),
    "n_rff": Number(1, 2**62, ("auto", "exact", "landmarks"), whole=True),
    "landmarks": Number(1, 2**62, ("all",), whole=True),
    "seed": Number(0, 2**120, (), whole=True),
    "gamma": Number(_POSITIVE),
    "second_gamma": Number(_POSITIVE, words=("auto", "none")),
    "latent_gamma": Number(_POSITIVE),
    "noise_std": Number(_POSITIVE),
    "noise_model": Word(("auto", *NOISE_MODELS)),
    "ridge": Number(0.0),
    "kernel": Word(tuple(KERNELS)),
    "inverse": Word(("auto", "paper", "refined")),
    "activation": Word(tuple(ACTIVATIONS)),
    "shrink": Word(("auto", "cut", "optimal")),
    "solver": Word(("auto", "primal", "dual")),
    "order": Word(("auto", "none")),
    "dtype": Word(("float64", "float32")),
    "replicates": Flag(),
}
"""What each parameter of the methods may be, by name."""


def _plain(value: Any) -> Any:
    """Return numpy's scalars as Python's, and its arrays without dimensions like them."""
    return value.item() if getattr(value, "ndim", None) == 0 else value


def _either(words: tuple[str, ...]) -> str:
    return " or ".join(map(repr, words))


def _refusal(name: str, value: Any, allowed: str) -> UsageError:
    return UsageError(f"{name} {short_repr(value)} is not allowed: use {allowed}")
