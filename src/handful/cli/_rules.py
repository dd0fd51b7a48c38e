"""``handful certify --rules``: one set covering machine and its certificate."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.markup import escape

from handful._chunks import is_chunked
from handful._writing import write_atomically, write_folder
from handful.cli._chunked import NO_REPORT as NO_ROWS
from handful.cli._chunked import on_scheduler, read_chunked
from handful.cli._columns_text import columns_as_dicts, print_assumed
from handful.cli._examples import EMBEDDED, read_examples
from handful.cli._menu_text import rates_line
from handful.cli._origin import read_origin
from handful.cli._output import FILES, console, note, print_json, print_written, progress

if TYPE_CHECKING:
    from rich.table import Table

    from handful.bounds import Certificate
    from handful.cli._examples import Examples
    from handful.tables import Choices


@dataclass(frozen=True)
class Made:
    """A machine, and what it was made from."""

    machine: Any
    table: Examples
    choices: Choices
    include_rows: bool


def certify_rules(
    data: Path | None,
    choices: Choices,
    *,
    rules: str,
    kind: str,
    max_rules: str,
    costs: str | None,
    group_loss: str,
    delta: float,
    seed: int | None,
    threads: int,
    engine: str,
    scheduler: str | None,
    out: Path | None,
    force: bool,
    include_rows: bool,
    as_json: bool,
) -> None:
    """Learn one set covering machine, certify, print and write it."""
    with on_scheduler(scheduler):
        read = read_examples if engine == "memory" else read_chunked
        table = read(data, choices, seed)
        machine, seconds = _fit(
            table,
            rules=rules.split(",") if "," in rules else rules,
            kind=kind,
            max_rules=int(max_rules) if max_rules.isdigit() else max_rules,
            delta=delta,
            costs=_read_costs(costs, table),
            group_loss=group_loss,
            n_jobs=threads,
            random_state=table.random_state,
        )
        written: list[Path] = []
        if out is not None:
            made = Made(machine, table, choices, include_rows)
            written = _write(made, out, data, force=force)
    if as_json:
        found = _as_dict(machine, table, seconds)
        print_json({**found, "groups": choices.groups, "files": [str(path) for path in written]})
        return
    _print(machine, table, seconds)
    print_written(written)


def _read_costs(costs: str | None, table: Examples) -> tuple[float, ...] | None:
    if costs is None:
        return None
    if not table.is_positive_said:
        classes = [str(label) for label in table.classes]
        raise ValueError(
            "`--positive` must say which class is the positive one where `--costs` are given: "
            f"one of {', '.join(classes[:20])}."
        )
    try:
        found = tuple(float(part) for part in costs.split(","))
        # The machine's positive class is the second, whichever of the two is the case.
        return found if table.positive == table.classes[-1] else found[::-1]
    except ValueError as error:
        raise ValueError(f"`--costs` must be two numbers such as 1,5, got {costs!r}.") from error


def _fit(table: Examples, **parameters: Any) -> tuple[Any, float]:
    from handful._progress import watch_progress
    from handful.covering import SetCoveringMachine

    machine = SetCoveringMachine(classes=list(table.classes), **parameters)
    start = time.perf_counter()
    with progress("Learning") as report, watch_progress(report):
        machine.fit(table.X, table.y, sample_weight=table.weights, groups=table.groups)
    return machine, time.perf_counter() - start


def _write(made: Made, out: Path, data: Path | None, *, force: bool) -> list[Path]:
    """The model alone, or model, certificate and report in a folder."""
    from handful.files import model_to_dict
    from handful.files.document import to_text

    machine, table = made.machine, made.table
    document = model_to_dict(
        machine,
        source={
            "file": EMBEDDED if data is None else data.name,
            "target": table.target,
            "groups": made.choices.groups,
        },
        include_rows=made.include_rows,
        study=table.study,
        choices=made.choices,
    )
    if out.suffix == ".json":
        write_atomically(out, to_text(document), overwrite=force)
        return [out]
    contents = {
        "model.json": to_text(document),
        "certificate.json": json.dumps(document["certificate"], indent=1, allow_nan=False) + "\n",
    }
    if is_chunked(table.X):
        note(f"[yellow]{escape(NO_ROWS)}[/]")
    else:
        origin = read_origin(data, table.digests, out / "model.json", contents["model.json"])
        contents["report.html"] = _render(made, document, origin)
    return write_folder(out, contents, overwrite=force, replaced=FILES)


def _render(made: Made, document: dict[str, Any], origin: dict[str, Any]) -> str:
    """The page about a machine."""
    from handful.report import render_report

    machine, table = made.machine, made.table
    facts = {
        **document["provenance"]["versions"],
        "estimator": document["provenance"]["estimator"],
        "random_state": document["data"]["seed"],
        "data": f"sha256 {document['data']['sha256']} (in any order of the rows)",
    }
    return render_report(
        machine,
        table.X,
        table.y,
        title=table.name,
        data_notes=(*(() if table.study is None else table.study.cautions), *table.notes),
        include_rows=made.include_rows,
        **{**origin, "provenance": {**origin["provenance"], **facts, "target": table.target}},
    )


def _as_dict(machine: Any, table: Examples, seconds: float) -> dict[str, Any]:
    return {
        "data": table.name,
        "target": table.target,
        "classes": [str(label) for label in machine.classes_],
        "positive": None if table.positive is None else str(table.positive),
        "n_samples": int(machine.n_samples_),
        "cautions": [] if table.study is None else list(table.study.cautions),
        "notes": list(table.notes),
        "columns": [] if table.study is None else columns_as_dicts(table.study),
        "rule": "\n".join(machine.fitted_.sentences()),
        "rules": [
            {"condition": row.condition, "label": str(row.label), "n_covered": row.n_covered}
            for row in machine.get_rules().itertuples()
        ],
        "n_training_errors": machine.n_training_errors_,
        "n_made_of": len(machine.compression_set_),
        "n_held_back": len(machine.held_back_),
        "caution": machine.caution(),
        "rates": machine.class_rates(None if table.positive is None else str(table.positive)),
        "certificate": machine.certificate_.to_dict(),
        "seconds": seconds,
    }


def _print(machine: Any, table: Examples, seconds: float) -> None:
    from rich.panel import Panel

    console.print(
        f"[bold]{escape(table.name)}[/]: {machine.n_samples_} examples, "
        f"{machine.n_features_in_} features, target {escape(table.target)}; "
        f"learned in {seconds:.2f} s.",
        highlight=False,
    )
    for remark in table.notes:
        console.print(f"  [dim]{escape(remark)}[/]", highlight=False)
    if table.study is not None:
        print_assumed(table.study, with_notes=False)
    rule_text = "\n".join(machine.fitted_.sentences())
    console.print(Panel(escape(rule_text), title="Rule", expand=False, border_style="blue"))
    certificate: Certificate = machine.certificate_
    caution = machine.caution()
    sentence = escape(" ".join([caution, certificate.statement()]).strip())
    style = "yellow" if certificate.is_vacuous or caution else "green"
    console.print(Panel(sentence, title="Certificate", expand=False, border_style=style))
    console.print(_price_table(certificate), _path_table(machine))
    if rates := machine.class_rates(None if table.positive is None else str(table.positive)):
        console.print(f"  {escape(rates_line(rates))}", highlight=False)
        console.print(f"  {escape(certificate.together())}", highlight=False)
    console.print(f"  [dim]It holds if: {escape('; '.join(map(str, certificate.assumptions)))}.[/]")


def _price_table(certificate: Certificate) -> Table:
    from rich.table import Table

    table = Table(title="What the certificate pays", title_justify="left")
    table.add_column("for")
    table.add_column("nats", justify="right")
    largest = max((term.nats for term in certificate.terms), default=1.0) or 1.0
    table.add_column("")
    mark = "#" if console.options.ascii_only else "█"
    for term in certificate.terms:
        bar = mark * round(20 * term.nats / largest)
        table.add_row(escape(term.text), f"{term.nats:.2f}", bar)
    table.add_row("[bold]total[/]", f"[bold]{certificate.nats:.2f}[/]", "")
    return table


def _path_table(machine: Any) -> Table:
    from rich.table import Table

    path = machine.path_
    best = path.loc[path.groupby(["scheme", "family", "n_rules"])["certificate"].idxmin()]
    best = best.sort_values("certificate").head(10).sort_values(["scheme", "family", "n_rules"])
    table = Table(title="The best of each kind on the path", title_justify="left")
    for name in ("code", "rules from", "rules", "kept", "errors", "nats", "certificate"):
        table.add_column(name, justify="left" if name in ("code", "rules from") else "right")
    for row in best.itertuples():
        table.add_row(
            row.scheme,
            row.family,
            str(row.n_rules),
            str(row.n_compressed),
            str(row.n_errors),
            f"{row.nats:.1f}",
            f"{row.certificate:.4f}",
            style="bold" if row.is_chosen else None,
        )
    return table
