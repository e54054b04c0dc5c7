#include "codegen/lower/combine_parts.h"

#include "codegen/loop_ir/walk.h"
#include "language/expr/walk.h"

#include <algorithm>
#include <bit>

namespace loopscope {

namespace {

constexpr int64_t kMaxGroups = 32; // whose values each thread takes, rather than halving them step by step
constexpr int64_t kMaxTaken = 4;   // one after the other, rather than by shuffles

bool powerOfTwo(int64_t n) { return n > 0 && std::has_single_bit(static_cast<uint64_t>(n)); }

class PartsWriter {
  public:
    PartsWriter(const ThreadParts &parts, MeetingAxis axis, std::vector<Stmt> &out)
        : m_parts(parts), m_axis(axis), m_number(parts.threads.at(ThreadCounts::indexOf(axis.axis))), m_out(out) {}

    void shuffles() { shuffle(m_axis.extent, stride()); }

    void groups(int64_t group) {
        const int64_t groups = m_axis.extent / group;
        shuffle(group, stride());
        share(groups);
        Expr first;
        if (group > 1) first = fold(ExprKind::Eq, floorMod(m_number, group), makeInt(0));
        if (m_parts.counts.of(m_axis.axis) > m_axis.extent) {
            const Expr inside = fold(ExprKind::Lt, m_number, makeInt(m_axis.extent));
            first = first ? logicalAnd(first, inside) : inside;
        }
        const Stmt own = toShared(floorDiv(m_number, group));
        m_out.push_back(first ? makeIf(first, own) : own);
        const bool shuffled = groups > kMaxTaken && stride() == 1 && m_parts.wholeRegisters && powerOfTwo(groups) &&
                              groups <= m_parts.warp && m_parts.counts.of(m_axis.axis) % groups == 0;
        take(shuffled ? floorMod(m_number, groups) : makeInt(0));
        if (shuffled) return shuffle(groups, 1);
        for (int64_t other = 1; other < groups; ++other) {
            std::vector<Expr> left;
            std::vector<Expr> right;
            for (size_t k = 0; k < outputs(); ++k) {
                left.push_back(partial(k));
                right.push_back(shared(k, makeInt(other)));
            }
            m_out.push_back(combined(left, right, [&](size_t k, Expr value) { return toPartial(k, value); }));
        }
    }

    void tree() {
        share(m_axis.extent);
        const Stmt own = toShared(m_number);
        const bool all = m_parts.counts.of(m_axis.axis) == m_axis.extent;
        m_out.push_back(all ? own : makeIf(fold(ExprKind::Lt, m_number, makeInt(m_axis.extent)), own));
        int64_t left = m_axis.extent;
        while (left > 2) {
            const auto half = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(left)) / 2);
            std::vector<Expr> lower;
            std::vector<Expr> upper;
            for (size_t k = 0; k < outputs(); ++k) {
                lower.push_back(shared(k, m_number));
                upper.push_back(shared(k, m_number + half));
            }
            const Stmt step = combined(
                lower, upper, [&](size_t k, Expr value) { return made(*m_shared[k], sharedIndices(m_number), value); });
            m_out.push_back(makeIf(fold(ExprKind::Lt, m_number, makeInt(left - half)), step));
            left = half;
        }
        std::vector<Expr> first;
        std::vector<Expr> second;
        for (size_t k = 0; k < outputs(); ++k) {
            first.push_back(shared(k, makeInt(0)));
            second.push_back(shared(k, makeInt(1)));
        }
        m_out.push_back(combined(first, second, [&](size_t k, Expr value) { return toPartial(k, value); }));
    }

  private:
    [[nodiscard]] size_t outputs() const { return m_parts.partial.size(); }
    [[nodiscard]] int64_t stride() const { return m_parts.counts.strideOf(m_axis.axis); }
    /// As the thread's own part, what stands there in shared memory.
    void take(Expr which) {
        std::vector<Stmt> stores;
        for (size_t k = 0; k < outputs(); ++k) stores.push_back(toPartial(k, shared(k, which)));
        m_out.push_back(makeBlock(stores));
    }
    [[nodiscard]] Expr partial(size_t k) const { return makeLoad(*m_parts.partial[k], m_parts.indices); }
    [[nodiscard]] Stmt toPartial(size_t k, Expr value) const {
        return made(*m_parts.partial[k], m_parts.indices, value);
    }
    static Stmt made(const Buffer &buffer, std::span<const Expr> indices, Expr value) {
        return makeStore(buffer, indices, value, StageId());
    }

