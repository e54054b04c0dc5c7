#pragma once
// Why a filter lets nothing through, or a word in it means nothing here.

#include "views/trials/filter_node.h"

#include <QString>

#include <memory>

namespace loopscope {

class TrialFacts;

/// See TrialFilter::hint.
QString filterHint(const std::shared_ptr<const FilterNode> &root, const TrialFacts &facts, bool nothingPasses);

} // namespace loopscope
