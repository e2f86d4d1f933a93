"""What is attached to a dataset: attributes, dimension labels and scales, for an output to have.

They are read when the file is opened and written when the output is complete; nothing of them is
obeyed. References to other objects mean nothing in another file, and are made anew for scales.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from typing import Any

import h5py
import numpy as np
import numpy.typing as npt

from ikpca_cli.formats.hdf5.packing import Packing, stale
from ikpca_cli.formats.rows.rates import is_rate, rate_in

_MOST = 1000  # attributes of one object
_LARGEST = 1 << 20  # bytes of one attribute
_LARGEST_SCALE = 1 << 24  # bytes of one dimension scale
_OF_SCALES = {"CLASS", "NAME", "DIMENSION_LIST", "REFERENCE_LIST", "DIMENSION_LABELS"}
_OF_MATLAB = "MATLAB_"


@dataclass
class Attached:
    """What is attached to an object.

    Attributes
    ----------
    values
        Attributes by name: value and type.
    labels
        Of a dataset's dimensions.
    scales
        Of a dataset's dimensions: path, name, values and attributes.
    """

    values: dict[str, tuple[Any, Any]] = field(default_factory=dict)
    labels: tuple[str, ...] = ()
    scales: list[list[tuple[str, str, Any, Attached]]] = field(default_factory=list)


@dataclass
class Attachments:
    """What is attached to all objects of which an output has the like.

    Attributes
    ----------
    objects
        By path, ``""`` for the file itself.
    lost
        Names of what cannot be copied.
    counts
        The samples of each dataset, by path, in order.
    last
        Whether they lie along the last axis.
    numbers
        Single numbers that are called rates, by group and name.
    packing
        How the numbers of the one dataset were packed, if they were.
    """

    objects: dict[str, Attached] = field(default_factory=dict)
    lost: list[str] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    last: bool = False
    numbers: dict[str, dict[str, Any]] = field(default_factory=dict)
    packing: Packing | None = None

    def note(self, file: Any, paths: list[str], others: list[str]) -> None:
        """Read what is attached to datasets, and to the groups above them.

        Parameters
        ----------
        file
            An open h5py file.
        paths
            Of its datasets.
        others
            Of those beside them, of which rates are read.
        """
        for path in others:
            group, _, name = path.rpartition("/")
            if is_rate(name) and _is_plain_number(file[path]):
                self.numbers.setdefault(group, {})[name] = file[path][()]
        for path in paths:
            parts = path.split("/")
            above = ["/".join(parts[:depth]) for depth in range(len(parts))]
            for group in above:
                if group not in self.objects:
                    self.objects[group] = self._of(file[group or "/"], group)
            data = file[path]
            found = self._of(data, path, stale(data))
            found.labels = tuple(dim.label for dim in data.dims)
            found.scales = [self._scales(dim, path) for dim in data.dims]
            self.objects[path] = found

    def places(self) -> set[str]:
        """Return the paths of the dimension scales."""
        scales = (scale for one in self.objects.values() for dim in one.scales for scale in dim)
        return {place for place, *_ in scales}

    def packed(self) -> Attachments:
        """Return the same for numbers that are packed as those of the input were."""
        if self.packing is None:
            return self
        (path,) = self.counts
        own = self.objects[path]
        own = replace(own, values=own.values | self.packing.attributes)
        return replace(self, objects=self.objects | {path: own})

    def rate(self, path: str) -> float:
        """Return the samples a second of a dataset, by it or a group above it; 0 if untold."""
        places = [path[:end] for end, sign in enumerate(path) if sign == "/"]
        for place in (path, *reversed(places), ""):
            values = self.objects.get(place, Attached()).values
            told = rate_in({key: value for key, (value, _) in values.items()})
            told = told or rate_in(self.numbers.get(place, {}))
            if told:
                return told
        return 0.0

    def numbers_at(self, path: str, name: str) -> npt.NDArray[np.float64] | None:
        """Return the numbers (k,) in an attribute of a dataset, None if there are none."""
        value, _ = self.objects.get(path, Attached()).values.get(name, (None, None))
        array = np.asarray(value)
        return array.astype(np.float64).ravel() if array.dtype.kind in "iuf" else None

    def number(self, path: str, name: str) -> float | None:
        """Return an attribute of a dataset that is one number, None if it has none of this name."""
        found = self.numbers_at(path, name)
        return float(found[0]) if found is not None and len(found) == 1 else None

    def keep(self, samples: npt.NDArray[np.bool_]) -> Attachments:
        """Return what is attached to the chosen samples, a mask of shape (n,): shorter scales."""
        objects, lost = dict(self.objects), list(self.lost)
        uses = Counter(scale[0] for one in objects.values() for dim in one.scales for scale in dim)
        start = 0
        for path, count in self.counts.items():
            own = samples[start : start + count]
            start += count
            attached = objects[path]
            if own.all() or not own.any() or not attached.scales:
                continue
            axis = len(attached.scales) - 1 if self.last else 0
            shorter = []
            for place, name, values, its in attached.scales[axis]:
                if uses[place] > 1 or np.shape(values) != (count,):
                    lost.append(f"the scale {place} of {path}, of which samples were dropped")
                else:
                    shorter.append((place, name, values[own], its))
            scales = [shorter if k == axis else dim for k, dim in enumerate(attached.scales)]
            objects[path] = replace(attached, scales=scales)
        return replace(self, objects=objects, lost=lost)

    def attach(self, file: Any) -> None:
        """Give all of it to the objects of the same paths in an output that has them."""
        for path, attached in self.objects.items():
            item = file if not path else file.get(path)
            if item is None:
                continue
            _set(item, attached)
            if not isinstance(item, h5py.Dataset) or len(attached.labels) != item.ndim:
                continue
            for dim, label, scales in zip(item.dims, attached.labels, attached.scales, strict=True):
                if label:
                    dim.label = label
                for place, name, values, own in scales:
                    if place not in file:
                        scale = file.create_dataset(place, data=values)
                        scale.make_scale(name)
                        _set(scale, own)
                    scale = file[place]
                    if scale.is_scale:
                        dim.attach_scale(scale)

    def _scales(self, dim: Any, path: str) -> list[tuple[str, str, Any, Attached]]:
        found = []
        for key in range(len(dim)):
            scale = dim[key]
            place = (scale.name or "").strip("/")
            plain = scale.dtype.kind in "biufS" and h5py.check_ref_dtype(scale.dtype) is None
            creation = scale.id.get_create_plist()
            inside = creation.get_layout() != h5py.h5d.VIRTUAL and not creation.get_external_count()
            large = (scale.size or 0) * scale.dtype.itemsize > _LARGEST_SCALE
            if not place or not plain or not inside or large:
                self.lost.append(f"the scale {place or '(without a name)'} of {path}")
                continue
            label = scale.attrs.get("NAME", b"")
            text = label.decode(errors="replace") if isinstance(label, bytes) else str(label)
            found.append((place, text, scale[()], self._of(scale, place)))
        return found

    def _of(self, item: Any, path: str, left_out: Collection[str] = ()) -> Attached:
        attached = Attached()
        for count, key in enumerate(item.attrs):
            if key in _OF_SCALES or key.startswith(_OF_MATLAB) or key in left_out:
                continue
            try:
                found = item.attrs.get_id(key)
                size = 0 if found.shape is None else found.get_storage_size()
                if count >= _MOST or size > _LARGEST or _refers(found.dtype):
                    self.lost.append(f"{path}@{key}")
                    continue
                attached.values[key] = (item.attrs[key], found.dtype)
            except (OSError, RuntimeError, KeyError, ValueError, TypeError):
                self.lost.append(f"{path}@{key}")
        return attached


def _is_plain_number(dataset: Any) -> bool:
    """Tell whether a dataset is a single number that lies in its file as it is."""
    inside = dataset.chunks is None and not dataset.is_virtual and not dataset.external
    return bool(dataset.size == 1 and dataset.dtype.kind in "iuf" and inside)


def _refers(dtype: np.dtype[Any]) -> bool:
    """Tell whether values of a type refer to objects of their file."""
    if dtype.names is not None:
        return any(_refers(dtype[name]) for name in dtype.names)
    inner = h5py.check_vlen_dtype(dtype)
    if isinstance(inner, np.dtype):
        return _refers(inner)
    if dtype.subdtype is not None:
        return _refers(dtype.subdtype[0])
    return h5py.check_ref_dtype(dtype) is not None


def _set(item: Any, attached: Attached) -> None:
    for key, (value, dtype) in attached.values.items():
        if isinstance(value, h5py.Empty):
            item.attrs[key] = value
        else:
            item.attrs.create(key, value, dtype=dtype)
