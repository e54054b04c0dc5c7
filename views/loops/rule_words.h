#pragma once
// The rules that made a sketch in few words: a network of a thousand small stages must not fill a header with their
// names.

#include <QString>
#include <QStringList>

#include <string>
#include <vector>

namespace loopscope {

/// "Tiling conv2d_nchw, 999 × AlwaysInline": each rule once, in the order first applied, with its stage when it was
/// applied to one alone.
QString rulesInShort(const std::vector<std::string> &rules);
/// One rule a line, at most `most` of them: for a tooltip.
QString rulesInFull(const std::vector<std::string> &rules, int most = 30);

} // namespace loopscope
