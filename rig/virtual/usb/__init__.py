# SPDX-License-Identifier: GPL-3.0-or-later
"""Logic analyzers on an emulated USB, read by libsigrok's own drivers through libusb."""
