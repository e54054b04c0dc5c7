#pragma once
// The functions of oneDNN's C interface that the baseline calls, found at run time; types and enumerators come from the
// headers of libdnnl-dev. Objects are shared handles that know how to destroy themselves.

#include "base/outcome.h"
#include "measure/baselines/shared_library.h"

#include <oneapi/dnnl/dnnl.h>

#include <memory>
#include <string>
#include <type_traits>

namespace loopscope {

// Each name NAME is the function dnnl_NAME.
#define LOOPSCOPE_DNNL_FUNCTIONS(X)                                                                                    \
    X(version)                                                                                                         \
    X(engine_create)                                                                                                   \
    X(engine_destroy)                                                                                                  \
    X(stream_create)                                                                                                   \
    X(stream_wait)                                                                                                     \
    X(stream_destroy)                                                                                                  \
    X(memory_desc_init_by_strides)                                                                                     \
    X(memory_desc_init_by_tag)                                                                                         \
    X(memory_desc_equal)                                                                                               \
    X(memory_create)                                                                                                   \
    X(memory_destroy)                                                                                                  \
    X(matmul_desc_init)                                                                                                \
    X(softmax_forward_desc_init)                                                                                       \
    X(reduction_desc_init)                                                                                             \
    X(dilated_convolution_forward_desc_init)                                                                           \
    X(dilated_deconvolution_forward_desc_init)                                                                         \
    X(post_ops_create)                                                                                                 \
    X(post_ops_append_binary)                                                                                          \
    X(post_ops_append_eltwise)                                                                                         \
    X(post_ops_append_sum)                                                                                             \
    X(post_ops_destroy)                                                                                                \
    X(primitive_attr_create)                                                                                           \
    X(primitive_attr_set_post_ops)                                                                                     \
    X(primitive_attr_destroy)                                                                                          \
    X(primitive_desc_create)                                                                                           \
    X(primitive_desc_query)                                                                                            \
    X(primitive_desc_query_md)                                                                                         \
    X(primitive_desc_destroy)                                                                                          \
    X(reorder_primitive_desc_create)                                                                                   \
    X(primitive_create)                                                                                                \
    X(primitive_execute)                                                                                               \
    X(primitive_destroy)

template <typename Handle> using DnnlObject = std::shared_ptr<std::remove_pointer_t<Handle>>;

struct DnnlLibrary {
#define LOOPSCOPE_DNNL_FIELD(NAME) decltype(&::dnnl_##NAME) NAME = nullptr; // NOLINT(bugprone-macro-parentheses)
    LOOPSCOPE_DNNL_FUNCTIONS(LOOPSCOPE_DNNL_FIELD)
#undef LOOPSCOPE_DNNL_FIELD
    /// Of the OpenMP library that oneDNN itself calls; it counts per calling thread.
    void (*ompSetThreads)(int) = nullptr;
    int (*ompThreadNumber)() = nullptr;
    /// GCC's entry to a parallel region, which LLVM's OpenMP library has as well.
    void (*ompParallel)(void (*body)(void *), void *data, unsigned threads, unsigned flags) = nullptr;
    DnnlObject<dnnl_engine_t> engine;
    DnnlObject<dnnl_stream_t> stream;

    /// From here on the calling thread's primitives are made for, and run with, this many threads.
    void useThreads(int threads) const;
    /// Starts the workers and keeps each on a processor of its own.
    void spreadWorkers(int threads) const;

    static Outcome<std::shared_ptr<const DnnlLibrary>> open();
};

/// Throws Error naming the call and its status unless it succeeded.
void requireDnnl(dnnl_status_t status, const char *call);

} // namespace loopscope
