#pragma once
// The fixed parts of an exported network: its loader, its main, its CMake file. @NAME@, @INCLUDE@ and the other words
// between signs are filled in. Internal to export_sources.

namespace loopscope {

inline constexpr const char *kExportHeader = R"(/* @NETWORK@, made by Loopscope for @TARGET@.
@SIGNATURE@*/
#ifndef @GUARD@_H
#define @GUARD@_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct @NAME@_weights @NAME@_weights;

/* Weights from the file beside the sources, as the kernels read them. On failure it returns NULL, says why on standard
   error, and in @NAME@_last_error. */
@NAME@_weights *@NAME@_load(const char *path);
void @NAME@_unload(@NAME@_weights *weights);

/* Bytes that one run works in, aligned to 64. Runs at the same time need memory of their own. */
size_t @NAME@_workspace_bytes(void);

@PROTOTYPE@;
@PACKED@
#ifdef __cplusplus
}
#endif

#endif
)";

inline constexpr const char *kExportLoader = R"(@INCLUDE@ "@NAME@.h"

@INCLUDE@ "@NAME@_kernels.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WEIGHTS_BYTES @WEIGHTS@
#define WEIGHTS_HASH UINT64_C(@WEIGHTS_HASH@)
#define WORKSPACE_BYTES @WORKSPACE@
static const char kMagic[16] = "loopscope-net-1";

struct @NAME@_weights {
    unsigned char *data;
};

static _Thread_local char last_error[2048];

int @NAME@_fail(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(last_error, sizeof last_error, format, arguments);
    va_end(arguments);
    return -1;
}

const char *@NAME@_last_error(void) { return last_error; }

static uint64_t hash_of(const unsigned char *data, size_t bytes) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < bytes; ++i) hash = (hash ^ data[i]) * 0x100000001b3u;
    return hash;
}

@NAME@_weights *@NAME@_load(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) {
        @NAME@_fail("%s: cannot be opened", path);
        fprintf(stderr, "%s\n", last_error);
        return NULL;
    }
    char magic[16];
    uint64_t hash = 0;
    const size_t rounded = ((size_t)WEIGHTS_BYTES + 63) / 64 * 64 + 64;
    @NAME@_weights *weights = malloc(sizeof *weights);
    unsigned char *data = aligned_alloc(64, rounded);
    const char *problem = NULL;
    if (!weights || !data)
        problem = "no memory for the weights";
    else if (fread(magic, 1, sizeof magic, file) != sizeof magic || memcmp(magic, kMagic, sizeof magic) != 0)
        problem = "is no file of weights";
    else if (fread(&hash, sizeof hash, 1, file) != 1 || fread(data, 1, WEIGHTS_BYTES, file) != WEIGHTS_BYTES ||
             fgetc(file) != EOF)
        problem = "is not as long as the weights of this network";
    else if (hash_of(data, WEIGHTS_BYTES) != hash)
        problem = "is damaged: its check sum differs";
    else if (hash != WEIGHTS_HASH)
        problem = "holds the weights of another export; this code reads those it was exported with";
    fclose(file);
    if (problem) {
        @NAME@_fail("%s: %s", path, problem);
        fprintf(stderr, "%s\n", last_error);
        free(data);
        free(weights);
        return NULL;
    }
    weights->data = data;
    return weights;
}

void @NAME@_unload(@NAME@_weights *weights) {
    if (weights) free(weights->data);
    free(weights);
}

size_t @NAME@_workspace_bytes(void) { return WORKSPACE_BYTES; }

@PROTOTYPE@ {
    unsigned char *const arena = workspace;
    const unsigned char *const w = weights->data;
    (void)arena;
    (void)w;
@CALLS@}
)";

inline constexpr const char *kExportMain =
    R"(/* Runs @NETWORK@ on the inputs it was checked with, compares its outputs with the reference, and times it.
   Usage: @NAME@_main [runs [folder with @NAME@.weights and @NAME@.check]] */
