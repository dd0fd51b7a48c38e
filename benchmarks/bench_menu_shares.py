"""Share of the pool and prior masses: certificate and true error side by side, table by table.

``python benchmarks/bench_menu_shares.py --data-dir FOLDER`` draws at most 500 rows of each table in
several orders, fits the default menu to four fifths of them for each share of the pool, and counts
the errors of every row of the menu on the rows of the table that were left out. The counts do not
depend on the masses, so that every rule for the masses is compared on the same fits: rank alone
(.95 for the favourite), equal, and by role (.6, .3, .1). Peers on the same rows: the better of two
70/30 hold-outs (chosen after the fact), and a random forest that learns from all of them.

Certificates are geometric means of ratios to the better hold-out, one ratio a table; true errors
are ratios of means. Tables in even places choose, the others report. ``--save FILE`` keeps every
fit, one JSON line each, and resumes from it.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from handful import CertifiedClassifier
from handful.bounds import binomial_tail_inverse, held_out_bound
from handful.certified import POCKET

TABLES = (
    *("abalone-binary", "australian", "balance", "banana", "blogger", "breast-cancer", "breastw"),
    *("bupa", "credit", "echocardiogram", "fertility", "flare-solar", "german", "glass-2class"),
    *("haberman", "hayes-roth", "heart-statlog", "hepatitis", "horse-colic", "house-voters"),
    *("ilpd", "image", "ionosphere", "iris", "pima", "plrx", "promoters", "ringnorm", "seeds"),
    *("splice", "teaching-assistant", "thyroid", "tic-tac-toe", "titanic", "transfusion"),
    *("twonorm", "waveform", "wdbc", "wholesale", "wine"),
)
EMBEDDED = {"wdbc": load_breast_cancer, "iris": load_iris, "wine": load_wine}
MOST_ROWS = 500
DELTA = 0.05


def load(name: str, folder: Path) -> tuple[np.ndarray, np.ndarray]:
    if name in EMBEDDED:
        return EMBEDDED[name](return_X_y=True)
    frame = pd.read_csv(folder / "csv" / f"{name}.csv")
    X = frame.iloc[:, :-1].to_numpy(dtype=np.float64)
    known = ~np.isnan(X).all(axis=0)
    X = np.where(np.isnan(X[:, known]), np.nanmedian(X[:, known], axis=0), X[:, known])
    return X, frame.iloc[:, -1].to_numpy()  # the peers cannot take missing values


def hold_out(X: np.ndarray, y: np.ndarray) -> float:
    """The better certificate of two hold-outs, chosen after the fact."""
    cut = round(0.7 * len(y))
    out = []
    for machine in (LogisticRegression(max_iter=1000), SVC()):
        if len(np.unique(y[:cut])) < 2:
            return 1.0
        model = make_pipeline(StandardScaler(), machine).fit(X[:cut], y[:cut])
        n_errors = int(np.count_nonzero(model.predict(X[cut:]) != y[cut:]))
        out.append(held_out_bound(len(y) - cut, n_errors, delta=DELTA).risk)
    return min(out)


def run_one(name: str, order: int, folder: Path, share: float) -> dict:
    X, y = load(name, folder)
    rows = np.random.default_rng(order).permutation(len(y))
    n = round(0.8 * min(len(y), MOST_ROWS))
    train, test = rows[:n], rows[n:]
    start = time.process_time()
    machine = CertifiedClassifier(pool_share=share, delta=DELTA).fit(X[train], y[train])
    found = []
    for c in machine.candidates_:
        wrong = int(np.count_nonzero(machine.choose(c.name).predict(X[test]) != y[test]))
        found.append([c.name, c.fitted.form, c.rank, c.pool_error, c.simplicity,
                      c.fitted.machine.size, c.counts.n_errors, wrong])  # fmt: skip
    record = {"set": name, "order": order, "share": share, "n_test": len(test), "rows": found}
    record["n_counted"] = machine.candidates_[0].counts.n_counted
    record["seconds"] = time.process_time() - start
    if share == 0.4:
        record["hold_out"] = hold_out(X[train], y[train])
        forest = RandomForestClassifier(random_state=0).fit(X[train], y[train])
        record["forest"] = int(np.count_nonzero(forest.predict(X[test]) != y[test]))
    return record


# -- masses: what a row holds of delta -------------------------------------------------------------


def by_rank(rows: list[list]) -> list[float]:
    if len(rows) == 1:
        return [1.0]
    rest = sum(1.0 / k for k in range(2, len(rows) + 1))
    return [0.95] + [0.05 / k / rest for k in range(2, len(rows) + 1)]


def equal(rows: list[list]) -> list[float]:
    return [1.0 / len(rows)] * len(rows)


def by_role(rows: list[list], best: float = 0.6, pocket: float = 0.3) -> list[float]:
    first = next((i for i, row in enumerate(rows) if row[1] in POCKET), None)
    roles = {0: best}
    if first is not None:
        roles[first] = roles.get(first, 0.0) + pocket
    if len(roles) == 1:
        roles[0] = 0.9
    others = [i for i in range(len(rows)) if i not in roles]
    rest = 1.0 - best - pocket
    total = sum(1.0 / (i + 1) for i in others)
    out = [roles[i] if i in roles else rest / (i + 1) / total for i in range(len(rows))]
    return [mass / sum(out) for mass in out]


RULES = {"rank": by_rank, "equal": equal, "role": by_role}


def summary(record: dict, rule: str, tolerance: float = 0.01) -> dict:
    """Certificates and true errors of the best row, the default, the best pocket form, the card."""
    rows = sorted(record["rows"], key=lambda row: row[2])
    mass = RULES[rule](rows)
    k = np.array([row[6] for row in rows])
    risks = binomial_tail_inverse(k, record["n_counted"], math.log(DELTA) + np.log(mass))
    risks = np.atleast_1d(risks)
    near = [i for i in range(len(rows)) if risks[i] <= risks.min() + tolerance]
    default = min(near, key=lambda i: (rows[i][4], rows[i][5], risks[i]))
    in_pocket = [i for i, row in enumerate(rows) if row[1] in POCKET]
    card = [i for i, row in enumerate(rows) if row[1] == "score card"]
    places = {"best": int(risks.argmin()), "default": default}
    places["pocket"] = min(in_pocket, key=lambda i: risks[i], default=None)
    places["card"] = card[0] if card else None
    out = {}
    for what, i in places.items():
        out[f"{what} risk"] = np.nan if i is None else risks[i]
        out[f"{what} error"] = np.nan if i is None else rows[i][7] / record["n_test"]
    return out


def table(records: list[dict]) -> pd.DataFrame:
    peers = {(r["set"], r["order"]): r for r in records if "hold_out" in r}
    out = []
    for record in records:
        peer = peers.get((record["set"], record["order"]))
        if peer is None:
            continue
        for rule in RULES:
            row = {"set": record["set"], "share": record["share"], "masses": rule}
            row |= summary(record, rule)
            row["hold-out"] = peer["hold_out"]
            row["forest"] = peer["forest"] / peer["n_test"]
            out.append(row)
    frame = pd.DataFrame(out)
    return frame.groupby(["set", "share", "masses"], sort=False).mean().reset_index()


KINDS = ("best", "default", "pocket", "card")


def aggregate(frame: pd.DataFrame) -> pd.DataFrame:
    """Geometric means of ratios to the hold-out; means of true errors, and of the forest."""
    out = []
    for (share, rule), some in frame.groupby(["share", "masses"], sort=True):
        row = {"share": share, "masses": rule, "tables": len(some)}
        for kind in KINDS:
            ratio = np.log(some[f"{kind} risk"] / some["hold-out"])
            row[f"{kind} cert."] = float(np.exp(ratio.mean()))
        for kind in ("default", "card"):
            row[f"{kind} error"] = some[f"{kind} error"].mean()
        row["default / forest"] = some["default error"].mean() / some["forest"].mean()
        out.append(row)
    return pd.DataFrame(out)


def report(frame: pd.DataFrame) -> None:
    names = sorted(frame["set"].unique())
    for title, some in (
        ("all tables", names),
        ("tables to choose on", names[::2]),
        ("the other tables", names[1::2]),
    ):
        print(f"\n{title} ({len(some)}): {', '.join(some)}")
        print(aggregate(frame[frame["set"].isin(some)]).round(4).to_string(index=False))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-dir", default=os.environ.get("HANDFUL_DATA", "."), type=Path)
    parser.add_argument("--sets", default=",".join(TABLES))
    parser.add_argument("--orders", default=10, type=int)
    parser.add_argument("--shares", default="0.4,0.5,0.6")
    parser.add_argument("--minutes", default=60.0, type=float, help="stop after an order by then")
    parser.add_argument("--save", type=Path)
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    records = []
    if args.save and args.save.exists():
        records = [json.loads(line) for line in args.save.read_text().splitlines()]
    done = {(r["set"], r["order"], r["share"]) for r in records}
    start = time.monotonic()
    for order in range(args.orders):
        if time.monotonic() - start > 60.0 * args.minutes:
            break
        for name in args.sets.split(","):
            for share in map(float, args.shares.split(",")):
                if (name, order, share) in done:
                    continue
                records.append(run_one(name, order, args.data_dir, share))
                if args.save:
                    with args.save.open("a") as file:
                        file.write(json.dumps(records[-1]) + "\n")
    wanted = args.sets.split(",")
    report(table([r for r in records if r["set"] in wanted]))


if __name__ == "__main__":
    main()
