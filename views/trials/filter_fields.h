#pragma once
// What a filter can ask for, listed once: for the parser, for completion and for sentences that say what there is.

#include "views/trials/filter_node.h"

namespace loopscope {

/// How the number of a field may be written.
enum class FilterUnit : uint8_t { None, Count, Time, Share };

struct NumberField {
    const char *name;
    TrialColumn column;
    FilterUnit unit;
    const char *example;
};
struct TextField {
    const char *name;
    TrialColumn column;
    const char *example;
};
struct FlagField {
    const char *name;
    FilterFlag flag;
    const char *none; // what to say when no trial is in that state
};

/// By name, in any case; null when there is none.
const NumberField *numberField(const QString &name);
const TextField *textField(const QString &name);
const FlagField *flagField(const QString &name);

const NumberField &fieldOf(TrialColumn column); // of a column that is a number
const FlagField &fieldOf(FilterFlag flag);

} // namespace loopscope
