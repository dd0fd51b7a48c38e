"""How long the first fit takes: imports, a cold compile, and the compiled loops from the cache.

Each number is one fresh process, the best of three but for the cold compile; the peer of the
import is scikit-learn's own.
"""

import os
import subprocess
import sys
import tempfile
import time

FIT = (
    "from handful import SetCoveringMachine, load_dataset; d = load_dataset('breastw'); "
    "SetCoveringMachine(random_state=0).fit(d.X, d.y)"
)


def seconds(code, **environment):
    start = time.perf_counter()
    subprocess.run(
        [sys.executable, "-c", code],
        check=True,
        env={**os.environ, **environment},
        stdout=subprocess.DEVNULL,
    )
    return time.perf_counter() - start


def handful(word):
    return f"import sys; sys.argv = ['handful', {word!r}]; from handful.cli import main; main()"


def main():
    base = min(seconds("import sklearn.base") for _ in range(3))
    print(f"import sklearn: {base:.2f} s")
    print(f"import handful: {min(seconds('import handful') for _ in range(3)):.2f} s")
    for word in ("--version", "--help"):
        print(f"handful {word}: {min(seconds(handful(word)) for _ in range(3)):.2f} s")
    with tempfile.TemporaryDirectory() as folder:
        print(f"first default fit, cold: {seconds(FIT, NUMBA_CACHE_DIR=folder):.2f} s")
        cached = min(seconds(FIT, NUMBA_CACHE_DIR=folder) for _ in range(3))
        print(f"first default fit, cached: {cached:.2f} s")
        print(f"cached, beyond scikit-learn: {cached - base:.2f} s")


if __name__ == "__main__":
    main()
