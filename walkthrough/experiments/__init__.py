"""The lab's experiments: one thing changed, and what follows from it, always by calling mha_core. No screen in here.

Each experiment is spelled in one text field of Settings. Its reader takes any text whatever, keeps what makes sense and
hands back a Note for what does not.
"""

from walkthrough.experiments.compare import Difference, address_of, compare, line_up, pinned
from walkthrough.experiments.crossing import cross_walk, other_sentence
from walkthrough.experiments.masks import RowSums, masked_walk, padding, read_mask, row_sums, spell_kind, spell_mask
from walkthrough.experiments.overwrite import Change, Changed, overwrite, read_changes, spell_changes, what_changed
from walkthrough.experiments.sentences import LIBRARY, left_out
from walkthrough.experiments.switched_off import distances, missing, read_off, walk_without

__all__ = [
    "LIBRARY", "Change", "Changed", "Difference", "RowSums", "address_of", "compare", "cross_walk", "distances",
    "left_out", "line_up", "masked_walk", "missing", "other_sentence", "overwrite", "padding", "pinned", "read_changes",
    "read_mask", "read_off", "row_sums", "spell_changes", "spell_kind", "spell_mask", "walk_without", "what_changed",
]
