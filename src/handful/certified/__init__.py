"""Third floor: many forms from one table, each with a certificate that holds whatever you pick.

What lives here: the pool, the learners of all forms, the price by role (`Roles`),
`CertifiedClassifier`, `MenuDisplay` and `AdditiveDisplay`. What does not: the theorems
(`handful.bounds`), menus and counting (`handful.candidates`), classifiers as data
(`handful.models`), the solver of score cards (`handful.scoring`).

To add a form: a function from a `Pool` to proposals, with guesses for each row of the pool by
machines that did not see it, and an entry in ``forms.py``.
"""

from handful.certified.display import AdditiveDisplay, MenuDisplay
from handful.certified.estimators import CertifiedClassifier
from handful.certified.form_candidates import FormCandidate, named_beforehand
from handful.certified.forms import (
    FORMS,
    READABLE,
    NamedForm,
    check_favourite,
    check_row_name,
    named_candidates,
    wanted_forms,
)
from handful.certified.goals import Band
from handful.certified.masses import POCKET, Roles
from handful.certified.menu_plan import MenuPlan, menu_plan, menu_rows_needed
from handful.certified.named_goals import Chain, Goal, goal_of_case, is_first_case
from handful.certified.refit import Refit
from handful.certified.stability import stability_lines
from handful.certified.training_pool import Pool, Proposal

__all__ = [
    "FORMS",
    "POCKET",
    "READABLE",
    "AdditiveDisplay",
    "Band",
    "CertifiedClassifier",
    "Chain",
    "FormCandidate",
    "Goal",
    "MenuDisplay",
    "MenuPlan",
    "NamedForm",
    "Pool",
    "Proposal",
    "Refit",
    "Roles",
    "check_favourite",
    "check_row_name",
    "goal_of_case",
    "is_first_case",
    "menu_plan",
    "menu_rows_needed",
    "named_beforehand",
    "named_candidates",
    "stability_lines",
    "wanted_forms",
]
