
#ifndef __CUDACC_RTC__ // the function of the host
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static void @CALLED@_must(cudaError_t status, const char *what) {
    if (status == cudaSuccess) return;
    fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
    exit(2);
}

extern "C" double @CALLED@(@TAKES@, int64_t calls) {
    const void *given[@COUNT@] = {@GIVEN@};
    const size_t bytes[@COUNT@] = {@BYTES@};
    void *held[@COUNT@];
    for (int i = 0; i < @COUNT@; ++i) {
        @CALLED@_must(cudaMalloc(&held[i], bytes[i]), "memory of the GPU");
        @CALLED@_must(cudaMemcpy(held[i], given[i], bytes[i], cudaMemcpyHostToDevice), "copying to the GPU");
    }
    @CALLED@_must(@LAUNCH@, "launching the kernels");
    @CALLED@_must(cudaDeviceSynchronize(), "running the kernels");
@BACK@    float milliseconds = 0;
    if (calls > 0) {
        cudaEvent_t before, after;
        @CALLED@_must(cudaEventCreate(&before), "an event");
        @CALLED@_must(cudaEventCreate(&after), "an event");
        @CALLED@_must(cudaEventRecord(before, 0), "an event");
        for (int64_t i = 0; i < calls; ++i) @CALLED@_must(@LAUNCH@, "launching the kernels");
        @CALLED@_must(cudaEventRecord(after, 0), "an event");
        @CALLED@_must(cudaEventSynchronize(after), "running the kernels");
        @CALLED@_must(cudaEventElapsedTime(&milliseconds, before, after), "an event");
        cudaEventDestroy(before);
        cudaEventDestroy(after);
    }
    for (int i = 0; i < @COUNT@; ++i) cudaFree(held[i]);
    return milliseconds * 1e-3;
}
#endif
