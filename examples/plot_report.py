"""
A report to look at, to print and to send
=========================================

One self-contained page says what was learned, what is guaranteed, what the guarantee pays, and
how anybody can check it again.
"""

from pathlib import Path
from tempfile import mkdtemp

import matplotlib.pyplot as plt

from handful import BoundPathDisplay, RulesDisplay, SetCoveringMachine, load_dataset
from handful.report import render_report

X, y = load_dataset("breastw").named()
machine = SetCoveringMachine(random_state=0).fit(X, y)

page = render_report(machine, X, y, title="Breast cancer", provenance={"data": "breastw"})
path = Path(mkdtemp()) / "report.html"
path.write_text(page, encoding="utf-8")
print(f"{path.name}: {len(page) / 1000:.0f} kB, needs no network")

# %%
# The pictures of the page are displays, and work in a notebook too: the path with the chosen
# point, and the machine in the plane of the two features that tell most.
figure, axes = plt.subplots(1, 2, figsize=(12, 4.5), constrained_layout=True)
BoundPathDisplay.from_estimator(machine).plot(axes[0])
RulesDisplay.from_estimator(machine, X, y).plot(axes[1])
plt.show()

# %%
# In a notebook the machine shows itself: rule and certificate under scikit-learn's diagram.
print(machine.explain())
