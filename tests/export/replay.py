"""Other programs that replay an export: each reads the same cases and gives labels as texts."""

from __future__ import annotations

import csv
import io
import shutil
import subprocess
from pathlib import Path

import pytest

CSV_OF_ALL_SHEETS = "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false,false,false,-1"
R_PROGRAM = """
source("rules.R", encoding = "UTF-8")
rows <- read.csv("cases.csv", check.names = FALSE, colClasses = "character", na.strings = "",
                 encoding = "UTF-8", strip.white = FALSE)
labels <- as.character(predict_handful(rows))
labels[is.na(labels)] <- ""
writeLines(enc2utf8(labels), "labels.txt", useBytes = TRUE)
"""


def read_cases(text):
    """Header without the last column, rows of cells, labels."""
    head, *rows = csv.reader(io.StringIO(text))
    return head[:-1], [row[:-1] for row in rows], [row[-1] for row in rows]


def in_r(program, cases, folder: Path, reading=R_PROGRAM):
    """What an R function says."""
    rscript = shutil.which("Rscript")
    if rscript is None:
        pytest.skip("Rscript is not installed: install r-base-core to replay R")
    (folder / "rules.R").write_text(program, encoding="ascii")
    (folder / "cases.csv").write_text(cases, encoding="utf-8")
    (folder / "run.R").write_text(reading, encoding="utf-8")
    run = subprocess.run([rscript, "run.R"], cwd=folder, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return (folder / "labels.txt").read_text(encoding="utf-8").split("\n")[:-1]


def in_calc(books, folder: Path):
    """Rows of the sheets ``cases`` and ``rule`` of each workbook, computed by LibreOffice."""
    office = shutil.which("soffice")
    if office is None:
        pytest.skip("soffice is not installed: install libreoffice-calc to replay workbooks")
    paths = []
    for name, content in books.items():
        paths.append(folder / f"{name}.xlsx")
        paths[-1].write_bytes(content)
    profile = f"-env:UserInstallation={(folder / 'profile').as_uri()}"
    command = [office, profile, "--headless", "--convert-to", CSV_OF_ALL_SHEETS, "--outdir", folder]
    subprocess.run([*command, *paths], capture_output=True, timeout=500, check=True)
    found = {}
    for name in books:
        pages = []
        for sheet in ("cases", "rule"):
            text = (folder / f"{name}-{sheet}.csv").read_text(encoding="utf-8")
            pages.append(list(csv.reader(io.StringIO(text, newline=""))))
        found[name] = pages
    return found
