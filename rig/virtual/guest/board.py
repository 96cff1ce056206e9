# SPDX-License-Identifier: GPL-3.0-or-later
"""The machines that QEMU can be for a guest, and where the bench's wires meet their pins."""

from __future__ import annotations

import itertools
from collections.abc import Collection
from dataclasses import dataclass, replace

from rig.errors import InputError


@dataclass(frozen=True)
class MachineBoard:
    """One machine. Pins are numbers of bits in what the plugin says of them."""

    title: str
    qemu: str
    """QEMU's program for it."""
    qemu_package: str
    machine: tuple[str, ...]
    """QEMU's options for the machine itself."""
    link: tuple[str, ...]
    """QEMU's options that give the agent its serial port, on the character device `agent`."""
    console: str
    """Name of the serial port for the kernel's messages."""
    agent_tty: str
    """Name of the serial port of the agent."""
    modules: tuple[str, ...]
    """Kernel modules of its pins, in the order in which they are loaded."""
    response: int
    sequence: tuple[int, ...]
    """Bit 0 of the sequence first."""
    trigger: int
    task: int
    agent_pins: str = ""
    """Option of the agent for a port whose pins have no usual place."""
    plugin: str = ""
    """Further options of QEMU's plugin, each with a comma in front."""
    module_words: str = ""
    """Parameters of the rig's own kernel module, with semicolons between."""
    make_words: tuple[str, ...] = ()
    """Words for the make that builds it on this system."""
    clock_counts: bool = False
    """Whether the module counts by the kernel's clock and not by the processor's counter."""

    def sequence_pins(self, count: int, used: Collection[int] = ()) -> tuple[int, ...]:
        """Pins of `count` sequence wires beside others in use. Raises InputError for too many."""
        free = tuple(itertools.takewhile(lambda pin: pin not in used, self.sequence))
        if count > len(free):
            kept = " that no trigger or task uses" if len(free) < len(self.sequence) else ""
            raise InputError(
                f"{count} sequence wires, but {self.title} has {len(free)} pins for them{kept}; "
                f"wire sequence0 to sequence{len(free) - 1} at most"
            )
        return free[:count]


PC = MachineBoard(
    title="the guest's parallel port",
    qemu="qemu-system-x86_64",
    qemu_package="qemu-system-x86",
    # QEMU's own parallel port has no pins; it stays for its entry in the ACPI tables.
    machine=(
        *("-cpu", "max", "-M", "pc"),
        *("-chardev", "null,id=pins", "-device", "isa-parallel,chardev=pins"),
    ),
    link=("-serial", "chardev:agent"),
    console="ttyS0",
    agent_tty="ttyS1",
    modules=("parport", "parport_pc", "ppdev"),
    response=0,
    sequence=(1, 2, 3, 4, 5, 6, 7),
    trigger=6,
    task=7,
)
"""A PC with a parallel port: pins are those of its data register, the interrupt line is nACK."""

PC_SERIAL = replace(
    PC,
    title="the guest's serial port",
    machine=(
        *("-cpu", "max", "-M", "pc", "-chardev", "null,id=pins"),
        *("-device", "isa-serial,index=2,iobase=0x3e8,irq=7,chardev=pins"),
    ),
    modules=(),
    sequence=(1,),
    trigger=1,
    task=1,
    plugin=",serial=1",
)
"""A PC with a third serial port: pins are RTS and DTR, the interrupt line is all four inputs."""

PC_SERIAL_MODULE = replace(
    PC_SERIAL, module_words="base=0x3e8;irq=7", make_words=("LRIG_PORT=serial",)
)
"""The same for the kernel module."""

VIRT = MachineBoard(
    title="the guest's GPIO controller",
    qemu="qemu-system-aarch64",
    qemu_package="qemu-system-arm",
    machine=("-cpu", "cortex-a57", "-M", "virt"),
    # Its second UART is the secure world's: the agent's is a card.
    link=("-device", "pci-serial,chardev=agent"),
    console="ttyAMA0",
    agent_tty="ttyS0",
    modules=(),
    # The kernel writes lines that change together one by one, in order of their numbers: the
    # response comes behind the sequence.
    response=4,
    sequence=(0, 1, 2),
    trigger=6,
    task=7,
    agent_pins="response=4,sequence=0:1:2,interrupt=5,trigger=6",
    module_words="chip=9030000.pl061;response=4;sequence=0,1,2;interrupt=5;trigger=6;task=7",
    make_words=("ARCH=arm64", "CROSS_COMPILE=aarch64-linux-gnu-"),
    clock_counts=True,
)
"""QEMU's own ARM machine with a PL061: pins are its lines but for 3, a key; line 5 interrupts."""

BOARDS = {"amd64": PC, "arm64": VIRT}
"""The boards by Debian's name of the architecture."""
_OF_PORTS = {"serial": PC_SERIAL, "kmod-serial": PC_SERIAL_MODULE}
"""Those of ports that not every machine of the architecture has."""


def board_of(architecture: str, port: str) -> MachineBoard:
    """Return the machine on which an agent has the pins of this port."""
    return _OF_PORTS.get(port, BOARDS[architecture])
