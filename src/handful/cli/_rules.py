"""``handful certify --rules``: one set covering machine and its certificate."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.markup import escape

from handful._engines import is_elsewhere
from handful.cli._chunked import NO_REPORT as NO_ROWS
from handful.cli._chunked import classes_of, on_scheduler, read_chunked
from handful.cli._origin import read_origin
from handful.cli._output import FILES, console, note, print_json, print_written, progress
from handful.cli._tables import EMBEDDED, digests_of, read_table
from handful.tables import write_atomically, write_folder

if TYPE_CHECKING:
    from rich.table import Table

    from handful.bounds import Certificate
    from handful.cli._tables import TableData


def certify_rules(
    data: Path | None,
    target: str | None,
    positive: str | None,
    *,
    rules: str,
    kind: str,
    max_rules: str,
    costs: str | None,
    groups: str | None,
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
        read = read_table if engine == "memory" else read_chunked
        table = read(data, target, positive)
        digests = digests_of(table, seed)  # of all columns, the groups among them
        table, members = _without_groups(table, groups)
        machine, seconds = _fit(
            table,
            members,
            rules=rules.split(",") if "," in rules else rules,
            kind=kind,
            max_rules=int(max_rules) if max_rules.isdigit() else max_rules,
            delta=delta,
            costs=_read_costs(costs, table),
            group_loss=group_loss,
            n_jobs=threads,
            random_state=digests,
        )
        written: list[Path] = []
        if out is not None:
            written = _write(
                machine, table, out, data, groups, force=force, include_rows=include_rows
            )
    if as_json:
        found = _as_dict(machine, table, seconds)
        print_json({**found, "groups": groups, "files": [str(path) for path in written]})
        return
    _print(machine, table, seconds)
    print_written(written)


def _without_groups(table: TableData, groups: str | None) -> tuple[TableData, Any]:
    """The table without the column of its groups, and that column."""
    if groups is None:
        return table, None
    if is_elsewhere(table.X):
        raise ValueError("`--groups` needs the table in memory. Leave out --engine dask.")
    names = [str(name) for name in table.X.columns]
    if groups not in names:
        raise ValueError(
            f"`--groups` must be a column of the file, got {groups!r}. "
            f"The columns are: {', '.join(names[:20])}."
        )
    column = table.X.columns[names.index(groups)]
    if table.X.shape[1] == 1:
        raise ValueError(f"there is no column besides the target and the groups {groups!r}.")
    return replace(table, X=table.X.drop(columns=[column])), table.X[column].to_numpy()


def _read_costs(costs: str | None, table: TableData) -> tuple[float, ...] | None:
    if costs is None:
        return None
    if not table.is_positive_known:
        classes = [str(label) for label in classes_of(table)]
        raise ValueError(
            "`--positive` must say which class is the positive one where `--costs` are given: "
            f"one of {', '.join(classes[:20])}."
        )
    try:
        return tuple(float(part) for part in costs.split(","))
    except ValueError as error:
        raise ValueError(f"`--costs` must be two numbers such as 1,5, got {costs!r}.") from error


def _fit(table: TableData, groups: Any, **parameters: Any) -> tuple[Any, float]:
    from handful._progress import watch_progress
    from handful.covering import SetCoveringMachine

    classes = classes_of(table)
    if table.positive is not None and table.positive != classes[1]:
        parameters["classes"] = classes[::-1]  # the positive class comes second
    machine = SetCoveringMachine(**parameters)
    start = time.perf_counter()
    with progress("Learning") as report, watch_progress(report):
        machine.fit(table.X, table.y, groups=groups)
    return machine, time.perf_counter() - start


def _write(
    machine: Any,
    table: TableData,
    out: Path,
    data: Path | None,
    groups: str | None,
    *,
    force: bool,
    include_rows: bool,
) -> list[Path]:
    """The model alone, or model, certificate and report in a folder."""
    from handful.io.document import to_text
    from handful.io.save import model_to_dict

    source = {
        "file": EMBEDDED if data is None else str(data),
        "target": table.target,
        "groups": groups,
    }
    document = model_to_dict(machine, source=source, include_rows=include_rows)
    if out.suffix == ".json":
        write_atomically(out, to_text(document), overwrite=force)
        return [out]
    contents = {
        "model.json": to_text(document),
        "certificate.json": json.dumps(document["certificate"], indent=1, allow_nan=False) + "\n",
    }
    if is_elsewhere(table.X):
        note(f"[yellow]{escape(NO_ROWS)}[/]")
    else:
        origin = read_origin(data, table.digests, out / "model.json", contents["model.json"])
        provenance = dict(document["provenance"])
        contents["report.html"] = _render(machine, table, provenance, origin, include_rows)
    return write_folder(out, contents, overwrite=force, replaced=FILES)


def _render(
    machine: Any,
    table: TableData,
    provenance: dict[str, Any],
    origin: dict[str, Any],
    include_rows: bool,
) -> str:
    """The page about a machine."""
    from handful.report import render_report

    known = provenance.pop("data")
    facts = {**provenance, "data": f"sha256 {known['sha256']} (in any order of the rows)"}
    return render_report(
        machine,
        table.X,
        table.y,
        title=table.name,
        data_notes=table.notes,
        include_rows=include_rows,
        **{**origin, "provenance": {**origin["provenance"], **facts, "target": table.target}},
    )


def _as_dict(machine: Any, table: TableData, seconds: float) -> dict[str, Any]:
    return {
        "data": table.name,
        "target": table.target,
        "classes": [str(label) for label in machine.classes_],
        "positive": None if table.positive is None else str(table.positive),
        "n_samples": int(machine.n_samples_),
        "notes": list(table.notes),
        "rule": "\n".join(machine.sentences()),
        "rules": [
            {"condition": row.condition, "label": str(row.label), "n_covered": row.n_covered}
            for row in machine.get_rules().itertuples()
        ],
        "n_training_errors": machine.n_training_errors_,
        "n_made_of": len(machine.compression_set_),
        "n_held_back": len(machine.held_back_),
        "caution": machine.caution(),
        "certificate": machine.certificate_.to_dict(),
        "seconds": seconds,
    }


def _print(machine: Any, table: TableData, seconds: float) -> None:
    from rich.panel import Panel

    console.print(
        f"[bold]{escape(table.name)}[/]: {machine.n_samples_} examples, "
        f"{machine.n_features_in_} features, target {escape(table.target)}; "
        f"learned in {seconds:.2f} s.",
        highlight=False,
    )
    for remark in table.notes:
        console.print(f"  [dim]{escape(remark)}[/]", highlight=False)
    rule_text = "\n".join(machine.sentences())
    console.print(Panel(escape(rule_text), title="Rule", expand=False, border_style="blue"))
    certificate: Certificate = machine.certificate_
    caution = machine.caution()
    sentence = escape(" ".join([caution, certificate.statement()]).strip())
    style = "yellow" if certificate.is_vacuous or caution else "green"
    console.print(Panel(sentence, title="Certificate", expand=False, border_style=style))
    console.print(_price_table(certificate), _path_table(machine))
    for line in certificate._rates():
        console.print(f"  {escape(line)}", highlight=False)
    console.print(f"  [dim]It holds if: {escape('; '.join(certificate.assumptions))}.[/]")


def _price_table(certificate: Certificate) -> Table:
    from rich.table import Table

    table = Table(title="What the certificate pays", title_justify="left")
    table.add_column("for")
    table.add_column("nats", justify="right")
    largest = max((term.nats for term in certificate.terms), default=1.0) or 1.0
    table.add_column("")
    for term in certificate.terms:
        bar = "█" * round(20 * term.nats / largest)
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
