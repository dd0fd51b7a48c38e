"""Plant errors in the bounds, one at a time, and see whether the tests notice.

``python tools/mutants.py`` copies the sources to a temporary folder, replaces one piece of text,
runs the tests named beside it there, and reports each mutant as caught or survived. It exits
with 1 if one survives. ``--only WORD`` takes those whose name contains the word.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BOUNDS = Path("handful") / "bounds"


@dataclass(frozen=True)
class Mutant:
    """An error: in ``_<topic>.py`` of the bounds ``old`` becomes ``new``."""

    topic: str
    name: str
    old: str
    new: str

    @property
    def file(self) -> Path:
        return BOUNDS / f"_{self.topic}.py"

    @property
    def test(self) -> str:
        return f"tests/bounds/test_{self.topic}.py"


# topic -> (name, old, new); the tests of the same topic should notice
TABLE: dict[str, list[tuple[str, str, str]]] = {
    "finite_class": [
        (
            "factor of the theorem lost",
            "nats * (nats + 2.0 * share)",
            "nats * (0.5 * nats + share)",
        ),
        (
            "confidence lost",
            "nats = math.fsum(value for _, value in terms) / m",
            "nats = terms[0][1] / m",
        ),
    ],
    "tails": [
        ("pad of the tail inverse flipped", "log_delta * (1.0 + _PAD)", "log_delta * (1.0 - _PAD)"),
        ("inner end of the bracket", "* (1.0 + 2e-15), 2.0)", "* (1.0 - 2e-12), 2.0)"),
        ("pad of the kl inverse flipped", "nats * (1.0 + _PAD)", "nats * (1.0 - _PAD)"),
        ("pad too wide", "_PAD = 1e-12", "_PAD = 1e-7"),
        (
            "reversed kl",
            "_deviance(q, p) + _deviance(1.0 - q",
            "_deviance(p, q) + _deviance(1.0 - q",
        ),
        ("off by one in k", "np.where(is_lower, k + 1.0, n - k)", "np.where(is_lower, k, n - k)"),
        ("slope without the number", "slope = rest[rows] * np.exp", "slope = np.exp"),
        ("small complement", "np.log1p(-np.exp(small))", "np.log(1.0 - np.exp(small))"),
        (
            "wrong half of a coefficient",
            "less = np.minimum(k, n - k)",
            "less = np.maximum(k, n - k)",
        ),
    ],
    "betting": [
        (
            "bet sees its own loss",
            "(np.cumsum(deviations) / number)[len(before) : -1]",
            "(np.cumsum(deviations) / number)[len(before) + 1 :]",
        ),
        ("bets beyond the limit", "np.minimum(bets, largest)", "bets"),
        ("message not paid", 'terms = list(itemise(message_nats, "message"))', "terms = []"),
        ("choice not paid", "math.log(choices)))", "0.0))"),
        ("inner end of the bracket", "    return high\n", "    return low\n"),
        ("pad dropped and more", "nats * (1.0 + _PAD) + 1e-14", "nats * (1.0 - 1e-9) + 1e-14"),
        (
            "kl over one more group",
            "kl_inverse(mean, nats / n)",
            "kl_inverse(mean, nats / (n + 1))",
        ),
        ("warm-up counted", "_limit(values, _bets", "_limit(np.append(values, before), _bets"),
    ],
    "compression": [
        ("errors counted over m, not m - d", "n_outside=m - d,\n", "n_outside=m,\n"),
        (
            "off by one in k",
            "inverse(n_errors, n_outside,",
            "inverse(max(0, n_errors - 1), n_outside,",
        ),
        ("off by one in n", "inverse(n_errors, n_outside,", "inverse(n_errors, n_outside + 1,"),
        ("two rates without ln 2", "-(nats + math.log(2.0))", "-nats"),
        ("size prior dropped", "size = log_zeta_prior(d) if", "size = 0.0 if"),
        ("kept examples not paid", 'kept", _log_binomial(pool, d))', 'kept", 0.0)'),
        ("choice of the family not paid", "math.log(n_choices)))", "0.0))"),
        ("dropped binomial", "(_log_binomial(n, k) + scheme.nats)", "scheme.nats"),
        (
            "class sizes with the kept",
            "counts.n_negatives - counts.n_compressed_negatives",
            "counts.n_negatives",
        ),
        (
            "split of the kept not paid",
            "split = math.log(scheme.n_compressed + 1.0)",
            "split = 0.0",
        ),
        ("pool counted", 'check_count("pool_size", pool_size, high=m),\n', "0,\n"),
        ("kl with m for n", "scheme.nats / n)) if", "scheme.nats / scheme.n_samples)) if"),
        ("folk theorem pays delta once", "2.0 * math.log(m / delta)", "math.log(m / delta)"),
        ("costs swapped", "c_fp * fp + c_fn * fn", "c_fp * fn + c_fn * fp"),
    ],
    "messages": [
        ("sign of the count of graphs", "(-1) ** (i + j)", "(-1) ** i"),
        ("zeta prior of order one", "+ 2.0 * math.log(size + 1.0)", "+ math.log(size + 1.0)"),
        ("thresholds of the wrong class", '"conjunction" else n_b', '"disjunction" else n_b'),
        (
            "number of thresholds not paid",
            '("number of threshold examples", math.log(n_rules + 1.0))',
            '("number of threshold examples", math.log(n_rules))',
        ),
        (
            "mass of no ball doubled",
            "math.log(2.0 * math.pi**2 / 3.0)",
            "math.log(math.pi**2 / 3.0)",
        ),
        ("mass of no pair doubled", "math.log(8.0 * math.pi", "math.log(4.0 * math.pi"),
        ("direction of a stump free", "n_stumps = 2 * n_features", "n_stumps = n_features"),
        ("odd numerators free", "+ (v - 1.0) * math.log(2.0) for", "for"),
        ("default output free", '*terms, ("default output", math.log(2.0))', "*terms"),
    ],
    "published": [
        (
            "garbled fraction",
            "_log_binomial(n_a * n_b, n_rules) + math.log",
            "math.log(n_a * n_b / n_rules) + math.log",
        ),
        ("error sets of the repair free", 'errors", _log_binomial(m - d, k))', 'errors", 0.0)'),
    ],
    "stable": [
        ("sum not averaged", "log_sf - math.log(n) - np.log(risk)", "log_sf - np.log(risk)"),
        ("inner end of the root", "min(1.0, high * (1.0 + 2e-15))", "low * (1.0 - 1e-11)"),
        ("delta not divided over models", "(delta)) - math.log(n_models)", "(delta))"),
        (
            "root of the wrong tail",
            "_, log_sf, log_pmf = _log_tails",
            "log_sf, _, log_pmf = _log_tails",
        ),
    ],
    "real_loss": [
        ("linear form too tight", "parameter / 8.0", "parameter / 16.0"),
        ("loss not scaled", "_real_value(method, loss / limit,", "_real_value(method, loss,"),
        (
            "posteriors free",
            'at once, ln(2 sqrt(n))", math.log(2.0 * math.sqrt(n))',
            'at once, ln(2 sqrt(n))", 0.0',
        ),
        ("vote at the price of Gibbs", "2.0 * risk if majority_vote", "risk if majority_vote"),
    ],
    "margin": [
        ("empirical complexity too cheap", "return 3.0 * math.sqrt(", "return 1.0 * math.sqrt("),
        ("uniform margin too cheap", "2.0 * complexity / theta", "complexity / theta"),
        ("power of two below the scale", "exponent - (mantissa == 0.5)", "exponent - 1"),
        ("choice of the kernel too cheap", "classes = 8.0 / gamma", "classes = 4.0 / gamma"),
        (
            "Massart without its two",
            "math.sqrt(2.0 * math.log(size) / n)",
            "math.sqrt(math.log(size) / n)",
        ),
    ],
    "projection": [
        ("natural for base-2 logarithms", "factor = 2.0 / (n * math.log(2.0))", "factor = 2.0 / n"),
        (
            "natural logarithm of delta",
            "log2_delta = math.log2(delta)",
            "log2_delta = math.log(delta)",
        ),
        ("one test error less", "return high - 1", "return max(0, high - 2)"),
        ("growth below the dimension", "if 2 * n > d:", "if n > 0:"),
        ("number of updates free", "size_nats=math.log(m)", "size_nats=0.0"),
        (
            "number of centres free",
            "(2.0 if published else 1.0) * m)",
            "2.0 if published else 1.0)",
        ),
    ],
    "held_out": [
        ("delta not divided over models", "math.log(models)))", "0.0))"),
        ("one-sided deviation at any delta", "or share > 0.5", "or share > 1.5"),
        ("missing n + 1", ", high=n) + 1.0) / (n + 1.0)", ", high=n) + 1.0) / max(n, 1.0)"),
        (
            "accepted share not lowered",
            "accepted = selected / n - deviation",
            "accepted = selected / n",
        ),
    ],
    "planner": [
        ("errors rounded down", "[math.ceil(_exact_rate(rate)", "[math.floor(_exact_rate(rate)"),
        (
            "saw-teeth ignored",
            "_last_failing_tooth(are_enough, share, d, largest) if rate else d",
            "d",
        ),
    ],
    "certificate": [
        (
            "percent rounded down",
            "Decimal(1).scaleb(-place), ROUND_CEILING",
            "Decimal(1).scaleb(-place), ROUND_FLOOR",
        ),
        (
            "confidence rounded up",
            'Decimal("1e-10"), ROUND_FLOOR',
            'Decimal("1e-10"), ROUND_CEILING',
        ),
        ("html not escaped", "<tr><td>{html.escape(name)}", "<tr><td>{name}"),
    ],
}
MUTANTS = [Mutant(topic, *row) for topic, rows in TABLE.items() for row in rows]


def plant(mutant: Mutant, source: Path) -> None:
    """Replace the text, which must be there exactly once."""
    path = source / mutant.file
    text = path.read_text(encoding="utf-8")
    if text.count(mutant.old) != 1:
        raise ValueError(f"{mutant.name}: found {text.count(mutant.old)} times in {path.name}")
    path.write_text(text.replace(mutant.old, mutant.new), encoding="utf-8")


def run_tests(source: Path, tests: list[str]) -> tuple[bool, str]:
    """Whether the tests pass with the package taken from ``source``, and what failed."""
    environment = {**os.environ, "PYTHONPATH": str(source), "PYTHONDONTWRITEBYTECODE": "1"}

    def python(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, *arguments]
        return subprocess.run(
            command, capture_output=True, text=True, env=environment, check=False, cwd=ROOT
        )

    where = python("-c", "import handful; print(handful.__file__)").stdout.strip()
    if not Path(where).resolve().is_relative_to(source.resolve()):
        raise RuntimeError(f"the tests would import handful from {where}")
    options = ["-x", "-q", "-m", "not slow", "-o", "addopts=", "-p", "no:cacheprovider"]
    run = python("-m", "pytest", *options, *tests)
    if run.returncode not in (0, 1):
        raise RuntimeError(run.stdout + run.stderr)
    failed = [line for line in run.stdout.splitlines() if line.startswith("FAILED")]
    return run.returncode == 0, failed[-1].split(" - ")[0].split("::")[-1] if failed else ""


def try_mutant(mutant: Mutant | None, tests: list[str]) -> tuple[bool, str]:
    """Run the tests on a copy of the sources, with the error if there is one."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "src"
        shutil.copytree(ROOT / "src", source, ignore=shutil.ignore_patterns("__pycache__"))
        if mutant is not None:
            plant(mutant, source)
        return run_tests(source, tests)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--only", default="", help="mutants whose name contains this word")
    only = parser.parse_args().only
    chosen = [mutant for mutant in MUTANTS if only in mutant.name]
    passed, failure = try_mutant(None, sorted({mutant.test for mutant in chosen}))
    if not passed:
        print(f"the tests fail without any mutant: {failure}")
        return 1
    n_caught = 0
    for mutant in chosen:
        start = time.perf_counter()
        survived, failure = try_mutant(mutant, [mutant.test])
        n_caught += not survived
        verdict = "SURVIVED" if survived else "caught"
        seconds = time.perf_counter() - start
        print(
            f"{verdict:8s} {seconds:5.1f} s  {mutant.topic}: {mutant.name}  {failure}", flush=True
        )
    print(f"{n_caught} of {len(chosen)} mutants caught")
    return 0 if n_caught == len(chosen) else 1


if __name__ == "__main__":
    sys.exit(main())
