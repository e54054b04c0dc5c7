#pragma once
// How rows of two aligned texts are drawn: those on screen and nothing else, however long the texts are.

#include "views/compare/aligned_text.h"
#include "views/settings/theme.h"
#include "views/text/code_language.h"

#include <QRect>

#include <array>
#include <set>
#include <vector>

class QPainter;

namespace loopscope {

struct DiffMatch {
    AlignedText::Side side;
    int line;
    int row;
    int at; // byte in its line
    int length;
};

/// Where everything stands, and what stands out.
struct DiffScene {
    const Theme &theme;
    const AlignedText &text;
    std::array<CodeLanguage, 2> languages; // by side
    QRect panes[2];
    QRect strip;   // overview at the right
    int gutter;    // numbers and signs, at the left of a pane
    int height;    // of a row
    qreal advance; // of a character
    int firstRow;  // on screen
    int page;      // rows on screen
    int across;    // pixels both texts are scrolled to the left by
    AlignedText::Side side;
    int current; // row
    int anchor;  // the other end of what is chosen
    bool focused;
    const std::set<int> *marked;           // numbers of lines, by side
    const std::vector<DiffMatch> &matches; // by row
    int match;                             // the current one, -1 none
};

void paintDiff(QPainter &painter, const DiffScene &scene);

} // namespace loopscope
