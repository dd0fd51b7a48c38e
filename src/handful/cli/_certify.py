"""``handful certify``: data in, a readable rule and a certificate out."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import typer
from rich.markup import escape
from rich.panel import Panel
from rich.table import Table

from handful.bounds import Certificate
from handful.cli._output import console, errors, print_json, reported_errors
from handful.cli._tables import TableData, read_table


def register(app: typer.Typer) -> None:
    """Add the command of this file to the application."""
    app.command()(certify)


def certify(
    data: Path = typer.Argument(
        None, metavar="[DATA]", help="CSV, TSV or Parquet file; embedded data where left out."
    ),
    target: str = typer.Option(None, help="Column to predict (label, class, target or y)."),
    rules: str = typer.Option(
        "auto", help="auto, stumps, balls, half-spaces, two-point or linear; several by commas."
    ),
    delta: float = typer.Option(0.05, help="Allowed probability that the certificate fails."),
    kind: str = typer.Option("auto", help="auto, conjunction or disjunction."),
    max_rules: str = typer.Option("auto", help="auto, or a number of rules."),
    seed: int = typer.Option(0, help="Seed of the pools; choose it before looking."),
    threads: int = typer.Option(1, help="Number of threads."),
    out: Path = typer.Option(None, help="Write the model to this JSON file."),
    as_json: bool = typer.Option(False, "--json", help="Print JSON."),
) -> None:
    """Learn a rule from a table and certify it: no hold-out set, no cross-validation."""
    with reported_errors():
        table = read_table(data, target)
        families: Any = rules.split(",") if "," in rules else rules
        size: Any = int(max_rules) if max_rules.isdigit() else max_rules
        machine, seconds = _fit(
            table,
            rules=families,
            kind=kind,
            max_rules=size,
            delta=delta,
            n_jobs=threads,
            random_state=seed,
        )
        if out is not None:
            from handful.io import save_model

            save_model(machine, out)
    if as_json:
        print_json(_as_dict(machine, table, seconds))
        return
    _print(machine, table, seconds)
    if out is not None:
        console.print(f"The model is in [bold]{escape(str(out))}[/].", highlight=False)


def _fit(table: TableData, **parameters: Any) -> tuple[Any, float]:
    from handful.covering import SetCoveringMachine
    from handful.covering._learn import watch_progress

    if _is_first_run():
        errors.print("[dim]Compiling the search loops (first run only, a few seconds) …[/]")
    start = time.perf_counter()
    with (
        errors.status("Learning …") as status,
        watch_progress(lambda stage: status.update(f"Learning: {escape(stage)} …")),
    ):
        machine = SetCoveringMachine(**parameters).fit(table.X, table.y)
    return machine, time.perf_counter() - start


def _is_first_run() -> bool:
    """Whether no compiled loops are cached beside the package."""
    import handful.rules

    return not any((Path(handful.rules.__path__[0]) / "__pycache__").glob("_loops.*.nbi"))


def _as_dict(machine: Any, table: TableData, seconds: float) -> dict[str, Any]:
    return {
        "data": table.name,
        "target": table.target,
        "n_samples": int(machine.n_samples_),
        "notes": list(table.notes),
        "rule": machine.explain().split("\n\n")[0],
        "rules": [
            {"condition": row.condition, "output": str(row.output), "n_covered": row.n_covered}
            for row in machine.get_rules().itertuples()
        ],
        "training_errors": machine.training_errors_,
        "certificate": machine.certificate_.to_dict(),
        "seconds": seconds,
    }


def _print(machine: Any, table: TableData, seconds: float) -> None:
    console.print(
        f"[bold]{escape(table.name)}[/]: {machine.n_samples_} examples, "
        f"{machine.n_features_in_} features, target {escape(table.target)}; "
        f"learned in {seconds:.2f} s.",
        highlight=False,
    )
    for note in table.notes:
        console.print(f"  [dim]{escape(note)}[/]", highlight=False)
    rule_text = machine.explain().split("\n\n")[0]
    console.print(Panel(escape(rule_text), title="Rule", expand=False, border_style="blue"))
    certificate: Certificate = machine.certificate_
    sentence = escape(certificate.explain().splitlines()[0])
    style = "yellow" if certificate.is_vacuous else "green"
    console.print(Panel(sentence, title="Certificate", expand=False, border_style=style))
    console.print(_price_table(certificate), _path_table(machine))
    for line in certificate._rates():
        console.print(f"  {escape(line)}", highlight=False)
    console.print(f"  [dim]It holds if: {escape('; '.join(certificate.assumptions))}.[/]")


def _price_table(certificate: Certificate) -> Table:
    table = Table(title="What the certificate pays", title_justify="left")
    table.add_column("for")
    table.add_column("nats", justify="right")
    largest = max((value for _, value in certificate.terms), default=1.0) or 1.0
    table.add_column("")
    for name, value in certificate.terms:
        table.add_row(escape(name), f"{value:.2f}", "█" * round(20 * value / largest))
    table.add_row("[bold]total[/]", f"[bold]{certificate.nats:.2f}[/]", "")
    return table


def _path_table(machine: Any) -> Table:
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
