"""Certificates of the menu against plain 70/30 hold-outs, set by set.

``python benchmarks/bench_menu_tightness.py --data-dir FOLDER`` fits the menu and two hold-outs
(logistic regression, support vector machine) in several random orders of each set and prints mean
certificates and their ratio to the better hold-out: the better one of the two means, and, more
flattering, the better one in each order. ``--save FILE`` keeps every candidate of every order,
one JSON line each, and resumes from it.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from handful import CertifiedClassifier
from handful.bounds import held_out_bound

PAPER = ("breastw", "pima", "haberman", "bupa", "glass-2class", "credit")
TUNED = ("pima", "haberman", "glass-2class", "heart-statlog", "german", "transfusion",
         "ionosphere", "wholesale", "banana")  # fmt: skip
OTHERS = ("heart-statlog", "german", "transfusion", "ionosphere", "wholesale", "house-voters",
          "ilpd", "tic-tac-toe", "breast-cancer", "australian", "wdbc", "titanic",
          "banana")  # fmt: skip
MAX_ROWS = 1000
DELTA = 0.05


def load(name: str, folder: Path) -> tuple[np.ndarray, np.ndarray]:
    if name == "wdbc":
        from sklearn.datasets import load_breast_cancer

        return load_breast_cancer(return_X_y=True)
    frame = pd.read_csv(folder / "csv" / f"{name}.csv")
    X = frame.iloc[:, :-1].to_numpy(dtype=np.float64)
    X = np.where(np.isnan(X), np.nanmedian(X, axis=0), X)  # the hold-outs cannot take missing ones
    y = frame.iloc[:, -1].to_numpy()
    rows = np.random.default_rng(0).permutation(len(y))[:MAX_ROWS]
    return X[rows], y[rows]


def hold_outs(X: np.ndarray, y: np.ndarray, order: int) -> list[float]:
    rows = np.random.default_rng(order).permutation(len(y))
    cut = round(0.7 * len(y))
    train, test = rows[:cut], rows[cut:]
    out = []
    for machine in (LogisticRegression(max_iter=1000), SVC()):
        model = make_pipeline(StandardScaler(), machine).fit(X[train], y[train])
        n_errors = int(np.count_nonzero(model.predict(X[test]) != y[test]))
        out.append(held_out_bound(len(test), n_errors, delta=DELTA).risk)
    return out


def run_one(name: str, order: int, folder: Path, share: float) -> dict:
    X, y = load(name, folder)
    start = time.process_time()
    options = {"pool_share": share, "delta": DELTA, "random_state": order}
    everything = CertifiedClassifier("all", tolerance=0.0, **options).fit(X, y)
    middle = time.process_time()
    readable = CertifiedClassifier(**options).fit(X, y)
    return {
        "set": name,
        "order": order,
        "hold_outs": hold_outs(X, y, order),
        "all, 0": everything.certificate_.risk,
        "readable, 0": float(readable.menu_["certificate"].min()),
        "defaults": readable.certificate_.risk,
        "chosen": [everything.chosen_, readable.menu_.index[0], readable.chosen_],
        "n_counted": everything.candidates_[0].counts.n_counted,
        "rows": [[c.name, c.rank, c.pool_error, c.counts.n_errors] for c in everything.candidates_],
        "certificates": readable.menu_["certificate"].to_dict(),
        "seconds": [middle - start, time.process_time() - middle],
    }


SETTINGS = ("all, 0", "readable, 0", "defaults")


def table(records: list[dict]) -> pd.DataFrame:
    out = []
    for name, group in pd.DataFrame({"set": [r["set"] for r in records], "r": records}).groupby(
        "set", sort=False
    ):
        some = list(group["r"])
        holds = np.array([r["hold_outs"] for r in some])
        row = {
            "set": name,
            "orders": len(some),
            "LR": holds[:, 0].mean(),
            "SVC": holds[:, 1].mean(),
        }
        better, each = holds.mean(axis=0).min(), holds.min(axis=1).mean()
        for title in SETTINGS:
            ours = np.mean([r[title] for r in some])
            row[title] = ours
            row[f"ratio {title}"] = ours / better
            row[f"each {title}"] = ours / each
        row["cpu all"], row["cpu readable"] = np.mean([r["seconds"] for r in some], axis=0)
        out.append(row)
    return pd.DataFrame(out).set_index("set")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-dir", default=os.environ.get("HANDFUL_DATA", "."), type=Path)
    parser.add_argument("--sets", default=",".join(dict.fromkeys(PAPER + OTHERS)))
    parser.add_argument("--orders", default=10, type=int)
    parser.add_argument("--share", default=0.4, type=float)
    parser.add_argument("--save", type=Path)
    args = parser.parse_args()
    records = []
    if args.save and args.save.exists():
        records = [json.loads(line) for line in args.save.read_text().splitlines()]
    done = {(r["set"], r["order"]) for r in records}
    for order in range(args.orders):
        for name in args.sets.split(","):
            if (name, order) not in done:
                records.append(run_one(name, order, args.data_dir, args.share))
                if args.save:
                    with args.save.open("a") as file:
                        file.write(json.dumps(records[-1]) + "\n")
    report(table([r for r in records if r["set"] in args.sets.split(",")]))


def report(frame: pd.DataFrame) -> None:
    print(frame.round(3).to_string())
    for label, names in (
        ("all sets", list(frame.index)),
        ("six sets of the half-space paper", [n for n in frame.index if n in PAPER]),
        ("sets that settings were chosen on", [n for n in frame.index if n in TUNED]),
        ("the other sets", [n for n in frame.index if n not in TUNED]),
    ):
        if names:
            ratios = frame.loc[names, [c for c in frame.columns if c.startswith(("ratio", "each"))]]
            means = np.exp(np.log(ratios).mean())
            print(f"\n{label} ({len(names)}): geometric means, worst")
            print(pd.DataFrame({"mean": means, "worst": ratios.max()}).round(3).to_string())


if __name__ == "__main__":
    main()
