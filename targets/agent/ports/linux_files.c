/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "linux_files.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#define PATH_BYTES 512

static const char *root = "";

void linux_files_root(const char *folder)
{
    root = folder;
}

static bool rooted(char *whole, const char *path)
{
    return snprintf(whole, PATH_BYTES, "%s%s", root, path) < PATH_BYTES;
}

int linux_file_open(const char *path)
{
    char whole[PATH_BYTES];
    return rooted(whole, path) ? open(whole, O_RDONLY | O_CLOEXEC) : -1;
}

bool linux_file_read(const char *path, char *text, size_t size)
{
    int file = linux_file_open(path);
    if (file < 0)
        return false;
    size_t used = 0;
    ssize_t count;
    while (used < size - 1 && (count = read(file, text + used, size - 1 - used)) > 0)
        used += (size_t)count;
    close(file);
    while (used && isspace((unsigned char)text[used - 1]))
        used--;
    text[used] = '\0';
    return true;
}

void linux_file_add(struct json *json, const char *key, const char *path)
{
    char text[FILE_TEXT_MAX];
    if (linux_file_read(path, text, sizeof text))
        json_string(json, key, text);
}

DIR *linux_folder(const char *path)
{
    char whole[PATH_BYTES];
    return rooted(whole, path) ? opendir(whole) : NULL;
}

struct dirent *linux_folder_next(DIR *folder)
{
    struct dirent *entry;
    do
        entry = readdir(folder);
    while (entry && entry->d_name[0] == '.');
    return entry;
}
