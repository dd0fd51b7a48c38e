"""
A score card
============

Few questions with whole points, learned in a few hundredths of a second.
"""

import matplotlib.pyplot as plt

from handful import ScoreCard, load_dataset

X, y = load_dataset("breastw").named()  # a data frame, and words as labels
machine = ScoreCard(max_items=5, max_points=3).fit(X, y)
print(machine.explain())

# %%
# Every total has an estimated probability; the certificate of a card comes from a menu.
card = machine.card_
plt.bar(card.totals, card.probabilities(card.totals), color="C0")
plt.axvline(card.threshold - 0.5, color="C3")
plt.xlabel("points")
plt.ylabel(f"estimated probability of {machine.classes_[1]}")
plt.show()
