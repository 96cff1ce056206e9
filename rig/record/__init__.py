# SPDX-License-Identifier: GPL-3.0-or-later
"""The run file (HDF5): everything raw while the run goes on, everything computed when it is over.

Written in single-writer-multiple-reader mode, so another process can read it live and a crash
leaves a readable file. Layout in docs/reference/run-file.md. Raw data are never rewritten; the
computed groups can be made again from them at any time.
"""
