"""One road from a table to a result: read, learn a menu, choose a row; no statistics of its own."""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from handful.cli.console import progress
from handful.cli.study_rows import StudyRows, read_chunked, read_pooled, read_rest, read_table
from handful.progress import watch_progress

if TYPE_CHECKING:
    from handful.certified import Band, Refit
    from handful.cli.certify_command import CertifyOptions
    from handful.files import FollowedProtocol, Protocol
    from handful.models import Fitted


@dataclass(frozen=True, eq=False)
class StudyResult:
    """A machine with its menu and its chosen row, and what it was made from.

    Attributes
    ----------
    rows : StudyRows
    machine : CertifiedClassifier or SetCoveringMachine
        It holds the menu, and predicts with the chosen row.
    options : CertifyOptions
    remarks : tuple of str
        Why another row than the default was taken.
    seconds : float
    band : Band or None
        Silence in doubt, if it was asked for.
    refit : Refit or None
        The chosen row learned from all rows, if it was asked for.
    stability : DataFrame or None
        How stable the chosen row is, if that was asked for.
    protocol : Protocol or None
        What was fixed before the data.
    """

    rows: StudyRows
    machine: Any
    options: CertifyOptions
    remarks: tuple[str, ...]
    seconds: float
    band: Band | None = None
    refit: Refit | None = None
    stability: Any = None
    protocol: Protocol | None = None

    @property
    def deviate(self) -> str:
        """Why the study deviates from its protocol."""
        return self.options.deviate or ""

    @property
    def followed(self) -> FollowedProtocol | None:
        """The protocol as files hold it, with the deviations."""
        if self.protocol is None:
            return None
        return self.protocol.followed(self.machine, self.deviate)

    @property
    def protocol_lines(self) -> list[str]:
        """What is said of the protocol beside the certificate."""
        followed = self.followed
        return [] if followed is None else followed.lines(int(self.machine.n_samples_))

    @property
    def is_default(self) -> bool:
        """Whether the tolerance alone chose the row."""
        options = self.options
        return options.choose is None and options.late_goal is None and not self.remarks

    @property
    def case(self) -> str | None:
        """The class whose rate is the sensitivity, as a word."""
        return None if self.rows.positive is None else str(self.rows.positive)


def evidence_of(made: StudyResult) -> dict[str, Any] | None:
    """What else the counted rows say of the chosen row, as data; None if they say nothing."""
    if made.options.is_cover:
        return None
    found: dict[str, Any] | None = made.machine.evidence_document()
    return found


def together_of(made: StudyResult) -> str:
    """With which confidence all that is shown holds at once, the evidence among it."""
    if evidence_of(made) is None:
        return str(made.machine.together(made.band))
    said = [*made.machine.statements(made.band), "the evidence"]
    return str(made.machine.certificate_.together(said))


def make_study(options: CertifyOptions, protocol: Protocol | None = None) -> StudyResult:
    """Read a table, learn its menu, and take a row."""
    rows = _read(options)
    machine = _machine(options, rows)
    start = time.perf_counter()
    with progress("Learning") as report, watch_progress(report), warnings.catch_warnings():
        if options.is_cover:
            machine.fit(rows.X, rows.y, sample_weight=rows.weights, groups=rows.groups)
        else:
            warnings.simplefilter("ignore")  # of single forms: what matters is in their rows
            machine.fit(rows.study)
    seconds = time.perf_counter() - start
    machine, remarks = take_row(machine, options, rows.positive)
    band = None if options.abstain is None else machine.abstain(options.abstain)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # they were heard when the menu was learned
        again = _again(machine, options, rows)
    made = StudyResult(rows, machine, options, remarks, seconds, band, *again, protocol)
    _ = made.followed  # an error, if it is not, and no reason is given
    return made


def _again(machine: Any, options: CertifyOptions, rows: StudyRows) -> tuple[Refit | None, Any]:
    """The chosen row learned from all rows, and from resamples of the pool, if that is wanted."""
    refit, frame = None, None
    if options.refit:
        with progress("Learning from all rows"):
            refit = machine.refit(rows.study)
            if options.unlabelled is not None:
                try:
                    refit = refit.certify(read_table(options.unlabelled).frame)
                except ValueError as error:
                    raise ValueError(f"`--unlabelled` {options.unlabelled}: {error}") from error
    if options.stability:
        with progress("Learning from resamples"):
            frame = machine.stability(rows.study)
    return refit, frame


