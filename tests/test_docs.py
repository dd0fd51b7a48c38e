"""The guide is sane without building it; the build itself is slow."""

from __future__ import annotations

import importlib.util
import inspect
import re
import runpy
import subprocess
import sys
import tomllib
from typing import Any

import pytest

from tests import pages
from tests.pages import DOCS, ROOT

PAGES = pages.PAGES[1:]  # without the readme


def _load(path):
    spec = importlib.util.spec_from_file_location(f"loaded_{path.stem}", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # records look themselves up
    spec.loader.exec_module(module)
    return module


TRANSCRIPTS = _load(ROOT / "tools" / "transcripts.py")


@pytest.fixture(scope="module")
def conf():
    path = list(sys.path)
    module = _load(DOCS / "conf.py")
    sys.path[:] = path
    return module


def test_every_unit_has_its_page(conf, tmp_path):
    homes = set(importlib.import_module("handful")._HOME.values())
    assert homes <= set(conf.UNITS)
    conf.write_api_pages(tmp_path)
    assert {path.stem for path in tmp_path.glob("*.rst")} == set(conf.UNITS)


def test_pages_of_units_hold_every_public_name(conf):
    for unit in conf.UNITS:
        module = importlib.import_module(f"handful.{unit}")
        page = conf.api_page(unit)
        for name in module.__all__:
            assert re.search(rf"\b{name}\b", page.split("autosummary", 1)[1]), f"{unit}.{name}"


def test_bars_are_escaped_outside_examples(conf):
    lines = ["the length |w|, ``a | b``", ">>> 1 | 2", "3 | x", "", "again |w|"]
    conf.escape_bars(None, "function", "f", None, None, lines)
    assert lines == [r"the length \|w\|, ``a | b``", ">>> 1 | 2", "3 | x", "", r"again \|w\|"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(DOCS)))
def test_links_lead_somewhere(page):
    text = page.read_text(encoding="utf-8")
    assert text.startswith("# ")
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", text):
        if "://" not in target:
            assert (page.parent / target).exists(), target


@pytest.mark.parametrize("page", pages.PAGES, ids=pages.name_of)
def test_every_block_is_run_or_says_why_not(page):
    """Python, sessions and lines of `handful` are run by tests; other blocks have a reason."""
    for kind, body, why in pages.blocks(page):
        start = body.strip().splitlines()[0]
        if kind == "python":
            compile(body, page.name, "exec")
        elif kind == "sh" and why is None:
            assert all(line.startswith("handful ") for line in body.splitlines()), body
        elif kind == "text":  # what was printed, and commands
            assert not re.match(r"(from \w+ import|with|python|pip|pipx|dask|export) ", start)
        else:
            assert why or kind in ("sh", "console", "toml") or kind.startswith("{"), (kind, start)


@pytest.mark.parametrize("page", TRANSCRIPTS.sessions(), ids=pages.name_of)
def test_a_session_shows_what_its_commands_print(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = page.read_text(encoding="utf-8")
    assert TRANSCRIPTS.run_page(text) == text, "run python tools/transcripts.py"


def test_a_session_that_differs_is_written_anew(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "letters").write_text("a\nb\nc\n9.5 s.\n")
    page = "# P\n<!-- lines 1-1, 3-9 -->\n```console\n$ cat letters\n{}```\n"
    right = page.format("a\n...\nc\n9.5 s.\n")
    assert TRANSCRIPTS.run_page(page.format("old\n")) == right
    later = right.replace("9.5 s.", "0.1 s.")
    assert TRANSCRIPTS.run_page(later) == later
    with pytest.raises(RuntimeError, match=r"nothing\.csv"):
        TRANSCRIPTS.run_page("```console\n$ handful certify nothing.csv\n```\n")


def test_the_card_of_the_guide_is_read(tmp_path):
    from handful.validation import load_card

    (card,) = (b.body for b in pages.blocks(DOCS / "guide" / "validation.md") if b.kind == "toml")
    (tmp_path / "card.toml").write_text(card, encoding="utf-8")
    assert load_card(tmp_path / "card.toml").name == "CURB-65"


def test_every_page_is_in_the_index():
    index = (DOCS / "index.md").read_text(encoding="utf-8")
    for page in PAGES:
        name = str(page.relative_to(DOCS).with_suffix(""))
        assert (
            name == "index"
            or name in index
            or re.fullmatch(r"[gmp][^/]*|papers/.*|guide/[de].*", name)
        ), name


def test_the_performance_page_shows_every_saved_output():
    tool = _load(ROOT / "tools" / "performance_page.py")
    page = tool.PAGE.read_text(encoding="utf-8")
    for part in tool.render(ROOT / "benchmarks").split("\n## ")[1:]:
        is_list = part.startswith("Without a saved result")
        assert is_list or part in page, "run python tools/performance_page.py"


def test_performance_page_shows_outputs(tmp_path):
    tool = _load(ROOT / "tools" / "performance_page.py")
    (tmp_path / "bench_a.py").write_text('"""Claim: a is fast.\n\nWhy.\n\nRun: python a\n"""\n')
    (tmp_path / "bench_b.py").write_text('"""B against c. Usage: python b [M]"""\n')
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "bench_a.txt").write_text("ratio 3.0\n")
    (tmp_path / "results" / "bench_a-large.txt").write_text("ratio 5.0 ```\n")
    page = tool.render(tmp_path)
    assert "## A is fast\n\nWhy.\n\n`python benchmarks/bench_a.py`\n" in page
    assert page.index("ratio 3.0") < page.index("ratio 5.0 '''")
    assert "## Without a saved result\n\n- `bench_b.py`: B against c." in page
    assert "Usage" not in page


