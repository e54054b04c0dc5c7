#pragma once
// `loopscope-cli layout`: in which layouts the tensors of a workload would be read cheapest by the loops of a schedule,
// what each costs at every level of the memory, and the workload rewritten as chosen.

#include "choice.h"
#include "grouping_choice.h"

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace loopscope {

class SharedOptions;

struct LayoutCommandOptions {
    WorkloadChoice workload;
    RecordChoice record; // whose loops; the naive ones where nothing is given
    std::string by;      // "grouping", "naive"; empty: `record`
    GroupingChoice grouping;
    std::vector<std::string> tensors; // shown; empty: all
    int beam = 1;
    int most = 5;        // layouts shown of each tensor
    std::string out;     // file of the rewritten workload
    std::string prepack; // folder of the workloads that pack constants
};

void addLayoutCommand(CLI::App &app, LayoutCommandOptions &options, SharedOptions &shared);

int runLayout(const LayoutCommandOptions &options);

} // namespace loopscope
