"""A model file altered by one digit fails; an honest one passes."""

import contextlib
import json
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handful.tables import blind_order, row_digests
from handful.verify import verify_model
from tests.verify.cases import MACHINES, case, reseal

# numbers that say nothing: parameters that the kernel of the rule does not use, ...
SILENT = re.compile(r'"(gamma|degree|coef0)": [^,\n]*')
# ... and settings that a code does not use, so that it does not pay for them
UNUSED = {
    **dict.fromkeys(("pool", "pool-cost", "pool-two-rules", "words", "constant"), ("n_kernels",)),
    **dict.fromkeys(
        ("list-from-pool", "balls-from-pool", "three-classes", "plain"), ("n_kernels",)
    ),
    **dict.fromkeys(("digest", "digest-pool", "digest-plain"), ("n_kernels",)),
    "no-rule": ("candidates", "seed"),
    "all-half-spaces": ("seed",),
}
NUMBER = re.compile(r'(?m)(?:^ *|": )(-?\d[^,\s]*)(?=,?$)')


def _verdict(name, text, tmp_path):
    path = tmp_path / "model.json"
    path.write_text(text, encoding="utf-8")
    return verify_model(path, case(name).X, case(name).y)


@pytest.mark.parametrize("name", sorted(MACHINES))
def test_honest_files_are_valid(name, tmp_path):
    verdict = _verdict(name, case(name).text, tmp_path)
    assert verdict.is_valid, verdict.differences
    assert len(verdict.findings) > 30


@pytest.mark.sample(4)
@pytest.mark.parametrize("name", sorted(MACHINES))
def test_any_digit_anywhere(name, tmp_path_factory):
    text = case(name).text
    places = [i for i, c in enumerate(text) if c.isdigit()]
    folder = tmp_path_factory.mktemp("digits")

    @settings(max_examples=20)
    @given(st.sampled_from(places), st.integers(1, 9))
    def check(place, step):
        digit = str((int(text[place]) + step) % 10)
        altered = text[:place] + digit + text[place + 1 :]
        assert not _verdict(name, altered, folder).is_valid

    check()


def _significant_places(name, text):
    """Places of the digits of numbers, the first six significant ones of each."""
    hidden = [m.span() for m in SILENT.finditer(text)]
    for field in UNUSED.get(name, ()):
        hidden += [m.span() for m in re.finditer(f'"{field}": .*', text)]
    places = []
    for match in NUMBER.finditer(text):
        if any(a <= match.start() < b for a, b in hidden):
            continue
        if 0.0 < abs(float(match[1])) < 1e-14:
            continue  # rounding of a zero, far below what a rule tells apart
        seen = 0
        for i in range(match.start(1), match.end()):
            if text[i] in "eE":
                places.append(match.end() - 1)
                break
            if text[i].isdigit() and (seen or text[i] != "0" or "." not in match[1]):
                seen += 1
                if seen <= 6:
                    places.append(i)
    return places


@pytest.mark.sample(4)
@pytest.mark.parametrize("name", sorted(MACHINES))
def test_numbers_are_recomputed_even_if_the_hash_is_too(name, tmp_path_factory):
    text = case(name).text
    places = _significant_places(name, text)
    folder = tmp_path_factory.mktemp("resealed")

    @settings(max_examples=25)
    @given(st.sampled_from(places), st.integers(1, 9))
    def check(place, step):
        digit = str((int(text[place]) + step) % 10)
        altered = text[:place] + digit + text[place + 1 :]
        with contextlib.suppress(ValueError):  # a leading zero: no JSON any more
            altered = reseal(altered)
        line = text[text.rfind("\n", 0, place) : text.find("\n", place)]
        assert not _verdict(name, altered, folder).is_valid, line

    check()


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(MACHINES))
def test_every_significant_digit(name, tmp_path):
    text = case(name).text
    missed = []
    for place in _significant_places(name, text):
        altered = text[:place] + str((int(text[place]) + 1) % 10) + text[place + 1 :]
        with contextlib.suppress(ValueError):  # a leading zero: no JSON any more
            altered = reseal(altered)
        if _verdict(name, altered, tmp_path).is_valid:
            missed.append(text[text.rfind("\n", 0, place) : text.find("\n", place)])
    assert not missed


