"""What the walk says of trained numbers alone: X of layer 1 as a normed sum, and what a weight on [CLS] carries."""

import os
import re
from html import escape, unescape

import numpy as np
import pytest

os.environ["HF_HUB_OFFLINE"] = "1"

import torch

from mha_core.pretrained import _packaged_folder
from tests.core.bert import eager, watch
from tests.walkthrough.test_pages import open_app, prose
from walkthrough import trained
from walkthrough.digits import digits
from walkthrough.phrases import percent
from walkthrough.settings import Settings
from walkthrough.sources import pieces_of

MAT = "the cat sat on the mat"
TITLES = ("the token itself", "+ its place", "+ its type", "= the sum", "→ X, normed")


@pytest.fixture(scope="module")
def rows():
    """What the library's embedding adds and makes, by our titles."""
    embeddings = eager(_packaged_folder(), "float32").embeddings
    ids = torch.tensor(pieces_of(MAT).ids)
    with torch.inference_mode():
        word, kind = embeddings.word_embeddings(ids), embeddings.token_type_embeddings(torch.zeros_like(ids))
        place = embeddings.position_embeddings(torch.arange(len(ids)))
        total = word + place + kind
        X = embeddings(input_ids=ids[None])[0]
    return dict(zip(TITLES, (found.numpy() for found in (word, place, kind, total, X))))


def small_grids(at):
    """Title → rows of cells as text, in the order drawn."""
    body = " ".join(element.proto.body for element in at.get("html") if "mini-part" in element.proto.body)
    found = re.findall(r'<div class="mini-title">(.*?)</div>.*?<tbody>(.*?)</tbody>', body, re.DOTALL)
    cells = lambda row: [unescape(re.sub("<[^>]*>", "", cell)) for cell in re.findall(r"<t[hd].*?</t[hd]>", row)]  # noqa: E731
    return {re.sub("<[^>]*>", "", title).strip(): [cells(row) for row in re.findall("<tr>(.*?)</tr>", rows)] for title, rows in found}


@pytest.mark.parametrize("hide", [False, True])
def test_the_grids_hold_the_librarys_rows_and_x_is_their_normed_sum(rows, hide):
    at = open_app("step_1_arrows", Settings(MAT, source="trained", word=2, head=1, hide_special=hide))
    assert not at.exception
    shown, kept = small_grids(at), slice(1, -1) if hide else slice(None)
    assert tuple(shown) == ("How the row of “the” is made" if not hide else "How the row of “cat” is made", *TITLES)
    mine = shown.pop(next(iter(shown)))
    assert mine == [[title, *shown[title][1][1:]] for title in TITLES]
    for title, expected in rows.items():
        there = expected[kept][:, [0, 1, 2, 3, -1]]
        assert [row[0] for row in shown[title]] == list(np.array(pieces_of(MAT).tokens)[kept])
        assert [row[1:5] + row[6:] for row in shown[title]] == [[digits(float(n)) for n in row] for row in there], title


@pytest.mark.parametrize(("hide", "place"), [(False, 1), (True, 2)])
def test_the_sentence_about_the_norm_has_the_chosen_words_own_numbers(rows, hide, place):
    said = prose(open_app("step_1_arrows", Settings(MAT, source="trained", word=2, head=1, hide_special=hide)))
    row = torch.tensor(rows["= the sum"][place], dtype=torch.float64)
    spread = row.std(correction=0).item()
    for number in (row.mean().item(), spread, row[0].item(), float(rows["→ X, normed"][place, 0])):
        assert f">{digits(number)}</bdi>" in said or f">({digits(number)})</bdi>" in said
    found = trained.norm_at(trained.embedded(MAT), place)
    made = (found["sum_first"] - found["norm_mean"]) / found["norm_spread"] * found["gain_first"] + found["shift_first"]
    assert made == pytest.approx(found["X_first"], abs=1e-5)


@pytest.mark.parametrize("settings", [Settings(MAT), Settings(MAT, source="trained", layer=2)])
def test_no_other_x_is_called_such_a_sum(settings):
    assert not small_grids(open_app("step_1_arrows", settings))


# ---- weight × size at Step 5 -----------------------------------------------------------------------------------
@pytest.mark.parametrize(("layer", "head"), [(3, 8), (1, 3)])
def test_step_5_says_what_the_weight_on_cls_carries(layer, head):
    settings = Settings(MAT, source="trained", layer=layer, head=head, word=3)
    at, seen = open_app("step_5_blend", settings), watch(eager(_packaged_folder(), "float64"), pieces_of(MAT).ids)[layer - 1]
    W_O = eager(_packaged_folder(), "float64").encoder.layer[layer - 1].attention.output.dense.weight.detach().numpy().T
    sizes = [float(np.sqrt(((value @ W_O[32 * head - 32 : 32 * head]) ** 2).sum())) for value in seen["V"][head - 1]]
    weights = seen["weights"][head - 1, 2]
    part = weights[0] * sizes[0] / sum(w * s for w, s in zip(weights, sizes))
    said = prose(at)
    for number in (percent(weights[0]), digits(sizes[0]), digits(sum(sizes[1:]) / 7), percent(part)):
        assert f"{escape(number)}</bdi>" in said, number
    assert [link.proto.page for link in at.get("page_link")].count("lab_which_words") == 1
    if (layer, head) == (3, 8):  # the lesson's own find: it rests on [CLS], and that is next to nothing
        assert weights[0] > 0.8 and part < 0.5 * weights[0]


@pytest.mark.parametrize("settings", [Settings(MAT), Settings(MAT, source="trained", hide_special=True)])
def test_without_cls_nothing_is_said_about_it(settings):
    at = open_app("step_5_blend", settings)
    assert not at.exception and "picture_carried" not in prose(at)