def test_the_first_table_says_what_was_reached(tmp_path):
    tool = _load(ROOT / "tools" / "performance_page.py")
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "bench_a.txt").write_text("ratio 3.5\n5.25 s\n")
    entry = '[[target]]\nwhat = "{}"\npeer = "p"\nresult = "bench_{}"\npattern = \'{}\'\n'
    entry += 'at = "{}"\ntarget = {}\nunit = "{}"\n'
    wanted = [
        ("more", "a", "ratio ([0-9.]+)", "least", 3, "x"),
        ("less", "a", "([0-9.]+) s", "most", 5, " s"),
        ("none", "b", "([0-9.]+) s", "most", 5, " s"),
    ]
    (tmp_path / "targets.toml").write_text("".join(entry.format(*row) for row in wanted))
    page = tool.render(tmp_path)
    assert "| more | p | 3.5x | ≥ 3x | yes |" in page
    assert "| less | p | 5.25 s | ≤ 5 s | no |" in page
    assert "| none | p | not measured | ≤ 5 s |  |" in page


def test_every_saved_output_that_a_target_names_has_its_number():
    tool = _load(ROOT / "tools" / "performance_page.py")
    folder = ROOT / "benchmarks"
    entries = tomllib.loads((folder / "targets.toml").read_text(encoding="utf-8"))["target"]
    for entry in entries:
        is_saved = (folder / "results" / f"{entry['result']}.txt").is_file()
        assert not is_saved or tool.number_of(entry, folder) is not None, entry["what"]


def test_the_reference_is_that_of_the_program():
    tool = _load(ROOT / "tools" / "reference_pages.py")
    for path, text in ((tool.COMMANDS, tool.commands_page()), (tool.INDEX, tool.api_index())):
        assert path.read_text(encoding="utf-8") == text, "run python tools/reference_pages.py"


def test_the_index_has_every_name_of_the_package_once():
    import handful

    tool = _load(ROOT / "tools" / "reference_pages.py")
    named = [name for names in tool.TASKS.values() for name in names]
    assert len(set(named)) == len(named)
    assert {name for name in named if "." not in name} == set(handful.__all__) - {"__version__"}


def test_papers_page_has_a_place_for_known_tables_only():
    from handful.papers import PAPERS

    tool = _load(ROOT / "tools" / "papers_page.py")
    for paper, table in tool.wanted(tool.PAGE.read_text(encoding="utf-8")):
        assert table in importlib.import_module(PAPERS[paper]).TABLES


def test_the_verdicts_follow_the_tables():
    tool = _load(ROOT / "tools" / "paper_verdicts.py")
    page = tool.PAGE.read_text(encoding="utf-8")
    assert tool.fill(page) == page, "run python tools/paper_verdicts.py"
    assert page.index("<!-- verdicts -->") < page.index("\n## ")
    judged = {claim.paper for claim in tool.CLAIMS}
    assert len(judged) == 5
    for paper in judged:  # a claim that fails is on the page, not left out
        assert f"| {paper} |" in page
    # another table, another verdict
    other = page.replace("| Glass | half-spaces | conjunction | 1.05 | 3 | 32 |",
                         "| Glass | half-spaces | conjunction | 1.05 | 3 | 320 |")  # fmt: skip
    first = "| scm-2003 | half-spaces err as rarely as a Gaussian support vector machine | **not**"
    assert first in tool.verdicts(other)
    assert first not in page


