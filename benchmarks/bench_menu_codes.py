"""Do codes of covering machines beside the menu help on small samples?

``python benchmarks/bench_menu_codes.py --data-dir FOLDER`` draws small samples of sets and of
synthetic tables. The menu alone has all of delta. Beside it, a set covering machine of all rows,
certified by compression, gets a share of delta and the menu the rest; the smaller certificate is
taken. Prints mean certificates by sample size, and geometric means of the ratio to the menu
alone, over all samples.
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path

import numpy as np
from bench_menu_tightness import load

from handful import CertifiedClassifier, SetCoveringMachine
from handful.datasets import make_axis_rules

SETS = ("breastw", "pima", "haberman", "heart-statlog", "ionosphere", "house-voters", "wdbc",
        "banana")  # fmt: skip
RULES = "axis rules"  # a conjunction of two cuts and a tenth of noise: made for such machines
SIZES = (20, 40, 70, 100)
SHARES = (0.02, 0.1, 0.3)
DELTA = 0.05


def sample(name: str, n: int, order: int, folder: Path) -> tuple[np.ndarray, np.ndarray]:
    if name == RULES:
        X, y = make_axis_rules(n, random_state=100 * n + order)
        is_noise = np.random.default_rng(order).random(n) < 0.1
        return X, np.where(is_noise, -y, y)
    X, y = load(name, folder)
    rows = np.random.default_rng(order).permutation(len(y))[:n]
    return X[rows], y[rows]


def risks(X: np.ndarray, y: np.ndarray) -> tuple[float, list[float], list[float]]:
    """Of the menu alone, and of menu and machine for each share of delta."""
    menu = CertifiedClassifier(tolerance=0.0, delta=DELTA).fit(X, y)
    rows = [menu.choose(candidate.name) for candidate in menu.candidates_]
    rest = [min(row.certify((1.0 - s) * DELTA).risk for row in rows) for s in SHARES]
    machines = [SetCoveringMachine(delta=s * DELTA).fit(X, y) for s in SHARES[1:2]]
    coded = [machines[0].certify(s * DELTA).risk for s in SHARES]
    return float(menu.menu_risks_.min()), rest, coded


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-dir", type=Path, required=True)
    parser.add_argument("--orders", type=int, default=2)
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    ratios = []
    for n in SIZES:
        found = []
        for name in (*SETS, RULES):
            for order in range(args.orders):
                X, y = sample(name, n, order, args.data_dir)
                if len(np.unique(y)) == 2:
                    found.append(risks(X, y))
        alone = np.array([one for one, _, _ in found])
        rest, coded = (np.array([one[k] for one in found]) for k in (1, 2))
        ratios.append(np.minimum(rest, coded) / alone[:, None])
        print(
            f"{n:4d} rows, {len(found)} samples: menu {alone.mean():.3f}, machine with "
            f"{SHARES[1]:g} of delta {coded[:, 1].mean():.3f}, smaller than the menu in "
            f"{np.count_nonzero(coded[:, 1] < alone)}; ratio of both to the menu alone "
            + ", ".join(
                f"{r:.4f} at {s:g}" for r, s in zip(_mean(ratios[-1]), SHARES, strict=True)
            ),
            flush=True,
        )
    total = _mean(np.concatenate(ratios))
    print("all: " + ", ".join(f"{r:.4f} at {s:g}" for r, s in zip(total, SHARES, strict=True)))


def _mean(ratios: np.ndarray) -> np.ndarray:
    return np.exp(np.log(ratios).mean(axis=0))


if __name__ == "__main__":
    main()
