"""Work on a Dask cluster: a real scheduler and two worker processes over loopback."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from importlib.util import find_spec

import joblib
import numpy as np
import pytest
from joblib._dask import DaskDistributedBackend
from numpy.testing import assert_allclose, assert_array_equal

from ikpca_cli import IKPCA, PCA, load_model
from ikpca_cli.cli.batch.cluster import check_workers
from ikpca_cli.cli.sources import opener
from ikpca_cli.data.first_pass import FirstPass
from ikpca_cli.errors import UsageError
from ikpca_cli.formats.arrays import read_rows
from ikpca_cli.formats.read_options import ReadOptions
from ikpca_cli.version import __version__
from tests.conftest import ROOT

N_SAMPLES = 300_000

needs_dask = pytest.mark.skipif(
    find_spec("distributed") is None or not DaskDistributedBackend.supports_retrieve_callback,
    reason="Dask is not installed, or joblib is older than 1.4: pip install '.[cluster]'",
)


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    """A file of rows on a ring in eight dimensions."""
    rng = np.random.default_rng(11)
    angle = rng.uniform(0.0, 2.0 * np.pi, N_SAMPLES)
    plane = np.stack([np.cos(angle), np.sin(angle)], axis=1).astype(np.float32)
    rows = plane @ rng.normal(size=(2, 8)).astype(np.float32)
    rows += rng.normal(scale=0.2, size=rows.shape).astype(np.float32) + 5.0
    path = tmp_path_factory.mktemp("many") / "rows.npy"
    np.save(path, rows)
    return path


@pytest.fixture
def dask(tmp_path):
    """Start a scheduler and two workers; yield its address and the workers' processes."""
    described = tmp_path / "scheduler.json"
    # Nothing of the test's own process: what a cluster's machines have is the package.
    environment = os.environ | {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    started = []

    def start(module, *options):
        command = [sys.executable, "-m", f"distributed.cli.{module}", "--no-dashboard"]
        command += ["--scheduler-file", str(described), *options]
        with (tmp_path / f"{len(started)}.log").open("wb") as log:
            started.append(
                subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=log, stderr=log)
            )
        return started[-1]

    start("dask_scheduler", "--host", "127.0.0.1", "--port", "0")
    deadline = time.monotonic() + 60
    while not described.exists() and time.monotonic() < deadline:
        time.sleep(0.1)
    workers = [start("dask_worker", "--no-nanny", "--nthreads", "1") for _ in range(2)]
    yield json.loads(described.read_text())["address"], workers
    for process in started:
        process.kill()
        process.wait()


class Cluster:
    """A client of a scheduler and workers that have these versions, or raise these errors."""

    def __init__(self, scheduler, *workers):
        self.scheduler = scheduler
        self.found = {f"tcp://w{place}:1": version for place, version in enumerate(workers)}

    def run(self, function, *words, on_error):
        assert (function(*words), on_error) == (__version__, "return")
        return self.found

    def run_on_scheduler(self, function, *words):
        assert function(*words) == __version__
        if isinstance(self.scheduler, Exception):
            raise self.scheduler
        return self.scheduler


NONE = ModuleNotFoundError("ikpca_cli")


@pytest.mark.parametrize(
    ("versions", "text"),
    [
        ((__version__, __version__, NONE), "tcp://w1:1 cannot import ikpca"),
        ((__version__, "0.0.1"), "tcp://w0:1 has ikpca 0.0.1"),
        ((NONE, __version__), "the scheduler cannot import ikpca"),
    ],
)
def test_a_cluster_without_the_package_is_refused(versions, text):
    with pytest.raises(UsageError, match=text):
        check_workers(Cluster(*versions), "tcp://h:8786")
    check_workers(Cluster(__version__, __version__), "tcp://h:8786")


SCRIPT = """
import os, pickle, signal, sys
from distributed import Client
from ikpca_cli import IKPCA
from ikpca_cli.cli.batch.cluster import cluster
from ikpca_cli.cli.sources import opener
from ikpca_cli.data.first_pass import FirstPass
from ikpca_cli.formats.arrays import read_rows
from ikpca_cli.formats.read_options import ReadOptions

address, path, victim = sys.argv[1], sys.argv[2], int(sys.argv[3])
killed = []

def progress(stage, done, total):
    if stage == "features" and not killed:
        killed.append(done)
        os.kill(victim, signal.SIGKILL)

if __name__ == "__main__":
    with Client(address) as client:
        client.wait_for_workers(2, timeout=60)
    model = IKPCA(5, n_rff=256, gamma=0.05, ridge=0.1, noise_std=0.2)
    with cluster(address), read_rows(path) as rows:
        model.fit(FirstPass(rows, 0, opener(rows, path, ReadOptions())), progress=progress)
    assert 0 < killed[0] < rows.shape[0]
    sys.stdout.buffer.write(pickle.dumps(model.get_state()))
"""


@needs_dask
def test_a_worker_dies_in_mid_fit_and_nothing_is_lost(many, dask, tmp_path):
    import pickle

    address, workers = dask
    (tmp_path / "script.py").write_text(SCRIPT)
    command = [sys.executable, "script.py", address, str(many), str(workers[0].pid)]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True)
    assert done.returncode == 0, done.stderr.decode()
    assert workers[0].wait(timeout=10) == -signal.SIGKILL
    assert workers[1].poll() is None
    found = pickle.loads(done.stdout)
    with read_rows(str(many)) as rows:
        local = IKPCA(5, n_rff=256, gamma=0.05, ridge=0.1, noise_std=0.2).fit(rows)
        some = rows[:100].astype(float)
    assert found["n_samples_"] == N_SAMPLES
    assert_allclose(found["explained_variance_"], local.explained_variance_, rtol=1e-9)
    fitted = IKPCA.from_state(local.get_params(), found)
    assert_allclose(fitted.denoise(some), local.denoise(some), rtol=1e-9)


