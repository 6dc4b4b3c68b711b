"""The sheet's payload: the trace's numbers, at their own row and column, and nothing that a cell needs is missing."""

from math import inf

import numpy as np
import pytest

from mha_core.arithmetic import explain
from mha_core.stages import grid_of
from tests.sheet_walks import EQUATIONS, HOSTILE, make_walk
from walkthrough.settings import Settings
from walkthrough.sheet.digits import digits
from walkthrough.sheet.numbers import unpack
from walkthrough.sheet.sheet import TEXTS, cell_name, sheet
from walkthrough.sources import BY_HAND
from walkthrough.walk import walk_of

TEN = "the quick brown fox jumps over the lazy dog today".split()
WALKS = {
    "small": dict(),
    "primes": dict(tokens=("a", "b", "c", "d", "e"), d_model=21, h=7, head=3),
    "causal": dict(mask="causal", d_model=12, h=3),
    "scaling off": dict(divisor="none"),
    "one token": dict(tokens=("alone",)),
    "no positions": dict(positions=False),
    "biases": dict(biases=True, d_model=16, h=2, head=2),
    "cross": dict(other=("le", "chat", "noir", "dort", "ici"), head=2),
    "a mask a head": dict(allowed=np.array([np.tri(3, dtype=bool), np.tri(3, dtype=bool).T])),
    "folded": dict(d_model=512, h=8, head=8),
}


def by_hand(walk) -> dict[str, np.ndarray]:
    """Every field again, head by head with plain products, from X, the context and the parameters alone."""
    t, p = walk.trace, walk.trace.parameters
    bias = {name: getattr(p, name) for name in ("b_Q", "b_K", "b_V", "b_O")}

    def of_head(X, W, b):
        return np.array([X @ W[i] + (0 if b is None else b[i]) for i in range(p.h)])

    Q, K = of_head(t.X, p.W_Q, bias["b_Q"]), of_head(t.context, p.W_K, bias["b_K"])
    V = of_head(t.context, p.W_V, bias["b_V"])
    scores = np.einsum("hqd,hkd->hqk", Q, K)
    scaled = scores / {"sqrt": np.sqrt(p.d_k), "none": 1, "d_k": p.d_k}[walk.settings.divisor]
    masked = scaled if t.allowed is None else np.where(t.allowed, scaled, -inf)
    weights = np.exp(masked - masked.max(-1, keepdims=True))
    weights = weights / weights.sum(-1, keepdims=True)
    heads = np.einsum("hqk,hkd->hqd", weights, V)
    lanes = p.W_O.reshape(p.h, p.d_v, -1)
    shares = np.array([heads[i] @ lanes[i] for i in range(p.h)])
    concat = np.concatenate(list(heads), axis=1)
    output = shares.sum(0) + (0 if bias["b_O"] is None else bias["b_O"])
    given = {name: getattr(p, name) for name in ("W_Q", "W_K", "W_V", "W_O")} | bias
    return given | dict(
        E=t.E, P=t.P, X=t.X, context=t.context, Q=Q, K=K, V=V, scores=scores, scaled=scaled, masked=masked,
        weights=weights, heads=heads, concat=concat, shares=shares, output=output,
    )


@pytest.fixture(params=WALKS, ids=str, scope="module")
def walk(request):
    return make_walk(**WALKS[request.param])


def test_every_drawn_number_stands_in_its_own_row_and_column(walk):
    wanted, drawn = by_hand(walk), sheet(walk, EQUATIONS).grids
    computed = {"X", "Q", "K", "V", "scores", "scaled", "masked", "weights", "heads", "concat", "output", "shares"}
    assert {grid.field for grid in drawn.values()} >= computed
    for grid in drawn.values():
        whole = np.atleast_2d(wanted[grid.field] if grid.head is None else wanted[grid.field][grid.head - 1])
        whole = whole.T if grid.transposed else whole
        assert grid.shape == list(whole.shape)
        np.testing.assert_allclose(grid.numbers, whole[np.ix_(grid.rows, grid.columns)], rtol=1e-9, atol=1e-12)


def test_the_payload_carries_what_every_drawn_cell_is_made_of(walk):
    payload = sheet(walk, EQUATIONS)
    header, arrays = unpack(payload.data)
    for grid in payload.grids.values():
        if grid.field == "shares":
            continue  # no row of STAGES; the browser's arithmetic of it is compared in tests/browser
        for r in {grid.rows[0], grid.rows[-1]}:
            for c in {grid.columns[0], grid.columns[-1]}:
                row, column = (c, r) if grid.transposed else (r, c)
                is_bias = grid_of(walk.trace, grid.field).ndim - bool(grid.head) == 1
                index = ([grid.head - 1] if grid.head else []) + ([column] if is_bias else [row, column])
                for term in explain(walk.trace, grid.field, tuple(index)).terms:
                    for operand in term.operands:
                        assert sent(header, arrays, operand) == operand.value, (grid.id, operand)


