"""Connects to Ray: one that is started on this machine for a run, or a cluster on a private network.

Ray's usage statistics and its dashboard are off. A Ray that is started here listens on loopback alone, and asks everybody for a
key that only this process and its workers have.
"""

from __future__ import annotations

import logging
import os
import secrets
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import chdir, contextmanager
from functools import cache
from importlib.util import find_spec
from typing import Any

import noderag_local
from noderag_local.domain.errors import ClusterError
from noderag_local.system.batches.executor import Executor
from noderag_local.system.batches.ray_address import HERE, RayAddress, check_answers, ray_address
from noderag_local.system.batches.ray_executor import RayExecutor

STORE_BYTES_A_CORE = 64 << 20
"""Bytes of shared memory for batches and their results, which take a few megabytes each."""
LEAST_STORE_BYTES = 100 << 20
"""Ray accepts no less than 75 MiB."""
CHECKED_SECONDS = 60.0
"""Seconds for all machines of a cluster to tell their version of noderag."""
LOOPBACK = "127.0.0.1"
_ENVIRONMENT = {
    "RAY_USAGE_STATS_ENABLED": "0",
    # Without it, a Ray that is started on Linux listens on all addresses of the machine, whatever address it is given.
    # Ray reads it when it is imported.
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",
}

_log = logging.getLogger(__name__)


@contextmanager
def opened_ray(on: str, cores: int) -> Iterator[Executor]:
    """Connects to Ray, and leaves it at the end of the block; a Ray that was started for the block ends.

    Args:
        on: `ray` to start Ray on this machine, or the address of a cluster.
        cores: number of cores that a Ray on this machine uses.

    Raises:
        SettingsError: the address is none, or one that is not allowed.
        ClusterError: Ray is not installed, the cluster cannot be reached, or it has other versions than this machine.
    """
    if find_spec("ray") is None:
        from noderag_local.system.extras import installing

        raise ClusterError(f"--on needs one more package: {installing('cluster')}")
    opened = _started(cores) if on == HERE else _joined(ray_address(on))
    with _environment(_ENVIRONMENT), opened as executor:
        _log.info("Ray computes on %d cores", executor.cores)
        yield executor


@contextmanager
def _started(cores: int) -> Iterator[RayExecutor]:
    """Starts Ray on this machine."""
    key = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": _key()}
    with (
        # Everybody may write to the folders that Ray makes, but nobody else can enter the one that they are in.
        tempfile.TemporaryDirectory(prefix="ray-", ignore_cleanup_errors=True) as folder,
        _environment(key),
        _connected(
            address="local",
            num_cpus=cores,
            object_store_memory=max(LEAST_STORE_BYTES, STORE_BYTES_A_CORE * cores),
            include_dashboard=False,
            _node_ip_address=LOOPBACK,
            _temp_dir=folder,
        ) as ray,
    ):
        _check_hidden(ray)
        yield RayExecutor(cores)


@contextmanager
def _joined(address: RayAddress) -> Iterator[RayExecutor]:
    """Joins a cluster."""
    check_answers(address)
    with _connected(address=address.url) as ray:
        _check_versions(ray)
        yield RayExecutor(int(ray.cluster_resources().get("CPU", 1)))


@contextmanager
def _connected(**options: Any) -> Iterator[Any]:
    """Gives Ray, which is left at the end of the block.

    Raises:
        ClusterError: Ray cannot be started or joined.
    """
    import ray

    try:
        _init(ray, options)
        yield ray
    finally:
        ray.shutdown()


def _init(ray: Any, options: Mapping[str, Any]) -> None:
    try:
        # Ray adds the current folder to the module path of its workers, and it may hold notes. The root holds no modules.
        with chdir("/"):
            # Nothing is printed: what Ray complains of is in its error.
            ray.init(log_to_driver=False, logging_level=logging.CRITICAL + 1, **options)
    except Exception as error:  # Ray raises all kinds, and Exception itself if a busy machine starts it too slowly.
        raise ClusterError(
            f"Ray cannot be started or joined: {_first_line(error)} If this machine is very busy, try again. A cluster must have the "
            "versions of Python and Ray that this machine has, and its token must be in RAY_AUTH_TOKEN if it asks for one."
        ) from error


def _check_hidden(ray: Any) -> None:
    """Raises ClusterError if a Ray that was started here can be reached from other machines."""
    address = ray.util.get_node_ip_address()
    if address != LOOPBACK:
        raise ClusterError(
            f"Ray listens on {address} and not on this machine alone, as it was imported before. Start `noderag index` anew."
        )


def _check_versions(ray: Any) -> None:
    """Raises ClusterError if a machine that computes lacks this version of noderag."""

    # Inside this function, it is sent as code, so that it runs where noderag is missing.
    def version() -> str:
        try:
            import noderag_local
        except ImportError:
            return ""
        return noderag_local.__version__

    asked = ray.remote(num_cpus=0, max_retries=0)(version)
    nodes = [node for node in ray.nodes() if node["Alive"] and node["Resources"].get("CPU")]
    here = ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy
    told = [asked.options(scheduling_strategy=here(node["NodeID"], soft=False)).remote() for node in nodes]
    try:
        versions = ray.get(told, timeout=CHECKED_SECONDS)
    except ray.exceptions.RayError as error:
        raise ClusterError(
            f"The machines of the cluster do not tell their version of noderag ({type(error).__name__}). Look at `ray status` there."
        ) from error
    for node, found in zip(nodes, versions, strict=True):
        if found != noderag_local.__version__:
            has = f"noderag-local {found}" if found else "no noderag-local"
            raise ClusterError(
                f"The machine {node['NodeManagerHostname']} of the cluster has {has}; this one has {noderag_local.__version__}. "
                "Install this version there, where its Ray runs, with the extra cluster; `noderag help extras` says how."
            )


@cache
def _key() -> str:
    """Returns the key of every Ray that this process starts, since Ray reads it only once."""
    return secrets.token_hex(32)


@contextmanager
def _environment(values: Mapping[str, str]) -> Iterator[None]:
    """Sets environment variables for the block."""
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _first_line(error: BaseException) -> str:
    line = next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)
    return line if line.endswith(".") else f"{line}."