@needs_dask
def test_a_fit_with_landmarks_on_a_cluster(many, dask, tmp_path):
    address, _ = dask
    fit = ["fit", many, "--method", "kpca", "--landmarks", "60", "--components", "3", "-f", "-q"]
    fit += ["--gamma", "0.05", "--ridge", "0.1", "--noise-std", "0.2"]
    found = []
    for name, more in (("here", []), ("there", ["--cluster", address])):
        command = [sys.executable, "-m", "ikpca_cli", *fit, "-o", f"{name}.joblib", *more]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        found.append(load_model(str(tmp_path / f"{name}.joblib")).denoise(np.load(many)[:100]))
    assert_allclose(found[1], found[0], rtol=1e-7)


@needs_dask
def test_fit_and_batch_on_a_cluster(many, dask, tmp_path):
    address, _ = dask
    fit = ["fit", many, "--method", "pca", "--components", "2", "-f", "-q"]
    for name, more in (("here", []), ("there", ["--cluster", address])):
        command = [sys.executable, "-m", "ikpca_cli", *fit, "-o", f"{name}.joblib", *more]
        subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    rows = np.load(many)[:600]
    for place in range(6):
        np.save(tmp_path / f"{place}.npy", rows[place::6])
    (tmp_path / "3.npy").write_bytes(b"\x93NUMPY")
    names = [f"{place}.npy" for place in range(6)]
    outputs = {}
    for name, more in (("here", []), ("there", ["--cluster", address])):
        command = [sys.executable, "-m", "ikpca_cli", "denoise", f"{name}.joblib", *names]
        command += ["--output-dir", name, "--format", "json", *more]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 1
        assert "3.npy: has a damaged npy header" in done.stderr
        outputs[name] = [
            np.load(tmp_path / name / f"{place}.denoised.npy") for place in (0, 1, 2, 4, 5)
        ]
        records = json.loads(done.stdout)
        assert [record.get("n_samples") for record in records] == [100] * 3 + [None] + [100] * 2
        assert "has a damaged npy header" in records[3]["error"]
    assert_allclose(outputs["there"], outputs["here"], rtol=1e-5)  # float32 outputs


@needs_dask
def test_runs_of_a_comparison_on_a_cluster(dask, samples):
    address, _ = dask
    command = [sys.executable, "-m", "ikpca_cli", "compare", "s_curve_clean.csv", "--noise", "0.25"]
    command += ["--runs", "3", "--methods", "ikpca,pca", "--rff", "4", "--ridge", "1"]
    command += ["--gamma", "0.5", "--components", "2,3", "--format", "json"]
    here, there = (
        subprocess.run([*command, *more], cwd=samples, capture_output=True, check=True, text=True)
        for more in ([], ["--cluster", address])
    )
    assert "close to the 3 columns" in here.stderr
    assert there.stderr == here.stderr
    here, there = (json.loads(done.stdout) for done in (here, there))
    assert_allclose(there["mse_noisy"]["mse_mean"], here["mse_noisy"]["mse_mean"])
    for expected, found in zip(here["results"], there["results"], strict=True):
        assert found["method"] == expected["method"]
        assert found["n_components"] == expected["n_components"]
        assert found["runs"] == 3
        assert_allclose(found["mse_mean"], expected["mse_mean"], rtol=1e-9)


@needs_dask
def test_what_is_wrong_with_a_cluster_is_said_in_a_line(many):
    command = [sys.executable, "-m", "ikpca_cli", "fit", many, "--cluster", "tcp://127.0.0.1:9"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2
    assert "no scheduler answers" in done.stderr
    assert len(done.stderr.splitlines()) == 1


@needs_dask
@pytest.mark.parametrize("address", ["local", "tcp://host", "nope://host:1", "tcp://host:x", ""])
def test_what_is_no_address_is_refused_at_once(many, cli, address):
    done = cli("fit", many, "--cluster", address, code=2)
    assert "is no address of a scheduler, such as tcp://HOST:8786" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_dask_may_be_missing(many, cli, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    done = cli("fit", many, "--cluster", "tcp://127.0.0.1:8786", code=2)
    assert "pip install 'ikpca-cli[cluster]'" in done.stderr


@pytest.mark.parametrize("method", [PCA(2), IKPCA(3, n_rff=64, gamma=0.05, ridge=0.1)])
def test_slices_in_other_processes_make_the_same_model(many, method, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    options = ReadOptions()
    with read_rows(str(many)) as rows:
        method.set_params(noise_std=0.2).fit(rows)
        spectrum = method.explained_variance_
        cleaned = method.denoise(rows[:50])
        with joblib.parallel_config(backend="loky", n_jobs=2):
            method.fit(FirstPass(rows, method.seed, opener(rows, str(many), options)))
        assert_allclose(method.explained_variance_, spectrum, rtol=1e-9)
        assert_allclose(method.denoise(rows[:50]), cleaned, rtol=1e-9)
        sums = [FirstPass(rows, 0, opener(rows, str(many), options)) for _ in range(2)]
        for first_pass in sums:
            first_pass.read()
        assert_array_equal(sums[0].mean, sums[1].mean)
