"""What the core does where jaxtyping is not installed. Run by test_house.py in a process of its own: there the shape
annotations are plain arrays, so wrong kinds and shapes reach the core's own checks, as they do outside the tests.
"""

import sys

sys.modules["jaxtyping"] = None  # from here on "import jaxtyping" fails, as on a machine without it

import numpy as np  # noqa: E402
import pytest  # noqa: E402

from mha_core import Parameters, attend, causal, explain  # noqa: E402
from mha_core.attention import mask, scale, softmax  # noqa: E402
from mha_core.shapes import Array, Bool, Float, Int  # noqa: E402


def test_annotations_are_plain_arrays():
    assert Float[Array, "n d_model"] is Bool[Array, "*g n"] is Int[Array, " n"] is Array is np.ndarray


def test_everything_still_works():
    trace = attend(np.eye(4), Parameters.seeded(4, 2), allowed=causal(4))
    assert explain(trace, "output", (3, 1)).total == pytest.approx(trace.output[3, 1], abs=1e-15)


def test_parameters_take_lists_and_whole_numbers_and_keep_float64():
    p = Parameters([[[1, 2]]], np.ones((1, 1, 2), int), [[[True]]], [[3]], b_O=[4])
    assert {a.dtype for a in (p.W_Q, p.W_K, p.W_V, p.W_O, p.b_O)} == {np.dtype(np.float64)}
    assert attend([[1], [1]], p).output.tolist() == [[7.0], [7.0]]


@pytest.mark.parametrize("name, shape", [
    ("W_K", (2, 7, 4)), ("W_K", (3, 7, 3)), ("W_V", (3, 7, 5)), ("W_V", (2, 6, 5)), ("W_O", (9, 7)), ("b_Q", (2, 5)),
    ("b_K", (3, 3)), ("b_V", (2, 3)), ("b_O", (8,)), ("W_Q", (7, 3)), ("W_O", (10,)),
    ("W_O", (10, 0)), ("W_Q", (0, 7, 3)), ("b_O", ()),
])
def test_parameters_that_contradict_each_other_are_named_with_their_shape(name, shape):
    shapes = {"W_Q": (2, 7, 3), "W_K": (2, 7, 3), "W_V": (2, 7, 5), "W_O": (10, 7)}
    fitting = {key: np.ones(size) for key, size in shapes.items()}
    Parameters(**fitting)
    with pytest.raises(ValueError, match=r"W_|b_") as caught:
        Parameters(**{**fitting, name: np.ones(shape)})
    assert "has shape" in str(caught.value) or "its shape is" in str(caught.value)


@pytest.mark.parametrize("values", [np.ones((1, 2, 2)) * 1j, np.full((1, 2, 2), "1"), np.full((1, 2, 2), None)])
def test_what_is_no_real_number_is_refused_and_not_converted(values):
    good = np.ones((1, 2, 2))
    with pytest.raises(ValueError, match="W_K holds values of kind .*real numbers"):
        Parameters(good, values, good, np.ones((2, 2)))
    with pytest.raises(ValueError, match="X holds values of kind"):
        attend(values[0], Parameters(good, good, good, np.ones((2, 2))))


@pytest.mark.parametrize("shape", [(8,), (3, 7), (2, 3, 8), (3, 9)])
def test_a_sentence_of_another_width_is_refused_with_both_widths(shape):
    with pytest.raises(ValueError, match=r"X has shape .*row of 8"):
        attend(np.ones(shape), Parameters.seeded(8, 2))


def test_parameters_for_a_context_of_another_width_need_one():
    p = Parameters(np.ones((2, 7, 3)), np.ones((2, 5, 3)), np.ones((2, 5, 3)), np.ones((6, 7)))
    for n in (3, 100):
        with pytest.raises(ValueError, match="hand over the other sentence as context"):
            attend(np.ones((n, 7)), p)
    assert attend(np.ones((3, 7)), p, context=np.ones((2, 5))).output.shape == (3, 7)


@pytest.mark.parametrize("shape", [(3,), (2, 3), (3, 3, 3), (1, 3, 3), (2, 2, 3, 3)])
def test_a_mask_of_another_shape_is_refused_with_those_that_fit(shape):
    with pytest.raises(ValueError, match=r"mask has shape .* must be \(3, 3\) or \(2, 3, 3\)"):
        attend(np.ones((3, 8)), Parameters.seeded(8, 2), allowed=np.ones(shape, bool))


def test_the_single_stages_check_what_they_are_handed_as_well():
    with pytest.raises(ValueError, match="mask holds float64 numbers"):
        mask(np.ones((3, 3)), np.tri(3))
    with pytest.raises(ValueError, match="mask has shape"):
        mask(np.ones((2, 3, 3)), np.ones((3, 2), bool))
    assert mask(np.ones((3, 3), np.float32), causal(3)).dtype == np.float32
    assert scale(np.array([[1, 2]]), np.sqrt(2)).tolist() == [[1 / np.sqrt(2), 2 / np.sqrt(2)]]
    assert np.allclose(softmax(np.array([[2, 4, 4]])), [[0.0634, 0.4683, 0.4683]], atol=5e-5)


def test_numbers_too_large_to_reckon_with_are_an_error_and_not_NaN():
    for dtype, large in ((np.float64, 1e200), (np.float32, 1e30)):
        p = Parameters.seeded(4, 2, dtype=dtype)
        with pytest.raises(ValueError, match="largest score|output holds"):
            attend(np.full((3, 4), large, dtype) * np.array([[1], [-2], [3]], dtype), p)


def test_an_index_of_fractions_is_refused():
    trace = attend(np.eye(4), Parameters.seeded(4, 2))
    with pytest.raises(TypeError):
        explain(trace, "scores", (0, 0.7, 1))
