"""
A score card
============

Few questions with whole points, learned in a few hundredths of a second.
"""

import matplotlib.pyplot as plt

from handful import CertifiedClassifier, ScoreCard, ScoreCardDisplay, load_dataset

X, y = load_dataset("breastw").named()  # a data frame, and words as labels
machine = ScoreCard(max_items=5, max_points=3).fit(X, y)
print(machine.explain())

# %%
# The certificate of a card comes from a menu, and with it limits on what points mean, which hold
# all at once.
menu = CertifiedClassifier(["constant", "score card"]).fit(X, y).choose("score card")
print(menu.explain())
ScoreCardDisplay.from_estimator(menu).plot()
plt.show()

# %%
# Nine of ten cases must be found: the threshold that is certified to do so.
careful = menu.reach(sensitivity=0.9)
print("\n".join(careful.fitted_.sentences()))
print(careful.certificate_.rates)
