"""Reading a safetensors file against the library that writes it, and tables of contents that cannot be."""

import numpy as np
import pytest
import torch
from safetensors.torch import save

from mha_core.tensors import stored_in


def in_bytes(content):
    return np.frombuffer(content, np.uint8)


@pytest.mark.parametrize("kind", ["float64", "float32", "float16", "bfloat16"])
def test_arrays_come_back_as_they_were_written(kind):
    torch.manual_seed(5)
    shapes = {"a": (3, 5, 7), "b.c": (11,), "none": (0, 2), "one": ()}
    written = {name: torch.randn(shape).to(getattr(torch, kind)) for name, shape in shapes.items()}
    read = stored_in(in_bytes(save(written, metadata={"format": "pt"})))
    assert set(read) == set(written)
    for name, stored in read.items():
        assert stored.shape == shapes[name]
        assert np.array_equal(stored.numbers(), written[name].double().numpy())


def test_arrays_are_views_of_the_bytes_that_were_read():
    content = in_bytes(save({"a": torch.ones(3)}))
    assert np.shares_memory(stored_in(content)["a"].numbers(), content)


def test_numbers_that_are_no_decimal_numbers_are_refused():
    stored = stored_in(in_bytes(save({"a": torch.arange(3)})))["a"]
    with pytest.raises(ValueError, match="numbers of kind I64, which cannot be read here"):
        stored.numbers()


HEADERS = [  # the table of contents of a file with eight bytes of content, the reason given
    ("{", "Expecting"),
    ("[]", "is no table"),
    ('{"a": 1}', "does not say where a lies"),
    ('{"a": {"dtype": "F32", "shape": [2]}}', "does not say where a lies"),
    ('{"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 4, 8]}}', "does not say where a lies"),
    ('{"a": {"dtype": ["F32"], "shape": [2], "data_offsets": [0, 8]}}', "does not say where a lies"),
    ('{"a": {"dtype": "F32", "shape": [3], "data_offsets": [0, 12]}}', "a should lie at 0 to 12 of 8 bytes"),
    ('{"a": {"dtype": "F32", "shape": [2], "data_offsets": [8, 0]}}', "a should lie at 8 to 0"),
    ('{"a": {"dtype": "F32", "shape": [2], "data_offsets": ["0", 8]}}', "a should lie at 0 to 8"),
    ('{"a": {"dtype": "F32", "shape": [-2], "data_offsets": [0, 8]}}', "a should lie at"),
    ('{"a": {"dtype": "F32", "shape": [1, 3], "data_offsets": [0, 8]}}', "has 8 bytes, which is not the size"),
]


@pytest.mark.parametrize(("header", "reason"), HEADERS)
def test_a_table_of_contents_that_cannot_be_is_refused(header, reason):
    content = len(header).to_bytes(8, "little") + header.encode() + bytes(8)
    with pytest.raises(ValueError, match=reason):
        stored_in(in_bytes(content))


@pytest.mark.parametrize("content", [b"", b"1234567", b"<html>not found</html>", (40).to_bytes(8, "little") + b"{}"])
def test_what_is_no_such_file_is_refused(content):
    with pytest.raises(ValueError, match="bytes end before its table of contents does"):
        stored_in(in_bytes(content))
