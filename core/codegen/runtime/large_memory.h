#pragma once
// Memory for what kernels stream through: weights, activations, scratch.

#include <cstddef>

namespace loopscope {

/// Aligned for any vector; to be given to std::free. From 2 MiB on it asks for the system's large pages, as a network
/// reads all of its weights in each run, and every small page of them costs a walk through the page tables. Null: there
/// is none.
void *allocateLarge(size_t bytes);

} // namespace loopscope
