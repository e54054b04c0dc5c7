#pragma once
// The columns of the table of trials, listed once: what the header, the column menu, the filter language, the CSV
// export and the settings call them. Tile factors follow as columns of their own, one for each loop that is split.

#include <QString>

namespace loopscope {

enum class TrialColumn : int {
    Pinned,
    Rank,
    Trial,
    Time,
    Against,
    Spread,
    Gflops,
    Peak,
    Error,
    Failure,
    Reason,
    Sketch,
    Round,
    Generation,
    Mutation,
    Predicted,
    Build,
    Run,
    Again,
    Unstable,
    Note,
};
inline constexpr int kFixedColumns = static_cast<int>(TrialColumn::Note) + 1;

struct ColumnInfo {
    const char *id;    // in settings and, where it can be filtered, in the filter language
    const char *title; // header
    const char *csv;   // header of the CSV file, with its unit; numbers there are in base units
    const char *tip;
    bool number; // right-aligned
    bool shown;  // unless the user chose otherwise
};
const ColumnInfo &columnInfo(TrialColumn column);

} // namespace loopscope