#define _POSIX_C_SOURCE 200809L
@INCLUDE@ "@NAME@.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int by_size(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static void *memory(size_t bytes) {
    void *data = aligned_alloc(64, (bytes + 63) / 64 * 64 + 64);
    if (!data) {
        fprintf(stderr, "no memory\n");
        exit(1);
    }
    return data;
}

static void read_all(FILE *file, void *data, size_t bytes, const char *path) {
    if (fread(data, 1, bytes, file) == bytes) return;
    fprintf(stderr, "%s: is cut off\n", path);
    exit(1);
}

/* Both as doubles: the largest difference against the largest magnitude. */
static int compare(const char *name, const double *got, const double *wanted, size_t elements, double tolerance) {
    double difference = 0, magnitude = 0;
    for (size_t i = 0; i < elements; ++i) {
        if (isnan(got[i]) != isnan(wanted[i]) || (isinf(wanted[i]) && got[i] != wanted[i])) {
            printf("%s: WRONG: element %zu is %g instead of %g\n", name, i, got[i], wanted[i]);
            return 0;
        }
        if (!isfinite(wanted[i])) continue;
        if (fabs(got[i] - wanted[i]) > difference) difference = fabs(got[i] - wanted[i]);
        if (fabs(wanted[i]) > magnitude) magnitude = fabs(wanted[i]);
    }
    const double error = difference == 0 ? 0 : difference / magnitude;
    const int right = error <= tolerance;
    printf("%s: %s: largest error %.3g of its largest element, %.3g is allowed\n", name, right ? "right" : "WRONG", error,
           tolerance);
    return right;
}

int main(int argc, char **argv) {
    const int runs = argc > 1 ? atoi(argv[1]) : 20;
    const char *folder = argc > 2 ? argv[2] : ".";
    char path[4096];
    snprintf(path, sizeof path, "%s/@NAME@.weights", folder);
    @NAME@_weights *weights = @NAME@_load(path);
    if (!weights) return 1;
    snprintf(path, sizeof path, "%s/@NAME@.check", folder);
    FILE *check = fopen(path, "rb");
    if (!check) {
        fprintf(stderr, "%s: cannot be opened\n", path);
        return 1;
    }
    void *workspace = memory(@NAME@_workspace_bytes());
@BUFFERS@    @RUN@;
    int right = 1;
@COMPARES@    fclose(check);
    if (runs > 0) {
        double *times = memory((size_t)runs * sizeof *times);
        for (int i = 0; i < runs; ++i) {
            const double begin = seconds();
            @RUN@;
            times[i] = seconds() - begin;
        }
        qsort(times, (size_t)runs, sizeof *times, by_size);
        printf("%d runs: median %.3f ms, fastest %.3f ms\n", runs, 1e3 * times[runs / 2], 1e3 * times[0]);
        free(times);
    }
    @NAME@_unload(weights);
    return right ? 0 : 1;
}
)";

inline constexpr const char *kExportCMake =
    R"(# Builds @NETWORK@ as a library, and the program that checks and times it.
cmake_minimum_required(VERSION 3.16)
project(@NAME@ C)
set(CMAKE_C_STANDARD 17)
if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE Release)
endif()
find_package(OpenMP REQUIRED COMPONENTS C)
option(BUILD_SHARED_LIBS "A shared library" ON)
file(GLOB kernels CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/kernels/*.c)
find_package(Threads REQUIRED)
add_library(@NAME@ @NAME@.c @NAME@_packed.c ${kernels})
target_include_directories(@NAME@ PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
target_compile_options(@NAME@ PRIVATE -O3 -march=native -ffp-contract=fast)
target_link_libraries(@NAME@ PRIVATE OpenMP::OpenMP_C Threads::Threads ${CMAKE_DL_LIBS} m)
# Threads of OpenMP wait in its library, which would be unloaded with the last that needs it, while they run.
target_link_options(@NAME@ PRIVATE -Wl,-z,nodelete)
add_executable(@NAME@_main main.c)
target_link_libraries(@NAME@_main PRIVATE @NAME@ m)
enable_testing()
add_test(NAME @NAME@ COMMAND @NAME@_main 1 ${CMAKE_CURRENT_SOURCE_DIR})
)";

} // namespace loopscope
