"""Exit codes of reported errors, and JSON that is JSON."""

import pytest
import typer

from handful.bounds import held_out_bound
from handful.cli._output import print_json, print_result, reported_errors


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
