"""The default menu on wide and on long tables: seconds and peak memory, each in a fresh process.

No peer offers a certified menu, so the targets are times: 60 x 2000 within 2 s, 60 x 4000 within
4 s, 200 000 x 10 within 5 s and 0.6 GB. Imports and compiled loops are loaded before the clock
starts; the peak is that of the whole process.
"""

from __future__ import annotations

import subprocess
import sys

SHAPES = {(60, 2000): "2 s", (60, 4000): "4 s", (200_000, 10): "5 s, 0.6 GB"}
FIT = """
import resource, sys, time
import numpy as np
from handful import CertifiedClassifier
n, d = int(sys.argv[1]), int(sys.argv[2])
rng = np.random.default_rng(0)
CertifiedClassifier().fit(rng.normal(size=(60, 5)), np.arange(60) % 2)
y = rng.integers(2, size=n)
X = rng.normal(size=(n, d))
X[:, :3] += 1.5 * y[:, None]
before = time.process_time()
start = time.perf_counter()
machine = CertifiedClassifier().fit(X, y)
seconds = time.perf_counter() - start
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9
print(f"{n} x {d}: {seconds:.2f} s, {time.process_time() - before:.2f} s of CPU, "
      f"peak {peak:.2f} GB, {len(machine.menu_)} forms, risk <= {machine.certificate_.risk:.3f}")
"""


def main() -> None:
    for (n, d), target in SHAPES.items():
        command = [sys.executable, "-c", FIT, str(n), str(d)]
        line = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        print(f"{line.strip()} (target {target})", flush=True)


if __name__ == "__main__":
    main()
