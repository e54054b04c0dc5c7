#pragma once
// A vectorized loop as loads and stores of words:
//
//     *(float4 *)&A_shared[t*4] = *(const float4 *)&A[k*64 + t*4];
//
// or, where something is computed on the way, through arrays of the lanes, which become registers. Internal to codegen.

#include "codegen/cuda/kernel_text.h"

#include "language/expr/arena.h"

#include <memory>
#include <vector>

namespace loopscope {

class VectorText {
  public:
    explicit VectorText(CudaText &text) : m_text(text) {}

    /// False, with nothing written, where no access of the loop is one of words: it is a loop like others then.
    bool write(Stmt loop);

  private:
    struct Lanes; // a load whose elements lie in an array
    /// `braced`: a scope of its own stands around.
    void writeValue(Stmt loop, Stmt store, Expr value, bool braced);
    void writeComputed(Stmt loop, Stmt store, Expr value, bool braced);
    /// `*(float4 *)&S[..] = *(const float4 *)&A[..];`, in a loop where the lanes are several words.
    void moveWords(Stmt loop, DType type, int64_t wordBytes, const Buffer &to, std::span<const Expr> toIndices,
                   const Buffer &from, std::span<const Expr> fromIndices);
    std::string wordOf(const Buffer &buffer, std::span<const Expr> indices, Stmt loop, bool oneWord);
    const Buffer &lanesOf(const Buffer &buffer, int64_t count);

    CudaText &m_text;
    std::vector<std::unique_ptr<Buffer>> m_lanes;
};

} // namespace loopscope
