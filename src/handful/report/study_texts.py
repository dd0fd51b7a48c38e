"""Texts about a study, filled from its files: each number says in which field it stands.

A sentence of a template has fields such as ``{E:study.flow.n_read}``: M is model.json, C is
certificate.json, E is evidence.json; a star stands for all entries of a list. A sentence is left
out if one of its fields is not there.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from handful.bounds import confidence_text, percent_text
from handful.codec import fail
from handful.evidence import share_down, share_up

FILES = {"M": "model.json", "C": "certificate.json", "E": "evidence.json"}
Documents = Mapping[str, Any]

_FIELD = re.compile(r"\{([MCE]):([\w.*-]+)(?:\|(\w+))?\}")


def _floor(value: float) -> str:
    return f"{math.floor(value * 1000.0) / 1000.0:.3f}"


def _ceiling(value: float) -> str:
    return f"{math.ceil(value * 1000.0) / 1000.0:.3f}"


def _listed(values: Iterable[Any]) -> str:
    return ", ".join(map(str, values))


def _points(value: float) -> str:
    return f"{100.0 * value:g}"


# How a value is written; limits are rounded outward.
WRITTEN: Mapping[str, Callable[[Any], str]] = {
    "limit": percent_text,
    "up": share_up,
    "down": share_down,
    "ups": lambda values: _listed(map(share_up, values)),
    "share": lambda value: f"{100.0 * value:.1f} %",
    "points": _points,
    "sure": confidence_text,
    "f3": lambda value: f"{value:.3f}",
    "d3": _floor,
    "u3": _ceiling,
    "n": lambda value: str(len(value)),
    "names": _listed,
    "pairs": lambda value: _listed(f"{name} {n}" for name, n in value.items()),
    "lines": "\n".join,
}


@dataclass(frozen=True)
class Piece:
    """A part of a sentence; ``source`` is the file and field that it was taken from."""

    text: str
    source: str = ""


@dataclass(frozen=True)
class Sentence:
    """A sentence of pieces.

    Examples
    --------
    >>> documents = {"evidence.json": {"study": {"n": 12}}}
    >>> filled("Of {E:study.n} rows.", documents)
    Sentence(pieces=(Piece(text='Of ', source=''), Piece(text='12', source='evidence.json: study.n'), Piece(text=' rows.', source='')))
    """  # noqa: E501

    pieces: tuple[Piece, ...]

    def __str__(self) -> str:
        return "".join(piece.text for piece in self.pieces)

    @property
    def sources(self) -> tuple[str, ...]:
        """Files and fields, each once."""
        return tuple(dict.fromkeys(piece.source for piece in self.pieces if piece.source))


def field_of(documents: Documents, letter: str, path: str) -> Any:
    """The value of a field; None if it is not there."""
    return _inside(documents.get(FILES[letter]), path.split("."))


def _inside(value: Any, steps: Sequence[str]) -> Any:
    if not steps:
        return value
    step, rest = steps[0], steps[1:]
    if isinstance(value, Mapping):
        return _inside(value.get(step), rest)
    if not isinstance(value, Sequence) or isinstance(value, str):
        return None
    if step == "*":
        return [_inside(entry, rest) for entry in value]
    is_there = step.isdigit() and int(step) < len(value)
    return _inside(value[int(step)], rest) if is_there else None


def filled(sentence: Any, documents: Documents) -> Sentence | None:
    """A sentence of a template with its fields; None if it does not apply.

    ``sentence`` is a text, or a mapping with "say" and a field "if", which must be true, or equal
    to "is".
    """
    if isinstance(sentence, Mapping):
        letter, _, path = sentence["if"].partition(":")
        found = field_of(documents, letter, path)
        if not (found == sentence["is"] if "is" in sentence else found):
            return None
        return filled(sentence["say"], documents)
    pieces, end = [], 0
    for match in _FIELD.finditer(sentence):
        letter, path, how = match.groups()
        value = field_of(documents, letter, path)
        if value is None or value in ("", []):
            return None
        written = _written(value, how, f"{FILES[letter]}: {path}")
        pieces += [Piece(sentence[end : match.start()])] if match.start() > end else []
        pieces.append(Piece(written, f"{FILES[letter]}: {path}"))
        end = match.end()
    return Sentence((*pieces, *([Piece(sentence[end:])] if end < len(sentence) else [])))


def _written(value: Any, how: str | None, where: str) -> str:
    try:
        if how is None:
            return f"{value:g}" if isinstance(value, float) else str(value)
        return WRITTEN[how](value)
    except (AttributeError, TypeError, ValueError, ArithmeticError) as error:
        raise fail(where, f"something that can be written as {how!r}", value) from error


def sentences_of(template: Iterable[Any], documents: Documents) -> list[Sentence]:
    """The sentences of a template that apply."""
    found = (filled(sentence, documents) for sentence in template)
    return [sentence for sentence in found if sentence is not None]


def study_texts(documents: Documents, template: str) -> dict[str, list[Sentence]]:
    """Paragraphs to paste, by name, from the template "study-texts.json"."""
    return {
        name: sentences_of(sentences, documents) for name, sentences in json.loads(template).items()
    }