def sent(header, arrays, operand):
    """The number of an operand as the browser finds it."""
    if operand.field == "divisor":
        return header["divisor"]["value"]
    index = list(operand.index)
    headed = header["mask"] == "heads" if operand.field == "allowed" else header["fields"][operand.field]["headed"]
    key = f"{operand.field}.{index.pop(0) + 1}" if headed else operand.field
    row, column = index if len(index) == 2 else (0, *index)
    rows, columns = header["arrays"][key]["rows"], header["arrays"][key]["columns"]
    return arrays[key][row if rows is None else rows.index(row), column if columns is None else columns.index(column)]


def test_each_array_is_sent_once_and_on_an_address_that_a_float64_may_have():
    payload = sheet(make_walk(TEN, 64, 4), ["X × W_Q = Q", "X × W_K = K", "Q · K.T = scores"])
    header, arrays = unpack(payload.data)
    start = 4 + int.from_bytes(payload.data[:4], "little")
    assert start % 8 == 0 and start + sum(array.size for array in arrays.values()) * 8 == len(payload.data)
    assert len({array["start"] for array in header["arrays"].values()}) == len(header["arrays"])


@pytest.mark.parametrize("equation", [*EQUATIONS, "K[all]", "heads[all]"])
def test_ten_words_at_512_numbers_and_8_heads_stay_below_300_kB(equation):
    assert len(sheet(make_walk(TEN, 512, 8), [equation]).data) <= 300_000


def test_labels_are_the_words_exactly_as_they_are_at_their_own_places():
    walk = make_walk(HOSTILE, 8, 2)
    grids = sheet(walk, EQUATIONS).grids
    assert grids["scores.1"].row_labels == grids["scores.1"].column_labels == list(HOSTILE)
    assert grids["X"].row_labels == list(HOSTILE) and grids["X"].column_labels == list("12345678")
    assert grids["K.1.T"].column_labels == list(HOSTILE) and grids["K.1.T"].row_labels == list("1234")
    assert grids["W_O"].row_labels == list("12345678")


def test_cross_attention_names_its_rows_and_columns_after_their_own_sentences():
    grids = sheet(make_walk(other=("le", "chat"), biases=True), EQUATIONS).grids
    assert grids["scores.1"].row_labels == ["the", "cat", "sat"] and grids["scores.1"].column_labels == ["le", "chat"]
    assert grids["context"].row_labels == grids["V.1"].row_labels == ["le", "chat"]
    assert grids["b_K.1"].row_labels == [TEXTS["bias"]] and grids["b_K.1"].shape == [1, 4]


def test_long_axes_of_numbers_fold_and_axes_of_words_never_do():
    walk = make_walk([f"w{i}" for i in range(64)], 512, 8)
    grids = sheet(walk, EQUATIONS).grids
    folded = [0, 1, 2, 3, 4, 5, 6, 511]
    assert grids["X"].columns == folded and grids["X"].rows == list(range(64))
    assert grids["W_Q.1"].rows == folded and grids["W_Q.1"].columns == [0, 1, 2, 3, 4, 5, 6, 63]
    assert grids["K.1.T"].rows == [0, 1, 2, 3, 4, 5, 6, 63] and grids["K.1.T"].columns == list(range(64))
    assert grids["scores.1"].rows == grids["scores.1"].columns == list(range(64))
    assert grids["Q.2"].columns == [0, 63]
    assert grids["W_O"].rows == grids["W_O"].columns == folded


def test_nothing_folds_that_fits():
    grids = sheet(make_walk(d_model=8, h=1), ["X × W_Q = Q"]).grids
    assert all(grid.columns == list(range(8)) for grid in grids.values())


def test_unfolding_one_side_or_both():
    walk = make_walk(d_model=32, h=2)

    def grid(*names):
        return sheet(walk, ["X × W_Q = Q"], unfolded=frozenset(names)).grids["W_Q.1"]

    assert (len(grid().rows), len(grid().columns)) == (8, 8)
    assert (len(grid("W_Q.1/rows").rows), len(grid("W_Q.1/rows").columns)) == (32, 8)
    assert (len(grid("W_Q.1").rows), len(grid("W_Q.1").columns)) == (32, 16)
    assert grid("W_Q.1/rows").unfolded == ["rows"] and grid("X").unfolded == []


def test_a_pinned_cell_is_drawn_even_in_a_fold():
    grids = sheet(make_walk(d_model=512, h=8, cell="X.3.200"), ["X × W_Q = Q"]).grids
    assert grids["X"].columns == [0, 1, 2, 3, 4, 5, 6, 199, 511] and grids["W_Q.1"].rows[-2:] == [6, 511]
    turned = sheet(make_walk(d_model=512, h=8, cell="K.1.3.40"), ["Q · K.T = scores"]).grids
    assert turned["K.1.T"].rows[-2:] == [39, 63] and turned["Q.1"].columns[-2:] == [6, 63]


