/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "kernel.h"

#define EXPORT __attribute__((visibility("default")))

/* Indexed by variant and bytes a sample - 1. */
static edges_kernel *const kernels[EDGES_VARIANTS][2] = {
#if EDGES_X86
    [EDGES_AVX512] = {edges_avx512_8, edges_avx512_16},
    [EDGES_AVX2] = {edges_avx2_8, edges_avx2_16},
    [EDGES_SSE2] = {edges_sse2_8, edges_sse2_16},
#endif
    [EDGES_PORTABLE] = {edges_portable_8, edges_portable_16},
};

EXPORT int edges_interface(void)
{
    return EDGES_INTERFACE;
}

EXPORT int edges_can_run(int variant)
{
    if (variant < 0 || variant >= EDGES_VARIANTS || kernels[variant][0] == NULL)
        return 0;
#if EDGES_X86
    /* All that avx512.c is compiled for; the operating system's part is looked at, too. */
    if (variant == EDGES_AVX512)
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
               __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vbmi2") &&
               __builtin_cpu_supports("avx512bitalg") && __builtin_cpu_supports("bmi") &&
               __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
    /* All that avx2.c is compiled for. */
    if (variant == EDGES_AVX2)
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
               __builtin_cpu_supports("popcnt");
#endif
    return 1;
}

EXPORT size_t edges_extract(int variant, int unit, const struct edges_input *input,
                            struct edges_output *output)
{
    if (!edges_can_run(variant) || unit < 1 || unit > 2)
        return 0;
    return kernels[variant][unit - 1](input, output);
}
