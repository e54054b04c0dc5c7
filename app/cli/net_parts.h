#pragma once
// The commands of `net`, each for itself (which of them was called tells net_command.cpp), and what they share.

#include "deploy/dispatch/network_dispatch.h"
#include "deploy/network/build.h"
#include "deploy/network/prepare.h"
#include "deploy/network/strategy_choice.h"
#include "deploy/network/task_records.h"
#include "deploy/network/verify_draws.h"
#include "deploy/plan_worker/protected_run.h"
#include "deploy/vm/program.h"
#include "net_options.h"
#include "networks/op/packed_call.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace loopscope {

int netShow(const NetShowOptions &options);
int netCheck(const NetFileOptions &options);
int netTasks(const NetPlanOptions &options);
int netTune(const NetTuneOptions &options);
int netBuild(const NetBuildOptions &options);
int netRun(const NetRunOptions &options);
int netVerify(const NetVerifyOptions &options);
int netProfile(const NetProfileOptions &options);
int netExport(const NetExportOptions &options);
int netStrategies(const NetStrategiesOptions &options);
int netPin(const NetPinOptions &options);
int netDispatch(const NetDispatchOptions &options);
int netBytecode(const NetFileOptions &options);
int netStep(const NetExecuteOptions &options);
int netModules(const NetModulesOptions &options);

/// Throws UsageError for values that are no NAME=VALUE.
NetworkChoice networkChoice(const NetFileOptions &options);
NetworkChoice networkChoice(const NetPlanOptions &options);
NetworkChoice networkChoice(const NetExecuteOptions &options); // with the dims that inputs have
/// What groups are made by; with `--fusion measured` some are taken apart again.
FusionMode fusionOf(const NetPlanOptions &options);
/// The processor that kernels are for; throws UsageError for GPUs, on which networks do not run.
Target networkTarget(const NetPlanOptions &options);
/// What `--strategies` asks for; says on standard error which pins count.
std::optional<StrategyRequest> strategiesOf(const NetPlanOptions &options);
/// All that --strategies try compares; nothing without it.
std::optional<StrategyRequest> triedStrategies(const NetPlanOptions &options);
/// What `--layouts` asks for; nothing for keep.
std::optional<NetworkLayoutRequest> layoutsOf(const NetPlanOptions &options);
/// `text`, or the JSON with a newline behind it.
void writeResult(const NetFileOptions &options, const nlohmann::ordered_json &json, const std::string &text);
/// On standard error, a line each.
void sayNotes(const std::vector<std::string> &notes);

/// A network with the plan that was built of it, or read from where `net build` wrote it.
struct NetworkPlan {
    PreparedNetwork network;
    Target target;
    TaskRecords records;
    BuiltPlan built;
};
/// Throws Error where dims of the inputs have no number: no kernel can be made then.
void requireNumbers(const PreparedNetwork &network, const NetFileOptions &options);
/// Says on standard error how far it is.
NetworkPlan planOf(const NetKernelOptions &options, const NetworkChoice &choice);
NetworkPlan planOf(const NetKernelOptions &options, NetworkChoice choice, ReadNetwork read);
struct NamedOutput {
    std::string name;
    HostTensor tensor;
};
/// Writes what `--output` names; says what all outputs are.
void tellOutputs(const NetRunOptions &options, const std::vector<NamedOutput> &outputs);
/// Of `net dispatch --tune`: trials into the --log. Throws UsageError for other than one of them, Error when it was
/// interrupted.
void tuneSizes(const NetDispatchOptions &options, const std::vector<NetworkFamily> &families,
               const DispatchPoints &points);
/// The same commands where `--dispatch` names a table.
int netRunDispatched(const NetRunOptions &options);
int netVerifyDispatched(const NetVerifyOptions &options);
int netProfileDispatched(const NetProfileOptions &options);
/// `net verify`: results for the kinds of inputs that are asked for, told behind what is known already; the exit code.
int tellDraws(const NetVerifyOptions &options, const GraphFunction &imported, const NetworkRuns &runs,
              nlohmann::ordered_json json, std::string text);
/// In the libraries of `--module`. Throws Error for those that cannot be opened.
PackedFinder packedFinder(const NetExecuteOptions &options);
/// How kernels run: where they can do no harm, unless they are trusted.
ProtectedRunOptions protectionOf(const NetExecuteOptions &options, int threads);
/// On standard error, of a file whose code is about to run: what it is and what it may do.
void sayCode(const NetExecuteOptions &options, const std::string &path, bool readsFiles = false);
/// As bytecode; throws Error where it is not well formed.
Program programOf(const NetFileOptions &options, const Module &network);
/// One for each input of the plan: from `--input`, or drawn by `--seed`.
std::vector<HostTensor> inputsOf(const NetExecuteOptions &options, const GraphFunction &function);

} // namespace loopscope
