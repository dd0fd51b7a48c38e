"""
Your own pipeline on the menu
=============================

Any scikit-learn classifier is certified beside the readable forms, at no cost for looking.
"""

import matplotlib.pyplot as plt
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from handful import CertifiedClassifier, MenuDisplay, load_dataset

X, y = load_dataset("haberman-294").named()  # a data frame, and words as labels
candidates = [
    ("my pipeline", make_pipeline(StandardScaler(), LogisticRegression())),
    ("my forest", RandomForestClassifier(50, random_state=0)),
    "one rule",
    "score card",
]
machine = CertifiedClassifier(candidates).fit(X, y)
print(machine.menu_[["size", "n_errors", "certificate"]])

# %%
# Black boxes and readable forms side by side.
MenuDisplay.from_estimator(machine).plot()
plt.show()