NOWHERE = ["", "X", "X.0.1", "X.4.1", "X.1.17", "X.1", "Q.3.1.1", "Q.1.1", "nonsense.1.1", "X.one.1", "shares.1.9.1"]


@pytest.mark.parametrize("cell", NOWHERE)
def test_an_address_of_no_cell_changes_nothing(cell):
    walk = make_walk(d_model=16, cell=cell)
    assert sheet(walk, ["X × W_Q = Q"]).grids["X"].columns == [0, 1, 2, 3, 4, 5, 6, 15]
    assert cell_name(walk, cell) == cell


def test_all_heads_share_one_limit_and_weights_go_from_0_to_1():
    walk = make_walk(d_model=12, h=3, mask="causal")
    grids = sheet(walk, ["scores[all]", "masked[all]", "weights[all]", "Q[all]"]).grids
    for name in ("scores", "masked", "Q"):
        finite = getattr(walk.trace, name)
        assert {grids[f"{name}.{i}"].limit for i in (1, 2, 3)} == {np.abs(finite[np.isfinite(finite)]).max()}
    assert {grids[f"weights.{i}"].scale for i in (1, 2, 3)} == {"weight"} and grids["scores.1"].scale == "signed"


def test_one_head_alone_has_all_the_colours_to_itself():
    walk = make_walk(d_model=12, h=3, mask="causal", head=2)
    grids = sheet(walk, ["Q · K.T = scores", "scores → scaled → masked"]).grids
    for name in ("Q", "scores", "scaled", "masked"):
        own = getattr(walk.trace, name)[1]
        assert grids[f"{name}.2"].limit == np.abs(own[np.isfinite(own)]).max() != np.abs(getattr(walk.trace, name)).max()


def test_a_grid_of_zeros_is_legal():
    walk = make_walk(d_model=4, h=1)
    zeros = walk.trace.E * 0
    object.__setattr__(walk.trace, "E", zeros)
    assert sheet(walk, ["E"]).grids["E"].limit == 0


def test_equations_leave_out_what_is_not_there_and_take_in_what_is():
    def read(walk, equation):
        parts = sheet(walk, [equation]).equations[0]
        return " ".join(part.get("operator") or ",".join(part["grids"]) for part in parts)

    assert read(make_walk(), "E + P = X") == "E + P = X"
    assert read(make_walk(positions=False), "E + P = X") == "E = X"
    assert read(make_walk(biases=True), "X × W_Q = Q") == "X × W_Q.1 + b_Q.1 = Q.1"
    assert read(make_walk(), "context × W_K[2] = K[2]") == "X × W_K.2 = K.2"
    assert read(make_walk(head=2), "Q · K.T = scores") == "Q.2 · K.2.T = scores.2"
    assert read(make_walk(biases=True), "shares[all] = output") == "shares.1 + shares.2 + b_O = output"
    assert read(make_walk(), "heads[all] ⇒ concat") == "heads.1,heads.2 ⇒ concat"


def test_arrows_say_what_they_do():
    def labels(walk):
        return [part.get("label") for part in sheet(walk, ["scores → scaled → masked → weights"]).equations[0][1::2]]

    assert labels(make_walk()) == ["÷ √4", "mask", "softmax"]
    assert labels(make_walk(divisor="none")) == ["÷ 1", "mask", "softmax"]
    assert labels(make_walk(divisor="d_k")) == ["÷ 4", "mask", "softmax"]


def test_what_cannot_be_drawn_says_why():
    with pytest.raises(ValueError, match="no grid named 'Quarks'"):
        sheet(make_walk(), ["X × Quarks = Q"])
    with pytest.raises(ValueError, match="no head 3; this layer has 2 heads"):
        sheet(make_walk(), ["Q[3]"])
    with pytest.raises(ValueError, match="belongs to no head"):
        sheet(make_walk(), ["concat[all]"])


def test_symbols_and_cells_in_words():
    def symbol(walk, name):
        return "".join(f"{kind}{text}" for text, kind in sheet(walk, [name]).grids[f"{name}.2"].symbol)

    walk = make_walk(head=2)
    assert [symbol(walk, name) for name in ("W_Q", "scaled", "scores")] == ["Wsub2supQ", "Ssub2/√dsubk", "Ssub2"]
    assert symbol(make_walk(head=2, divisor="none"), "scaled") == "Ssub2/1"
    assert cell_name(walk, "scores.2.3.2") == "score(sat → cat, head 2)"
    assert cell_name(walk, "Q.2.3.1") == "query(sat, number 1, head 2)"
    assert cell_name(walk, "W_O.5.1") == "mixing matrix(row 5, column 1)"


