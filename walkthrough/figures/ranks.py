"""Several answers to "which words matter?", side by side: a panel an answer, a bar a word."""

from collections.abc import Mapping

import numpy as np
import plotly.graph_objects as go

from walkthrough.digits import digits
from walkthrough.figures.bars import divisors, largest_of
from walkthrough.figures.labels import named
from walkthrough.palette import Palette


def ranks(answers: Mapping[str, np.ndarray], labels, palette: Palette) -> go.Figure:
    """Each answer's shares [n], which sum to 1, as bars on the one scale from 0 to 1."""
    return divisors(answers, labels, palette)


def describe_ranks(answers: Mapping[str, np.ndarray], labels) -> str:
    """The word each answer puts first; of several with the same share, all."""
    firsts = [(name, np.asarray(shares, float)) for name, shares in answers.items()]
    said = (
        f"{name}: {', '.join(named(labels, j) for j in largest_of(shares))} {digits(shares.max())}" for name, shares in firsts
    )
    return "; ".join(said) + "."
