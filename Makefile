# SPDX-License-Identifier: GPL-3.0-or-later
# make run     measure once on the virtual bench          make test    all tests
# make setup   what both need; leaves .venv/bin/rig       make truth   the full truth matrix
# make bench   benchmarks                                 make fuzz    fuzzing, hours
# make explore properties on new examples                make mutation  changes that tests must notice
# make clean   remove what was built

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
JOBS ?= $(shell nproc)
# Tests wait a quarter of their time: one worker more than cores makes use of it.
WORKERS ?= $(shell expr $(JOBS) + 1)
# The tests of a file stay together for what they share, in the order of tests/conftest.py.
PYTEST := $(BIN)/pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder
# Many processes are started, and each would compile all modules again.
unexport PYTHONDONTWRITEBYTECODE
# Targets that do not depend on each other, on all cores; each shows what it said when it ends.
APART := $(MAKE) --no-print-directory --jobs $(JOBS) --output-sync=target
SUDO := $(shell [ "$$(id -u)" = 0 ] || echo sudo)

# What each package is for:
#   gcc make libc6-dev python3-venv               building and the virtual environment
#   libsigrok4 sigrok-cli sigrok-firmware-fx2lafw  analyzers; sigrok-cli is the tests' second opinion
#   umockdev                                      fixture virtual-fx2: an analyzer on an emulated USB
#   gcc-avr avr-libc binutils-avr                 firmware
#   libsimavr-dev                                 emulated microcontroller
#   libcmocka-dev                                 firmware's host tests
#   avrdude                                       flashing a board (rig stimulus flash)
APT := gcc make libc6-dev python3-venv \
       libsigrok4 sigrok-cli sigrok-firmware-fx2lafw umockdev \
       gcc-avr avr-libc binutils-avr libsimavr-dev libcmocka-dev avrdude
#   qemu-system-x86 -arm  real kernels as targets (fixtures qemu-debian, qemu-debian-arm64, ...)
#   gcc-aarch64-linux-gnu libc6-dev-arm64-cross  the agent for arm64
#   xz-utils              the kernels' modules
#   openssh-server, -client  a target behind ssh; the server is started by the tests only
#   xvfb and the libraries   a window without a screen
#   openbox xdotool x11-utils imagemagick   a window as a person uses it; iproute2: cutting a link
#   stress-ng             a load on the target; busybox reads the archive of a guest
APT_DEV := $(APT) qemu-system-x86 qemu-system-arm gcc-aarch64-linux-gnu libc6-dev-arm64-cross \
       xz-utils openssh-client openssh-server \
       xvfb xauth libegl1 libgl1 libdbus-1-3 libfontconfig1 fonts-dejavu-core libxkbcommon-x11-0 \
       libxcb-cursor0 libxcb-icccm4 libxcb-image0 libxcb-keysyms1 libxcb-render-util0 \
       libxcb-shape0 libxcb-xinerama0 openbox x11-utils xdotool imagemagick iproute2 \
       stress-ng busybox
#   clang libclang-rt-14-dev  fuzzing
APT_FUZZ := $(APT) clang libclang-rt-14-dev

.PHONY: run test setup setup-dev truth explore bench fuzz mutation clean apt apt-dev apt-fuzz native \
        check lint types test-firmware test-agent

run: setup
	$(BIN)/rig run interrupt --fixture virtual

setup: apt $(VENV)/.installed native

setup-dev: apt-dev $(VENV)/.installed-dev native

apt-dev: APT := $(APT_DEV)
apt-fuzz: APT := $(APT_FUZZ)

apt apt-dev apt-fuzz:
	@missing=$$(for p in $(APT); do dpkg-query -W -f='$${Status}' $$p 2>/dev/null \
	    | grep -q 'ok installed' || echo $$p; done); \
	if [ -n "$$missing" ]; then \
	    echo "installing" $$missing; \
	    $(SUDO) apt-get update -qq && \
	    DEBIAN_FRONTEND=noninteractive $(SUDO) apt-get install -y -qq --no-install-recommends $$missing >/dev/null; \
	fi

$(BIN)/python: | apt
	$(PYTHON) -m venv $(VENV)

NATIVE := $(wildcard rig/capture/native/*.[ch] rig/analysis/native/*.[ch] rig/record/native/*.[ch])

$(VENV)/.installed: pyproject.toml setup.py $(NATIVE) | $(BIN)/python
	$(BIN)/pip install --quiet --disable-pip-version-check -e .
	touch $@

$(VENV)/.installed-dev: pyproject.toml setup.py $(NATIVE) | $(BIN)/python
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[dev]'
	touch $@ $(VENV)/.installed

native: | apt
	@$(MAKE) -s --no-print-directory -C firmware all
	@$(MAKE) -s --no-print-directory -C firmware/emulator all
	@$(MAKE) -s --no-print-directory -C targets/agent all
	@$(MAKE) -s --no-print-directory -C targets/qemu all

check: setup-dev
	@$(APART) lint types

lint:
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/lint-imports --no-cache

types:
	$(BIN)/mypy

test-firmware:
	$(MAKE) -C firmware test

test-agent:
	$(MAKE) -C targets/agent test

test: setup-dev
	@$(APART) types test-agent lint test-firmware
	$(PYTEST) -m 'not truth and not slow'

truth: setup-dev
	$(PYTEST) -m 'truth or slow' --timeout 7200

# Properties on examples never drawn before.
explore: setup-dev
	$(BIN)/pytest -m 'hypothesis and not truth and not slow and not guest' --hypothesis-profile explore

bench: setup-dev
	$(BIN)/python -m benchmarks

fuzz: setup-dev apt-fuzz
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[fuzz]'
	$(BIN)/python -m tests.fuzz --seconds 600
	$(BIN)/python -m tests.fuzz.commands --count 20000

mutation: setup-dev
	$(BIN)/python -m tests.mutation

clean:
	$(MAKE) -C firmware clean
	$(MAKE) -C firmware/emulator clean
	$(MAKE) -C targets/agent clean
	$(MAKE) -C targets/qemu clean
	rm -rf rig/capture/native/build rig/analysis/native/build rig/record/native/build $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis .mutation
