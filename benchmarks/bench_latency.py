"""How long the first fit takes: imports, a cold compile, and the compiled loops from the cache.

Each number is one fresh process; the peer of the import is scikit-learn's own.
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
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, **environment})
    return time.perf_counter() - start


def main():
    print(f"import sklearn: {seconds('import sklearn.base'):.2f} s")
    print(f"import handful: {seconds('import handful'):.2f} s")
    with tempfile.TemporaryDirectory() as folder:
        print(f"first default fit, cold: {seconds(FIT, NUMBA_CACHE_DIR=folder):.2f} s")
        print(f"first default fit, cached: {seconds(FIT, NUMBA_CACHE_DIR=folder):.2f} s")


if __name__ == "__main__":
    main()
