#pragma once
// Which kernel runs for which size of a network's symbol: for every kernel its variants and an ordered list of guards,
// of which the first that holds decides and the last always holds. A value that is printed, kept in a file, set against
// another, and checked against the network it is meant for (check_table.h). It has schedules and times, no code.

#include "deploy/dispatch/size_guard.h"
#include "schedule/step.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace loopscope {

struct TableVariant {
    std::string hash;     // of its program
    std::string origin;   // "default at n = 64"
    int64_t multiple = 1; // of which sizes are
    int64_t tile = 1;     // sizes are padded to multiples of it
    int64_t only = 0;     // the one size it is for; 0: it takes the size
    Steps steps;
    std::vector<std::optional<double>> seconds; // by point
};

struct DispatchRow {
    SizeGuard guard;
    size_t variant = 0;
};

struct KernelTable {
    std::string name;
    std::string node; // the first of its nodes, which tells kernels of one name apart
    std::string key;  // of the task at the bound
    int weight = 1;   // how many kernels of the network it is for
    std::vector<TableVariant> variants;
    std::vector<DispatchRow> rows; // in order; where none holds it is `otherwise`
    size_t otherwise = 0;
    std::vector<double> fixedSeconds;     // of static kernels, by point
    std::vector<std::string> fixedSource; // of their schedules
    std::vector<double> unseenSeconds;    // by the table, by unseen size
    std::vector<double> unseenFixed;      // of kernels made for these sizes
    size_t answers = 0;                   // of variants, that were compared
    size_t identical = 0;                 // of these, bit for bit those of the static kernel

    [[nodiscard]] size_t variantAt(int64_t size) const;
    /// Seconds of the variant that the table takes, over those of the static kernel; nothing where it was not timed.
    [[nodiscard]] std::optional<double> penalty(size_t point, const std::vector<int64_t> &points) const;
};

/// Of penalties over kernels and points.
struct Penalty {
    double geomean = 1;
    double worst = 1;
    std::string where; // "softmax at n = 7"
};

struct DispatchTable {
    static constexpr int kVersion = 1;

    std::string network;
    std::string target;
    std::string symbol;
    int64_t bound = 0;
    std::vector<int64_t> points;
    std::vector<double> weights; // of points: how often such a size comes
    /// Sizes that no variant was made at or chosen for: what those cost that are not among the points.
    std::vector<int64_t> unseen;
    std::vector<KernelTable> kernels;

    [[nodiscard]] Penalty penalty() const;
    [[nodiscard]] Penalty unseenPenalty() const;
    /// Of all kernels together, each as often as it runs, by point: seconds by the table, and of static kernels.
    [[nodiscard]] std::vector<std::pair<double, double>> envelope() const;
    /// The same by unseen size; nothing where no such sizes were timed.
    [[nodiscard]] std::vector<std::pair<double, double>> unseenEnvelope() const;
    [[nodiscard]] std::string text() const;
};

/// What differs, a sentence each; times do not count.
std::vector<std::string> tableDifferences(const DispatchTable &before, const DispatchTable &after);

} // namespace loopscope
