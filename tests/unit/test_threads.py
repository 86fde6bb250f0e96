"""Linear algebra that feeds the state runs on one thread."""

from __future__ import annotations

from threadpoolctl import threadpool_info

from framework.threads import one_thread


def test_blas_is_limited_within_and_free_again_afterwards() -> None:
    def threads() -> list[int]:
        return [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"]

    with one_thread():
        inside = threads()
    assert inside and set(inside) == {1}
    with one_thread(), one_thread():
        assert threads() == inside
