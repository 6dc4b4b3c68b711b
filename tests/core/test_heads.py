"""The head finder against plain loops, and against what is known of the trained model's heads."""

import numpy as np
import pytest

from mha_core import Parameters, attend, causal
from mha_core.attention import shares
from mha_core.hand_built import HAND_BUILT
from mha_core.heads import PATTERNS, Found, carried, carried_sizes, rank_heads, score_heads, without_special
from mha_core.pretrained import load_encoder

LESSON = (
    "the cat sat",
    "She is a great leader",
    "I led a team that built a scalable API.",
    "The animal didn't cross the street because it was too tired.",
    "The bank by the river is not the bank that lends money.",
    "The cat sat on the mat and looked at the dog.",
)
TOKENS = ("[CLS]", "The", "bank", "by", "the", "bank", "[SEP]")
KEPT = (1, 2, 3, 4, 5)


@pytest.fixture(scope="module")
def encoder():
    return load_encoder()


@pytest.fixture(scope="module")
def readings(encoder):
    return [encoder.read(sentence) for sentence in LESSON]


@pytest.fixture(scope="module")
def traces():
    """Two layers of three heads on seven tokens, with numbers large enough for uneven rows."""
    draw = np.random.default_rng(5)
    return [attend(3 * draw.standard_normal((7, 15)), Parameters.seeded(15, 3, seed)) for seed in (1, 2)]


def mean(numbers):
    numbers = list(numbers)
    return sum(numbers) / len(numbers)


def by_loops(A, pattern, kept):
    """One head's score [n, n] written out word by word."""
    last = A.shape[0] - 1
    if pattern == "previous":
        return mean(A[i, i - 1] for i in kept if i - 1 in kept)
    if pattern == "next":
        return mean(A[i, i + 1] for i in kept if i < last and i + 1 in kept)
    if pattern == "itself":
        return mean(A[i, i] for i in kept)
    if pattern == "first":
        return mean(A[i, 0] for i in kept)
    if pattern == "broad":
        return mean(-sum(a * np.log(a) for a in A[i] if a > 0) / np.log(last + 1) for i in kept)
    twins = {i: [j for j in kept if j != i and TOKENS[i].lower() == TOKENS[j].lower()] for i in kept}
    return mean(sum(A[i, j] for j in others) for i, others in twins.items() if others)


@pytest.mark.parametrize("kept", [KEPT, None, (2, 5, 4)])
@pytest.mark.parametrize("pattern", [name for name in PATTERNS if name != "pair"])
def test_scores_are_those_of_plain_loops(traces, pattern, kept):
    found = score_heads(traces, TOKENS, pattern, kept=kept)
    places = range(7) if kept is None else kept
    wanted = [[by_loops(head, pattern, places) for head in trace.weights] for trace in traces]
    assert found.shape == (2, 3) and np.abs(found - wanted).max() < 1e-14
    assert (found >= 0).all() and (found <= 1).all()


def test_a_chosen_pair_is_its_one_weight(traces):
    found = score_heads(traces, TOKENS, "pair", query=2, key=6)
    assert np.array_equal(found, [trace.weights[:, 2, 6] for trace in traces])


def test_evenness_runs_from_one_key_to_all_keys():
    def trace(scale, allowed=None):
        eye = np.eye(5)[None]
        return attend(np.eye(5), Parameters(scale * eye, eye, eye, np.eye(5)), allowed=allowed)

    words = tuple("abcde")
    assert score_heads([trace(0)], words, "broad")[0, 0] == pytest.approx(1, abs=1e-15)
    assert score_heads([trace(4000)], words, "broad")[0, 0] == 0
    masked = score_heads([trace(0, causal(5))], words, "broad")[0, 0]
    assert masked == pytest.approx(np.log([1, 2, 3, 4, 5]).mean() / np.log(5), abs=1e-15)


def test_the_ranking_is_complete_and_falls(traces):
    scores, ranked = score_heads(traces, TOKENS, "next"), rank_heads(traces, TOKENS, "next")
    assert [found.score for found in ranked] == sorted(scores.ravel(), reverse=True)
    assert {(found.layer, found.head) for found in ranked} == set(np.ndindex(2, 3))
    assert all(found == Found(found.layer, found.head, scores[found.layer, found.head]) for found in ranked)
    ties = rank_heads([traces[0]] * 3, TOKENS, "pair", query=0, key=0)
    assert [found.layer for found in ties[:3]] == [0, 1, 2]


@pytest.mark.parametrize(
    ("pattern", "tokens", "kept", "reason"),
    [
        ("previous", "a b c", (1,), "no word has a word before it"),
        ("next", "a b c", (0, 2), "no word has a word after it"),
        ("same", "a b c", None, "no word stands in two places; repeat one"),
        ("same", "a b a", (0, 1), "no word stands in two places"),
        ("itself", "a b c", (), "there is no word"),
        ("first", "a b c", (), "there is no word"),
        ("broad", "a b c", (), "can only look at itself"),
        ("broad", "a", None, "can only look at itself"),
        ("previous", "a", None, "no word has a word before it"),
    ],
)
def test_a_sentence_that_cannot_show_a_pattern_is_told_why(pattern, tokens, kept, reason):
    words = tokens.split()
    trace = attend(np.ones((len(words), 4)), Parameters.seeded(4, 2))
    with pytest.raises(ValueError, match=f"cannot be scored on '{pattern}' here: .*{reason}"):
        score_heads([trace], words, pattern, kept=kept)


