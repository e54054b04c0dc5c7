#pragma once
// Assembly as it is shown: all of it, or without what says nothing (directives, labels nobody jumps to), or only what
// was made from some lines of the program. Whatever is left out, the links of what stays are exact.

#include "measure/disassembly.h"
#include "views/program/representation_links.h"

#include <QString>

namespace loopscope {

enum class AssemblySyntax : uint8_t { X86, Ptx, Sass };

struct AssemblyFilter {
    bool instructionsOnly = false; // and the labels that are jumped to
    bool selectedOnly = false;     // lines made from `programLines`, with their labels
    LineRanges programLines = {};
    bool operator==(const AssemblyFilter &) const = default;
};

struct AssemblyText {
    QString text;
    LineMap map;               // of the lines shown
    std::vector<int> original; // by line shown, from 0: its line in the disassembly
    LineRanges loops;          // innermost loops, every other one; for the bars in the margin
    LineRanges otherLoops;
    int leftOut = 0; // lines

    /// Line shown for a line of the disassembly, or the next one that is; 0 = none.
    [[nodiscard]] int shownLine(int disassemblyLine) const;
};

AssemblyText showAssembly(const Disassembly &disassembly, const AssemblyFilter &filter);
/// The same of any text; `innermost`: its innermost loops.
AssemblyText showAssembly(const LinkedText &assembly, const std::vector<AssemblyLoop> &innermost, AssemblySyntax syntax,
                          const AssemblyFilter &filter);

} // namespace loopscope
