#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Loads, uses and unloads the module again and again while interrupts come in, ends its users
# orderly, by close and by SIGKILL, and looks into the kernel log for complaints. As modes.sh:
#
#	reload.sh FOLDER TIMES

folder=$1
times=$2
failed=0
output=$(mktemp)

lrig() { "$folder/lrig-test" "$@" >"$output" || bad "lrig-test $*: $(cat "$output")"; }

bad() {
    echo "FAIL turn $turn: $*"
    failed=1
}

# The port's three states in turn; `mode` answers in the handler, `via` is for thread and work item.
load() {
    insmod "$folder/parport.ko" || bad "parport does not load"
    case $((turn % 3)) in
        0)
            insmod "$folder/parport_pc.ko" || bad "parport_pc does not load"
            mode=0 via=16
            ;;
        1)
            insmod "$folder/parport_pc.ko" io=0x378 irq=none || bad "parport_pc does not load"
            mode=$((1 + turn / 3 % 2)) via=0
            ;;
        2) mode=1 via=0 ;;
    esac
    insmod "$folder/latency_rig.ko" || bad "latency_rig does not load"
}

# In use and armed, neither the module nor the port's driver may go; then the user is killed.
kill_user() {
    "$folder/lrig-test" hold mode=$mode wait_ms=60000 >"$output" &
    user=$!
    until grep -q -e HOLDING -e FAIL "$output"; do :; done
    "$folder/lrig-test" info >/dev/null && bad "opened twice"
    rmmod latency_rig 2>/dev/null && bad "unloaded while in use"
    [ $((turn % 3)) = 2 ] || ! rmmod parport_pc 2>/dev/null || bad "parport_pc unloaded while armed"
    kill -9 $user
    wait $user 2>/dev/null
}

unload() {
    rmmod latency_rig || bad "latency_rig does not unload"
    [ $((turn % 3)) = 2 ] || rmmod parport_pc || bad "parport_pc does not unload"
    rmmod parport || bad "parport does not unload"
}

turn=0
while [ $turn -lt "$times" ]; do
    load
    lrig run mode=$mode wait_ms=20
    grep -q "handled=0 " "$output" && bad "no interrupts"
    for later in 3 4; do
        lrig run mode=$later flags=$via wait_ms=5
        lrig hold mode=$later flags=$via wait_ms=5
    done
    kill_user
    lrig run mode=5 period_ns=100000 wait_ms=3
    unload
    turn=$((turn + 1))
done

# Not a mere "lockup" or "stall": these may be words of the kernel's command line.
complaints="WARNING:|BUG:|Oops|Call Trace|LOCKUP|detected stall|detected expedited stall"
complaints="$complaints|sleeping function|scheduling while atomic|nobody cared|Disabling IRQ"
dmesg | grep -E "$complaints" && bad "kernel log"
rm "$output"
[ $failed = 0 ] && echo "RELOADED $turn times" || echo "RELOADED with failures"
exit $failed
