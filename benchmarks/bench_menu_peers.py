"""Score cards, additive scores and whole menus against published and measured certificates.

``python benchmarks/bench_menu_peers.py --data-dir FOLDER`` prints, for the six sets of the
half-space paper, the certificates of a score card of at most eight items and of the additive form
(each alone in its menu) beside 70/30 hold-outs of FasterRisk, EBM and logistic regression; then
certificates from halves of five sets beside published ones.
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path

import numpy as np
import pandas as pd
from bench_menu_tightness import PAPER, hold_outs, load

from handful import CertifiedClassifier, ScoreCard

# 70/30 hold-outs at delta = .05, means of four splits
FASTER_RISK = (0.057, 0.293, 0.364, 0.427, 0.342, 0.203)
EBM = (0.052, 0.293, 0.349, 0.358, 0.250, 0.174)
# half of the data for training, delta = .05, means of ten seeds
PUBLISHED = {
    "haberman": 0.455,
    "house-voters": 0.168,
    "wdbc": 0.154,
    "credit": 0.248,
    "tic-tac-toe": 0.139,
}


def mean_certificate(X, y, candidates, orders, **options) -> tuple[float, float]:
    start = time.process_time()
    risks = [
        CertifiedClassifier(candidates, random_state=o, **options).fit(X, y).certificate_.risk
        for o in range(orders)
    ]
    return float(np.mean(risks)), (time.process_time() - start) / orders


def forms(folder: Path, orders: int) -> pd.DataFrame:
    rows = []
    for name, risk_score, ebm in zip(PAPER, FASTER_RISK, EBM, strict=True):
        X, y = load(name, folder)
        card, seconds = mean_certificate(X, y, ["score card"], orders, tolerance=0.0)
        curves, more = mean_certificate(X, y, ["additive"], orders, tolerance=0.0)
        logistic = float(np.mean([hold_outs(X, y, o)[0] for o in range(orders)]))
        start = time.process_time()
        ScoreCard().fit(X, y)
        rows.append(
            {
                "set": name,
                "score card": card,
                "FasterRisk": risk_score,
                "logistic": logistic,
                "card / logistic": card / logistic,
                "additive": curves,
                "EBM": ebm,
                "additive / EBM": curves / ebm,
                "seconds card": seconds,
                "seconds additive": more,
                "one card, all rows": time.process_time() - start,
            }
        )
        print(pd.DataFrame(rows[-1:]).round(3).to_string(index=False, header=len(rows) == 1))
    return pd.DataFrame(rows)


def halves(folder: Path, orders: int) -> None:
    for name, published in PUBLISHED.items():
        X, y = load(name, folder)
        risks: dict[str, list[float]] = {"readable": [], "all": []}
        for order in range(orders):
            half = np.random.default_rng(100 + order).permutation(len(y))[: len(y) // 2]
            for which, found in risks.items():
                machine = CertifiedClassifier(which, tolerance=0.0, random_state=order)
                found.append(machine.fit(X[half], y[half]).certificate_.risk)
        means = ", ".join(f"{which} {np.mean(found):.3f}" for which, found in risks.items())
        print(f"half of {name} ({len(y) // 2} rows): {means}; published {published:.3f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-dir", default=os.environ.get("HANDFUL_DATA", "."), type=Path)
    parser.add_argument("--orders", default=10, type=int)
    args = parser.parse_args()
    forms(args.data_dir, args.orders)
    halves(args.data_dir, args.orders)


if __name__ == "__main__":
    main()
