"""The page about a menu: every row with its certificate, and the chosen one in full."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from handful._version import __version__
from handful.bounds import Certificate, percent_text
from handful.report._figures import draw_svg
from handful.report._page import render
from handful.report._sections import BREAKS, claim, headline, price, scale, tail


@dataclass(frozen=True)
class MenuPage:
    """What a page about a menu tells.

    Attributes
    ----------
    certificate : Certificate
        Of the chosen row.
    labels : array
        Labels of the training rows; only counts are shown.
    caution : str
        What must be said first of a classifier that is hardly better than a guess.
    lines : sequence of str
        The chosen row in words.
    form : str
        Its name.
    rows : sequence of (form, what it uses, certified risk, whether it is chosen)
    rates : sequence of mappings with name, class, n_right, n, at_least
        Sensitivity and specificity.
    together : str
        With which confidence all that is said holds at once; that of the certificate by default.
    pictures : sequence of (title, display, height)
        Of the menu and of the chosen row; anything with ``plot(ax)``.
    """

    certificate: Certificate
    labels: Any
    caution: str
    lines: Sequence[str]
    form: str
    rows: Sequence[tuple[str, str, float, bool]]
    rates: Sequence[Mapping[str, Any]] = ()
    pictures: Sequence[tuple[str, Any, float]] = ()
    together: str = ""


def render_menu(
    page: MenuPage,
    *,
    title: str,
    data_notes: Sequence[str] = (),
    provenance: Mapping[str, Any] | None = None,
    model_file: str | None = None,
    data_file: str | None = None,
    digests: Mapping[str, str] | None = None,
) -> str:
    """A whole HTML page; it shows counts and the chosen rule, and no training rows.

    Parameters
    ----------
    page : MenuPage
    title, data_notes, provenance, model_file, data_file, digests
        As in `render_report`.

    Examples
    --------
    >>> from handful.bounds import held_out_bound
    >>> rows = [("constant", "nothing", 0.2, True)]
    >>> page = MenuPage(held_out_bound(30, 2), ["a", "b"], "", ["Always predict a."],
    ...                 "constant", rows)
    >>> "Always predict a." in render_menu(page, title="t")
    True
    """
    return render(
        _sections(page),
        title=title,
        data_notes=data_notes,
        provenance=provenance,
        model_file=model_file,
        data_file=data_file,
        digests=digests,
    )


def _sections(page: MenuPage) -> dict[str, Any]:
    """What the template shows but for titles and notes."""
    import numpy as np

    certificate, rows = page.certificate, page.rows
    labels = np.asarray(page.labels)
    head = headline(certificate, page.caution)
    head["meaning"] += [
        f"{rate['name'].capitalize()} ({rate['class']}): {rate['n_right']} of {rate['n']} counted, "
        f"at least {np.floor(1000 * rate['at_least']) / 10:.1f} %."
        for rate in page.rates
    ]
    both = page.together or certificate.together()
    head["meaning"] += [both] if both else []
    sections = {
        "claim": claim(certificate, page.form),
        "headline": head,
        "scale": scale(certificate, labels),
        "facts": _facts(certificate, rows),
        "menu": [
            {"form": name, "uses": uses, "is_chosen": is_chosen, "value": repr(risk),
             "risk": percent_text(risk, is_padded=True)}
            for name, uses, risk, is_chosen in rows
        ],
        "rule": [{"indent": len(line) - len(line.lstrip()), "words": [line.strip()]}
                 for line in page.lines],
        "price": price(certificate),
        "assumptions": [str(one) for one in certificate.assumptions],
        "notes": certificate.notes,
        "reference": certificate.reference,
        "breaks": BREAKS,
        "recheck": {"has_file": True, "tail": tail(certificate)},
        "version": __version__,
        "machine_name": page.form,
    }  # fmt: skip
    nothing = dict.fromkeys(("rules", "path", "confusion", "plane", "examples"))
    return {**nothing, "pictures": _pictures(page), **sections}


def _pictures(page: MenuPage) -> list[dict[str, str]]:
    return [
        {"title": title, "svg": draw_svg(display, name=f"more{k}", title=title, size=(7.2, height))}
        for k, (title, display, height) in enumerate(page.pictures)
    ]


def _facts(certificate: Certificate, rows: Sequence[Any]) -> list[tuple[str, str]]:
    facts = [("examples", str(certificate.n_samples)), ("rows of the menu", str(len(rows)))]
    if certificate.n_compressed is not None:
        facts.append(("in the pool", str(certificate.n_compressed)))
    if certificate.n_errors is not None:
        facts.append(("errors counted", str(certificate.n_errors)))
    return facts
