"""Where labels stand around the ends of arrows, so that they are read and not piled up."""

from typing import NamedTuple

import numpy as np

WIDTHS = (310.0, 620.0, 940.0)  # pixels a figure may have to draw in: telephone, half a page, page
STEPS = np.array((16, 26, 40, 58, 80, 106))  # pixels between the end of an arrow and its label
TURNS = np.deg2rad((0, 30, -30, 60, -60, 95, -95, 135, -135, 180))  # from the arrow's own direction
ALONG = np.array((0.35, 0.5, 0.65, 0.8, 0.92))  # where along an arrow a label would hide it


class Scene(NamedTuple):
    """One width the figure may get: all in pixels, y downwards."""

    ends: np.ndarray  # [n, 2]
    shafts: np.ndarray  # points along all arrows
    size: tuple[float, float]


def place_labels(points, sizes, reach, height: float) -> list[tuple[float, float]]:
    """For every label (width, height in pixels) its offset in pixels from its point; x to the right, y down.

    One after another, each takes the place that costs least: lying on other labels, on arrows or outside the picture
    costs much, distance costs a little. What is good must be good at every width the figure may get.
    """
    points, sizes = np.asarray(points, float), np.asarray(sizes, float)
    scenes = [_scene(points, reach, width, height) for width in WIDTHS]
    offsets = np.zeros((len(points), 2))
    done: list[int] = []
    for i in np.argsort(-np.hypot(*points.T), kind="stable"):
        costs, ways = _candidates(points[i], sizes[i])
        for scene in scenes:
            taken = _boxes(scene.ends[done] + offsets[done], sizes[done])
            costs = costs + _cost(_boxes(scene.ends[i] + ways, sizes[i]), taken, scene)
        offsets[i] = ways[np.argmin(costs)]
        done.append(int(i))
    return [(float(x), float(y)) for x, y in offsets]


def _scene(points, reach, width, height):
    """As Plotly will lay it out, with equal units on both axes."""
    (x0, x1), (y0, y1) = reach
    unit = min(width / (x1 - x0), height / (y1 - y0))
    origin = np.array([width / 2 - (x0 + x1) / 2 * unit, height / 2 + (y0 + y1) / 2 * unit])
    ends = origin + points * (unit, -unit)
    shafts = origin + ALONG[:, None, None] * (ends - origin)
    return Scene(ends, shafts.reshape(-1, 2), (width, height))


def _candidates(point, size):
    """The cost and the offset of every place to try."""
    angle = np.arctan2(-point[1], point[0]) if np.any(point) else -np.pi / 2
    directions = np.column_stack((np.cos(angle + TURNS), np.sin(angle + TURNS)))
    clear = np.abs(directions) @ (np.asarray(size) / 2 - 8)  # from the label's middle to its near side
    ways = directions * (STEPS[:, None, None] + clear[:, None])
    return (2.0 * STEPS[:, None] + 16.0 * np.abs(TURNS)).ravel(), ways.reshape(-1, 2)


def _boxes(middles, sizes):
    """left, top, right, bottom of every label"""
    half = np.broadcast_to(np.asarray(sizes) / 2, np.shape(middles))
    return np.hstack((middles - half, middles + half))


def _cost(boxes, taken, scene):
    outside = np.maximum(0, -boxes[:, :2]).sum(1) + np.maximum(0, boxes[:, 2:] - scene.size).sum(1)
    hidden = 40 * _covered(boxes, scene.ends, 4) + 9 * _covered(boxes, scene.shafts, 0)
    return 40 * outside + hidden + _overlaps(boxes, taken)


def _covered(boxes, points, air):
    """How many of the points each box hides."""
    after = points[None] > boxes[:, None, :2] - air
    return (after & (points[None] < boxes[:, None, 2:] + air)).all(axis=2).sum(axis=1)


def _overlaps(boxes, taken):
    shared = np.minimum(boxes[:, None, 2:], taken[None, :, 2:]) - np.maximum(boxes[:, None, :2], taken[None, :, :2])
    return np.where((shared > 0).all(axis=2), 100 + shared.prod(axis=2), 0).sum(axis=1)