def test_impossible_questions_are_refused(traces):
    with pytest.raises(ValueError, match="no pattern named 'sideways'; the patterns are previous, next"):
        score_heads(traces, TOKENS, "sideways")
    for places in ({}, {"query": 1}, {"query": 7, "key": 0}, {"query": 0, "key": -1}):
        with pytest.raises(ValueError, match="choose one of the 7 tokens, 0 to 6"):
            score_heads(traces, TOKENS, "pair", **places)
    other = attend(np.ones((4, 15)), Parameters.seeded(15, 3))
    for wrong in (
        [],
        [*traces, other],
        [other],
        [attend(np.ones((7, 15)), Parameters.seeded(15, 3), context=np.ones((4, 15)))],
    ):
        with pytest.raises(ValueError, match="one sentence of 7 tokens looking at itself"):
            score_heads(wrong, TOKENS, "first")


def test_the_finder_finds_the_hand_built_heads():
    example = HAND_BUILT["before and same"]
    best = {name: rank_heads([example.trace()], example.tokens, name)[0] for name in ("previous", "same")}
    assert (best["previous"].head, best["same"].head) == (0, 1)
    assert best["previous"].score > 0.99 and best["same"].score > 0.49


# ---- weight and size -------------------------------------------------------------------------------------------


def test_what_is_carried_is_the_length_of_each_share():
    """Sizes all different; each (head, query, key) written out, and the arrows add up to the head's share."""
    draw = np.random.default_rng(3)
    shapes = ((2, 7, 5), (2, 11, 5), (2, 11, 3), (6, 13), (2, 5), (2, 5), (2, 3), (13,))
    p = Parameters(*(draw.standard_normal(shape) for shape in shapes))
    trace = attend(draw.standard_normal((3, 7)), p, context=draw.standard_normal((4, 11)))
    found, total = carried(trace), np.zeros((2, 3, 13))
    assert found.shape == (2, 3, 4) and carried_sizes(trace).shape == (2, 4)
    for head, query, key in np.ndindex(found.shape):
        arrow = trace.weights[head, query, key] * (trace.V[head, key] @ p.W_O[3 * head : 3 * head + 3])
        assert abs(found[head, query, key] - np.sqrt((arrow**2).sum())) < 1e-13
        total[head, query] += arrow
    assert np.abs(total - shares(trace)).max() < 1e-13


def test_a_head_that_rests_on_the_first_token_carries_almost_nothing(readings):
    """models.md: |v_CLS W_O| of L2H7 is .07 against 6.3 for words."""
    sizes = [carried_sizes(reading.traces[2])[7] for reading in readings]
    words = np.concatenate([size[list(reading.pieces.kept)] for size, reading in zip(sizes, readings)])
    assert np.mean([size[0] for size in sizes]) == pytest.approx(0.07, abs=0.01) and words.mean() == pytest.approx(
        6.3, abs=0.5
    )
    for reading in readings:
        trace, kept = reading.traces[2], list(reading.pieces.kept)
        assert carried(trace)[7][kept][:, 0].max() < 0.1


# ---- hiding the frame ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("layer", range(6))
def test_hiding_special_tokens_is_masking_them_and_sharing_the_rest_anew(encoder, readings, layer):
    for reading in readings:
        trace, kept = reading.traces[layer], list(reading.pieces.kept)
        hidden = without_special(trace, reading.pieces.kept)
        n = len(reading.pieces.ids)
        allowed = np.zeros((n, n), dtype=bool)
        allowed[:, kept] = True
        masked = attend(trace.X, trace.parameters, allowed=allowed)
        for field in ("weights", "heads"):
            mine, wanted = getattr(hidden, field), getattr(masked, field)[:, kept]
            assert np.abs(mine - (wanted[..., kept] if field == "weights" else wanted)).max() < 5e-6
        assert np.abs(hidden.output - masked.output[kept]).max() < 2e-5
        left = trace.weights[:, kept][:, :, kept]
        assert (
            np.abs(hidden.weights - left / left.sum(axis=-1, keepdims=True)).max() < 1e-4
        )  # some rows keep almost nothing
        assert np.abs(hidden.weights.sum(axis=-1) - 1).max() < 1e-6
        assert np.array_equal(hidden.X, trace.X[kept])


def test_hiding_keeps_the_mask_and_the_divisor_of_the_trace():
    draw = np.random.default_rng(2)
    trace = attend(draw.standard_normal((5, 6)), Parameters.seeded(6, 3), allowed=causal(5), divisor=7.0)
    hidden = without_special(trace, (1, 2, 4))
    assert hidden.divisor == 7.0 and np.array_equal(hidden.allowed, causal(3))
    left = trace.weights[:, [1, 2, 4]][:, :, [1, 2, 4]]
    assert np.abs(hidden.weights - left / left.sum(axis=-1, keepdims=True)).max() < 1e-15
    a_head = attend(trace.X, trace.parameters, allowed=np.stack([causal(5), np.ones((5, 5), bool), causal(5).T]))
    assert np.array_equal(without_special(a_head, [0, 3]).allowed[2], causal(2).T)


