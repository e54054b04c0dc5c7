#pragma once
// The words offered while a `.te` text is typed: operators with their signatures, functions, keywords, types, and the
// names the text itself defines.

#include "views/computation/text_outline.h"

#include <QString>

#include <utility>
#include <vector>

namespace loopscope {

/// Word and what is shown beside it, in alphabetical order, every word once; names of the text come before operators
/// of the same name.
std::vector<std::pair<QString, QString>> completionWords(const TextOutline &outline);

} // namespace loopscope