@pytest.mark.parametrize("page", sorted((DOCS / "papers").glob("*.md")), ids=lambda page: page.stem)
def test_names_on_the_pages_of_papers_exist(page):
    """`Name(parameter=)`, `Name.attribute` and `unit.name` in the last column are of the code."""
    import handful

    cells = re.findall(r"^\|.*\| ([^|]+) \|$", page.read_text("utf-8"), re.MULTILINE)
    named = re.findall(r"`([A-Za-z]\w*)(?:\.(\w+))?(?:\((\w+)=\))?`", " ".join(cells))
    public = [name for name in named if name[0] in handful.__all__ or name[1]]
    assert len(public) >= 8
    for first, second, parameter in public:
        is_unit = first not in handful.__all__
        home = importlib.import_module(f"handful.{first}") if is_unit else getattr(handful, first)
        if second.endswith("_"):
            source = "".join(inspect.getsource(c) for c in home.__mro__[:-1])
            assert re.search(rf"\b{second}\b", source), (first, second)
        elif second:
            assert hasattr(home, second), (first, second)
            home = getattr(home, second)
        assert not parameter or parameter in inspect.signature(home).parameters, (first, parameter)


def test_papers_page_is_filled_between_its_markers():
    tool = _load(ROOT / "tools" / "papers_page.py")
    page = "# P\n<!-- table a 1 -->\nold\n<!-- end -->\ntext\n<!-- table a 2 -->\n<!-- end -->\n"
    records = [{"data_set": "x|y", "ours": 0.123456, "theirs": float("nan")}]
    text = tool.as_markdown(records, ["A note."], "a, 1")
    new = tool.fill(page, "a", "1", text)
    assert "| data set | ours | theirs |\n|---|---|---|\n| x\\|y | 0.1235 |  |" in new
    assert "A note." in new
    assert "old" not in new
    assert tool.fill(new, "a", "1", text) == new
    with pytest.raises(SystemExit, match="no marker"):
        tool.fill(page, "b", "1", text)


def test_the_landing_page_shows_what_the_readme_shows():
    shown = re.findall(r"```text\n(Breast.*?)```", (ROOT / "README.md").read_text("utf-8"), re.S)
    assert len(shown) == 1
    assert shown[0] in (DOCS / "index.md").read_text(encoding="utf-8")


def test_the_picture_of_the_landing_page_is_that_of_its_menu():
    index = (DOCS / "index.md").read_text(encoding="utf-8")
    assert "](menu.svg)" in index
    written = re.findall(r"<text[^>]*>([^<]+)</text>", (DOCS / "menu.svg").read_text("utf-8"))
    rows = re.findall(r"^[ →]+\d+  (\S.*?)(?:, \d| with|:| \(|  )", index, re.MULTILINE)
    assert len(rows) == 15
    for row in rows:
        name = "constant" if row == "blind guess" else row
        assert any(text.startswith(name) for text in written), "run python tools/landing_picture.py"


def test_the_first_sentence_is_true_of_the_first_output():
    """Promise, menu, certificate and Python say one number, the one that comes out."""
    from typer.testing import CliRunner

    from handful.bounds import percent_text
    from handful.cli import app

    page = (ROOT / "README.md").read_text(encoding="utf-8")
    (promised,) = re.findall(r"confidence, at\s+most\s+([\d.]+ %)\s+of\s+new", page)
    words = ["certify", "--choose", "score card"]
    said = CliRunner().invoke(app, words, env={"COLUMNS": "80"}).stdout
    for text in (page, said):
        (row,) = re.findall(r"→ +\d+ .* of \d+ +([\d.]+ %) ", text)
        (sentence,) = re.findall(r"is misclassified is at │\n│ most ([\d.]+ %)\.", text)
        assert row == sentence == promised
    for name in ("README.md", "docs/quick-start.md"):  # Python gives the same card
        block = (ROOT / name).read_text(encoding="utf-8").split("```python\n")[1].split("```")[0]
        known: dict[str, Any] = {}
        exec(block, known)
        card = known["card"]
        (comment,) = re.findall(r"certificate_\.risk  # ([\d.]+)\.\.\.", block)
        assert str(card.certificate_.risk).startswith(comment)
        assert percent_text(card.certificate_.risk) == promised
        for line in card.fitted_.sentences():
            assert line in page, line
        assert "\n".join(line.rstrip() for line in said.splitlines()[5:]) in page


def test_the_gallery_has_a_reading_order():
    order = _load(DOCS / "gallery_order.py")
    names = {path.name for path in (ROOT / "examples").glob("plot_*.py")}
    assert set(order.ORDER) == names
    key = order.ReadingOrder("examples")
    assert sorted([*names, "plot_new.py"], key=key) == [*order.ORDER, "plot_new.py"]
    assert order.ORDER[0] == "plot_first_certificate.py"


