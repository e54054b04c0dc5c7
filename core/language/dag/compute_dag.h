#pragma once
// The ComputeDAG: ops in Ansor's order (which is the stage numbering), their analysis, text, key and FLOP count.
// Immutable and shared between threads; steps that add stages make a new one (schedule/derive_dag.h).

#include "language/dag/access.h"
#include "language/te/op.h"
#include "language/te/workload.h"

#include <memory>
#include <string>
#include <vector>

namespace loopscope {

enum class DagTextMode : uint8_t { Normal, Simple };

class ComputeDag;
class DerivationTable; // language/dag/derivation_table.h
using DagPtr = std::shared_ptr<const ComputeDag>;

class ComputeDag {
  public:
    /// Ops are in Ansor's order (language/dag/op_order.h) from the outputs among `args`. Throws Error for a cycle, for
    /// two axes of one op with one name, for a load whose rank differs from its tensor's or that can never be inside
    /// it.
    static DagPtr fromWorkload(const Workload &workload);
    static DagPtr fromArgs(std::vector<const Tensor *> args, std::vector<OpPtr> ops, std::vector<ArenaPtr> arenas,
                           std::string name, const WorkloadPlaces *places = nullptr);
    /// With the given op order kept as it is: for DAGs derived by cache read/write and rfactor, whose stage numbers the
    /// steps define.
    static DagPtr fromOrderedOps(std::vector<OpPtr> ops, std::vector<const Tensor *> args, std::vector<ArenaPtr> arenas,
                                 std::string name);

    [[nodiscard]] const std::string &name() const { return m_name; }
    [[nodiscard]] const std::vector<OpPtr> &ops() const { return m_ops; }
    [[nodiscard]] const Op &op(size_t i) const { return *m_ops[i]; }
    [[nodiscard]] size_t size() const { return m_ops.size(); }
    /// Kernel arguments and key order: placeholders, then outputs.
    [[nodiscard]] const std::vector<const Tensor *> &args() const { return m_args; }
    [[nodiscard]] int indexOf(const Op *op) const; // -1 when absent
    [[nodiscard]] const std::vector<ArenaPtr> &arenas() const { return m_arenas; }

    /// Access analysis of op i (language/dag/access.h), computed at construction.
    [[nodiscard]] const OpAccess &access(size_t i) const { return m_access[i]; }

    /// The text TVM prints for a ComputeDAG, one op a line; no line is shortened.
    [[nodiscard]] std::string text(DagTextMode mode) const;
    /// 32 hex digits: MD5 of the simple text.
    [[nodiscard]] std::string hash() const;
    /// `["hash", [shape], ...]` with `, ` separators.
    [[nodiscard]] std::string key() const;
    /// Ansor's FLOP count (language/dag/flops.cpp); -1 when it cannot be counted.
    [[nodiscard]] double flops() const;
    /// Those of op i alone; -1 when they cannot be counted.
    [[nodiscard]] double flopsOf(size_t i) const;

    /// What steps have derived from this DAG; it lives as long.
    [[nodiscard]] DerivationTable &derived() const { return *m_derived; }

  private:
    ComputeDag();
    void analyse();
    std::string m_name;
    std::vector<OpPtr> m_ops;
    std::vector<const Tensor *> m_args;
    std::vector<ArenaPtr> m_arenas;
    std::vector<OpAccess> m_access;
    std::shared_ptr<DerivationTable> m_derived;
};

} // namespace loopscope
