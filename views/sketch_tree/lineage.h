#pragma once
// Where a trial comes from, as a person reads it: the sketch, the sampling, and every mutation with what it changed,
// down to the trial. A parent that was measured before leads on to its own origin, so that the chain begins at a sketch
// whenever anything is known. Pure; named by replaying, so it runs in a job.

#include "search/ancestor.h"
#include "views/session/document.h"

#include <QString>
#include <QStringList>

#include <limits>
#include <memory>
#include <vector>

namespace loopscope {

/// What the chain needs of the document, taken on the UI thread.
struct LineageInput {
    int trial = -1;
    bool fromLog = false;
    int sketch = -1;
    double seconds = 0;   // +inf without a time
    bool untimed = false; // its answer is right all the same
    QString failure;
    DagPtr dag;
    /// The trial's own ancestry, then that of the measured parent it leads to, and so on.
    struct Part {
        int trial = -1;
        double seconds = 0;
        bool untimed = false;
        std::shared_ptr<const Ancestor> ancestry;
    };
    std::vector<Part> parts;
};
LineageInput lineageInput(const Document &document, int trial);

struct LineageEntry {
    enum class Kind : uint8_t { Sketch, Sampled, Measured, Mutation, Crossover, Trial };
    Kind kind = Kind::Mutation;
    QString title;       // "tile size", "sampled", "Trial 12"
    QString when;        // "round 2, generation 1"; empty when it says nothing
    QStringList changes; // "split of conv2d.ff: [4, 8] → [8, 4]"
    float score = std::numeric_limits<float>::quiet_NaN();
    int sketch = -1;                                           // Sketch: which
    int trial = -1;                                            // measured under this number (from 0): can be selected
    double seconds = std::numeric_limits<double>::quiet_NaN(); // NaN: not known; +inf: it has none
    bool untimed = false;                                      // its answer is right, without a time
    /// Crossover: the second parent and what is known of its way, oldest first.
    std::vector<LineageEntry> side;
};
struct LineageChain {
    int trial = -1;
    std::vector<LineageEntry> entries; // from the sketch to the trial
    QString unknown;                   // why there is nothing before the trial; empty when there is
};
LineageChain makeLineage(const LineageInput &input);

/// One line a change, side branches indented: for copying and tests.
QString lineageText(const LineageChain &lineage);

} // namespace loopscope