def test_every_grid_names_its_finding_and_another_language_may_say_it():
    walk = make_walk(mask="causal")
    weights = sheet(walk, ["weights"]).grids["weights.1"]
    assert weights.finding == "Furthest from zero: 1, weight(the → the, head 1)."
    german = {**TEXTS, "name.weights": "Gewicht", "finding": "Am größten: {value}, {cell}."}
    german["cell.head"] = ", Kopf {head}"
    payload = sheet(walk, ["weights"], texts=german)
    assert payload.grids["weights.1"].finding == "Am größten: 1, Gewicht(the → the, Kopf 1)."
    assert unpack(payload.data)[0]["fields"]["weights"]["name"] == "Gewicht"


def test_the_header_says_what_was_chosen_and_where_one_came_through():
    header, _ = unpack(sheet(make_walk(head=2, word=3, cell="Q.2.3.1", trail="scores.2.3.2"), ["X × W_Q = Q"]).data)
    assert (header["word"], header["head"], header["pinned"]) == (3, 2, "Q.2.3.1")
    assert header["trail"] == [{"cell": "scores.2.3.2", "label": "score(sat → cat, head 2)"}]


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0.0, "0"), (-0.0, "0"), (1.0, "1"), (-3.0, "−3"), (0.42, "0.42"), (-0.2, "−0.20"), (1.066, "1.07"),
        (0.044, "0.044"), (0.0012345, "0.0012"), (2e-23, "2.0·10⁻²³"), (-2.04e-23, "−2.0·10⁻²³"), (9.99e-4, "1.0·10⁻³"),
        (5e-324, "4.9·10⁻³²⁴"), (0.9951, "0.995"), (0.9996, "0.9996"), (0.9999, "0.9999"), (0.99999, ">0.9999"),
        (-0.99999, "<−0.9999"), (1.0000001, "1.00"), (12.345, "12.35"), (123.45, "123.5"), (1234.5, "1235"),
        (12345.6, "12346"), (123456.0, "1.2·10⁵"), (1.79e308, "1.8·10³⁰⁸"), (0.125, "0.13"),
        (inf, "∞"), (-inf, "−∞"), (float("nan"), "not a number"), (np.float32(0.1), "0.10"),
    ],
)
def test_digits_are_enough_to_tell(number, text):
    assert digits(number) == text


def test_what_is_not_zero_never_reads_zero_and_less_than_1_never_reads_1():
    for exponent in range(-300, 5):
        for mantissa in (1.0, 1.49, 4.999, 9.9999999):
            text = digits(mantissa * 10.0**exponent)
            assert text.strip("0.") != "", text
    for gap in np.logspace(-15, -1, 60):
        assert digits(1 - gap) not in ("1", "1.0", "1.00", "1.000", "1.0000")


# ---- hand-built numbers have names -------------------------------------------------------------------------------
@pytest.mark.parametrize("sentence", BY_HAND)
def test_every_number_written_by_hand_is_named_after_what_it_stands_for(sentence):
    built = BY_HAND[sentence]
    walk = walk_of(Settings(sentence, source="hand-built", word=2, head=2, cell="W_Q.2.1.1", trail="Q.2.2.1~X.2.1"))
    equations = ["X × W_Q = Q", "X × W_K = K", "X × W_V = V", "weights × V = heads", "heads ⇒ concat", "concat × W_O = output", "shares[all] = output"]
    payload = sheet(walk, equations)
    features, asked, carried = list(built.features), list(built.lanes[1]), list(built.carried[1])
    lanes = [name for head in built.carried for name in head]
    named = {name: (grid.row_labels, grid.column_labels) for name, grid in payload.grids.items()}
    words = list(built.tokens)
    for name in ("W_Q.2", "W_K.2"):
        assert named[name] == (features, asked)
    for name in ("Q.2", "K.2"):
        assert named[name] == (words, asked)
    assert named["W_V.2"] == (features, carried) and named["V.2"] == named["heads.2"] == (words, carried)
    assert named["concat"] == (words, lanes) and named["W_O"] == (lanes, features)
    assert named["X"] == named["output"] == named["shares.1"] == (words, features)
    trail = unpack(payload.data)[0]["trail"]
    assert [step["label"] for step in trail] == [f"query({words[1]}, {asked[0]}, head 2)", f"input({words[1]}, {features[0]})"]
    assert cell_name(walk, "W_Q.2.1.1") == f"query matrix({features[0]}, {asked[0]}, head 2)"


def test_numbers_of_other_sources_keep_their_places():
    header = unpack(sheet(walk_of(Settings("the cat sat")), ["X × W_Q = Q"]).data)[0]
    assert header["names"] == {} and header["grids"]["X"]["column_labels"][:3] == ["1", "2", "3"]
