"""The order of the gallery: what a reader needs first comes first."""

ORDER = (
    "plot_first_certificate.py",
    "plot_menu.py",
    "plot_score_card.py",
    "plot_own_pipeline.py",
    "plot_report.py",
    "plot_validation.py",
    "plot_decision_list.py",
    "plot_half_spaces.py",
    "plot_boosting_margins.py",
    "plot_boosting_kernels.py",
    "plot_mcm_sparsity.py",
    "plot_svm_criteria.py",
    "plot_mcm_regression.py",
    "plot_nonconformity_filtering.py",
    "plot_nonconformity_pick_to_learn.py",
    "plot_pursuit_path.py",
    "plot_pursuit_coefficients.py",
    "plot_distributed.py",
)


class ReadingOrder:
    """Sort key of sphinx-gallery; an example that is not listed comes last."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def __call__(self, name: str) -> tuple[int, str]:
        """Place of a file, and its name."""
        return (ORDER.index(name) if name in ORDER else len(ORDER), name)

    def __repr__(self) -> str:
        return "<ReadingOrder>"
