/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gives files to a target once each, where there is no libFuzzer. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int main(int count, char **paths)
{
    for (int i = 1; i < count; i++) {
        FILE *file = fopen(paths[i], "rb");
        long size;
        uint8_t *data;

        if (file == NULL || fseek(file, 0, SEEK_END) != 0 || (size = ftell(file)) < 0)
            return 2;
        rewind(file);
        data = malloc((size_t)size);
        if ((data == NULL && size > 0) || fread(data, 1, (size_t)size, file) != (size_t)size)
            return 2;
        fclose(file);
        LLVMFuzzerTestOneInput(data, (size_t)size);
        free(data);
        puts(paths[i]);
    }
    return 0;
}
