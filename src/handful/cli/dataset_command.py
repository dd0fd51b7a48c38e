"""``handful datasets``: what is embedded, what can be drawn, and both as CSV."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import typer
from rich.markup import escape

from handful.cli.console import (
    as_table,
    console,
    note,
    print_json,
    records,
    write_out,
)
from handful.cli.options import Force, Json, Quiet
from handful.writing import check_place, write_atomically


def datasets(
    name: str = typer.Argument(None, help="A data set or problem; lists them if left out."),
    n_samples: int = typer.Option(500, "--n-samples", "-n", help="Examples to draw, for problems."),
    seed: int = typer.Option(0, help="Seed of what is drawn."),
    data_dir: Path = typer.Option(None, help="Folder with more data sets (or HANDFUL_DATA)."),
    out: Path = typer.Option(
        None, "--out", "-o", help="CSV file to write; standard output if left out."
    ),
    force: Force = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """List data sets, or write one as CSV: embedded ones, and problems whose truth is known.

    Example: **handful datasets banana --n-samples 1000 --out banana.csv**
    """
    if name is None:
        frame = _listed(data_dir)
        if as_json:
            print_json(records(frame))
        else:
            console.print(as_table("Data sets (handful datasets NAME writes one)", frame))
        return
    if out is not None:
        check_place(out, overwrite=force)
    frame = _table(name, n_samples, seed, data_dir)
    if as_json:
        print_json(records(frame))
        return
    text = io.StringIO()
    frame.to_csv(text, index=False, lineterminator="\n")
    if out is None:
        write_out(text.getvalue())
        return
    write_atomically(out, text.getvalue(), overwrite=force)
    note(f"{len(frame)} rows written to [bold]{escape(str(out))}[/]")


def _listed(data_dir: Path | None) -> Any:
    import pandas as pd

    from handful.datasets import GENERATORS, list_datasets, load_dataset

    rows = []
    for name in list_datasets(data_dir):
        data = load_dataset(name, data_dir)
        counts = " / ".join(str(n) for n in data.class_counts.values())
        rows.append((name, "data set", data.X.shape[0], data.X.shape[1], counts))
    for name, make in sorted(GENERATORS.items()):
        n_features = make(2, random_state=0)[0].shape[1]
        rows.append((name, "problem", None, n_features, "drawn"))
    return pd.DataFrame(rows, columns=["name", "kind", "examples", "features", "classes"])


def _table(name: str, n_samples: int, seed: int, data_dir: Path | None) -> Any:
    import pandas as pd

    from handful.datasets import GENERATORS, load_dataset

    if name in GENERATORS:
        X, y = GENERATORS[name](n_samples, random_state=seed)
        columns = [f"x{j}" for j in range(X.shape[1])]
    else:
        data = load_dataset(name, data_dir)
        X, y, columns = data.X, data.y, list(data.feature_names)
    return pd.DataFrame(X, columns=columns).assign(label=y)
