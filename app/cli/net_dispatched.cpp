// `net run`, `net verify` and `net profile` with `--dispatch`: a network at a size that its kernels were not made for.

#include "base/isolate/field_wire.h"
#include "choice.h"
#include "codegen/runtime/loaded_kernel.h"
#include "deploy/dispatch/dispatch_table_json.h"
#include "deploy/dispatch/dispatched_network.h"
#include "deploy/plan/profile.h"
#include "language/tensor/npy_file.h"
#include "measure/timing/machine_use.h"
#include "net_parts.h"
#include "networks/graph/dim_match.h"
#include "output.h"

#include <chrono>
#include <cstdio>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>

namespace loopscope {

namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

/// What an input that is given says of the table's symbol.
std::optional<int64_t> sizeOfFiles(const NetExecuteOptions &options, const GraphFunction &main,
                                   const std::string &symbol) {
    SymbolNumbers numbers;
    for (const std::string &given : options.inputs) {
        const size_t sign = given.find('=');
        const auto value = sign == std::string::npos ? std::nullopt : main.find(given.substr(0, sign));
        if (!value) continue; // inputsOf says so
        const HostTensor tensor = readNpy(given.substr(sign + 1));
        const TensorType &type = main.type(*value);
        if (tensor.dims().size() == type.dims.size()) matchDims(type.dims, tensor.dims(), numbers);
    }
    const auto found = numbers.find(symbol);
    return found == numbers.end() ? std::nullopt : std::optional(found->second);
}

/// A network with its table, at one size, with inputs.
struct Dispatched {
    PreparedNetwork network;
    std::unique_ptr<DispatchedNetwork> runs;
    std::vector<HostTensor> inputs;
    double compiled = 0; // seconds
    double chosen = 0;   // the same, of kernels for the size when it came
};

Dispatched dispatched(const NetExecuteOptions &options, RunProgress &progress) {
    for (const auto &[given, option] :
         {std::pair{!options.logs.empty(), "--log"}, std::pair{!options.strategies.empty(), "--strategies"},
          std::pair{options.layouts != "keep", "--layouts"}})
        if (given)
            throw UsageError(fmt::format("{} and --dispatch: the table says which schedules run, and was made of the "
                                         "network as it stands",
                                         option));
    const DispatchTable table = readDispatchTable(options.dispatch);
    NetworkChoice choice = networkChoice(options);
    std::optional<int64_t> size;
    if (const auto given = choice.dims.find(table.symbol); given != choice.dims.end()) {
        size = given->second;
        choice.dims.erase(given);
    }
    Dispatched made;
    made.network = prepareNetwork(choice);
    sayNotes(made.network.notes);
    const Module &optimised = made.network.optimised;
    const auto sized = SizedNetwork::of(optimised.find(optimised.main().name()), made.network.partition.mode);
    if (!sized) throw Error(options.file, 0, 0, sized.why());
    if (!size) size = sizeOfFiles(options, optimised.main(), table.symbol);
    if (!size)
        throw UsageError(fmt::format("--dispatch: say how large {} is, with --dim {}=N or by an input that has it",
                                     table.symbol, table.symbol));
    const Target target = networkTarget(options);
    DispatchedOptions how;
    how.threads = options.threads > 0 ? options.threads : target.hardware.numCores;
    how.defaults.seed = options.seed;
    how.progress = &progress;
    const auto begin = Clock::now();
    auto runs = DispatchedNetwork::make(*sized, target, table, how);
    if (!runs)
        throw Error(options.dispatch, 0, 0,
                    fmt::format("the table is not to be used with {}: {}", options.file, runs.why()));
    made.compiled = secondsSince(begin);
    made.runs = std::move(runs).value();
    sayNotes(made.runs->notes());
    if (*size <= table.bound) made.inputs = inputsOf(options, *withNumbers(optimised.main(), {{table.symbol, *size}}));
    const auto asked = Clock::now();
    if (const auto set = made.runs->setSize(*size); !set) throw Error(options.dispatch, 0, 0, set.why());
    made.chosen = secondsSince(asked);
    made.runs->setInputs(made.inputs);
    return made;
}

/// "n = 77: matmul_add (w) by v2, default at n = 64"
std::string choicesText(const Dispatched &made) {
    std::string text;
    for (const auto &choice : made.runs->choices())
        text += fmt::format("{} ({}): v{}, {}\n", choice.kernel, choice.node, choice.variant, choice.origin);
    return text;
}

Json choicesJson(const Dispatched &made) {
    Json all = Json::array();
    for (const auto &choice : made.runs->choices())
        all.push_back(
            {{"kernel", choice.kernel}, {"node", choice.node}, {"variant", choice.variant}, {"origin", choice.origin}});
    return all;
}

/// What a process of its own made of it.
struct DispatchedAnswer {
    std::vector<double> seconds; // of the runs
    std::string outputs;         // packedTensors
};
LOOPSCOPE_FIELDS(DispatchedAnswer, seconds, outputs)

/// So many runs, after others that are not timed.
DispatchedAnswer ran(const NetExecuteOptions &options, const WatchedRun &watched, const Dispatched &made, int warmups,
                     int runs) {
    const auto ended = watched.run(
        [&] {
            const CallerStays staysThere;
            DispatchedAnswer answer;
            for (int i = 0; i < warmups; ++i) made.runs->run();
            for (int i = 0; i < runs; ++i) {
                const auto begin = Clock::now();
                made.runs->run();
                answer.seconds.push_back(secondsSince(begin));
            }
            answer.outputs = packedTensors(made.runs->outputs());
            return encodeFields(answer);
        },
        &made.runs->plan(), protectionOf(options, options.threads));
    if (!ended) throw Error(options.file, 0, 0, ended.why());
    return decodeFields<DispatchedAnswer>(*ended);
}

} // namespace

