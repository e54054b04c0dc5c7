#pragma once
// The loops of a state in few lines: loops that stand together and are alike (one tile level of one stage) share a
// line, so that a tiled convolution of thirty loops reads as the seven levels it was made as. For previews and
// thumbnails; the exact text is LoopState::text.

#include "schedule/loop_state.h"
#include "views/settings/theme.h"

#include <QString>
#include <QStringList>

#include <vector>

namespace loopscope {

struct NestLine {
    int indent = 0;
    QString text; // "for ff.0, yy.0, xx.0", "conv2d = …"
    QString stage;
    Role role = Role::Serial; // Text: a statement
    bool fresh = false;       // the state before has no such line
};

struct Nest {
    std::vector<NestLine> lines;
    QStringList inlined; // stages computed where they are read
    bool open = false;   // some loops have no length yet
};

/// `before`: what `fresh` is compared with; null marks nothing.
Nest makeNest(const LoopState &state, const LoopState *before = nullptr);

/// Indentation and colour of each line alone: what a thumbnail needs, made in microseconds.
struct NestShape {
    struct Bar {
        int indent = 0;
        Role role = Role::Serial;
    };
    std::vector<Bar> bars;
};
NestShape makeNestShape(const LoopState &state);

} // namespace loopscope
