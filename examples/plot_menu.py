"""
A certified menu
================

Many forms from one table; every certificate holds, whichever row you take.
"""

import matplotlib.pyplot as plt

from handful import AdditiveDisplay, CertifiedClassifier, MenuDisplay, load_dataset

X, y = load_dataset("breastw").named()  # a data frame, and words as labels
machine = CertifiedClassifier().fit(X, y)
print(machine.explain())

# %%
# The price of readability: what a simpler form costs.
MenuDisplay.from_estimator(machine).plot()
plt.show()

# %%
# A person may prefer another row; its certificate was valid all along.
print(machine.choose("score card").explain().split("Chosen: ")[1])

# %%
# An additive form is drawn as it is evaluated: one curve a column.
AdditiveDisplay.from_estimator(machine.choose("additive")).plot()
plt.show()