def test_examples_are_gallery_pages():
    for path in sorted((ROOT / "examples").glob("*.py")):
        assert path.name.startswith("plot_"), path
        first, rule, *_ = path.read_text(encoding="utf-8").removeprefix('"""\n').splitlines()
        assert rule == "=" * len(first), path


@pytest.mark.thorough
@pytest.mark.parametrize("example", sorted((ROOT / "examples").glob("*.py")), ids=lambda e: e.stem)
def test_examples_run(example, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("MPLBACKEND", "Agg")
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(example), run_name="__main__")


@pytest.mark.slow
def test_the_guide_builds_without_a_warning(tmp_path):
    pytest.importorskip("sphinx_gallery", reason="the docs extra is not installed")
    command = ["-W", "--keep-going", "-q", "-b", "html", "docs", str(tmp_path / "html")]
    run = subprocess.run(
        [sys.executable, "-m", "sphinx", *command], cwd=ROOT, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    assert (tmp_path / "html" / "index.html").is_file()
    names = tmp_path / "html" / "api" / "units" / "names"
    page = (names / "handful.covering.SetCoveringMachine.html").read_text(encoding="utf-8")
    for method in ("fit", "predict", "certify", "explain", "get_rules"):
        assert f'id="handful.covering.SetCoveringMachine.{method}"' in page
    assert "set_score_request" not in page


def test_the_tls_settings_of_the_guide_exist():
    dask = pytest.importorskip("dask", reason="the dask extra is not installed")
    from distributed.cli import dask_scheduler, dask_worker

    page = (DOCS / "guide" / "distributed.md").read_text(encoding="utf-8")
    keys = re.findall(r'"(distributed\.[\w.-]+)":', page)
    assert len(keys) >= 4
    for key in keys:
        dask.config.get(key)  # a KeyError where Dask knows no such setting
    for name, program in (("scheduler", dask_scheduler.main), ("worker", dask_worker.main)):
        known = {option for parameter in program.params for option in parameter.opts}
        (line,) = re.findall(rf"^dask {name} .*$", page, flags=re.MULTILINE)
        assert set(re.findall(r"--[\w-]+", line)) <= known


def claims_of_no_split():
    """Sentences that a reviewer reads as: nothing is held out, every row teaches."""
    claim = re.compile(
        r"without (?:a )?(?:split|hold-?out|cross-validation)|no split\b|you split nothing|"
        r"no\s+hold-?out|without\s+a\s+hold-out",
        re.IGNORECASE,
    )
    places = [ROOT / "README.md", ROOT / "pyproject.toml", *sorted(DOCS.rglob("*.md"))]
    places += [*sorted((ROOT / "src").rglob("*.py")), *sorted((ROOT / "src").rglob("*.html"))]
    texts = {path: " ".join(path.read_text(encoding="utf-8").split()) for path in places}
    return [f"{path.name}: {found[0]}" for path, text in texts.items()
            if (found := claim.search(text))]  # fmt: skip


def test_nobody_claims_that_there_is_no_split():
    """Some rows teach, the others only test: the split is there, but nobody chose it."""
    assert claims_of_no_split() == []
    from typer.testing import CliRunner

    from handful.cli import app

    for words in (["--help"], ["certify", "--help"]):
        assert "no split" not in CliRunner().invoke(app, words).output
    for page in (ROOT / "README.md", DOCS / "index.md"):
        text = " ".join(page.read_text(encoding="utf-8").split())
        assert "Some rows teach, the others only test" in text
        assert "looking is paid for" in text


def test_the_page_on_model_files_states_the_versions_that_are_written(tmp_path):
    import json

    from handful import CertifiedClassifier, SetCoveringMachine, load_dataset, save_model
    from handful.tables import read_study

    X, y = load_dataset("haberman-294").named()
    save_model(SetCoveringMachine(rules="stumps").fit(X, y), tmp_path / "model.json")
    study = read_study(X.assign(outcome=y))
    save_model(
        CertifiedClassifier(["constant", "one rule"]).fit(study),
        tmp_path / "form.json",
    )
    found = [json.loads(path.read_text(encoding="utf-8")) for path in tmp_path.glob("*.json")]
    page = (DOCS / "model-files.md").read_text(encoding="utf-8")
    stated = re.findall(r'\| `format`, `version` \| `"([\w-]+)"`, `(\d+)`;', page)
    assert len(found) == 2
    assert set(stated) == {(d["format"], str(d["version"])) for d in found}
