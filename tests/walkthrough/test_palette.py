"""Colours can be read on both grounds of both themes, and told apart by colour-blind eyes."""

from itertools import combinations

import numpy as np
import pytest

from walkthrough.palette import DARK, LIGHT, css_variables

THEMES = [LIGHT, DARK]
READABLE, VISIBLE = 4.5, 3.0  # WCAG 2.2: text (1.4.3), parts of pictures (1.4.11)
APART, HEADS_APART = 15.0, 8.0  # CIE 1976 distance in L*a*b*; about 2 is just noticeable side by side
# Machado, Oliveira and Fernandes 2009: what linear RGB becomes for an eye without one kind of cone.
EYES = {
    "all cones": np.eye(3),
    "no red cones": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "no green cones": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "no blue cones": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}


def linear(colour):
    parts = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def contrast(a, b):
    low, high = sorted(float(linear(c) @ [0.2126, 0.7152, 0.0722]) for c in (a, b))
    return (high + 0.05) / (low + 0.05)


def lab(rgb):
    to_xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    x, y, z = (
        np.cbrt(v) if v > 0.008856 else 7.787 * v + 16 / 116 for v in to_xyz @ np.clip(rgb, 0, 1) / [0.9505, 1, 1.089]
    )
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def distance(a, b, eye):
    return float(np.linalg.norm(lab(eye @ linear(a)) - lab(eye @ linear(b))))


def test_the_measures_give_known_values():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.005)
    assert distance("#000000", "#ffffff", np.eye(3)) == pytest.approx(100, abs=0.1)
    assert distance("#ff0000", "#00ff00", EYES["no green cones"]) < 0.6 * distance("#ff0000", "#00ff00", np.eye(3))


@pytest.mark.parametrize("palette", THEMES, ids=lambda p: p.name)
def test_every_colour_that_writes_can_be_read(palette):
    colours = {
        **palette.roles, **{f"head {i + 1}": c for i, c in enumerate(palette.heads)}, "text": palette.text,
        "muted": palette.muted
    }
    for name, colour in colours.items():
        for ground in (palette.background, palette.card):
            found = contrast(colour, ground)
            assert found >= READABLE, f"{palette.name} {name} {colour} on {ground}: {found:.2f}"


@pytest.mark.parametrize("palette", THEMES, ids=lambda p: p.name)
def test_bars_and_fills_can_be_seen(palette):
    for colour in (palette.signed[0], palette.signed[2], palette.weight[1]):
        assert contrast(colour, palette.background) >= VISIBLE


@pytest.mark.parametrize("eye", EYES)
@pytest.mark.parametrize("palette", THEMES, ids=lambda p: p.name)
def test_roles_stay_apart_for_every_eye(palette, eye):
    for a, b in combinations(("query", "key", "value", "weight"), 2):
        found = distance(palette.roles[a], palette.roles[b], EYES[eye])
        assert found >= APART, f"{palette.name}, {eye}: {a} and {b} are {found:.1f} apart"
    assert distance(palette.signed[0], palette.signed[2], EYES[eye]) >= APART


@pytest.mark.parametrize("eye", EYES)
@pytest.mark.parametrize("palette", THEMES, ids=lambda p: p.name)
def test_heads_stay_apart_for_every_eye(palette, eye):
    assert len(palette.heads) == len(set(palette.heads)) == 8
    for i, j in combinations(range(8), 2):
        found = distance(palette.heads[i], palette.heads[j], EYES[eye])
        least = APART if max(i, j) < 4 else HEADS_APART
        assert found >= least, f"{palette.name}, {eye}: heads {i + 1} and {j + 1} are {found:.1f} apart"


def test_both_themes_name_the_same_things():
    assert LIGHT.roles.keys() == DARK.roles.keys()
    assert LIGHT.head(0) == LIGHT.head(8) == LIGHT.heads[0]
    css = css_variables()
    for name in [*LIGHT.roles, *(f"head-{i}" for i in range(1, 9))]:
        assert f"--mha-{name}: light-dark(#" in css
