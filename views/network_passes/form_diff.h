#pragma once
// In what two forms of one network differ: nodes and constants found again by their names, which passes keep. Nothing
// is said of what is the same in both.

#include "networks/graph/function.h"

#include <QString>

#include <atomic>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace loopscope {

struct FormChange {
    enum class Kind : uint8_t { Gone, New, Changed };
    Kind kind = Kind::Gone;
    bool constant = false; // else a node
    QString name;
    QString before, after;         // "conv(x, w; pads 1, 1, 1, 1) → float32[1, 4, 8, 8]"; empty where there is none
    std::set<std::string> sources; // names of nodes in the file that a node stands for
};

struct FormDiff {
    /// Nodes in the order of the network, those that are gone where they were; then constants.
    std::vector<FormChange> changes;
    [[nodiscard]] size_t count(FormChange::Kind kind, bool constants) const;
};

/// For a job's thread; nothing when cancelled.
std::optional<FormDiff> compareForms(const GraphFunction &from, const GraphFunction &to,
                                     const std::atomic<bool> &cancelled);
/// "3 nodes gone, 1 new; 2 constants gone"
QString formDiffSentence(const FormDiff &diff);

} // namespace loopscope
