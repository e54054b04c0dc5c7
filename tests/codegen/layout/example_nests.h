#pragma once
// The worked examples E1 to E9 of data layout: the loops they are stated for, small enough to be written down here.

#include "codegen/layout/access_nest.h"
#include "schedule/loop_state.h"

#include <string>

namespace loopscope {

/// A workload's text, and a script for its loops.
LoopState exampleState(const std::string &text, const std::string &script = {});
AccessNest exampleNest(const std::string &text, const std::string &script = {});
Layout exampleLayout(const std::string &text, std::vector<int64_t> shape);
/// The accesses of a tensor, of one op when named; stores when asked for.
std::vector<int> accessesOf(const AccessNest &nest, const std::string &tensor, const std::string &op = {});

/// C[i, j] += A[i, k] B[k, j], 16 x 1024 x 1024.
extern const std::string kExampleMatmul;
extern const std::string kLoopsOfE2;     // i, k, j with j a vector
extern const std::string kLoopsOfE3;     // j/16, i/4, k, (4 x 16)
extern const std::string kLoopsOfE3Rows; // the same with i/4 outermost
extern const std::string kExampleConv;   // 3x3, 64 -> 64, 28 x 28
extern const std::string kLoopsOfE4;     // vector over co
std::string exampleTranspose(int64_t n); // E5
extern const std::string kExampleE6;     // out[b, y, x] = in[x, y] b
extern const std::string kExampleE7;     // the same with b innermost
extern const std::string kExampleE8;     // two readers of opposite requests
extern const std::string kLoopsOfE8;
// With the stage that copies what is read into its transpose, as the rewrite has it.
std::string exampleTransposeCopied(int64_t n); // E5
extern const std::string kExampleE6Copied;
extern const std::string kExampleE7Copied;
extern const std::string kExampleE8Copied; // for the second reader
extern const std::string kLoopsOfE8Copied; // the copy in blocks of 16 x 16

} // namespace loopscope
