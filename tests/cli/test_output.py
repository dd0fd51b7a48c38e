"""What reaches a terminal, and JSON that is JSON."""

import pytest

from handful.bounds import held_out_bound
from handful.cli.console import (
    SafeConsole,
    as_table,
    note,
    print_json,
    print_result,
    printable,
    progress,
)


def test_json_refuses_what_json_lacks():
    with pytest.raises(ValueError, match="not JSON compliant"):
        print_json({"risk": float("nan")})


def test_vacuous_certificates_say_so(capsys):
    print_result(held_out_bound(3, 3), as_json=False)
    assert "vacuous" in capsys.readouterr().out


def test_progress_goes_to_standard_error(capsys, monkeypatch):
    clock = iter([0.0, 0.5, 2.0, 2.0, 2.0])
    monkeypatch.setattr("handful.cli.console._settings.is_quiet", False)
    monkeypatch.setattr("handful.cli.console.time.monotonic", lambda: next(clock))
    with progress("Working") as report:
        report("one")
        report("two [bold]")
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.split() == ["Working:", "two", "[bold]", "…"]


def test_quiet_leaves_out_progress_and_remarks(capsys, monkeypatch):
    monkeypatch.setattr("handful.cli.console._settings.is_quiet", True)
    monkeypatch.setattr("handful.cli.console.time.monotonic", iter(range(0, 99, 9)).__next__)
    with progress("Working") as report:
        report("one")
    note("a remark")
    assert capsys.readouterr().err == ""


HOSTILE = "a\x1b[2J\x1b]0;owned\x07b\x9bc\x7f\u202ed\r\x08"


def test_controls_are_stripped_and_nothing_else():
    assert printable(HOSTILE) == "a[2J]0;ownedbcd"
    assert printable("Übung\t1\n≤ 2") == "Übung\t1\n≤ 2"


def test_consoles_print_their_own_controls_only(capsys):
    import pandas as pd
    from rich.markup import escape
    from rich.panel import Panel

    console = SafeConsole(force_terminal=True, color_system="standard", width=80)
    console.print(f"[bold]{escape(HOSTILE)}[/]")
    console.print(Panel(escape(HOSTILE), title=escape(HOSTILE)))
    console.print(as_table(HOSTILE, pd.DataFrame({HOSTILE: [HOSTILE]})))
    out = capsys.readouterr().out
    assert "\x1b[1m" in out  # bold is ours
    for control in ("\x1b[2J", "\x1b]", "\x07", "\x9b", "\x7f", "\u202e", "\r", "\x08"):
        assert control not in out
