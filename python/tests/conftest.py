"""What the tests of the Python package share."""

import pytest

import redqueen


@pytest.fixture
def own_names():
    """Forgets the environments that a test registers."""
    before = set(redqueen.list())
    yield
    for name in set(redqueen.list()) - before:
        redqueen.forget(name)
