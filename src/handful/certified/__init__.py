"""Third floor: many forms from one table, each with a certificate that holds whatever you pick.

What lives here: the pool, the learners of all forms, the price by rank, the `Menu` of candidates
whose certificates hold at once, `CertifiedClassifier`, `MenuDisplay` and `AdditiveDisplay`. What
does not: the theorems (`handful.bounds`), classifiers as data (`handful.models`), the solver of
score cards (`handful.scoring`).

To add a form: a function from a `Pool` to proposals, with guesses for each row of the pool by
machines that did not see it, and an entry in ``_forms.py``.
"""

from handful.certified._classifier import CertifiedClassifier
from handful.certified._counting import Counting, Tally
from handful.certified._curves import AdditiveDisplay
from handful.certified._display import MenuDisplay
from handful.certified._elsewhere import RowsElsewhere
from handful.certified._forms import FORMS, READABLE, Form, named_candidates
from handful.certified._goals import Band
from handful.certified._grades import Grades, Grid
from handful.certified._menu import Menu, named_beforehand
from handful.certified._plan import MenuPlan, menu_plan, menu_rows_needed
from handful.certified._pool import Pool
from handful.certified._proposals import Proposal
from handful.certified._records import Candidate, Counts, Failure, rank_masses
from handful.certified._study import fit_study

__all__ = [
    "FORMS",
    "READABLE",
    "AdditiveDisplay",
    "Band",
    "Candidate",
    "CertifiedClassifier",
    "Counting",
    "Counts",
    "Failure",
    "Form",
    "Grades",
    "Grid",
    "Menu",
    "MenuDisplay",
    "MenuPlan",
    "Pool",
    "Proposal",
    "RowsElsewhere",
    "Tally",
    "fit_study",
    "menu_plan",
    "menu_rows_needed",
    "named_beforehand",
    "named_candidates",
    "rank_masses",
]
