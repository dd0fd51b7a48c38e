"""Files that are well-formed and mean nothing, or cost far more than they weigh: refused."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from handful import AdaBoost, KernelPerceptron, SetCoveringMachine, load_dataset
from handful.files import ModelFileError, model_from_dict, model_to_dict
from handful.files.document import from_text, to_text
from handful.verify import verify_model


@pytest.fixture(scope="module")
def documents():
    data, other = load_dataset("glass-2class"), load_dataset("breastw")
    few = {"candidates": 20, "random_state": 0, "max_rules": 1}
    machines = {
        "stump": SetCoveringMachine("stumps", **few),
        "ball": SetCoveringMachine("balls", **few),
        "two-point": SetCoveringMachine("two-point", kernel="poly", **few),
        "expansion": KernelPerceptron(kernel="poly", gamma=1e-3, max_passes=3),
        "votes": AdaBoost(n_rounds=3),
    }
    texts = {
        k: to_text(model_to_dict(m.fit(data.X, data.y), include_rows=True))
        for k, m in machines.items()
    }
    machine = SetCoveringMachine("linear", random_state=0).fit(other.X, other.y)
    texts["linear"] = to_text(model_to_dict(machine))
    return {name: json.loads(text) for name, text in texts.items()}


def _put(document, path, value):
    document = json.loads(json.dumps(document))
    place = document
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    del document["content_sha256"]
    return document


MACHINE = ("fitted", "machine")
RULE = (*MACHINE, "rules", 0, "conditions", 0)
PART = (*MACHINE, "parts", 0)
KERNEL = (*RULE, "value", "kernel")
NONSENSE = [
    ("stump", ("fitted", "classes"), ["a", "a"]),
    ("stump", ("fitted", "classes"), ["1", "-1"]),
    ("stump", ("fitted", "classes"), ["\ud800", "a"]),
    ("stump", ("labels",), [1, 1.0]),
    ("stump", ("labels",), [1, -1]),
    ("stump", ("labels",), [None, 1]),
    ("stump", ("labels",), [-1, True]),
    ("stump", ("version",), True),
    ("stump", ("version",), 3.0),
    ("stump", ("data", "n_features"), 10_000_000),
    ("stump", ("data", "n_features"), True),
    ("stump", ("data", "n_features"), 1),
    ("stump", ("fitted", "columns", "columns", 0, "name"), "x9"),
    ("stump", ("fitted", "columns", "columns", 0, "name"), "x01"),
    ("stump", ("fitted", "columns", "columns", 0, "kind"), "words"),
    ("stump", (*RULE, "category"), "Na < 13.0 (checked by hand)"),
    ("stump", (*RULE, "op"), "≈"),
    ("stump", (*RULE, "value", "feature"), -1),
    ("stump", (*RULE, "value", "feature"), 9),
    ("stump", (*RULE, "examples"), [-1]),
    ("stump", (*RULE, "cut"), 10**400),
    ("stump", (*MACHINE, "default"), 2),
    ("stump", (*MACHINE, "rules", 0, "label"), 0),
    ("stump", (*MACHINE, "rules", 0, "conditions"), []),
    ("stump", (*MACHINE, "n_classes"), 3),
    ("stump", ("kept",), [3, 3]),
    ("stump", ("kept",), ["a" * 63]),
    ("stump", ("kept",), ["a" * 64, "a" * 64]),
    ("stump", ("kept",), ["a" * 64, 1]),
    ("stump", ("kept",), [-1]),
    ("stump", ("training", "codes"), None),
    ("stump", ("training", "codes", 0, "kept"), [7]),
    ("stump", ("training", "costs"), [1.0]),
    ("stump", (*MACHINE, "note"), "excellent"),
    ("stump", ("certificate", "terms", 0, "nats"), -1.0),
    ("ball", (*RULE, "cut"), -1.0),
    ("ball", (*RULE, "op"), "≠"),
    ("ball", (*RULE, "tol"), -1e-10),
    ("ball", (*RULE, "value", "scale"), [-1.0] * 9),
    ("ball", (*RULE, "value", "center"), [1.0] * 8),
    ("two-point", (*RULE, "value", "a"), [1.0]),
    ("two-point", (*KERNEL, "degree"), 100_000_000),
    ("two-point", (*KERNEL, "degree"), -1),
    ("two-point", (*KERNEL, "gamma"), 0.0),
    ("two-point", (*KERNEL, "gamma"), -1.0),
    ("two-point", (*KERNEL, "name"), "precomputed"),
    ("linear", (*RULE, "value", "origin"), "a randomised trial"),
    ("linear", (*RULE, "tol"), -1e-9),
    ("linear", (*RULE, "value", "weights"), [1.0]),
    ("expansion", (*MACHINE, "tie"), -1e-10),
    ("expansion", (*MACHINE, "tie"), 1.0),
    ("expansion", (*PART, "scale"), [0.0] * 9),
    ("expansion", (*PART, "kernel", "degree"), 10**8),
    ("expansion", ("training",), {"kind": "machine"}),
    ("votes", (*MACHINE, "votes", 0, "features", 0), -1),
    ("votes", (*MACHINE, "votes", 0, "features", 0), 9),
]


@pytest.mark.parametrize(("name", "path", "value"), NONSENSE)
def test_load_refuses_nonsense(name, path, value, documents):
    model_from_dict(_put(documents[name], ("version",), 3))
    with pytest.raises(ModelFileError):
        model_from_dict(_put(documents[name], path, value))


@pytest.mark.parametrize(
    "number", ["1e999", "-1e999", "9" * 400, "0." + "1" * 400, "NaN", "1" * 100_000]
)
def test_numbers_beyond_floats(number, documents, tmp_path):
    text = json.dumps(_put(documents["stump"], ("data", "n_features"), 7654321)).replace(
        "7654321", number
    )
    with pytest.raises(ModelFileError):
        from_text(text)
    (tmp_path / "m.json").write_text(text)
    verdict = verify_model(tmp_path / "m.json", np.zeros((2, 9)), [0, 1])
    assert "not a JSON document" in verdict.differences[0]


HOSTILE = {
    "a long text": lambda: '{"format": "' + "a" * 20_000_000 + '"}',
    "a long text of escapes": lambda: '{"format": "' + r"\"" * 10_000_000 + '"}',
    "an open text": lambda: '{"format": "' + "a\\\\" * 10_000_000,
    "open texts in a text": lambda: '{"format": "' + r"\"a" * 15_000_000,
    "the hash, again and again": lambda: '{"content_sha256": ' * 3_000_000,
    "many texts": lambda: "[" + '"",' * 5_000_000 + '""]',
    "many lists": lambda: "[" + "[]," * 5_000_000 + "[]]",
    "many objects": lambda: "[" + "{}," * 1_900_000 + "{}]",
    "many numbers": lambda: "[" + "0," * 3_900_000 + "0]",
    "many digits": lambda: '{"format": ' + "1" * 20_000_000 + "}",
    "many blanks": lambda: '{"format": 1' + " " * 60_000_000 + "}",
    "deep": lambda: "[" * 1_000_000,
    "too large": lambda: " " * (2**26 + 1),
}
_RUN = """
import re, sys, time
from pathlib import Path
import numpy as np
from handful.files import ModelFileError, load_model
from handful.verify import verify_model
def peak():
    return int(re.search(r"VmHWM:\\s*(\\d+)", Path("/proc/self/status").read_text())[1]) / 1024
base = peak()
start = time.perf_counter()
try:
    load_model(sys.argv[1])
    sys.exit("loaded")
except ModelFileError as error:
    assert len(str(error)) < 1000, len(str(error))
assert not verify_model(sys.argv[1], np.zeros((2, 1)), [0, 1]).is_consistent
print(peak() - base, time.perf_counter() - start)
"""


_QUICK = (
    "a long text",
    "open texts in a text",
    "many blanks",
    "many digits",
    "many lists",
    "too large",
)


@pytest.mark.thorough
@pytest.mark.parametrize(
    "name",
    [n if n in _QUICK else pytest.param(n, marks=pytest.mark.slow) for n in sorted(HOSTILE)],
)
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc for the memory")
def test_a_hostile_file_costs_little(name, tmp_path):
    """Beside the imports: at most 700 MiB and a minute, for at most 64 MiB of file."""
    path = tmp_path / "m.json"
    path.write_text(HOSTILE[name]())
    command = [sys.executable, "-c", _RUN, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    mebibytes, seconds = map(float, done.stdout.split())
    print(f"{name}: {mebibytes:g} MiB, {seconds:.1f} s")
    assert mebibytes < 700
    assert seconds < 60