    /// Butterflies among `group` threads that are `stride` lanes apart.
    void shuffle(int64_t group, int64_t stride) {
        for (int64_t distance = group / 2; distance > 0; distance /= 2) {
            std::vector<Expr> own;
            std::vector<Expr> other;
            std::vector<Stmt> fetched;
            for (size_t k = 0; k < outputs(); ++k) {
                own.push_back(partial(k));
                const std::array<Expr, 2> args = {own.back(), makeInt(distance * stride)};
                const Expr shuffled = makeCall(Intrinsic::ShuffleXor, own.back()->dtype, args);
                if (m_parts.other.empty()) {
                    other.push_back(shuffled);
                    continue;
                }
                const std::array<Expr, 1> element = {makeInt(0)};
                fetched.push_back(made(*m_parts.other[k], element, shuffled));
                other.push_back(makeLoad(*m_parts.other[k], element));
            }
            if (!m_parts.other.empty()) {
                // The same value on the left in both threads, lest a combiner that prefers its left one leaves them
                // with different results.
                m_out.push_back(makeBlock(fetched));
                const Expr upper = fold(ExprKind::Ge, floorMod(m_number, 2 * distance), makeInt(distance));
                for (size_t k = 0; k < outputs(); ++k) {
                    const Expr left = makeSelectNode(upper, other[k], own[k]);
                    other[k] = makeSelectNode(upper, own[k], other[k]);
                    own[k] = left;
                }
            }
            m_out.push_back(combined(own, other, [&](size_t k, Expr value) { return toPartial(k, value); }));
        }
    }

    /// The stores of all outputs, whose values are taken before the first is overwritten.
    template <typename StoreOf>
    Stmt combined(const std::vector<Expr> &left, const std::vector<Expr> &right, const StoreOf &storeOf) const {
        const Combiner &combiner = m_parts.combiner;
        Substitution values;
        std::vector<std::pair<Expr, Expr>> kept;
        const auto bind = [&](Expr var, Expr value) {
            if (m_parts.other.empty()) return values.emplace_back(var.node(), value);
            kept.emplace_back(makeVar(var->name(), value->dtype), value);
            return values.emplace_back(var.node(), kept.back().first);
        };
        for (size_t k = 0; k < outputs(); ++k) {
            bind(combiner.left[k], left[k]);
            bind(combiner.right[k], right[k]);
        }
        std::vector<Stmt> stores;
        for (size_t k = 0; k < outputs(); ++k) stores.push_back(storeOf(k, substitute(combiner.result[k], values)));
        Stmt body = makeBlock(stores);
        for (size_t i = kept.size(); i-- > 0;) body = makeLetStmt(kept[i].first, kept[i].second, body);
        return body;
    }

    void share(int64_t values) {
        std::vector<int64_t> shape;
        for (const LoopKind axis : {LoopKind::ThreadZ, LoopKind::ThreadY, LoopKind::ThreadX})
            if (axis != m_axis.axis && m_parts.counts.of(axis) > 1) shape.push_back(m_parts.counts.of(axis));
        shape.push_back(values);
        for (size_t k = 0; k < outputs(); ++k) m_shared.push_back(&m_parts.share(k, shape));
    }
    [[nodiscard]] std::vector<Expr> sharedIndices(Expr last) const {
        std::vector<Expr> indices;
        for (const LoopKind axis : {LoopKind::ThreadZ, LoopKind::ThreadY, LoopKind::ThreadX})
            if (axis != m_axis.axis && m_parts.counts.of(axis) > 1)
                indices.push_back(m_parts.threads.at(ThreadCounts::indexOf(axis)));
        indices.push_back(last);
        return indices;
    }
    [[nodiscard]] Expr shared(size_t k, Expr last) const { return makeLoad(*m_shared[k], sharedIndices(last)); }
    [[nodiscard]] Stmt toShared(Expr last) const {
        std::vector<Stmt> stores;
        for (size_t k = 0; k < outputs(); ++k) stores.push_back(made(*m_shared[k], sharedIndices(last), partial(k)));
        return makeBlock(stores);
    }

    const ThreadParts &m_parts;
    MeetingAxis m_axis;
    Expr m_number; // of the thread along the axis
    std::vector<const Buffer *> m_shared;
    std::vector<Stmt> &m_out;
};

} // namespace

Meeting meetingOf(MeetingAxis axis, const ThreadCounts &counts, int64_t warp, bool wholeRegisters, bool forAll) {
    const int64_t count = counts.of(axis.axis);
    const int64_t stride = counts.strideOf(axis.axis);
    int64_t group = 1;
    if (wholeRegisters && powerOfTwo(stride))
        while (group * 2 * stride <= warp && axis.extent % (group * 2) == 0 && count % (group * 2) == 0) group *= 2;
    if (group == axis.extent && (count == axis.extent || !forAll)) return {Meeting::Kind::Shuffles, group};
    if (axis.extent / group <= kMaxGroups) return {Meeting::Kind::Groups, group};
    return {Meeting::Kind::Tree, 1};
}

void combineParts(const ThreadParts &parts, MeetingAxis axis, Meeting meeting, std::vector<Stmt> &out) {
    PartsWriter writer(parts, axis, out);
    switch (meeting.kind) {
    case Meeting::Kind::Shuffles:
        return writer.shuffles();
    case Meeting::Kind::Groups:
        return writer.groups(meeting.group);
    case Meeting::Kind::Tree:
        return writer.tree();
    }
}

} // namespace loopscope
