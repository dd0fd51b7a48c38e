"""Certificate and true error side by side: the menu, its refits, EBM and a forest on all rows.

``python benchmarks/bench_menu_true_errors.py --data-dir FOLDER`` draws at most 500 rows of each
table, fits the default menu and that of everything to four fifths of them, and counts true errors
on the rest of the table: of the default choice of both menus, of their refits from all rows (which
carry no certificate), of an explainable boosting machine (``interpret-core``, as it comes) and of a
random forest, both learned from the same rows. The certificate is that of the default choice.

True errors are means over tables, and ratios are of means; certificates are geometric means of
ratios to the better of two 70/30 hold-outs, chosen after the fact. ``--minutes`` of processor time
end the run after a fit. ``--save FILE`` keeps every fit, one JSON line each, and resumes from it.
"""

from __future__ import annotations

import argparse
import json
import os
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from bench_menu_shares import DELTA, MOST_ROWS, TABLES, hold_out, load
from sklearn.ensemble import RandomForestClassifier

from handful import CertifiedClassifier

ERRORS = ("readable", "readable refit", "all", "all refit", "EBM", "forest")
RATIOS = (
    ("readable", "EBM", 1.08),
    ("readable refit", "EBM", 1.02),
    ("all", "forest", 1.06),
    ("all refit", "forest", None),
)


def ebm(seed: int) -> object:
    from interpret.glassbox import ExplainableBoostingClassifier

    return ExplainableBoostingClassifier(n_jobs=1, random_state=seed)


def run_one(name: str, order: int, folder: Path) -> dict:
    X, y = load(name, folder)
    rows = np.random.default_rng(order).permutation(len(y))
    n = round(0.8 * min(len(y), MOST_ROWS))
    train, test = rows[:n], rows[n:]
    record = {"set": name, "order": order, "n_train": n, "n_test": len(test)}

    def wrong(machine: object) -> int:
        return int(np.count_nonzero(machine.predict(X[test]) != y[test]))

    for candidates in ("readable", "all"):
        machine = CertifiedClassifier(candidates, delta=DELTA).fit(X[train], y[train])
        refit = machine.refit(X[train], y[train])
        record[candidates], record[f"{candidates} refit"] = wrong(machine), wrong(refit)
        record[f"{candidates} risk"] = machine.certificate_.risk
        record[f"{candidates} estimate"] = refit.error
        record[f"{candidates} chosen"] = machine.chosen_
    record["hold-out"] = hold_out(X[train], y[train])
    forest = RandomForestClassifier(random_state=0).fit(X[train], y[train])
    record["forest"] = wrong(forest)
    record["EBM"] = wrong(ebm(order).fit(X[train], y[train]))
    return record


def by_table(records: list[dict]) -> pd.DataFrame:
    frame = pd.DataFrame(records)
    for name in ERRORS:
        frame[name] = frame[name] / frame["n_test"]
    kept = [*ERRORS, "readable risk", "all risk", "readable estimate", "all estimate", "hold-out"]
    out = frame.groupby("set")[kept].mean()
    return out.assign(orders=frame.groupby("set").size()).reset_index()


def aggregate(frame: pd.DataFrame) -> None:
    means = {name: frame[name].mean() for name in ERRORS}
    print("  true error: " + ", ".join(f"{name} {value:.4f}" for name, value in means.items()))
    for kind in ("readable", "all"):
        ratio = np.exp(np.log(frame[f"{kind} risk"] / frame["hold-out"]).mean())
        estimate = frame[f"{kind} estimate"].mean()
        risk = frame[f"{kind} risk"].mean()
        print(
            f"  {kind}: certificate / better hold-out {ratio:.4f}; mean certificate {risk:.4f}; "
            f"estimate of the refit {estimate:.4f}"
        )
    for own, peer, target in RATIOS:
        said = "" if target is None else f" (target at most {target:.2f})"
        print(f"  {own} / {peer}: {means[own] / means[peer]:.4f}{said}")


def report(records: list[dict]) -> None:
    frame = by_table(records)
    print(frame.round(4).to_string(index=False))
    names = sorted(frame["set"])
    for title, some in (
        ("all tables", names),
        ("tables to choose on", names[::2]),
        ("the other tables", names[1::2]),
    ):
        print(f"\n{title} ({len(some)})")
        aggregate(frame[frame["set"].isin(some)])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-dir", default=os.environ.get("HANDFUL_DATA", "."), type=Path)
    parser.add_argument("--sets", default=",".join(TABLES))
    parser.add_argument("--orders", default=10, type=int)
    parser.add_argument("--minutes", default=20.0, type=float, help="of processor time")
    parser.add_argument("--save", type=Path)
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    records = []
    if args.save and args.save.exists():
        records = [json.loads(line) for line in args.save.read_text().splitlines()]
    done = {(r["set"], r["order"]) for r in records}
    wanted = args.sets.split(",")
    for order in range(args.orders):
        for name in wanted:
            if time.process_time() > 60.0 * args.minutes:
                break
            if (name, order) in done:
                continue
            records.append(run_one(name, order, args.data_dir))
            if args.save:
                with args.save.open("a") as file:
                    file.write(json.dumps(records[-1]) + "\n")
    report([r for r in records if r["set"] in wanted])


if __name__ == "__main__":
    main()
