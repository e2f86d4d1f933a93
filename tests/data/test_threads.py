"""Any number of threads gives the same bits, and no more of them work than allowed."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from threadpoolctl import threadpool_info

from ikpca_cli import IKPCA
from ikpca_cli.data import threads
from ikpca_cli.errors import UsageError
from ikpca_cli.estimators.denoiser import load_method
from ikpca_cli.estimators.methods import METHODS

ROWS = np.random.default_rng(4).normal(size=(700, 6)) @ np.diag([4.0, 2.0, 1.0, 0.5, 0.5, 0.5])


def blas_threads():
    return max(lib["num_threads"] for lib in threadpool_info() if lib["user_api"] == "blas")


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("solver", ["primal", "dual"])
def test_same_bits_with_random_features(solver, dtype):
    found = []
    for count in (1, 2, 5):
        with threads.jobs(count):
            model = IKPCA(4, n_rff=600, gamma=0.1, ridge=0.5, solver=solver, dtype=dtype)
            found.append(model.fit(ROWS).denoise(ROWS))
    assert_array_equal(found[0], found[1])
    assert_array_equal(found[0], found[2])


@pytest.mark.parametrize("method", METHODS)
def test_same_bits_with_defaults(method, arcs):
    found = []
    for count in (1, 3):
        with threads.jobs(count):
            found.append(load_method(method)().fit(arcs[0]).denoise(arcs[0]))
    assert_array_equal(*found)


def test_results_come_in_order_and_from_no_more_threads_than_asked():
    busy, most, lock = 0, 0, threading.Lock()
    meet = threading.Barrier(3)

    def work(number):
        nonlocal busy, most
        with lock:
            busy += 1
            most = max(most, busy)
        if number < 3:
            meet.wait(timeout=30)  # three at once, or this fails
        with lock:
            busy -= 1
        return number, threads.thread_count()

    with threads.jobs(3):
        found = list(threads.parallel_map(work, range(40)))
    assert found == [(number, 1) for number in range(40)]
    assert most == 3


def test_a_failure_is_that_of_the_first_item_that_failed():
    def work(number):
        if number in (3, 7):
            raise ValueError(number)

    with threads.jobs(4), pytest.raises(ValueError, match="3"):
        threads.parallel_for(work, range(20))


def test_linear_algebra_keeps_to_one_thread_until_the_last_is_out():
    before = blas_threads()
    with threads.one_blas_thread:
        with threads.one_blas_thread:
            assert blas_threads() == 1
        assert blas_threads() == 1
        with ThreadPoolExecutor(1) as pool:
            assert pool.submit(lambda: threads.one_blas_thread.__enter__()).result() is None
    assert blas_threads() == 1
    threads.one_blas_thread.__exit__()
    assert blas_threads() == before


@pytest.mark.parametrize("method", METHODS)
def test_no_library_works_in_threads_of_its_own(method):
    """In a fresh process, where scipy is not imported before the fit begins."""
    code = f"""
import numpy as np
from threadpoolctl import threadpool_info
from ikpca_cli.estimators.denoiser import load_method

def read(stage, done, total):
    seen.update(lib["num_threads"] for lib in threadpool_info() if lib["user_api"] == "blas")

seen = set()
rows = np.random.default_rng(0).normal(size=(60, 3)) @ np.diag([3.0, 2.0, 1.0])
load_method({method!r})(noise_std=0.3).fit(rows, progress=read)
assert seen == {{1}}, seen
"""
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "2", "PYTHONWARNINGS": "ignore"}
    subprocess.run([sys.executable, "-c", code], check=True, env=environment)


def test_the_command_line_gives_the_same_bits_without_the_extra(tmp_path):
    """Whatever linear algebra libraries were told of threads."""
    code = """
import sys

sys.modules["threadpoolctl"] = None
from ikpca_cli.__main__ import main

main()
"""
    rng = np.random.default_rng(0)
    np.save(tmp_path / "rows.npy", rng.normal(size=(300, 40)) @ np.diag(np.geomspace(9, 0.1, 40)))
    models = []
    for jobs, own in (("1", "1"), ("2", "3")):
        environment = os.environ | {"OPENBLAS_NUM_THREADS": own, "OMP_NUM_THREADS": own}
        target = f"{jobs}.joblib"
        words = ["fit", "rows.npy", "--jobs", jobs, "--gamma", "0.01", "-o", target, "-q"]
        command = [sys.executable, "-c", code, *words]
        subprocess.run(command, check=True, env=environment, cwd=tmp_path)
        models.append((tmp_path / target).read_bytes())
    assert models[0] == models[1]


def test_cores(monkeypatch, tmp_path):
    monkeypatch.setattr("os.sched_getaffinity", lambda _: set(range(8)), raising=False)
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    monkeypatch.setattr(threads, "CONTROL_GROUP", tmp_path)
    assert threads.allowed_cores() == 8
    monkeypatch.setenv("OMP_NUM_THREADS", "6,2")
    assert threads.thread_count() == 6
    (tmp_path / "cpu.max").write_text("max 100000\n")
    assert threads.allowed_cores() == 6
    (tmp_path / "cpu.max").write_text("350000 100000\n")
    assert threads.allowed_cores() == 3
    (tmp_path / "cpu.max").write_text("50000 100000\n")
    assert threads.allowed_cores() == 1
    with threads.jobs(7):
        assert threads.thread_count() == 7
    (tmp_path / "cpu.max").unlink()
    (tmp_path / "cpu").mkdir()
    (tmp_path / "cpu/cpu.cfs_period_us").write_text("100000\n")
    for quota, cores in (("-1", 6), ("200000", 2)):
        (tmp_path / "cpu/cpu.cfs_quota_us").write_text(quota)
        assert threads.allowed_cores() == cores


def test_no_job_is_refused():
    with pytest.raises(UsageError, match="0 jobs"), threads.jobs(0):
        pass