int netRunDispatched(const NetRunOptions &options) {
    const WatchedRun watched;
    const Dispatched made = dispatched(options, watched.progress());
    const DispatchedAnswer answer = ran(options, watched, made, 0, 1);
    sayText(fmt::format("{}compiled in {}; the kernels of this size were chosen in {}, and it ran in {}\n",
                        choicesText(made), timeText(made.compiled), timeText(made.chosen),
                        timeText(answer.seconds.at(0))));
    if (!options.traffic.empty()) {
        std::ofstream traffic(options.traffic, std::ios::app);
        traffic << readDispatchTable(options.dispatch).symbol << '=' << made.runs->size() << '\n';
        traffic.close();
        if (!traffic) throw Error(options.traffic, 0, 0, "cannot be written");
    }
    std::vector<NamedOutput> outputs;
    const GraphFunction &main = made.network.optimised.main();
    std::vector<HostTensor> values = tensorsOf(answer.outputs);
    for (size_t i = 0; i < values.size(); ++i)
        outputs.push_back({main.value(main.results()[i]).name, std::move(values[i])});
    tellOutputs(options, outputs);
    return 0;
}

int netVerifyDispatched(const NetVerifyOptions &options) {
    const WatchedRun watched;
    const Dispatched made = dispatched(options, watched.progress());
    NetworkRuns runs;
    runs.results = [&](std::span<const HostTensor> inputs) {
        made.runs->setInputs(inputs);
        return tensorsOf(ran(options, watched, made, 0, 1).outputs);
    };
    for (const PlanCall &call : made.runs->plan().calls) runs.named.push_back(call.name);
    const std::string symbol = readDispatchTable(options.dispatch).symbol;
    const FunctionPtr imported = withNumbers(made.network.imported.main(), {{symbol, made.runs->size()}});
    return tellDraws(options, *imported, runs, {{"size", made.runs->size()}, {"choices", choicesJson(made)}},
                     choicesText(made));
}

int netProfileDispatched(const NetProfileOptions &options) {
    const WatchedRun watched;
    const Dispatched made = dispatched(options, watched.progress());
    std::vector<double> seconds;
    {
        const auto machine = MachineUse::begin(MachineUse::Kind::Timing, nullptr);
        seconds = ran(options, watched, made, 2, options.runs).seconds;
    }
    const TimeSummary time = summaryOf(std::move(seconds));
    writeResult(options,
                {{"size", made.runs->size()},
                 {"choices", choicesJson(made)},
                 {"compile_seconds", made.compiled},
                 {"choose_seconds", made.chosen},
                 {"seconds", time.median},
                 {"seconds_least", time.least}},
                fmt::format("{}a run takes {} (fastest {}, quartiles {} and {})\n", choicesText(made),
                            timeText(time.median), timeText(time.least), timeText(time.lower), timeText(time.upper)));
    return 0;
}

} // namespace loopscope
