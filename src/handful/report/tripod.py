"""The items of TRIPOD+AI, filled, drafted or asked from the files of a study.

Collins et al., BMJ 2024;385:e078378. An item is filled only by numbers that stand in the files.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from handful.codec import fail
from handful.report.dossier import table_text
from handful.report.study_texts import Documents, Sentence, field_of, sentences_of

FILLED, DRAFTED, ASKED = "filled", "drafted", "asked"
_DIGIT = re.compile(r"\d")
_MARKS = re.compile(r"([\\`*_{}\[\]<>#|&~])")


@dataclass(frozen=True)
class ChecklistItem:
    """One item of the checklist.

    Attributes
    ----------
    item, section, asks : str
        Its number, its section and what it asks, in short.
    status : {"filled", "drafted", "asked"}
        Filled by numbers from the files; drafted, for a person to complete; or open.
    sentences : tuple of Sentence
    question : str
        What only a person can say; empty if nothing is left.
    """

    item: str
    section: str
    asks: str
    status: str
    sentences: tuple[Sentence, ...]
    question: str

    @property
    def text(self) -> str:
        """The sentences as a paragraph; what has several lines stands by itself."""
        return " ".join(map(str, self.sentences))

    @property
    def sources(self) -> tuple[str, ...]:
        """Files and fields of everything that was filled in, each once."""
        found = (source for sentence in self.sentences for source in sentence.sources)
        return tuple(dict.fromkeys(found))

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        names = ("item", "section", "asks", "status", "text", "question")
        return {**{name: getattr(self, name) for name in names}, "sources": list(self.sources)}


def tripod_items(documents: Documents, template: str) -> list[ChecklistItem]:
    """All items, in their order.

    Parameters
    ----------
    documents : mapping of str to mapping
        The content of model.json, certificate.json and evidence.json, by file name.
    template : str
        The text of "tripod-ai.json".
    """
    return [_item(entry, documents) for entry in json.loads(template)]


def _item(entry: Mapping[str, Any], documents: Documents) -> ChecklistItem:
    found = sentences_of(entry.get("says", ()), documents)
    has_numbers = any(
        piece.source and _DIGIT.search(piece.text) for one in found for piece in one.pieces
    )
    status = ASKED
    if entry["who"] == "tool" and has_numbers:
        status = FILLED
    elif entry["who"] == "both" and found:
        status = DRAFTED
    question = entry["question"] if status != FILLED else entry.get("if_filled", entry["question"])
    if status == ASKED and not question:
        question = f"The files do not say it: {entry['asks'][:1].lower()}{entry['asks'][1:]}?"
    said = () if status == ASKED else tuple(found)
    known = {name: entry[name] for name in ("item", "section", "asks")}
    return ChecklistItem(**known, status=status, sentences=said, question=question)


def counts_of(items: Sequence[ChecklistItem]) -> dict[str, int]:
    """How many items are filled, drafted and asked."""
    return {
        status: sum(item.status == status for item in items) for status in (FILLED, DRAFTED, ASKED)
    }


def study_table(documents: Documents) -> dict[str, Any] | None:
    """Table 1 as text; None if the study has none."""
    table = field_of(documents, "E", "study.table_one")
    try:
        return None if table is None else table_text(table)
    except (AttributeError, TypeError, KeyError, ValueError) as error:
        raise fail("evidence.json: study.table_one", "as certify writes it", table) from error


def tripod_markdown(items: Sequence[ChecklistItem], documents: Documents, title: str) -> str:
    """The checklist as Markdown; text from the table is escaped."""
    numbers = counts_of(items)
    lines = [
        f"# TRIPOD+AI: {escaped(title)}",
        "",
        f"{numbers[FILLED]} items are filled from the files, {numbers[DRAFTED]} are drafted for "
        f"you to complete, {numbers[ASKED]} ask you.",
    ]
    section = ""
    for item in items:
        if item.section != section:
            lines += ["", f"## {item.section}"]
        section = item.section
        lines += ["", f"**{item.item}** {item.asks} ({item.status})", ""]
        lines += [_indented(escaped(str(sentence))) for sentence in item.sentences]
        if item.sources:
            lines += ["", f"From {'; '.join(f'`{source}`' for source in item.sources)}"]
        if item.question:
            lines += ["", f"**To answer:** {item.question}"]
    return "\n".join([*lines, *_table_lines(study_table(documents)), ""])


def _table_lines(table: Mapping[str, Any] | None) -> list[str]:
    if table is None:
        return []
    heads = ["column", "", *(f"{escaped(name)} ({n})" for name, n in table["heads"])]
    rows = [
        [escaped(column), escaped(what), *cells]
        for column, lines in table["columns"]
        for what, cells in lines
    ]
    body = [f"| {' | '.join(row)} |" for row in [heads, ["---"] * len(heads), *rows]]
    return ["", "## Table 1", "", *body]


def escaped(text: str) -> str:
    r"""Text that Markdown shows as it is.

    Examples
    --------
    >>> print(escaped("<b> a_b | c"))
    \<b\> a\_b \| c
    """
    return _MARKS.sub(r"\\\1", text)


def _indented(text: str) -> str:
    """A sentence as an entry of a list; its further lines stay within the entry."""
    first, *rest = text.split("\n")
    return "\n".join([f"- {first}", *(f"  {line}  " for line in rest)])
