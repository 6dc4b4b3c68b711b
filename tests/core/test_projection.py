"""The shadow of long rows: compared with the eigenvectors of XᵀX, which the code does not use."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from mha_core.parts import pair_products, weighted_rows
from mha_core.projection import projection


def by_eigenvectors(X, dims):
    """Coordinates up to the sign of each axis, and the share of squared length kept."""
    values, vectors = np.linalg.eigh(X.T @ X)
    strongest = np.argsort(values)[::-1][:dims]
    return X @ vectors[:, strongest], values[strongest].sum() / values.sum()


@pytest.mark.parametrize("shape", [(7, 5), (3, 11), (13, 17)])
@pytest.mark.parametrize("dims", [2, 3])
def test_agrees_with_eigenvectors(shape, dims):
    X = np.random.default_rng(5).normal(size=shape) + 0.7
    places, kept = projection(X, dims)
    other, share = by_eigenvectors(X, dims)
    assert np.allclose(np.abs(places), np.abs(other), atol=1e-10)
    assert kept == pytest.approx(share, abs=1e-12)
    assert kept == pytest.approx(np.square(places).sum() / np.square(X).sum(), abs=1e-12)


def test_sign_is_fixed_by_the_largest_entry_of_each_axis():
    X = np.random.default_rng(3).normal(size=(7, 5))
    places, _ = projection(X, 2)
    axes = np.linalg.lstsq(places, X, rcond=None)[0]  # rows: the axes as seen in the columns of X
    for axis in axes:
        assert axis[np.abs(axis).argmax()] > 0
    assert np.array_equal(projection(X, 2).places, places)
    assert np.allclose(projection(-X, 2).places, -places), "the axes must not follow the rows' sign"


def test_order_of_words_does_not_turn_the_picture():
    X = np.random.default_rng(4).normal(size=(7, 5))
    order = np.array([3, 0, 6, 2, 5, 1, 4])
    assert np.allclose(projection(X[order], 2).places, projection(X, 2).places[order])


def test_rows_that_fit_are_shown_as_they_are():
    X = np.array([[3.0, -1.0], [0.0, 2.0]])
    assert np.array_equal(projection(X, 2).places, X) and projection(X, 2).kept == 1.0
    assert np.array_equal(projection(X, 3).places, np.hstack((X, np.zeros((2, 1)))))
    assert np.array_equal(projection([[5.0]], 2).places, [[5.0, 0.0]])


def test_one_row_lies_on_the_first_axis_with_its_full_length():
    places, kept = projection([[2.0, -3.0, 6.0]], 2)
    assert np.allclose(places, [[7.0, 0.0]]) and kept == pytest.approx(1.0)


def test_identical_rows_fall_together_and_zero_rows_stay_at_the_origin():
    X = np.array([[1.0, 2.0, 3.0], [0.0, 0.0, 0.0], [1.0, 2.0, 3.0], [-1.0, 0.0, 4.0]])
    places, _ = projection(X, 2)
    assert np.array_equal(places[0], places[2]) and np.array_equal(places[1], [0, 0])
    nothing = projection(np.zeros((3, 5)), 2)
    assert np.array_equal(nothing.places, np.zeros((3, 2))) and nothing.kept == 1.0


@pytest.mark.parametrize("size", [1e-300, 1e-9, 1e300])
def test_size_changes_the_scale_alone(size):
    X = np.random.default_rng(6).normal(size=(5, 7))
    plain, scaled = projection(X, 2), projection(X * size, 2)
    assert np.allclose(scaled.places / size, plain.places) and scaled.kept == pytest.approx(plain.kept)


def test_the_callers_rows_stay_untouched():
    X = np.random.default_rng(7).normal(size=(3, 5))
    before = X.copy()
    projection(X, 2).places[:] = 9
    projection(X[:, :2], 2).places[:] = 9
    assert np.array_equal(X, before)


@given(arrays(np.float64, (5, 4), elements=st.floats(-1e3, 1e3, allow_subnormal=False)), st.sampled_from([1, 2, 3]))
def test_a_shadow_is_never_longer_than_its_row(X, dims):
    places, kept = projection(X, dims)
    assert 0 <= kept <= 1 and places.shape == (5, dims) and np.isfinite(places).all()
    assert (np.linalg.norm(places, axis=1) <= np.linalg.norm(X, axis=1) * (1 + 1e-9) + 1e-9).all()


@pytest.mark.parametrize(
    ("X", "dims", "says"),
    [
        (np.zeros((0, 3)), 2, "at least one row"), (np.zeros(3), 2, "(n, d)"), ([[1.0, np.nan]], 2, "row 0, column 1"),
        ([[1.0]], 0, "at least 1")
    ],
)
def test_refusals_say_what_is_wrong(X, dims, says):
    with pytest.raises(ValueError) as refusal:
        projection(X, dims)
    assert says in str(refusal.value)


def test_parts_add_up_to_the_dot_product_and_to_the_blend():
    rng = np.random.default_rng(8)
    q, k, weights, V = rng.normal(size=5), rng.normal(size=5), rng.random(3), rng.normal(size=(3, 7))
    assert pair_products(q, k).tolist() == [q[c] * k[c] for c in range(5)]
    parts = weighted_rows(weights, V)
    assert parts.shape == (3, 7) and parts[2, 4] == weights[2] * V[2, 4]
    assert np.allclose(parts.sum(axis=0), np.einsum("j,jc->c", weights, V))
