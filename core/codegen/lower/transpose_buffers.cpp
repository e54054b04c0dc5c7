// Intermediates laid out along the vectors that fill them. A tile of results whose vectors run over channels, in a
// tensor whose rows are columns of a picture,
//
//     for y, x, vectorized c: acc[c, y, x] = acc[c, y, x] + ...
//
// would be loaded and stored an element at a time. Nobody else sees where its elements lie: with the strides of c last,
// every access is one vector, and whoever reads the tile in another order does so once. Rows that are read and written
// whole, as vectors of 28 elements, begin at whole vectors: otherwise most of their accesses would touch two cache
// lines.

#include "codegen/lower/index_digits.h"
#include "codegen/lower/passes.h"

#include "codegen/loop_ir/walk.h"
#include "language/expr/affine.h"

#include <algorithm>
#include <bit>
#include <map>

namespace loopscope {

namespace {

/// How often lanes run along a dimension.
struct Times {
    double all = 0;
    double wholeRows = 0; // as one vector
};
using AlongDimension = std::map<size_t, Times>;

class VectorAccesses {
  public:
    std::map<const Buffer *, AlongDimension> of;

    void walk(Stmt stmt) {
        const bool loop = stmt->kind == StmtKind::For;
        const double outside = m_times;
        const Expr around = m_lanes;
        if (loop) {
            m_times *= static_cast<double>(std::max<int64_t>(1, constantExtent(stmt)));
            if (stmt->loop == LoopKind::Vectorized) {
                m_lanes = stmt->var;
                m_length = constantExtent(stmt);
            }
        }
        if (m_lanes && stmt->kind == StmtKind::Store) {
            note(*stmt->buffer, stmt->index());
            noteLoads(stmt->value);
        }
        for (const Stmt child : stmt->body()) walk(child);
        m_times = outside;
        m_lanes = around;
    }

  private:
    void noteLoads(Expr e) {
        if (e->kind == ExprKind::Load) note(static_cast<const Buffer &>(*e->symbol), e->operands());
        for (const Expr operand : e->operands()) noteLoads(operand);
    }

    /// Counts where the lanes run through consecutive elements of exactly one dimension.
    void note(const Buffer &buffer, std::span<const Expr> indices) {
        if (buffer.scope == MemoryScope::Argument) return;
        std::optional<size_t> along;
        for (size_t d = 0; d < indices.size(); ++d) {
            if (!usesVar(indices[d], m_lanes)) continue;
            if (along || linearForm(indices[d], {}).coefficientOf(m_lanes) != 1) return;
            along = d;
        }
        if (!along) return;
        Times &times = of[&buffer][*along];
        times.all += m_times;
        if (m_length == buffer.shape[*along]) times.wholeRows += m_times;
    }

    double m_times = 1; // a statement runs
    Expr m_lanes;       // variable of the vector loop around it
    int64_t m_length = 0;
};

/// The strides of a tensor whose dimension `last` runs fastest in rows of `row` elements, the others in their order.
void layOut(Buffer &buffer, size_t last, int64_t row) {
    int64_t stride = row;
    for (size_t d = buffer.shape.size(); d > 0; --d) {
        if (d - 1 == last) continue;
        buffer.strides[d - 1] = stride;
        stride *= buffer.shape[d - 1];
    }
    buffer.strides[last] = 1;
}

/// Elements from row to row, so that none begins inside a vector; what that adds is kept in bounds.
int64_t alignedRow(int64_t length, int64_t lanes) {
    if (length < 2 || lanes < 2) return length;
    const auto whole = length <= lanes ? static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(length)))
                                       : (length + lanes - 1) / lanes * lanes;
    return 3 * whole <= 4 * length ? whole : length;
}

} // namespace

void transposeBuffers(LoopProgram &program, const PassContext &context) {
    VectorAccesses accesses;
    accesses.walk(program.root);
    for (const auto &buffer : program.buffers) {
        const auto found = accesses.of.find(buffer.get());
        if (found == accesses.of.end() || !isRowMajor(*buffer)) continue;
        const auto most = std::max_element(found->second.begin(), found->second.end(),
                                           [](const auto &a, const auto &b) { return a.second.all < b.second.all; });
        const size_t along = most->first;
        const bool already = std::all_of(buffer->shape.begin() + static_cast<std::ptrdiff_t>(along) + 1,
                                         buffer->shape.end(), [](int64_t extent) { return extent == 1; });
        const bool whole = 2 * most->second.wholeRows > most->second.all;
        const int64_t row =
            whole ? alignedRow(buffer->shape[along], context.target.vectorBytes / dtypeBytes(buffer->dtype))
                  : buffer->shape[along];
        if (!already || row != buffer->shape[along]) layOut(*buffer, along, row);
    }
}

} // namespace loopscope