def test_hiding_everything_or_another_sentence_is_refused(encoder):
    empty = encoder.read("")
    with pytest.raises(ValueError, match="Nothing is left once the special tokens are hidden"):
        without_special(empty.traces[0], empty.pieces.kept)
    crossed = attend(np.ones((2, 4)), Parameters.seeded(4, 2), context=np.ones((3, 4)))
    with pytest.raises(ValueError, match="only where a sentence looks at itself"):
        without_special(crossed, [0])


# ---- what is known of all-MiniLM-L6-v2 (models.md) -------------------------------------------------------------


def over_all(readings, pattern):
    """The mean over the lesson's sentences, those that cannot show the pattern left out."""
    found = []
    for reading in readings:
        try:
            found.append(score_heads(reading.traces, reading.pieces.tokens, pattern, kept=reading.pieces.kept))
        except ValueError:
            assert pattern == "same"
    return np.mean(found, axis=0)


@pytest.mark.parametrize(
    ("pattern", "best", "score"),
    [
        ("previous", [(0, 2)], 1.00),
        ("next", [(1, 8)], 0.71),
        ("broad", [(0, 3)], 0.92),
        ("first", [(2, 7), (4, 5), (1, 10)], 0.87),
    ],
)
def test_the_finder_finds_what_is_known(readings, pattern, best, score):
    scores = over_all(readings, pattern)
    first = [tuple(int(i) for i in np.unravel_index(place, scores.shape)) for place in np.argsort(-scores.ravel())]
    assert set(best) <= set(first[: 1 if len(best) == 1 else 4])
    for layer, head in best:
        assert scores[layer, head] == pytest.approx(score, abs=0.07)


def test_one_head_always_looks_at_the_word_before(readings):
    for reading in readings:
        best = rank_heads(reading.traces, reading.pieces.tokens, "previous", kept=reading.pieces.kept)[0]
        assert (best.layer, best.head) == (0, 2) and best.score > 0.999


@pytest.mark.parametrize(
    ("sentence", "query", "key", "layer", "head", "score"),
    [
        (2, "scala", "##ble", 1, 8, 0.92),
        (2, "led", "team", 1, 7, 0.46),
        (1, "a", "leader", 1, 7, 0.79),
        (1, "she", "leader", 2, 3, 0.50),
        (1, "she", "leader", 0, 1, 0.35),
        (1, "she", "great", 5, 9, 0.33),
        (1, "she", "great", 0, 3, 0.24),
        (1, "leader", "she", 5, 8, 0.51),
        (3, "it", "animal", 5, 11, 0.65),
        (3, "it", "animal", 3, 1, 0.64),
    ],
)
def test_known_pairs_have_their_known_weight(readings, sentence, query, key, layer, head, score):
    reading = readings[sentence]
    places = {"query": reading.pieces.tokens.index(query), "key": reading.pieces.tokens.index(key)}
    ranked = rank_heads(reading.traces, reading.pieces.tokens, "pair", **places)
    place = [(found.layer, found.head) for found in ranked].index((layer, head))
    assert ranked[place].score == pytest.approx(score, abs=0.06) and place < 10


def test_the_model_does_not_understand_what_it_stands_for(encoder):
    """It is the animal that is tired and the street that is wide; the heads choose the animal both times."""
    for ending in ("tired", "wide"):
        reading = encoder.read(f"The animal didn't cross the street because it was too {ending}.")
        tokens = reading.pieces.tokens
        row = reading.traces[5].weights[11, tokens.index("it")]
        words = [tokens.index(noun) for noun in ("animal", "street")]
        assert tokens[row[1:-1].argmax() + 1] == "animal" and row[words[0]] > 3 * row[words[1]]


def test_the_same_word_in_another_place_is_found(readings):
    reading = readings[4]
    first, second = (i for i, token in enumerate(reading.pieces.tokens) if token == "bank")
    weights = reading.traces[2].weights[9]
    assert min(weights[first, second], weights[second, first]) > 0.5
    scores = over_all(readings, "same")
    assert (2, 9) in [tuple(np.unravel_index(place, scores.shape)) for place in np.argsort(-scores.ravel())[:3]]


def test_most_weight_rests_on_the_frame(readings):
    shares_of = [np.mean([[t.weights[..., place].mean() for t in r.traces] for r in readings]) for place in (0, -1)]
    assert shares_of[0] == pytest.approx(0.51, abs=0.03) and shares_of[1] == pytest.approx(0.06, abs=0.015)
    shortest = [np.mean([t.weights[..., place].mean() for t in readings[0].traces]) for place in (0, -1)]
    assert shortest == pytest.approx([0.65, 0.08], abs=0.015)
