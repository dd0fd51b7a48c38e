"""Growth in rows: a default fit on 10^4, 10^5 and 10^6 rows of ten features, with peak memory.

Usage: python benchmarks/bench_many_rows.py [LARGEST] [N_JOBS]
"""

import resource
import sys
import time

from handful import SetCoveringMachine
from handful.datasets import make_two_norm


def main(largest=1_000_000, n_jobs=2):
    SetCoveringMachine(random_state=0).fit(*make_two_norm(500, n_features=10, random_state=0))
    n = 10_000
    while n <= largest:
        X, y = make_two_norm(n, n_features=10, random_state=1)
        start = time.perf_counter()
        machine = SetCoveringMachine(random_state=0, n_jobs=n_jobs).fit(X, y)
        seconds = time.perf_counter() - start
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        risk = machine.certificate_.risk
        print(f"{n:8d} rows: {seconds:7.2f} s, peak {peak:.2f} GiB, certificate {risk:.4f}")
        n *= 10


if __name__ == "__main__":
    main(*(int(word) for word in sys.argv[1:]))
