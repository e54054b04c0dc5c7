#pragma once
// A fleet on a cluster that Slurm runs: what the user asks for, in words of Slurm's own commands.

#include "base/outcome.h"
#include "measure/fleet/fleet_node.h"

#include <string>
#include <string_view>
#include <vector>

namespace loopscope {

struct SlurmChoice {
    int nodes = 1;
    std::string partition = {};  // empty: the cluster's default
    std::string constraint = {}; // features of nodes
    std::string account = {};
    std::string time = {};   // "30", "2:00:00"
    double tolerance = 0.03; // FleetOptions::tolerance
    int rounds = 4;          // FleetOptions::rounds
    bool sendWorker = true;  // the program goes to the nodes; false: it is there, where it is here
};

/// "nodes=3,partition=p,time=30,constraint=c,account=a,tolerance=5%,rounds=8,worker=there". Refused with the word that
/// is wrong and those that are legal.
Outcome<SlurmChoice> slurmChoice(std::string_view text);

/// Hosts of a list as Slurm writes it: "n[1-3,07],login" is n1, n2, n3, n07, login. Refused where it is none.
Outcome<std::vector<std::string>> hostsOf(std::string_view list);
/// CPUs of each node from SLURM_JOB_CPUS_PER_NODE: "2(x3),4" is 2, 2, 2, 4. Refused where it is none.
Outcome<std::vector<int>> cpusOf(std::string_view list);

/// What runs `worker serve` on a node of the job, talked to over its standard input and output.
FleetNodeSpec slurmNode(const SlurmChoice &choice, const std::string &job, const std::string &node, int cpus,
                        const std::string &worker);

} // namespace loopscope
