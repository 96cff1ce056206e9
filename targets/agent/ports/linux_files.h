/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files of /proc and /sys, each read as one text. */
#ifndef PORTS_LINUX_FILES_H
#define PORTS_LINUX_FILES_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>

#include "../core/json.h"

#define FILE_TEXT_MAX 4096

/* For tests: where another system's /proc and /sys are, instead of in the root folder. */
void linux_files_root(const char *folder);

/* A descriptor to read from; below 0: it cannot be opened. */
int linux_file_open(const char *path);

/* The beginning of a file without blanks at its end; false if it cannot be read. */
bool linux_file_read(const char *path, char *text, size_t size);

/* Add the file's text; nothing if it cannot be read. */
void linux_file_add(struct json *json, const char *key, const char *path);

/* NULL if there is no such folder. */
DIR *linux_folder(const char *path);

/* The next entry of a folder that is not hidden; NULL: there are no more. */
struct dirent *linux_folder_next(DIR *folder);

#endif
