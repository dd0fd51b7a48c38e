"""Run the same jobs under two checkouts and compare every number, file and line.

    PYTHONPATH=base/src python tools/golden.py record base.json
    PYTHONPATH=head/src python tools/golden.py record head.json
    python tools/golden.py compare base.json head.json

Nothing is stored in the repository: both sides run on one machine, so a difference is a
difference of code. ``--only WORD`` records the jobs whose name contains the word; ``--whole``
keeps documents and texts instead of their digests, to see what differs.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

warnings.simplefilter("ignore")
ROOT = Path(__file__).resolve().parents[1]
WHOLE = False
Jobs = Iterator[tuple[str, Callable[[], Any]]]


def exact(value: Any) -> Any:
    """Anything as JSON, floats to the last bit."""
    import numpy as np

    if isinstance(value, float | np.floating):
        return float(value).hex()
    if isinstance(value, np.ndarray):
        return exact(value.tolist())
    if isinstance(value, np.generic):
        return exact(value.item())
    if isinstance(value, dict):
        return {str(key): exact(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [exact(part) for part in value]
    return value if isinstance(value, str | int | bool | type(None)) else str(value)


def digest(value: Any) -> Any:
    """Sixteen characters that tell two results apart, or the result itself."""
    if WHOLE:
        return exact(value)
    return hashlib.sha256(json.dumps(exact(value), sort_keys=True).encode()).hexdigest()[:16]


def tried(job: Callable[[], Any]) -> Any:
    """The result of a job; an error is a result too."""
    try:
        return job()
    except Exception as error:
        return f"{type(error).__name__}: {str(error)[:200]}"


def machines() -> Iterator[tuple[str, Any]]:
    """Estimators with settings that reach every engine, code and form."""
    import handful as h

    for rules in ("auto", "stumps", "balls", "half-spaces", "two-point", "linear"):
        yield f"scm {rules}", h.SetCoveringMachine(rules, random_state=0)
        yield f"list {rules}", h.DecisionListMachine(rules, random_state=0)
    yield "scm mixed", h.SetCoveringMachine(["stumps", "balls"], candidates=40)
    yield "scm costs", h.SetCoveringMachine("stumps", costs=(1.0, 5.0))
    yield "menu", h.CertifiedClassifier("all")
    yield "menu half", h.CertifiedClassifier(pool_share=0.5, delta=0.1, random_state=3)
    yield "card", h.ScoreCard(max_items=4)
    yield "adaboost", h.AdaBoost(n_rounds=20)
    yield "lpboost", h.LPBoost(nu=0.5)
    yield "lpboost cap", h.LPBoost(cap=0.02, thresholds=[30.0, 50.0, 60.0])
    yield "mkl", h.LPBoostMKL(nu=0.5)
    for kernel in ("linear", "rbf", "poly"):
        yield f"svm {kernel}", h.SupportVectorMachine(kernel, gamma=0.01)
        yield f"perceptron {kernel}", h.KernelPerceptron(kernel, gamma=0.01)
        yield f"mcm {kernel}", h.MinimalComplexityMachine(kernel, gamma=0.01)
        yield f"lpm {kernel}", h.LinearProgrammingMachine(kernel, gamma=0.01)
    for code in ("pool", "chosen", "quantised", "least_squares"):
        yield f"pursuit {code}", h.KernelMatchingPursuitClassifier(8, coefficients=code)
    grid = {"gamma": [0.01, 0.1], "C": [1.0, 10.0]}
    yield "nonconformity", h.NonconformityClassifier(param_grid=grid, calibration_size=0.3)
    search = {"penalty": [0.5, 1.0, 2.0]}
    yield "search", h.BoundSearch(h.SetCoveringMachine("stumps", random_state=0), search)


def certificate(machine: Any) -> Any:
    """The certificate of a machine: what it assumes as sentences, whatever holds them."""
    made = machine.certificate_
    said = {name: value for name, value in made.to_dict().items() if name != "parameters"}
    said |= {"assumptions": [str(one) for one in made.assumptions], "quantity": str(made.quantity)}
    return exact(said)


def look(machine: Any, X: Any, y: Any, groups: Any = None) -> dict[str, Any]:
    """What a user can see of a fitted machine."""
    import handful as h

    out: dict[str, Any] = {"predict": digest(machine.predict(X))}
    out["errors"] = tried(lambda: exact(machine.n_training_errors_))
    out["explain"] = tried(lambda: digest(machine.explain()))
    out["scores"] = tried(lambda: digest(machine.decision_function(X)))
    for name in ("path_", "menu_"):
        frame = getattr(machine, name, None)
        if frame is not None:
            kept = frame.drop(columns=[c for c in ("seconds",) if c in frame.columns])
            out[name] = digest(kept.astype(object).to_dict("list"))
    out["certificate"] = tried(lambda: certificate(machine))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "m.json"

        def saved() -> Any:
            h.save_model(machine, path, data=(X, y), include_rows=True)
            document = json.loads(path.read_text())
            document.pop("content_sha256")
            for part in document.values():  # the digest of an archive, which holds its time
                if isinstance(part, dict) and "estimators_sha256" in part:
                    part["estimators_sha256"] = part["estimators_sha256"] is not None
            return digest(document)

        out["file"] = tried(saved)
        if path.exists():
            out["verify"] = tried(lambda: h.verify_model(path, X, y, groups).status)
    for export in (h.export_sql, h.export_python, h.export_json):
        out[export.__name__] = tried(lambda: digest(export(machine, include_rows=True)))  # noqa: B023
    return out


def fits() -> Jobs:
    """Every machine on two tables of numbers."""
    from handful import load_dataset

    for name in ("haberman-294", "glass"):
        data = load_dataset(name)
        for label, machine in machines():
            yield (
                f"{name}: {label}",
                lambda m=machine, d=data: look(m.fit(d.X, d.y), d.X, d.y),
            )


def several() -> Jobs:
    """Several classes, groups, goals, cells that are missing, words."""
    import numpy as np
    from sklearn.datasets import load_iris

    import handful as h

    X, y = load_iris(return_X_y=True)
    words = np.array(["setosa", "versicolor", "virginica"])[y]
    for label in ("scm stumps", "scm balls", "list stumps", "menu", "adaboost", "lpboost"):
        machine = dict(machines())[label]
        yield f"iris: {label}", lambda m=machine: look(m.fit(X, words), X, words)
    for label in ("svm rbf", "mcm rbf", "lpm linear", "perceptron rbf", "pursuit pool"):
        machine = dict(machines())[label]
        yield f"iris: {label}", lambda m=machine: look(m.fit(X, words), X, words)
    data = h.load_dataset("haberman-294")
    groups = np.arange(len(data.y)) // 2
    for label in ("scm stumps", "list stumps", "menu"):
        machine = dict(machines())[label]
        yield (
            f"groups: {label}",
            lambda m=machine: look(m.fit(data.X, data.y, groups=groups), data.X, data.y, groups),
        )
    any_case = h.CertifiedClassifier(group_loss="any")
    yield (
        "groups: menu any",
        lambda: look(any_case.fit(data.X, data.y, groups=groups), data.X, data.y, groups),
    )

    def goals() -> Any:
        machine = h.CertifiedClassifier().fit(data.X, data.y)
        found = {}
        for goal, value in (("sensitivity", 0.5), ("specificity", 0.8)):
            reached = tried(lambda: machine.reach(**{goal: value}))  # noqa: B023
            is_text = isinstance(reached, str)
            found[goal] = reached if is_text else certificate(reached)
        found["points"] = exact(machine.choose("score card").points_lines())
        return found

    yield "goals", goals
    yield "regressors", regressors
    holes = data.X.copy()
    holes[::7, 0] = np.nan
    for label in ("scm stumps", "menu"):
        machine = dict(machines())[label]
        yield f"holes: {label}", lambda m=machine: look(m.fit(holes, data.y), holes, data.y)


def regressors() -> Any:
    """Kernel matching pursuits of numbers: rows, groups, both kinds of coefficients."""
    import numpy as np

    import handful as h

    rng = np.random.default_rng(5)
    X = rng.uniform(-2.0, 2.0, size=(240, 2))
    groups = np.repeat(np.arange(48), 5)
    y = np.sin(X[:, 0]) + 0.4 * rng.normal(size=48)[groups] + 0.2 * rng.normal(size=240)
    found = {}
    for name, given in (("least_squares", None), ("pool", None), ("pool", groups)):
        machine = h.KernelMatchingPursuitRegressor(6, coefficients=name, epsilon=0.8)
        machine.fit(X, y) if given is None else machine.fit(X, y, groups=given)
        key = name if given is None else "groups"
        found[key] = {"predict": digest(machine.predict(X)), "errors": machine.n_training_errors_}
        found[key]["path"] = digest(machine.path_.to_dict("list"))
        bounds = ("auto",) if given is None else ("auto", "pool", "betting")
        found[key] |= {b: exact(machine.certify(0.1, bound=b).to_dict()) for b in bounds}
    return found


def chunks() -> Jobs:
    """The same machines over Dask chunks."""

    def job(machine: Any) -> Any:
        import dask.array as da

        import handful as h

        data = h.load_dataset("breastw")
        X, y = da.from_array(data.X, chunks=(200, -1)), da.from_array(data.y, chunks=200)
        machine.fit(X, y)
        found = {"predict": digest(machine.predict(data.X))}
        found["certificate"] = tried(lambda: certificate(machine))
        return found

    def numbers() -> Any:
        import dask.array as da
        import numpy as np

        import handful as h

        rng = np.random.default_rng(5)
        X = rng.uniform(-2.0, 2.0, size=(300, 2))
        y = np.sin(X[:, 0]) + 0.3 * rng.normal(size=300)
        machine = h.KernelMatchingPursuitRegressor(
            5, candidates=60, coefficients="pool", epsilon=0.6
        )
        machine.fit(da.from_array(X, chunks=(90, -1)), da.from_array(y, chunks=90))
        return {"centers": exact(machine.centers_idx_), "certificate": certificate(machine)}

    import handful as h

    yield "dask: scm", lambda: job(h.SetCoveringMachine("stumps", random_state=0))
    yield "dask: list", lambda: job(h.DecisionListMachine("stumps", random_state=0))
    yield "dask: menu", lambda: job(h.CertifiedClassifier())
    yield "dask: adaboost", lambda: job(h.AdaBoost(n_rounds=10, candidates=40))
    yield "dask: regressor", numbers
    yield "dask: pursuit", lambda: job(h.KernelMatchingPursuitClassifier(5, candidates=60))


def command(folder: str, *words: object) -> dict[str, Any]:
    """Exit code and standard output of a command, without times and paths."""
    from typer.testing import CliRunner

    from handful.cli import app

    result = CliRunner().invoke(app, [str(word) for word in words])
    text = re.sub(r'"seconds": [0-9.e-]+|[0-9.]+ m?s\b', "", result.output)
    text = re.sub(r"[\s│╭╮╰╯─]+", " ", text.replace(folder, ""))
    text = re.sub(r'(content|file)_sha256": "[0-9a-f]*', r'\1_sha256": "', text)  # of the folder
    text = re.sub(r"\w+: [^:…]{0,60} …", "", text)  # progress, by the clock
    return {"exit": result.exit_code, "text": digest(" ".join(text.split()))}


def road(csv: Path, folder: str, *options: str) -> dict[str, Any]:
    """Certify, model, predict, export, verify: one table on the command line."""
    to = Path(folder) / "study"
    out = {"certify": command(folder, "certify", csv, "--out", to, "--json", *options)}
    path = to / "model.json"
    if not path.exists():
        return out
    model = json.loads(path.read_text().replace(folder, ""))
    del model["content_sha256"]
    out["model"] = digest(model)
    out["predict"] = command(folder, "predict", path, csv)
    for language in ("sql", "python", "json"):
        out[language] = command(folder, "export", path, "--to", language)
    out["verify"] = command(folder, "verify", path, csv, "--json")
    return out


def commands() -> Jobs:
    """The command line on a clean table and on the messy ones."""
    sys.path.insert(0, str(ROOT))
    from tests.messy import TABLES, Messy

    import handful as h

    def clean() -> Messy:
        X, y = h.load_dataset("haberman-294").named()
        return Messy(X.assign(outcome=y))

    def job(make: Callable[[], Messy], *more: str) -> Any:
        table = make()
        with tempfile.TemporaryDirectory() as folder:
            csv = Path(folder) / "t.csv"
            table.frame.to_csv(csv, index=False)
            return road(csv, folder, "--target", table.target, *table.options, *more)

    for name, make in {"clean": clean, **TABLES}.items():
        yield f"command menu: {name}", lambda m=make: job(m)
        yield f"command rules: {name}", lambda m=make: job(m, "--rules", "stumps")


def record(path: str, only: str) -> None:
    """Run all jobs and write what they give."""
    found = {}
    for family in (fits, several, chunks, commands):
        for name, job in family():
            if only in name:
                found[name] = tried(job)
    Path(path).write_text(json.dumps(found, indent=1, sort_keys=True))
    failed = [name for name, result in found.items() if isinstance(result, str)]
    print(len(found), "jobs;", len(failed), "are errors:", *failed)


def differences(a: Any, b: Any, where: str = "") -> Iterator[str]:
    """Where two records differ."""
    if isinstance(a, dict) and isinstance(b, dict):
        for key in sorted({*a, *b}):
            yield from differences(a.get(key), b.get(key), f"{where}/{key}")
    elif isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        for i, (one, two) in enumerate(zip(a, b, strict=True)):
            yield from differences(one, two, f"{where}[{i}]")
    elif a != b:
        yield f"{where}: {str(a)[:150]} | {str(b)[:150]}"


def main() -> None:
    """Record or compare."""
    global WHOLE
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("record", "compare"))
    parser.add_argument("files", nargs="+")
    parser.add_argument("--only", default="")
    parser.add_argument("--whole", action="store_true")
    options = parser.parse_args()
    WHOLE = options.whole
    if options.what == "record":
        record(options.files[0], options.only)
        return
    one, two = (json.loads(Path(path).read_text()) for path in options.files)
    both = sorted({*one} & {*two})
    found = list(differences({k: one[k] for k in both}, {k: two[k] for k in both}))
    print("\n".join(found) or "no difference", f"\n{len(both)} jobs compared")
    raise SystemExit(bool(found))


if __name__ == "__main__":
    main()
