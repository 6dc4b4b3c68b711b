"""All heads of a trained model at a glance: one small grid of weights a head, a row of them a layer, on one scale."""

from collections.abc import Sequence
from html import escape

import numpy as np

from walkthrough.figures import svg

LEFT, TOP, GAP, ROOM = 92, 34, 14, 84  # ROOM: the side of one small grid


def gallery(weights: Sequence[np.ndarray], lit: tuple[int, int], texts) -> str:
    """The picture as SVG. `weights` holds [h, n, n] a layer; `lit` is the chosen (layer, head), counted from 0.

    Each grid is a link "head:<layer>.<head>" (counted from 1). `texts` holds layer, head and gallery_describe.
    """
    h, n = weights[0].shape[:2]
    cell = ROOM / n
    parts = [svg.words(LEFT + k * (ROOM + GAP) + ROOM / 2, 20, str(k + 1), "small", "middle") for k in range(h)]
    for layer, heads in enumerate(weights):
        y = TOP + layer * (ROOM + GAP)
        parts.append(svg.words(LEFT - 14, y + ROOM / 2 + 6, f"{texts['layer']} {layer + 1}", "word", "end"))
        for head, values in enumerate(heads):
            x = LEFT + head * (ROOM + GAP)
            parts.append(svg.moved(x, y, _one(values, cell, layer, head, lit == (layer, head), texts)))
    width, height = LEFT + h * (ROOM + GAP), TOP + len(weights) * (ROOM + GAP)
    described = texts["gallery_describe"].format(layers=len(weights), h=h, n=n)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" class="whole" style="--wide:{width}px"'
        f' role="group" aria-label="{escape(described)}">{"".join(parts)}</svg>'
    )


def _one(values: np.ndarray, cell: float, layer: int, head: int, is_lit: bool, texts) -> str:
    body, width, height = svg.grid(values, cell, 1.0, "weight", list(range(values.shape[1])))
    ring = f'<rect class="ring" x="-4" y="-4" width="{width + 8:g}" height="{height + 8:g}" rx="6" style="stroke:var(--mha-text)"/>'
    label = f"{texts['layer']} {layer + 1}, {texts['head']} {head + 1}"
    return svg.link(f"head:{layer + 1}.{head + 1}", label, body + (ring if is_lit else ""))