def _unnamed(document):
    """The digest of a row that no rule is made of."""
    digests = row_digests(case("stumps").X, case("stumps").y)
    hexes = (digest.tobytes().hex() for digest in digests)
    return next(text for text in hexes if text not in document["kept"])


def _code(document):
    return document["training"]["codes"][0]


def _rule(document):
    """The first rule of a set, or the only condition of each."""
    return document["fitted"]["machine"]["rules"][0]


def _asked(document):
    return _rule(document)["conditions"][0]


def _column(document):
    return document["fitted"]["columns"]["columns"][0]


def _edited(name, change):
    document = json.loads(case(name).text)
    change(document)
    return reseal(json.dumps(document, indent=1))


@pytest.mark.parametrize(
    ("name", "change", "words"),
    [
        ("pool", lambda d: d["certificate"].update(risk=0.03), "certificate: risk: the file says"),
        ("pool", lambda d: d["certificate"].update(n_errors=1), "certificate: n_errors"),
        ("pool-two-rules", lambda d: d["training"]["kinds"].pop(), "code: kinds"),
        ("pool", lambda d: _code(d).update(scheme="magic"), "the model file"),
        (
            "pool",
            lambda d: d["data"].update(seed=7),
            "rules on the pool: a rule is not among the candidates",
        ),
        ("pool", lambda d: d.update(version=1), "version"),
        ("pool", lambda d: d.pop("training"), "fields"),
        ("pool", lambda d: d["fitted"]["machine"].update(rules=[], default=1), "rank of each"),
        ("pool", lambda d: d["certificate"]["assumptions"].clear(), "assumptions"),
        ("stumps", lambda d: d["fitted"]["machine"].update(machine="rule list"), "form"),
        ("stumps", lambda d: _code(d)["kept"].reverse(), "kept examples"),
        ("stumps", lambda d: _code(d)["kept"].insert(0, _code(d)["kept"][0]), "distinct"),
        ("stumps", lambda d: d["kept"].pop(), "the model file"),
        ("stumps", lambda d: d["kept"].append("0" * 64), "1 are not in the data"),
        ("stumps", lambda d: d["kept"].append(_unnamed(d)), "compression set: the file"),
        ("two-point", lambda d: _asked(d)["examples"].reverse(), "a - b"),
        ("pool", lambda d: _asked(d)["examples"].pop(), "examples: are not"),
        ("pool", lambda d: _code(d).update(kept=[0]), "kept examples of a pool"),
        ("stumps", lambda d: _asked(d).update(op="="), "side"),
        ("balls", lambda d: _asked(d).update(op="="), "compared by equality"),
        ("list", lambda d: d["fitted"]["machine"].update(default=7), "for the class 7"),
        ("three-classes", lambda d: d["fitted"]["classes"].reverse(), "labels"),
        ("words", lambda d: _column(d).update(words=["green"]), ""),
        ("words", lambda d: _column(d).update(name="a"), "the model file"),
        ("words", lambda d: d["data"].update(words=[]), ""),
        ("constant", lambda d: _code(d).update(kind="disjunction"), ""),
        ("stumps", lambda d: _asked(d).update(tol=1e-3), "tolerance of a feature"),
        ("balls", lambda d: _asked(d).update(tol=1e-3), "tolerance of a ball"),
        ("half-spaces", lambda d: _asked(d).update(tol=1e-3), "tolerance: the file says"),
        ("two-point", lambda d: _asked(d).update(tol=1e-3), "tolerance: the file says"),
        ("stumps", lambda d: _asked(d).update(op="<" if _asked(d)["op"] == ">" else ">"), ""),
        ("pool", lambda d: _rule(d).update(label=0), "labels of the rules"),
        ("pool", lambda d: _rule(d)["conditions"].append(_asked(d)), ""),
        ("words", lambda d: _column(d).update(kind="category"), "reading of 'colour'"),
        ("words", lambda d: _column(d).update(marks=["red"]), "reading of 'colour'"),
        ("words", lambda d: _asked(d).update(cut=0.0), "flag of a word"),
        ("words", lambda d: _column(d).update(words=["red", "red"]), "the same word twice"),
        ("stumps", lambda d: _column(d).update(has_missing=True), "a flag for missing values"),
        ("stumps", lambda d: _column(d).update(style="decimal comma"), "reading of 'x"),
        ("stumps", lambda d: d["fitted"].update(form="a trial"), "form: the file says"),
        ("stumps", lambda d: d["data"].update(n_rows=1), "number of rows"),
        ("stumps", lambda d: d["data"].update(n_set_aside=1), "rows set aside"),
        ("stumps", lambda d: d.update(labels=["yes", "no"]), "labels"),
        ("stumps", lambda d: d["provenance"].update(note="excellent"), "provenance: fields"),
        ("stumps", lambda d: d["training"].update(note="excellent"), "training: fields"),
    ],
)
def test_what_differs_is_said(name, change, words, tmp_path):
    verdict = _verdict(name, _edited(name, change), tmp_path)
    assert not verdict.is_valid
    assert words in " ".join(verdict.differences)


