"""Ground floor for data: what a table is, before anything is learned from it.

What lives here: files of many formats, checked before they cost anything (`sources`,
`text_files`, `binary_files`, `table_files`); cells as words and exact numbers (`cells`); columns
with kinds and roles (`columns`, `kinds`, `roles`), labels, and what must be said of them
(`cautions`); digests of rows, and the blind order that they give, from which every pool is drawn
(`digests`, `draw`); training rows as a fit sees them (`rows`); and a table made ready by all of
this (`study`). What does not: anything that looks at the relation of features and labels.

To add a format: its ending in `sources`, its checks and its reader in `binary_files`, a line in
`table_files`, and cases in ``tests/fuzz``.
"""

from handful.tables.cautions import FittedScalingWarning, TableCaution, warn_of_fitted_scaling
from handful.tables.cells import (
    ANSWERS,
    MISSING_MARKS,
    NOT,
    all_marks,
    is_missing,
    map_distinct,
    map_flags,
    word_of,
)
from handful.tables.choices import Choices, check_named, target_of
from handful.tables.columns import (
    RAW_WORDS,
    Column,
    Columns,
    Feature,
    TypePart,
    column_of,
    type_part,
    typed_column,
    typed_columns,
)
from handful.tables.description import describe_columns, hidden_cells, table_one
from handful.tables.digests import (
    RowDigests,
    SeenRows,
    column_names,
    digest_of_sum,
    digest_sum,
    row_digests,
    table_digest,
)
from handful.tables.draw import (
    BlindOrder,
    Draw,
    Units,
    blind_order,
    canonical_order,
    caution_of_draw,
    check_groups,
    pool_size,
    row_codes,
    seed_of,
    some_distinct,
    spread_folds,
    uniform_draws,
    units_of,
)
from handful.tables.estimator_inputs import (
    check_examples,
    check_rows,
    feature_names,
    given_rows,
    need_two_classes,
    new_table,
    warn_of,
)
from handful.tables.labels import Classes, LabelOptions, class_weights, read_classes
from handful.tables.notes import CODES, Note, plain_notes
from handful.tables.rows import (
    Grouping,
    Joined,
    MappedRows,
    MemoryRows,
    RowNeeds,
    RowSource,
    Sums,
    take_rows,
)
from handful.tables.study import GivenRows, Study, read_rows, read_source, read_study
from handful.tables.table_files import (
    LoadedTable,
    load_table,
    matching,
    read_chunks,
    read_frame,
)
from handful.tables.table_reading import (
    FeatureReader,
    TableReading,
    as_pandas,
    normal_rows,
    words_of_column,
)
from handful.tables.text_files import exact_floats

__all__ = [
    "ANSWERS",
    "CODES",
    "MISSING_MARKS",
    "NOT",
    "RAW_WORDS",
    "BlindOrder",
    "Choices",
    "Classes",
    "Column",
    "Columns",
    "Draw",
    "Feature",
    "FeatureReader",
    "FittedScalingWarning",
    "GivenRows",
    "Grouping",
    "Joined",
    "LabelOptions",
    "LoadedTable",
    "MappedRows",
    "MemoryRows",
    "Note",
    "RowDigests",
    "RowNeeds",
    "RowSource",
    "SeenRows",
    "Study",
    "Sums",
    "TableCaution",
    "TableReading",
    "TypePart",
    "Units",
    "all_marks",
    "as_pandas",
    "blind_order",
    "canonical_order",
    "caution_of_draw",
    "check_examples",
    "check_groups",
    "check_named",
    "check_rows",
    "class_weights",
    "column_names",
    "column_of",
    "describe_columns",
    "digest_of_sum",
    "digest_sum",
    "exact_floats",
    "feature_names",
    "given_rows",
    "hidden_cells",
    "is_missing",
    "load_table",
    "map_distinct",
    "map_flags",
    "matching",
    "need_two_classes",
    "new_table",
    "normal_rows",
    "plain_notes",
    "pool_size",
    "read_chunks",
    "read_classes",
    "read_frame",
    "read_rows",
    "read_source",
    "read_study",
    "row_codes",
    "row_digests",
    "seed_of",
    "some_distinct",
    "spread_folds",
    "table_digest",
    "table_one",
    "take_rows",
    "target_of",
    "type_part",
    "typed_column",
    "typed_columns",
    "uniform_draws",
    "units_of",
    "warn_of",
    "warn_of_fitted_scaling",
    "word_of",
    "words_of_column",
]
