#pragma once
// Why a node has its implementation, as a page: every condition with the values of its clauses, every candidate with
// its rank, exactness and evidence, and why it is not the one. Candidates that may be chosen have a link, "pin:NAME"; a
// pin can be taken away by "unpin:".

#include "networks/strategy/decision.h"
#include "views/settings/theme.h"

#include <QString>

namespace loopscope {

QString choicePage(const Decision &decision, const Theme &theme);

} // namespace loopscope
