"""Several answers to "which words matter?", side by side: a panel an answer, a bar a word."""

from collections.abc import Mapping

import numpy as np
import plotly.graph_objects as go

from walkthrough.digits import digits
from walkthrough.figures.bars import divisors
from walkthrough.figures.labels import named
from walkthrough.palette import Palette


def ranks(answers: Mapping[str, np.ndarray], labels, palette: Palette) -> go.Figure:
    """Each answer's shares [n], which sum to 1, as bars on the one scale from 0 to 1."""
    return divisors(answers, labels, palette)


def describe_ranks(answers: Mapping[str, np.ndarray], labels) -> str:
    """The word each answer puts first."""
    firsts = [(name, np.asarray(shares, float)) for name, shares in answers.items()]
    return "; ".join(f"{name}: {named(labels, int(shares.argmax()))} {digits(shares.max())}" for name, shares in firsts) + "."