def _differences(name, tmp_path, X, y):
    path = tmp_path / "model.json"
    path.write_text(case(name).text, encoding="utf-8")
    verdict = verify_model(path, X, y)
    return " ".join(verdict.differences)


@pytest.mark.parametrize("name", sorted(MACHINES))
def test_the_same_rows_in_another_order_are_the_same_data(name, tmp_path, rng):
    """Kept examples are written as digests; they are looked for where the rows are now."""
    X, y = case(name).X, np.asarray(case(name).y)
    order = rng.permutation(len(y))
    moved = X.iloc[order] if hasattr(X, "iloc") else X[order]
    assert not _differences(name, tmp_path, moved, y[order])


def test_other_data_say_how_they_differ(tmp_path):
    X, y = case("pool").X, np.array(case("pool").y)
    other = X.copy()
    other[16, 2] += 1.0
    assert "the same rows, but row 17 was changed" in _differences("pool", tmp_path, other, y)
    assert "3 rows fewer" in _differences("pool", tmp_path, X[3:], y[3:])
    more = np.vstack([X, X[:1] + 0.5]), np.append(y, y[0])
    assert f"1 row more: row {len(y) + 1}" in _differences("pool", tmp_path, *more)
    renamed = np.where(y == "yes", "ja", y)
    assert "were changed" in _differences("pool", tmp_path, X, renamed)
    assert "none of these rows" in _differences("pool", tmp_path, X + 0.5, y)
    assert "number of features" in _differences("pool", tmp_path, X[:, :-1], y)


def test_a_missing_file_is_an_error(tmp_path):
    with pytest.raises(FileNotFoundError, match="there is no model file"):
        verify_model(tmp_path / "none.json", [[1.0]], [1])


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=12,
)


def _paths(value, path=()):
    yield path
    items = value.items() if isinstance(value, dict) else ()
    items = enumerate(value[:3]) if isinstance(value, list) else items
    for key, inner in items:
        yield from _paths(inner, (*path, key))


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", ["pool", "balls", "three-classes"])
def test_hostile_values_are_findings_not_crashes(name, tmp_path_factory):
    """180 documents with anything put in place of anything."""
    paths = list(_paths(json.loads(case(name).text)))[1:]
    folder = tmp_path_factory.mktemp("hostile")

    @settings(max_examples=60)
    @given(st.sampled_from(paths), JSON)
    def check(path, value):
        document = json.loads(case(name).text)
        place = document
        for key in path[:-1]:
            place = place[key]
        if repr(place[path[-1]]) == repr(value):
            return
        place[path[-1]] = value
        verdict = _verdict(name, json.dumps(document), folder)
        assert not verdict.is_valid

    check()


def _columns(document):
    return [column["name"] for column in document["fitted"]["columns"]["columns"]]


def test_a_kept_example_comes_from_the_pool(tmp_path):
    """A row outside the pool with the same value would give the same stump."""
    X, y = case("stumps").X, np.asarray(case("stumps").y)
    document = json.loads(case("stumps").text)
    hexes = [digest.tobytes().hex() for digest in row_digests(X, y)]
    rule = _asked(document)
    place, column = rule["examples"][0], int(_columns(document)[rule["value"]["feature"]][1:])
    row = hexes.index(document["kept"][place])
    pool = {hexes[i] for i in blind_order(X, y, random_state=0).order[:40]}
    same = np.flatnonzero((X[:, column] == rule["cut"]) & (y == y[row]))
    document["kept"][place] = next(hexes[i] for i in same if hexes[i] not in pool)
    verdict = _verdict("stumps", reseal(json.dumps(document, indent=1)), tmp_path)
    assert "is not what the data's digest (or the seed) draws" in " ".join(verdict.differences)
