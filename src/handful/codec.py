"""Frozen records as plain data and back: the type hints of a record are its schema.

`encode` writes a record. `decode` builds one from plain data and refuses data that the hints do
not allow; the message names the place. A record that is one of several kinds (a subclass of
`Tagged`) writes its kind into a field of its own. Metadata of a field change how it is written:
"file" False leaves it out, "flat" writes the fields of a record beside those of its owner, "object"
writes pairs of a name and a value as an object.

Rules that hints cannot express are in the method ``check_fields(where)`` of a record, which raises
`ModelFileError`, or in its constructor, which raises `ValueError`.
"""

from __future__ import annotations

import json
import math
import re
import types
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import cache
from typing import Any, ClassVar, Literal, Union, get_args, get_origin, get_type_hints

MAX_PARTS = 1_000_000  # the reader builds no more parts, even from a damaged file
_WORDS = {float: "a finite number", int: "a whole number", str: "a text", bool: "true or false"}
_CHECK = "check_fields"


class ModelFileError(ValueError):
    """Raised for a model file that breaks a rule; the message names the place."""


def fail(where: str, rule: str, value: Any) -> ModelFileError:
    """The error for a value that breaks a rule."""
    shown = repr(value)
    return ModelFileError(f"`{where}` must be {rule}, got {shown[:80]}. The file is not usable.")


class Tagged:
    """Base of records of several kinds.

    The first subclass names the field of the kind: ``class Form(Tagged, field="machine")``. Its
    subclasses name their kind: ``class Card(Form, tag="score card")``.
    """

    tag_field: ClassVar[str]
    tag: ClassVar[str]
    tagged: ClassVar[dict[str, type[Any]]]

    def __init_subclass__(cls, *, field: str = "", tag: str = "", **options: Any) -> None:
        super().__init_subclass__(**options)
        if field:
            cls.tag_field, cls.tagged = field, {}
        if tag:
            if tag in cls.tagged:
                raise ValueError(f"`tag` must be new, got {tag!r}.")
            cls.tag = tag
            cls.tagged[tag] = cls


@cache
def _schema(cls: Any) -> dict[str, tuple[Any, Field[Any]]]:
    """Type and field of each written field, by name."""
    hints = get_type_hints(cls)
    written = [field for field in fields(cls) if field.metadata.get("file", True)]
    return {field.name: (hints[field.name], field) for field in written}


def _head(cls: Any) -> dict[str, str]:
    return {cls.tag_field: cls.tag} if issubclass(cls, Tagged) else {}


def encode(value: Any) -> Any:
    """Plain data (JSON-ready) of a record, a tuple of records, or a plain value."""
    if is_dataclass(value):
        kind: Any = type(value)
        out: dict[str, Any] = dict(_head(kind))
        for name, (_, field) in _schema(kind).items():
            part = encode(getattr(value, name))
            part = dict(part) if field.metadata.get("object") else part
            out |= part if field.metadata.get("flat") else {name: part}
        return out
    if isinstance(value, Mapping):
        return {name: encode(part) for name, part in value.items()}
    return [encode(part) for part in value] if isinstance(value, tuple) else value


def decode(kind: Any, value: Any, where: str) -> Any:
    """The value of type ``kind`` that `encode` wrote."""
    origin, args = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        return _one_of(args, value, where)
    if origin is Literal:
        if value not in args or type(value) is not type(args[0]):
            raise fail(where, f"one of {args}", value)
        return value
    if origin is tuple:
        return _parts(args, value, where)
    if origin is Mapping:
        if not isinstance(value, Mapping):
            raise fail(where, "an object", value)
        return {name: decode(args[1], part, f"{where}.{name}") for name, part in value.items()}
    if kind is Any:
        return value
    if isinstance(kind, type) and issubclass(kind, Tagged):
        return _record(_kind_of(kind, value, where), value, where)
    return _record(kind, value, where) if is_dataclass(kind) else _scalar(kind, value, where)


def _parts(kinds: tuple[Any, ...], value: Any, where: str) -> tuple[Any, ...]:
    """A list whose parts are all of one kind, or of a kind each."""
    is_open = kinds[-1] is Ellipsis
    if not isinstance(value, list) or len(value) > MAX_PARTS:
        raise fail(where, f"a list of at most {MAX_PARTS} parts", value)
    if not is_open and len(value) != len(kinds):
        raise fail(where, f"a list of {len(kinds)} parts", value)
    each = kinds[:1] * len(value) if is_open else kinds
    pairs = enumerate(zip(each, value, strict=True))
    return tuple(decode(kind, part, f"{where}[{i}]") for i, (kind, part) in pairs)


