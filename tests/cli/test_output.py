"""Exit codes of reported errors, and JSON that is JSON."""

import pytest
import typer

from handful.bounds import held_out_bound
from handful.cli._output import (
    print_json,
    print_result,
    progress,
    reported_errors,
    write_files,
)


@pytest.mark.parametrize(
    ("error", "code"), [(ValueError, 2), (TypeError, 2), (OSError, 1), (RuntimeError, 1)]
)
def test_exit_codes(error, code, capsys):
    with pytest.raises(typer.Exit) as caught, reported_errors():
        raise error("`n` must be [bold]small")
    assert caught.value.exit_code == code
    assert "[bold]small" in capsys.readouterr().err


def test_json_refuses_what_json_lacks():
    with pytest.raises(ValueError, match="not JSON compliant"):
        print_json({"risk": float("nan")})


def test_vacuous_certificates_say_so(capsys):
    print_result(held_out_bound(3, 3), as_json=False)
    assert "vacuous" in capsys.readouterr().out


def test_progress_goes_to_standard_error(capsys, monkeypatch):
    clock = iter([0.0, 0.5, 2.0, 2.0, 2.0])
    monkeypatch.setattr("handful.cli._output.time.monotonic", lambda: next(clock))
    with progress("Working") as report:
        report("one")
        report("two [bold]")
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.split() == ["Working:", "two", "[bold]", "…"]


def test_files_are_written_together_or_not_at_all(tmp_path):
    written = write_files(tmp_path / "new", {"a": "1", "b": "2"})
    assert [path.read_text() for path in written] == ["1", "2"]
    assert oct(written[0].stat().st_mode)[-3:] in ("644", "664")
    with pytest.raises(FileNotFoundError, match="does not exist"):
        write_files(tmp_path / "no" / "such", {"a": "1"})
    with pytest.raises(UnicodeEncodeError):
        write_files(tmp_path / "bad", {"a": "fine", "b": "\ud800"})
    assert sorted(path.name for path in tmp_path.iterdir()) == ["new"]
