/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What tasks have in common lies in pages of its own, so that a port whose tasks may be processes can
 * share them: static struct { ... } WHOLE_PAGES name SHARED;
 */
#ifndef CORE_SHARED_H
#define CORE_SHARED_H

#define SHARED_PAGE_BYTES 4096
#define WHOLE_PAGES __attribute__((aligned(SHARED_PAGE_BYTES)))
#define SHARED __attribute__((section("shared_state")))

#endif
