# SPDX-License-Identifier: GPL-3.0-or-later
"""The time that one call of a service of the system takes."""

from __future__ import annotations

from rig.analysis.model.self_measurement import IterationPart, SelfMeasurement
from rig.limit_names import LATENCY
from rig.measurements.self_measured import MeasuredByTarget


class Services(MeasuredByTarget):
    """Calls of one service by a task, one after the other."""

    description = SelfMeasurement(
        name="services",
        title="one call of a service",
        variants={
            "pipe_write": "64 bytes into a pipe",
            "pipe_read": "64 bytes out of a pipe",
            "shared_memory": "64 bytes of shared memory, written and read",
            "memory_write": "64 bytes of shared memory, written",
            "memory_read": "64 bytes of shared memory, read",
            "mutex_lock": "pthread_mutex_lock of a free mutex",
            "mutex_unlock": "pthread_mutex_unlock, which nobody waits for",
            "semaphore_post": "sem_post of a semaphore that nobody waits for",
            "semaphore_wait": "sem_wait of a semaphore that need not be waited for",
            "queue_send": "64 bytes into a message queue (mq_send)",
            "queue_receive": "64 bytes out of a message queue (mq_receive)",
            "clock_gettime": "clock_gettime of CLOCK_MONOTONIC",
            "system_call": "getppid by a system call, the least that the kernel can do",
            "ioctl": "ioctl FIONREAD of a pipe",
            "port_write": "one write of the answering pins",
            "port_read": "one reading of the answering pins",
        },
        parts=(IterationPart(LATENCY, "call"),),
        by_answers=("port_write",),
    )
