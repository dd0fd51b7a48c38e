"""Configuration of the guide: ``sphinx-build -W --keep-going -b html docs docs/_build/html``."""

import importlib
import os
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parent / "src"
sys.path[:0] = [str(SOURCE), str(HERE)]

project = "handful"
copyright = "the handful developers"
release = version = importlib.import_module("handful").__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build", "_templates", "gallery/*.py", "gallery/*.ipynb", "gallery/*.md5"]
templates_path = ["_templates"]
html_theme = "furo"
html_title = f"handful {release}"
html_copy_source = False
html_show_sourcelink = False

default_role = "code"
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3

autosummary_generate = True
# what every estimator has from scikit-learn, and what scikit-learn writes into it
autosummary_context = {
    "hidden_methods": [
        "__init__",
        "get_metadata_routing",
        "get_params",
        "set_params",
        "with_traceback",
        "add_note",
        "count",
        "index",
        *(
            f"set_{method}_request"
            for method in ("fit", "predict", "score", "transform", "decision_function")
        ),
    ]
}
autodoc_typehints = "none"
autodoc_class_signature = "mixed"
napoleon_google_docstring = False
napoleon_use_param = False  # types are words, not names to link
napoleon_use_rtype = False
napoleon_custom_sections = [("Attributes", "params_style")]

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"plot_",
    "within_subsection_order": "gallery_order.ReadingOrder",
    "download_all_examples": False,
    "show_memory": False,
    "write_computation_times": False,
    "show_signature": False,
    "remove_config_comments": True,
    "plot_gallery": os.environ.get("HANDFUL_DOCS_RUN_EXAMPLES", "1") == "1",
}

# One page a unit; what is on it is the unit's ``__all__``. The command line has its own help.
UNITS = sorted(
    {"kernels"}
    | {path.parent.name for path in (SOURCE / "handful").glob("*/__init__.py")} - {"cli"}
)


def _in_short(thing: object) -> str:
    """A registry by its keys, a sentence as it is, any other object by its class's first line."""
    if isinstance(thing, str):
        return thing
    if isinstance(thing, (dict, list, tuple)):
        return ", ".join(f"``{key}``" for key in thing)
    return (type(thing).__doc__ or "").strip().split("\n")[0]


def api_page(unit: str) -> str:
    """Text of the page of one unit."""
    module = importlib.import_module(f"handful.{unit}")
    first, *_ = (module.__doc__ or "").strip().split("\n\n")
    title = f"handful.{unit}"
    things = {name: getattr(module, name) for name in module.__all__}
    names = "\n".join(f"   {name}" for name, thing in things.items() if callable(thing))
    tables = "\n".join(
        f"``{name}``\n   {_in_short(thing)}\n"
        for name, thing in things.items()
        if not callable(thing)
    )
    return (
        f"{title}\n{'=' * len(title)}\n\n{first}\n\n.. currentmodule:: {title}\n\n"
        f".. autosummary::\n   :toctree: names\n   :nosignatures:\n\n{names}\n\n{tables}"
    )


def write_api_pages(folder: Path) -> None:
    """Write the pages of all units; unchanged pages are left alone, so that builds stay quick."""
    folder.mkdir(parents=True, exist_ok=True)
    for unit in UNITS:
        path, text = folder / f"{unit}.rst", api_page(unit)
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def skip_member(app, what, name, obj, skip, options):
    """Leave out what scikit-learn writes into every estimator."""
    return True if name.startswith("set_") and name.endswith("_request") else None


def escape_bars(app, what, name, obj, options, lines):
    """Read |x| as a length, not as a name to be replaced; examples stay as they are."""
    in_example = False
    for i, line in enumerate(lines):
        in_example = line.lstrip().startswith(">>>") or (in_example and bool(line.strip()))
        if not in_example:
            parts = line.split("``")
            parts[::2] = [part.replace("|", r"\|") for part in parts[::2]]
            lines[i] = "``".join(parts)


def name_references(app, what, name, obj, options, lines):
    """Labels in docstrings that come from scikit-learn are in its guide: keep their words."""
    for i, line in enumerate(lines):
        lines[i] = re.sub(r":ref:`([^`<]+?)\s*(?:<[^`>]*>)?`", r"\1", line)


def setup(app):
    """Make the pages before Sphinx looks for documents."""
    app.connect("autodoc-skip-member", skip_member)
    app.connect("autodoc-process-docstring", escape_bars)
    app.connect("autodoc-process-docstring", name_references)
    write_api_pages(HERE / "api" / "units")