def _one_of(kinds: tuple[Any, ...], value: Any, where: str) -> Any:
    """The kind that looks like the value; else the first one says what is wrong."""
    if value is None and types.NoneType in kinds:
        return None
    rest = [kind for kind in kinds if kind is not types.NoneType]
    exact = [kind for kind in rest if type(value) is kind]
    listed = [kind for kind in rest if get_origin(kind) is tuple and isinstance(value, list)]
    return decode((exact or listed or rest)[0], value, where)


def _kind_of(base: Any, value: Any, where: str) -> Any:
    """The kind that a record names, if the base has it."""
    known = {name: kind for name, kind in base.tagged.items() if issubclass(kind, base)}
    name = value.get(base.tag_field) if isinstance(value, Mapping) else None
    if not isinstance(name, str) or name not in known:
        raise fail(f"{where}.{base.tag_field}", f"one of {sorted(known)}", name)
    return known[name]


def _record(cls: Any, value: Any, where: str) -> Any:
    wanted = names_in(cls)
    if not isinstance(value, Mapping) or set(value) != wanted:
        raise fail(where, f"an object with the fields {', '.join(sorted(wanted))}", value)
    found = {}
    for name, (kind, field) in _schema(cls).items():
        if field.metadata.get("flat"):
            found[name] = decode(kind, {part: value[part] for part in names_in(kind)}, where)
        elif field.metadata.get("object"):
            part = decode(Mapping[str, Any], value[name], f"{where}.{name}")
            found[name] = decode(kind, [list(pair) for pair in part.items()], f"{where}.{name}")
        else:
            found[name] = decode(kind, value[name], f"{where}.{name}")
    try:
        made = cls(**found, **_left_out(cls))
    except ValueError as error:
        raise ModelFileError(f"`{where}` is not usable: {error}") from error
    check: Callable[[str], None] | None = getattr(made, _CHECK, None)
    if check is not None:
        check(where)
    return made


@cache
def _left_out(cls: Any) -> dict[str, None]:
    """Fields without a default that are not written."""
    names = set(_schema(cls))
    return {f.name: None for f in fields(cls) if f.name not in names and f.default is MISSING}


def names_in(cls: Any) -> set[str]:
    """Names of the fields of a record in a document, with those of its flat parts."""
    out = set(_head(cls))
    for name, (kind, field) in _schema(cls).items():
        out |= names_in(kind) if field.metadata.get("flat") else {name}
    return out


def _scalar(kind: Any, value: Any, where: str) -> Any:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if kind is float and is_number and _is_finite(value):
        return float(value)
    if type(value) is not kind or kind is float or (kind is int and abs(value) > 2**53):
        raise fail(where, _WORDS[kind], value)
    if kind is str:
        try:
            value.encode()
        except UnicodeEncodeError as error:  # half of a character
            raise fail(where, "a text that can be written", value) from error
    return value


def _is_finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number above all floats
        return False


def to_toml(document: Mapping[str, Any]) -> str:
    r"""Plain data as TOML: values first, then tables, then lists of tables.

    Examples
    --------
    >>> print(to_toml({"risk": {"0": 0.5}, "name": 'a "b"', "item": [{"when": ["x >= 1"]}]}))
    name = "a \"b\""
    <BLANKLINE>
    [risk]
    0 = 0.5
    <BLANKLINE>
    [[item]]
    when = ["x >= 1"]
    <BLANKLINE>
    """
    lines, parts = [], []
    for name, value in document.items():
        if isinstance(value, Mapping):
            parts.append(f"\n[{_toml_key(name)}]\n{_toml_lines(value)}")
        elif isinstance(value, list) and value and isinstance(value[0], Mapping):
            parts += [f"\n[[{_toml_key(name)}]]\n{_toml_lines(one)}" for one in value]
        else:
            lines.append(_toml_lines({name: value}))
    return "".join([*lines, *parts])


def _toml_lines(values: Mapping[str, Any]) -> str:
    return "".join(f"{_toml_key(name)} = {_toml_value(value)}\n" for name, value in values.items())


def _toml_key(name: str) -> str:
    return name if re.fullmatch("[A-Za-z0-9_-]+", name) else _toml_value(name)


def _toml_value(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_toml_value, value))}]"
    if isinstance(value, Mapping):
        pairs = (f"{_toml_key(name)} = {_toml_value(one)}" for name, one in value.items())
        return "{ " + ", ".join(pairs) + " }"
    # texts, numbers and truths are written as in JSON, but for one letter
    return json.dumps(value, ensure_ascii=False, allow_nan=False).replace("\x7f", "\\u007f")
