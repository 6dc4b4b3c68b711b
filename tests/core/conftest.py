"""Property tests draw the same examples in every run, so that a red run can be repeated; nothing is kept on disk."""

from hypothesis import settings

settings.register_profile("core", deadline=None, derandomize=True, database=None, max_examples=40)
settings.load_profile("core")
