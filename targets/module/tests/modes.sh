#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Every mode for a while, in each state the parallel port can be in: its interrupt held by
# parport_pc, the port driven by parport_pc without interrupt, no parport_pc at all. For a machine
# of its own whose port gets interrupts whenever they are enabled (control bit 4), as root:
#
#	modes.sh FOLDER WAIT_MS [EXPECT]
#
# FOLDER holds parport.ko, parport_pc.ko, latency_rig.ko and lrig-test. With EXPECT each run must
# have counted that many interrupts. Exit code 1 if a check failed.

folder=$1
wait_ms=$2
expect=${3:+expect=$3}
failed=0
RISING=1 VIA_PARPORT=16

output=$(mktemp)

# A serial console's own interrupts would disturb what is measured: it is written to at the end.
try() {
    {
        echo "== $*"
        "$folder/lrig-test" "$@" || failed=1
    } >>"$output"
}

load() {
    insmod "$folder/parport.ko" || failed=1
    [ "$1" = bare ] || insmod "$folder/parport_pc.ko" "$@" || failed=1
    insmod "$folder/latency_rig.ko" || failed=1
    try info
    try refuse
}

unload() {
    rmmod latency_rig || failed=1
    [ "$1" = bare ] || rmmod parport_pc || failed=1
    rmmod parport || failed=1
}

load
try run mode=0 sequence_bits=3 wait_ms="$wait_ms" $expect
try run mode=0 capacity=10 wait_ms="$wait_ms" $expect
try run mode=3 flags=$VIA_PARPORT wait_ms="$wait_ms" $expect
try run mode=4 flags=$VIA_PARPORT wait_ms="$wait_ms" $expect
try run mode=5 period_ns=500000 count=100 wait_ms=200 expect=100
unload

load io=0x378 irq=none
try run mode=1 sequence_bits=7 flags=$RISING wait_ms="$wait_ms" $expect
try run mode=2 wait_ms="$wait_ms" cpu=0 $expect
try run mode=3 wait_ms="$wait_ms" priority=80 $expect
try run mode=4 wait_ms="$wait_ms" cpu=0 $expect
try dispatch mode=1 wait_ms="$wait_ms" $expect
try dispatch mode=2 wait_ms="$wait_ms" $expect
try race mode=1 wait_ms=200
try race mode=3 wait_ms=200
unload

load bare
try run mode=1 wait_ms="$wait_ms" $expect
unload bare

cat "$output"
rm "$output"
[ $failed = 0 ] && echo "MODES all" || echo "MODES not all"
exit $failed
