"""The System of a netlist, without a file to read it from."""

from __future__ import annotations

from collections.abc import Sequence

from quorbit.languages.circuits.load import lower_all, lower_each
from quorbit.languages.circuits.properties import Stated
from quorbit.model.system.system import System
from quorbit.netlists.check import checked
from quorbit.netlists.netlist import Netlist


def system_of(netlist: Netlist, stated: Sequence[Stated]) -> System:
    return lower_all(checked(netlist), stated)


def systems_of(netlist: Netlist, stated: Sequence[Stated]) -> list[System]:
    return lower_each(checked(netlist), stated)
