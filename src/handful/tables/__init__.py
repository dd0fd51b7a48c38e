"""Ground floor for data: what a table is, before anything is learned from it.

What lives here: digests of rows and tables, and the order that they give the rows, from which
every pool is drawn; whether rows were seen before; the weight of a row from that of its class;
readers of files of many formats that check what they are given before it costs anything and parse
numbers exactly; columns with kinds and roles, labels; the one writer of files, whole or not at all.
What does not: anything that looks at the relation of features and labels.

To add a format: its ending in ``_files.py``, its checks before parsing and its reader beside those
in ``_sheets.py``, a line in ``_read.py``, and cases in ``tests/fuzz``. The names are loaded when
they are first used, because writing a file needs no numpy: add new ones to the imports, to
``__all__`` and to ``_HOME``.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from handful.tables._blind import BlindOrder, Draw, blind_order, row_codes, seed_of
    from handful.tables._cases import canonical_order, uniform_draws
    from handful.tables._digests import (
        RowDigests,
        column_names,
        digest_of_sum,
        digest_sum,
        is_missing,
        row_digests,
        table_digest,
        word_of,
    )
    from handful.tables._labels import Labels, read_labels, unknown_labels
    from handful.tables._numbers import ANSWERS, MISSING_MARKS, NOT, all_marks
    from handful.tables._read import (
        LoadedTable,
        exact_floats,
        exact_numbers,
        load_table,
        matching,
        read_chunks,
        read_frame,
    )
    from handful.tables._scaling import FittedScalingWarning, warn_of_fitted_scaling
    from handful.tables._seen import SeenRows
    from handful.tables._study import (
        Choices,
        Study,
        as_pandas,
        check_named,
        read_study,
        target_of,
    )
    from handful.tables._units import (
        Units,
        caution_of_draw,
        check_groups,
        group_units,
        make_units,
        pool_size,
        some_distinct,
    )
    from handful.tables._weights import class_weights
    from handful.tables._write import (
        check_folder,
        check_place,
        open_atomically,
        write_atomically,
        write_folder,
    )
    from handful.tables.columns import (
        RAW_WORDS,
        Column,
        Columns,
        Feature,
        TypePart,
        column_of,
        column_types,
        type_part,
        typed_column,
        typed_columns,
    )
    from handful.tables.estimator_inputs import (
        check_examples,
        check_rows,
        feature_names,
        read_table,
    )

__all__ = [
    "ANSWERS",
    "MISSING_MARKS",
    "NOT",
    "RAW_WORDS",
    "BlindOrder",
    "Choices",
    "Column",
    "Columns",
    "Draw",
    "Feature",
    "FittedScalingWarning",
    "Labels",
    "LoadedTable",
    "RowDigests",
    "SeenRows",
    "Study",
    "TypePart",
    "Units",
    "all_marks",
    "as_pandas",
    "blind_order",
    "canonical_order",
    "caution_of_draw",
    "check_examples",
    "check_folder",
    "check_groups",
    "check_named",
    "check_place",
    "check_rows",
    "class_weights",
    "column_names",
    "column_of",
    "column_types",
    "digest_of_sum",
    "digest_sum",
    "exact_floats",
    "exact_numbers",
    "feature_names",
    "group_units",
    "is_missing",
    "load_table",
    "make_units",
    "matching",
    "open_atomically",
    "pool_size",
    "read_chunks",
    "read_frame",
    "read_labels",
    "read_study",
    "read_table",
    "row_codes",
    "row_digests",
    "seed_of",
    "some_distinct",
    "table_digest",
    "target_of",
    "type_part",
    "typed_column",
    "typed_columns",
    "uniform_draws",
    "unknown_labels",
    "warn_of_fitted_scaling",
    "word_of",
    "write_atomically",
    "write_folder",
]

_HOME = {
    "_blind": "BlindOrder Draw blind_order row_codes seed_of",
    "_cases": "canonical_order uniform_draws",
    "estimator_inputs": "check_examples check_rows feature_names read_table",
    "_digests": "RowDigests column_names digest_of_sum digest_sum is_missing row_digests "
    "table_digest word_of",
    "_numbers": "ANSWERS MISSING_MARKS NOT all_marks",
    "_read": "LoadedTable exact_floats exact_numbers load_table matching read_chunks read_frame",
    "_scaling": "FittedScalingWarning warn_of_fitted_scaling",
    "_seen": "SeenRows",
    "_labels": "Labels read_labels unknown_labels",
    "_study": "Choices Study as_pandas check_named read_study target_of",
    "_units": "Units caution_of_draw check_groups group_units make_units pool_size some_distinct",
    "_weights": "class_weights",
    "columns": "RAW_WORDS Column Columns Feature TypePart column_of column_types type_part "
    "typed_column typed_columns",
    "_write": "check_folder check_place open_atomically write_atomically write_folder",
}


def __getattr__(name: str) -> Any:
    for module, names in _HOME.items():
        if name in names.split():
            return getattr(importlib.import_module(f"handful.tables.{module}"), name)
    raise AttributeError(f"module 'handful.tables' has no attribute {name!r}")
