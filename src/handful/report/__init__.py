"""Pictures and pages of results: displays hold data, plotting is a method.

What lives here: ``*Display`` classes with ``from_estimator``, ``frame()`` and ``plot()``, and
`render_report`, which puts the same pictures into one self-contained HTML page. matplotlib and
jinja2 are imported when they are used. What does not: computing what is shown.

To add a picture to the page: a display, a section in ``sections.py``, its place in
``templates/report.html``. To add a sentence with numbers of a study: its text in
``templates/study-texts.json``, with the fields of the files in braces.
"""

from handful.report.certificate_displays import BoundPathDisplay, CertificateDisplay
from handful.report.page import (
    page_text,
    render_page,
    render_report,
    render_tripod,
    without_steering,
)
from handful.report.plane import RulesDisplay

__all__ = [
    "BoundPathDisplay",
    "CertificateDisplay",
    "RulesDisplay",
    "page_text",
    "render_page",
    "render_report",
    "render_tripod",
    "without_steering",
]
