"""What a model file says of windows, checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any

from ikpca_cli.recordings.beats.events import LENGTH
from ikpca_cli.recordings.cutting import Cutting
from ikpca_cli.recordings.wavelets.combination import Combination, own_name
from ikpca_cli.recordings.window_risk import Risk


def plain_of(
    *,
    cutting: Cutting,
    risk: Risk | None,
    colour: tuple[float, ...],
    stretching: float,
    level_given: bool,
    seen: str,
    combination: Combination | None,
    **_: Any,
) -> dict[str, float | int | str]:
    """Return how windows are cut, and some attributes of a `Windowed`, as plain values."""
    plain = cutting.to_plain() | ({} if risk is None else asdict(risk))
    plain |= {f"colour{place}": value for place, value in enumerate(colour)}
    plain |= {"stretching": stretching, "level_given": int(level_given), "seen": seen}
    return plain | ({} if combination is None else combination.to_plain())


def of_plain(plain: Mapping[str, Any], n_features: int) -> tuple[Cutting, dict[str, Any]]:
    """Return how windows are cut, and the other attributes of a `Windowed`, from plain values.

    Parameters
    ----------
    plain : mapping
        As `Windowed.to_plain` gave them.
    n_features : int
        Width of the rows of the windows' model.

    Raises
    ------
    ValueError
        If the values are not those of windows of that width.
    """
    names = [field.name for field in fields(Risk)]
    risk = {name: plain[name] for name in names if name in plain}
    places = range(sum(name.startswith("colour") for name in plain))
    colour = {f"colour{place}": plain[f"colour{place}"] for place in places}
    own = {*risk, *colour, "stretching", "level_given", "seen"}
    rest = {name: value for name, value in plain.items() if name not in own and not own_name(name)}
    combination = Combination.from_plain(plain)
    if combination is not None and plain.get("kind") != "signal":
        raise ValueError("wavelets are for signals, and its rows are none")
    cutting = Cutting.from_plain(rest, n_features)
    if combination is not None and combination.by_channel.shape[1] not in (1, cutting.width):
        raise ValueError("the weights of its wavelets are not those of its channels")
    stretching = plain.get("stretching")
    if type(stretching) is not float or not 1.0 / LENGTH < stretching < LENGTH:
        raise ValueError("the length of its rows over that of its beats is not one")
    if risk and (len(risk) < len(names) or any(type(one) is not float for one in risk.values())):
        raise ValueError("the error that it promises is not one")
    if not all(type(value) is float and abs(value) <= 1.0 for value in colour.values()):
        raise ValueError("the correlations of its noise are none")
    return cutting, {
        "risk": Risk(**risk) if risk else None,
        "stretching": stretching,
        "colour": tuple(colour.values()),
        "level_given": plain.get("level_given") == 1,
        "seen": str(plain.get("seen", "")),  # models of the first version have none
        "combination": combination,
    }