def stability_of(made: StudyResult, *, for_others: bool = False) -> list[str]:
    """How stable the chosen row is, in sentences; ``for_others`` names what it reads alone."""
    from handful.certified import stability_lines

    if made.stability is None:
        return []
    frame = made.stability
    return stability_lines(frame[frame["in_rule"]] if for_others else frame)


def _read(options: CertifyOptions) -> StudyRows:
    choices = options.choices()
    if not options.is_cover:
        return read_pooled(options.data, choices, options.sheet, options.pool_share)
    if options.engine == "memory":
        return read_rest(options.data, choices, options.seed, options.sheet)
    if options.sheet is not None:
        raise ValueError(
            "`--sheet` is for Excel files (.xlsx), not for --engine dask. Leave it out."
        )
    return read_chunked(options.data, choices, options.seed)


def _machine(options: CertifyOptions, rows: StudyRows) -> Any:
    """The machine that learns the menu: of forms, or of covers."""
    if not options.is_cover:
        from handful.certified import CertifiedClassifier, check_row_name

        if options.choose is not None and not options.choose.isdigit():
            check_row_name(options.choose)
        return CertifiedClassifier(**options.forms())
    from handful.covering import SetCoveringMachine

    return SetCoveringMachine(
        **options.covers(),
        costs=_read_costs(options.costs, rows),
        classes=list(rows.classes),
        random_state=rows.random_state,
    )


def _read_costs(costs: str | None, rows: StudyRows) -> Any:
    if costs is None:
        return None
    if not rows.is_positive_said:
        classes = [str(label) for label in rows.classes]
        raise ValueError(
            "`--positive` must say which class is the positive one if `--costs` are given: "
            f"one of {', '.join(classes[:20])}."
        )
    try:
        found = tuple(float(part) for part in costs.split(","))
    except ValueError as error:
        raise ValueError(f"`--costs` must be two numbers such as 1,5, got {costs!r}.") from error
    # The machine's positive class is the second, whichever of the two is the case.
    return found if rows.positive == rows.classes[-1] else found[::-1]


def take_row(
    machine: Any, options: CertifyOptions, positive: str | None = None
) -> tuple[Any, tuple[str, ...]]:
    """The row that the user wants, or the default one among those that may be shown."""
    if options.late_goal is not None:
        from handful.certified import goal_of_case, is_first_case

        is_first = is_first_case(positive, machine.fitted_.classes)
        name, value = goal_of_case(options.late_goal, is_first) or options.late_goal
        machine = machine.reach(**{name: value})
        _refuse(machine, options, f"{machine.chosen_!r}, which reaches the goal best:")
        return machine, ()
    if options.choose is not None:
        text = options.choose
        machine = machine.choose(int(text) if text.isdigit() else text)
        _refuse(machine, options, f"`--choose {text}` cannot be written:")
        return machine, ()
    return _default_row(machine, options)


def _default_row(machine: Any, options: CertifyOptions) -> tuple[Any, tuple[str, ...]]:
    """The default row; another one if this one may not be written, or not be printed."""
    from handful.bounds import percent_text

    fitted, is_written = machine.fitted_, options.out is not None
    why = why_not_written(fitted, options) if is_written or fitted.n_training_rows else ""
    if not why:
        return machine, ()
    rows = [
        row
        for row, candidate in enumerate(machine.candidates_)
        # a cover without rules is no answer to who asks for rules
        if not why_not_written(candidate.fitted, options)
        and (candidate.fitted.uses or not options.is_cover)
    ]
    first = f"{machine.chosen_} ({percent_text(machine.certificate_.risk)})"
    if not rows and is_written:
        raise ValueError(f"no row of the menu may be written in place of {first}: {why}")
    if not rows:
        return machine, ()
    machine = machine.choose(machine.simplest(rows))
    return machine, (f"{machine.chosen_} takes the place of {first}: {why}",)


def _refuse(machine: Any, options: CertifyOptions, what: str) -> None:
    """Stop if a row that was asked for may not be written."""
    if options.out is not None and (why := why_not_written(machine.fitted_, options)):
        raise ValueError(f"{what} {why}")


def why_not_written(fitted: Fitted, options: CertifyOptions) -> str:
    """Why a classifier must not be written as it is; empty if it may."""
    if options.include_rows:
        return ""
    if not fitted.is_plain:
        return (
            "it is an estimator of another library, which may contain training rows. Say "
            "--include-rows, or choose another row of the menu."
        )
    if fitted.n_training_rows:
        return (
            f"this form contains {fitted.n_training_rows} training rows. Say --include-rows, or "
            "choose another row of the menu."
        )
    return ""
