"""VALID of what? The verdict says the claim, and the files beside a model say the same."""

import json

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from handful.cli import app

runner = CliRunner()


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    rng = np.random.default_rng(8)
    X = rng.normal(size=(300, 2)).round(2)
    ill = X[:, 0] + 0.8 * rng.normal(size=300) > 0.9
    sex = rng.choice(["f", "m"], 300)
    path = tmp_path_factory.mktemp("table") / "t.csv"
    frame = pd.DataFrame(X, columns=["a", "b"]).assign(sex=sex, y=np.where(ill, "ill", "well"))
    frame.to_csv(path, index=False)
    return path


@pytest.fixture(params=["menu", "rules"])
def folder(request, table, tmp_path):
    arguments = ["certify", str(table), "--target", "y", "--out", str(tmp_path / "out")]
    more = ["--candidates", "one rule"] if request.param == "menu" else ["--rules", "stumps"]
    result = runner.invoke(app, [*arguments, *more])
    assert result.exit_code == 0, result.output
    return tmp_path / "out"


def _verify(folder, table, *more):
    result = runner.invoke(app, ["verify", str(folder / "model.json"), str(table), *more])
    return result.exit_code, " ".join(result.output.split())


def test_the_verdict_says_the_claim(folder, table):
    code, text = _verify(folder, table)
    assert code == 0, text
    certificate = json.loads((folder / "certificate.json").read_text())
    assert certificate["quantity"] == {"key": "misclassified", "values": {}}
    assert "the probability that a new case is misclassified is at most" in text
    for words in ("Form:", "Target: y", "Counts:", "Delta: 0.05", "File: sha256", "Stated, not"):
        assert words in text
    code, text = _verify(folder, table, "--json")
    found = json.loads(text)
    for name in ("risk", "delta", "n_errors", "n_samples", "n_compressed", "quantity"):
        assert found[name] == certificate[name]
    assert found["target"] == "y"
    assert set(found["classes"]) == {"ill", "well"}
    assert len(found["file_sha256"]) == 64
    assert "numpy" in found["stated_not_checked"]


def test_another_target_is_an_error(folder, table):
    code, text = _verify(folder, table, "--target", "sex")
    assert code == 2, text
    assert "`--target` must be 'y'" in text
    assert _verify(folder, table, "--target", "y")[0] == 0


@pytest.mark.parametrize(("field", "value"), [("risk", 0.01), ("n_errors", 0), ("delta", 0.01)])
def test_another_certificate_beside_the_model(field, value, folder, table):
    path = folder / "certificate.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), field: value}))
    code, text = _verify(folder, table)
    assert code == 1
    assert f"certificate.json: {field}" in text


def test_no_certificate_beside_the_model_is_nothing_to_compare(folder, table):
    (folder / "certificate.json").unlink()
    (folder / "report.html").unlink()
    assert _verify(folder, table)[0] == 0


def _prettier(page, shown):
    return page.replace(f"<strong>{shown}</strong>", "<strong>0.5 %</strong>")


def _sentence(page, shown):
    return page.replace(f"is at most {shown}.</p>", "is at most 0.5 %.</p>")


def _data(page, shown):
    return page.replace('"delta": 0.05', '"delta": 0.01')


def _no_data(page, shown):
    return page.replace("handful-claim", "nothing")


@pytest.mark.parametrize("change", [_prettier, _sentence, _data, _no_data])
def test_another_report_beside_the_model(change, folder, table):
    path = folder / "report.html"
    page = path.read_text()
    shown = page.split("<strong>")[1].split("</strong>")[0]
    altered = change(page, shown)
    assert altered != page
    path.write_text(altered)
    code, text = _verify(folder, table)
    assert code == 1
    assert "report.html" in text
