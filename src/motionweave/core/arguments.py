"""Checks arguments against a function's annotations; raises our own error otherwise.

Annotations state once what a parameter accepts, for people, for type checkers, and here. What they
cannot express, such as ranges, the functions check themselves.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cache
from numbers import Integral, Real
from pathlib import Path
from typing import Any, Literal, NamedTuple, Union, get_args, get_origin

import numpy as np
from numpy.typing import ArrayLike

from motionweave.core.checks import LARGEST, shown
from motionweave.errors import MotionError, MotionweaveError

_EMPTY = inspect.Parameter.empty
# Whole numbers that fit what arrays count with.
_MOST = 2**62


def check_arguments(
    function: Callable[..., Any],
    given: Mapping[str, Any],
    error: type[MotionweaveError] = MotionError,
) -> None:
    """Raise ``error`` unless all arguments match the function's annotations.

    Call it on the first line of a function, where the local names are its arguments.

    Parameters
    ----------
    function
        Whose arguments they are.
    given
        ``locals()`` of the function.
    error
        Which error to raise.

    Examples
    --------
    >>> def slowed(factor: float = 2.0) -> float:
    ...     check_arguments(slowed, locals())
    ...     return 1.0 / factor
    >>> slowed("twice")
    Traceback (most recent call last):
        ...
    motionweave.errors.MotionError: factor='twice': expected a number
    """
    for name, parameter in _parameters(function).items():
        value = given[name]
        for one in value if parameter.several else (value,):
            if not parameter.fits(one):
                said = shown(one) if parameter.several else f"{name}={shown(one)}"
                raise error(f"{said}: expected {_described(parameter.hint)}")


class _Parameter(NamedTuple):
    """A parameter that is annotated: what it takes, whether any number of that, and the check."""

    hint: Any
    several: bool
    fits: Callable[[Any], bool]


@cache
def _parameters(function: Callable[..., Any]) -> dict[str, _Parameter]:
    """The parameters of a function that are annotated, by name."""
    found: dict[str, _Parameter] = {}
    for name, parameter in inspect.signature(function).parameters.items():
        hint = parameter.annotation
        if isinstance(hint, str):
            try:
                hint = eval(hint, function.__globals__)
            except NameError:
                continue  # Known to type checkers alone.
        if hint is _EMPTY or hint is Any or parameter.kind is parameter.VAR_KEYWORD:
            continue
        several = parameter.kind is parameter.VAR_POSITIONAL
        found[name] = _Parameter(hint, several, _fitting(hint))
    return found


def _fitting(hint: Any) -> Callable[[Any], bool]:
    """What tells whether a value matches an annotation; vague annotations accept everything."""
    origin, parts = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return _fitting_one_of(hint, parts)
    if hint is None or hint is types.NoneType:
        return lambda value: value is None
    if hint is bool:
        return lambda value: isinstance(value, bool | np.bool_)
    if hint is float or hint is int:
        return lambda value: _number(value, hint)
    if origin is Literal:
        # Functions check their literal options themselves, with their own messages.
        kinds = {type(part) for part in parts}
        return lambda value: type(value) in kinds
    if hint is np.ndarray or origin is np.ndarray:
        return _numeric
    if origin is tuple:
        return _fitting_tuple(parts)
    if origin is not None and isinstance(origin, type):
        return _fitting_collection(origin, parts)
    if hint is Any or not isinstance(hint, type) or getattr(hint, "_is_protocol", False):
        return lambda _: True
    return lambda value: isinstance(value, hint)


def _fitting_one_of(hint: Any, parts: tuple[Any, ...]) -> Callable[[Any], bool]:
    own = [part for part in parts if not _of_numpy(part) and part not in (bytes, complex)]
    numbers = len(own) < len(parts)
    # NumPy's array-like type includes strings and all kinds of single values.
    checks = [] if hint == ArrayLike else [_fitting(part) for part in own]
    return lambda value: any(fits(value) for fits in checks) or (numbers and _numeric(value))


def _number(value: Any, kind: type) -> bool:
    wanted = Integral if kind is int else Real
    if isinstance(value, bool | np.bool_) or not isinstance(value, wanted):
        return False
    most: Any = _MOST if kind is int else LARGEST
    # Also false for NaN; and integers of any size can be compared.
    return bool(-most <= value <= most)


def _fitting_tuple(parts: tuple[Any, ...]) -> Callable[[Any], bool]:
    alike = len(parts) == 2 and parts[1] is Ellipsis
    checks = [_fitting(part) for part in (parts[:1] if alike else parts)]

    def fits(value: Any) -> bool:
        if not isinstance(value, Sequence | np.ndarray) or isinstance(value, str | bytes):
            return False
        if isinstance(value, np.ndarray) and value.ndim == 0:
            return False
        if alike:
            return all(map(checks[0], value))
        return len(value) == len(checks) and all(
            check(one) for check, one in zip(checks, value, strict=True)
        )

    return fits


def _fitting_collection(origin: type, parts: tuple[Any, ...]) -> Callable[[Any], bool]:
    if issubclass(origin, Mapping):
        key_fits, value_fits = map(_fitting, parts or (Any, Any))
        return lambda value: (
            isinstance(value, Mapping)
            and all(key_fits(key) and value_fits(one) for key, one in value.items())
        )
    if not issubclass(origin, Iterable):
        return lambda value: isinstance(value, origin)
    item_fits = _fitting(parts[0])

    def fits(value: Any) -> bool:
        if isinstance(value, str | bytes | Mapping):
            return False
        if isinstance(value, np.ndarray):
            return value.ndim > 0 and all(map(item_fits, value))
        if not isinstance(value, origin):
            return False
        # Iterators, which can be consumed only once, are left to the function.
        return not isinstance(value, Collection) or all(map(item_fits, value))

    return fits


def _of_numpy(hint: Any) -> bool:
    module = getattr(get_origin(hint) or hint, "__module__", "")
    return str(module).startswith("numpy._typing")


def _numeric(value: Any) -> bool:
    """Whether NumPy can convert a value to floats."""
    if not isinstance(value, Real | Sequence) and not hasattr(value, "__array__"):
        return False  # NumPy would iterate over anything that has a length.
    try:
        numbers = np.asarray(value)
    except Exception:
        # Items of a list that have a length may raise anything.
        return False
    return numbers.dtype.kind in "fiu"


_NAMES = {
    float: "a number",
    int: "a whole number",
    str: "a string",
    bool: "True or False",
    Path: "a path",
    types.NoneType: "None",
}


def _described(hint: Any) -> str:
    """What an annotation accepts, in words."""
    origin, parts = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        plain = [part for part in parts if not _of_numpy(part)]
        if len(plain) < len(parts):
            # What NumPy takes for numbers comes with many plain kinds of number.
            plain = [part for part in plain if part not in (bool, int, float, complex, str, bytes)]
            return _listed([*map(_described, plain), "numbers"])
        # If a value may be given alone or in a list, say so briefly.
        single = [part for part in plain if get_args(part)[:1] not in [(one,) for one in plain]]
        several = ["a list of them"] if len(single) < len(plain) else []
        return _listed([*map(_described, single), *several])
    if origin is Literal:
        return _listed([repr(part) for part in parts])
    if hint is np.ndarray or origin is np.ndarray:
        return "an array of numbers"
    if origin is tuple and not (len(parts) == 2 and parts[1] is Ellipsis):
        return f"({', '.join(_described(part) for part in parts)})"
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return "a mapping"
    if isinstance(origin, type) and issubclass(origin, Iterable):
        return f"a list in which each item is {_described(parts[0]).removesuffix(' or None')}"
    if hint in _NAMES:
        return _NAMES[hint]
    name = getattr(hint, "__name__", str(hint))
    if name == "Callable":
        return "a function"
    return f"{'an' if name[0] in 'AEIOU' else 'a'} {name}"


def _listed(words: Sequence[str]) -> str:
    kinds = list(dict.fromkeys(words))
    return " or ".join([", ".join(kinds[:-1]), kinds[-1]]) if len(kinds) > 1 else kinds[0]
