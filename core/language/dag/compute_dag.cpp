#include "language/dag/compute_dag.h"

#include "language/dag/derivation_table.h"

#include "base/check.h"
#include "language/dag/analyse_access.h"
#include "language/dag/dag_text.h"
#include "language/dag/flops.h"
#include "language/dag/op_order.h"
#include "language/dag/validate.h"

#include <unordered_map>

namespace loopscope {

ComputeDag::ComputeDag() : m_derived(std::make_shared<DerivationTable>()) {}

DagPtr ComputeDag::fromWorkload(const Workload &workload) {
    return fromArgs(workload.args, workload.ops, {workload.arena}, workload.name, workload.places.get());
}

DagPtr ComputeDag::fromArgs(std::vector<const Tensor *> args, std::vector<OpPtr> ops, std::vector<ArenaPtr> arenas,
                            std::string name, const WorkloadPlaces *places) {
    std::unordered_map<const Op *, OpPtr> owners;
    for (OpPtr &op : ops) owners.emplace(op.get(), std::move(op));
    std::vector<OpPtr> ordered;
    for (const Op *op : ansorOrder(args)) {
        const auto owner = owners.find(op);
        LOOPSCOPE_CHECK(owner != owners.end(), "op '" + op->name + "' is read but not among the given ops");
        ordered.push_back(owner->second);
    }
    validateOps(ordered, places);
    validateArgs(ordered, args);
    return fromOrderedOps(std::move(ordered), std::move(args), std::move(arenas), std::move(name));
}

DagPtr ComputeDag::fromOrderedOps(std::vector<OpPtr> ops, std::vector<const Tensor *> args,
                                  std::vector<ArenaPtr> arenas, std::string name) {
    const std::shared_ptr<ComputeDag> dag(new ComputeDag);
    dag->m_name = std::move(name);
    dag->m_ops = std::move(ops);
    dag->m_args = std::move(args);
    dag->m_arenas = std::move(arenas);
    dag->analyse();
    return dag;
}

int ComputeDag::indexOf(const Op *op) const {
    for (size_t i = 0; i < m_ops.size(); ++i)
        if (m_ops[i].get() == op) return static_cast<int>(i);
    return -1;
}

void ComputeDag::analyse() { m_access = analyseAccesses(m_ops); }

std::string ComputeDag::text(DagTextMode mode) const { return dagText(*this, mode); }

std::string ComputeDag::hash() const { return dagHash(*this); }

std::string ComputeDag::key() const { return dagKey(*this); }

double ComputeDag::flops() const { return loopscope::flopsOf(*this); }

double ComputeDag::flopsOf(size_t i) const { return loopscope::flopsOf(*m_ops[i]); }

} // namespace loopscope
