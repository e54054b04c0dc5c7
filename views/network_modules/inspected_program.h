#pragma once
// What is looked at, a network that was built or a library, with all that its functions' texts are made of. Made in a
// job, never changed after.

#include "deploy/inspect/kernel_text.h"
#include "deploy/inspect/module_tree.h"
#include "deploy/network/build.h"
#include "views/session/jobs.h"
#include "views/session/network_kernels.h"

#include <QString>

#include <memory>
#include <set>
#include <string>
#include <vector>

namespace loopscope {

struct InspectedProgram {
    ModuleTree tree;
    QString library;                 // its path; empty: a network
    NetworkKernelsPtr network;       // that was built; null: a library
    Target target;                   // whose processor code is for
    QString calls;                   // of a run, in order, a line each
    std::vector<PlanKernel> kernels; // of the plan
    std::vector<KernelTask> tasks;   // kernel by kernel
    /// Names of nodes in the file that a kernel computes.
    std::vector<std::set<std::string>> sources;
    std::vector<std::string> notes; // of logs and records
};
using InspectedProgramPtr = std::shared_ptr<const InspectedProgram>;

/// For a job's thread; null when cancelled. The best records of the logs are schedules. Throws Error with the sentence
/// of what cannot be done.
InspectedProgramPtr inspectNetwork(NetworkKernelsPtr kernels, const QString &name, const std::vector<std::string> &logs,
                                   JobControl &control);
/// Likewise. Nothing of the library runs.
InspectedProgramPtr inspectLibrary(const QString &path);

/// Of a function of one of its modules; of constants and functions of others, a sentence that says so. Throws Error.
QString functionText(const InspectedProgram &program, const InspectedModule &module, const InspectedFunction &function,
                     KernelForm form);

} // namespace loopscope
