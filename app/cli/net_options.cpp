#include "net_options.h"

#include "command_line.h"
#include "networks/strategy/accuracy.h"
#include "validators.h"

#include <utility>

namespace loopscope {

namespace {

/// Defines one command after the other.
class NetCommands {
  public:
    NetCommands(CLI::App &net, NetOptions &options, std::map<const CLI::Option *, OptionValues> &values)
        : m_net(net), m_options(options), m_values(values) {}

    void addReading() {
        auto &show = add("show", m_options.show,
                         "print a network: its graph, or the kernels it becomes and why they are cut there");
        words(show.add_option("--as", m_options.show.as,
                              "text: operators counted, parameters, passes; net: the text that reads back; dot: for "
                              "Graphviz; kernels: what is computed together; cuts: every edge between kernels with "
                              "its reason; passes: what each pass did; memory: where tensors lie; layouts: what "
                              "--layouts decides, with costs and reasons"),
              {"text", "net", "dot", "kernels", "cuts", "passes", "memory", "layouts"})
            ->type_name("FORM")
            ->capture_default_str();
        words(show.add_option("--stage", m_options.show.stage,
                              "of net and dot: as it was read, or after the passes and --layouts"),
              {"imported", "optimised"})
            ->type_name("STAGE");
        meaning(show, m_options.show);
        passes(show, m_options.show);
        records(show, m_options.show);
        target(show, m_options.show);
        layouts(show, m_options.show);

        auto &check = add("check", m_options.check,
                          "say everything that is wrong with a network's file, or that is not supported");
        json(check, m_options.check);
        dims(check, m_options.check);

        auto &tasks = add("tasks", m_options.tasks,
                          "list the kernels' tasks: how often each runs, its key, the record that it has");
        meaning(tasks, m_options.tasks);
        passes(tasks, m_options.tasks);
        records(tasks, m_options.tasks);
        target(tasks, m_options.tasks);
        strategies(tasks, m_options.tasks);
        layouts(tasks, m_options.tasks);
    }

    void addStrategies() {
        auto &strategies = *m_net.add_subcommand(
            "strategies", "say which implementation each operator gets, and why; or which ones an operator has");
        file(
            strategies.add_option("file", m_options.strategies.file, "network: .onnx or .net; without one, --operator"),
            "");
        strategies
            .add_option("--operator", m_options.strategies.op,
                        "nodes of this operator alone, by its name in the catalogue")
            ->type_name("NAME");
        choosing(strategies, m_options.strategies);
        libraries(strategies, m_options.strategies, "also offer what this library computes; may be repeated");
        records(strategies, m_options.strategies);

        auto &pin = add("pin", m_options.pin,
                        "keep a choice of your own in NETWORK.pins.json; without a node, list what is kept");
        pin.add_option("node", m_options.pin.node, "its name in the optimised network")->type_name("NODE");
        pin.add_option("implementation", m_options.pin.implementation, "as `net strategies` names it")
            ->type_name("IMPLEMENTATION");
        pin.add_flag("--remove", m_options.pin.remove, "the choice is Loopscope's again");
        choosing(pin, m_options.pin);
    }

    void addDispatch() {
        auto &dispatch = add("dispatch", m_options.dispatch,
                             "make kernels for a size that only the run knows, and say which runs when");
        meaning(dispatch, m_options.dispatch);
        passes(dispatch, m_options.dispatch);
        target(dispatch, m_options.dispatch);
        records(dispatch, m_options.dispatch);
        dispatch
            .add_option("--sizes", m_options.dispatch.sizes,
                        "SYMBOL=N,N*WEIGHT,...: the sizes that schedules are taken from and timed at, and how often "
                        "each comes, with odd sizes between them; without it powers of two up to --bound and odd "
                        "numbers between them")
            ->type_name("NAME=LIST");
        file(dispatch.add_option("--traffic", m_options.dispatch.traffic,
                                 "the same from the file that `net run --dispatch TABLE --traffic FILE` added to"),
             ".txt");
        dispatch.add_option("--bound", m_options.dispatch.bound, "the largest size, where --sizes says none")
            ->type_name("N")
            ->capture_default_str()
            ->check(wholeNumber(1, 65536));
        dispatch.add_option("--most", m_options.dispatch.most, "variants of a kernel at most")
            ->type_name("K")
            ->capture_default_str()
            ->check(wholeNumber(1, 64));
        dispatch
            .add_option("--tune", m_options.dispatch.tune,
                        "first search each kernel at the sizes that come often (--traffic), at those of --sizes, or at "
                        "powers of two, up to so many candidates each, those of the --log included; they are added to "
                        "it (0 = none)")
            ->type_name("N")
            ->capture_default_str()
            ->check(wholeNumber(0, 1000000));
        file(dispatch.add_option("--out", m_options.dispatch.out, "keep the table in this file"), ".json");
        file(dispatch.add_option("--check", m_options.dispatch.check,
                                 "make nothing: say what is wrong with this table for the network"),
             ".json");
        file(
            dispatch.add_option("--against", m_options.dispatch.against, "say in what the table differs from this one"),
            ".json");
        dispatch.add_flag("--programs", m_options.dispatch.programs,
                          "also print the loops of every variant, with what the numbers in them are of the size; of a "
                          "table that is checked, too");
        seed(dispatch, m_options.dispatch, "of schedules that nobody tuned, and of inputs");
    }

    void addWork() {
        auto &tune = add("tune", m_options.tune,
                         "search schedules for all tasks of a network, more trials where the network gains more");
        meaning(tune, m_options.tune);
        passes(tune, m_options.tune);
        target(tune, m_options.tune);
        strategies(tune, m_options.tune, {"measured", "level", "compatible", "try"});
        layouts(tune, m_options.tune);
        file(tune.add_option("--log", m_options.tune.log, "append every trial to this file, in Ansor's log format"),
             ".json")
            ->required();
        m_values[tune.add_option(
                         "--runner", m_options.tune.runner,
                         "what candidates run on: this machine, or 'slurm[:nodes=N,...]', nodes of a cluster, as "
                         "`tune` takes it")
                     ->type_name("RUNNER")]
            .words = {"slurm", "slurm:nodes="};
        tune.add_flag("--resume", m_options.tune.resume, "continue from the trials already in the log");
        tune.add_option("--trials", m_options.tune.trials, "candidates to measure, of each task at most")
            ->type_name("N")
            ->capture_default_str()
            ->check(wholeNumber(1, 1000000));
        tune.add_option("--total-trials", m_options.tune.totalTrials,
                        "of all tasks together (0 = as many as each may have)")
            ->type_name("N")
            ->capture_default_str()
            ->check(wholeNumber(0, 100000000));
        tune.add_option("--time-limit", m_options.tune.timeLimitSeconds, "end after so many seconds (0 = no limit)")
            ->type_name("SECONDS")
            ->capture_default_str()
            ->check(numberOfSeconds());
        words(tune.add_option("--task-order", m_options.tune.taskOrder,
                              "which task has the next round: each in turn, by Ansor's gradient, or where a second of "
                              "search is expected to gain most"),
              {"round-robin", "gradient", "gain"})
            ->type_name("ORDER")
            ->capture_default_str();
        words(tune.add_option("--weights", m_options.tune.weights,
                              "what kernels are timed with: network: their weights are as far away as in the network, "
                              "which reads all others between two calls; cached: they lie in caches. Where nothing is "
                              "said, as the log that is resumed has it, or network"),
              {"network", "cached"})
            ->type_name("WHERE");
        tune.add_option("--task", m_options.tune.tasks, "search this task alone, by its name; may be repeated")
            ->type_name("NAME")
            ->take_all()
            ->allow_extra_args(false);
        seed(tune, m_options.tune, "same seed, same candidates");

        auto &build =
            add("build", m_options.build, "compile a network: a kernel for each task, memory planned, weights packed");
        plan(build, m_options.build);
        file(build.add_option("--out", m_options.build.out,
                              "the plan that `run` reads: NAME.plan, and NAME.plan.bin beside it"),
             ".plan")
            ->required();

        libraries(build, m_options.build);
        alternatives(build, m_options.build);

        auto &run = add("run", m_options.run, "run a network, or a plan that was built of one");
        plan(run, m_options.run);
        libraries(run, m_options.run);
        alternatives(run, m_options.run);
        threads(run, m_options.run);
        protection(run, m_options.run);
        words(run.add_option(
                  "--kernels", m_options.run.kernels,
                  "of a network with control flow or operators of the host: reference: in double precision, the "
                  "default with control flow; compiled: what stands between branches, loops and such "
                  "operators, for each size when it first comes"),
              {"reference", "compiled"})
            ->type_name("WHICH");
        dispatch(run, m_options.run);
        modules(run, m_options.run);
        file(run.add_option("--traffic", m_options.run.traffic,
                            "add the size to this file, of which `net dispatch` makes tables for what comes often"),
             ".txt");
        inputs(run, m_options.run);
        run.add_option("--output", m_options.run.outputs, "NAME=FILE.npy")
            ->type_name("NAME=FILE")
            ->take_all()
            ->allow_extra_args(false);
        seed(run, m_options.run, "of the inputs that are not given");

        auto &bytecode =
            add("bytecode", m_options.bytecode, "print what the virtual machine runs of a network with control flow");
        meaning(bytecode, m_options.bytecode);

        auto &inspected = add("modules", m_options.modules,
                              "list what a network, a .plan or a shared library consists of: functions with "
                              "signatures and sizes, constants, imports");
        plan(inspected, m_options.modules);
        libraries(inspected, m_options.modules);
        inspected.add_option("--function", m_options.modules.function, "print this function instead")
            ->type_name("NAME");
        words(inspected.add_option("--as", m_options.modules.as,
                                   "with --function: the form; of a .plan and a library there is the disassembly alone "
                                   "(default: loops, or that)"),
              {"loops", "c", "ir", "assembly", "disassembly"})
            ->type_name("FORM");
        seed(inspected, m_options.modules, "of schedules that nobody tuned");

        auto &step = add("step", m_options.step,
                         "go through a network's run an instruction at a time, by commands on standard input");
        dims(step, m_options.step);
        randomWeights(step, m_options.step);
        threads(step, m_options.step);
        modules(step, m_options.step);
        inputs(step, m_options.step);
        seed(step, m_options.step, "of the inputs that are not given");

        auto &verify = add("verify", m_options.verify,
                           "compare what every kernel computes with the reference, in double precision");
        plan(verify, m_options.verify);
        libraries(verify, m_options.verify);
        alternatives(verify, m_options.verify);
        threads(verify, m_options.verify);
        protection(verify, m_options.verify, false);
        dispatch(verify, m_options.verify);
        words(verify.add_option("--draw", m_options.verify.draws,
                                "inputs of this kind alone; may be repeated. In [-1, 1), with a mean of 100 or 1000 "
                                "times their spread, large ones of float16, many that are equal; and not unless it is "
                                "named: with NaN and infinities (special)"),
              {"uniform", "mean100", "mean1000", "large", "ties", "special"})
            ->type_name("KIND")
            ->take_all()
            ->allow_extra_args(false);
        seed(verify, m_options.verify, "of the inputs");

        auto &profile = add("profile", m_options.profile, "time a network and each of its kernels");
        plan(profile, m_options.profile);
        libraries(profile, m_options.profile);
        alternatives(profile, m_options.profile);
        threads(profile, m_options.profile);
        protection(profile, m_options.profile);
        dispatch(profile, m_options.profile);
        profile.add_option("--runs", m_options.profile.runs, "how often it is run")
            ->type_name("N")
            ->capture_default_str()
            ->check(wholeNumber(1, 1000000));
        seed(profile, m_options.profile, "of the inputs");
        file(profile.add_option("--trace", m_options.profile.trace, "also write the last run as a Chrome trace"),
             ".json");
        file(profile.add_option("--against", m_options.profile.against, "a profile of ONNX Runtime, to set beside it"),
             ".json");

        auto &exported =
            add("export", m_options.exported, "write a network as a folder of sources, as ONNX, or as .net text");
        plan(exported, m_options.exported);
        alternatives(exported, m_options.exported);
        words(exported.add_option("--format", m_options.exported.format,
                                  "c: C sources with packed weights, header, CMake file, a main that checks and "
                                  "times it, and a module for Python; library: the same, built as a shared library, "
                                  "which is called and checked; onnx; net"),
              {"c", "library", "onnx", "net"})
            ->type_name("FORM")
            ->capture_default_str();
        file(exported.add_option("--out", m_options.exported.out, "the folder, or the file, that is written"), "")
            ->required();
        seed(exported, m_options.exported, "of the inputs that the main checks it with");
    }

  private:
    CLI::App &add(const char *name, NetFileOptions &options, const char *what) {
        CLI::App &command = *m_net.add_subcommand(name, what);
        file(command.add_option("file", options.file, "network: .onnx or .net; of `run` also a .plan"), "")->required();
        return command;
    }
    void json(CLI::App &command, NetFileOptions &options) {
        command.add_flag("--json", options.json,
                         "one JSON value on standard output instead of text; of a failure, {\"error\": ...}");
    }
    CLI::Option *file(CLI::Option *option, const std::string &suffix) {
        option->type_name("FILE")->check(fileName());
        m_values[option] = {{}, false, true, suffix};
        return option;
    }
    CLI::Option *words(CLI::Option *option, std::vector<std::string> words) {
        option->check(oneOf(words));
        m_values[option] = {std::move(words), false, false, {}};
        return option;
    }
    void dims(CLI::App &command, NetFileOptions &options) {
        command.add_option("--dim", options.dims, "a number for a symbol among the dims, NAME=VALUE; may be repeated")
            ->type_name("NAME=VALUE")
            ->take_all()
            ->allow_extra_args(false);
    }
    /// What the file is taken to mean.
    void meaning(CLI::App &command, NetFileOptions &options) {
        json(command, options);
        dims(command, options);
        randomWeights(command, options);
    }
    void inputs(CLI::App &command, NetExecuteOptions &options) {
        command.add_option("--input", options.inputs, "NAME=FILE.npy; what is not given is drawn by --seed")
            ->type_name("NAME=FILE")
            ->take_all()
            ->allow_extra_args(false);
    }
    void libraries(CLI::App &command, NetPlanOptions &options,
                   const char *what = "also try this library where it has a routine for a kernel, and leave the kernel "
                                      "to it where that is faster here; may be repeated") {
        words(command.add_option("--library", options.libraries, what), {"onednn", "openblas", "blis"})
            ->type_name("LIBRARY")
            ->take_all()
            ->allow_extra_args(false);
    }
    void alternatives(CLI::App &command, NetKernelOptions &options) {
        command
            .add_option("--alternatives", options.alternatives,
                        "of each kernel so many schedules are timed where they run, inside the network, and the "
                        "fastest there is taken: those of the log or, where it has none, those estimated best; 1: the "
                        "best of them")
            ->type_name("N")
            ->capture_default_str()
            ->check(wholeNumber(1, 64));
    }
    void modules(CLI::App &command, NetExecuteOptions &options) {
        file(command.add_option("--module", options.modules,
                                "shared library with functions that the network names (`packed`): code of whoever made "
                                "it, which runs already when it is opened; may be repeated"),
             ".so")
            ->take_all()
            ->allow_extra_args(false);
    }
    /// `foreign`: it runs code that others made.
    void protection(CLI::App &command, NetExecuteOptions &options, bool foreign = true) {
        command
            .add_option("--time-limit", options.timeLimitSeconds,
                        "end the network when a kernel takes more seconds (0 = a minute, or more where it has much to "
                        "do)")
            ->type_name("SECONDS")
            ->capture_default_str()
            ->check(numberOfSeconds());
        if (foreign)
            command.add_flag("--trust", options.trust,
                             "the code of a .plan or --module runs with all your rights; otherwise it may compute (a "
                             "module also read files), and nothing else");
    }
    void dispatch(CLI::App &command, NetExecuteOptions &options) {
        file(command.add_option("--dispatch", options.dispatch,
                                "kernels by this table of `net dispatch`, which nothing is compiled anew for; the size "
                                "is what --dim says of the table's symbol, or an input that is given"),
             ".json");
    }
    void randomWeights(CLI::App &command, NetFileOptions &options) {
        command
            .add_option("--random-weights", options.randomWeights,
                        "seeded random numbers for the file's weights, which in exported test models are all alike")
            ->type_name("SEED")
            ->check(anyWholeNumber());
    }
    void passes(CLI::App &command, NetPlanOptions &options) {
        command
            .add_option("--level", options.level,
                        "passes up to this level run; of compatible fusion 2 where nothing is said, of better 3")
            ->type_name("N")
            ->check(wholeNumber(0, 4));
        for (auto &[name, list, what] :
             {std::tuple{"--require", &options.require, "a pass that runs whatever its level; may be repeated"},
              std::tuple{"--disable", &options.disable, "a pass that does not run; may be repeated"}})
            command.add_option(name, *list, what)->type_name("PASS")->take_all()->allow_extra_args(false);
        words(command.add_option("--fusion", options.fusion,
                                 "what becomes one kernel: as TVM has it, so that old logs apply; more; or more where "
                                 "that is faster, timed here"),
              {"compatible", "better", "measured"})
            ->type_name("MODE")
            ->capture_default_str();
    }
    void target(CLI::App &command, NetPlanOptions &options) {
        command.add_option("--target", options.target, "as `tune` takes it; networks run on processors")
            ->type_name("TARGET")
            ->capture_default_str();
    }
    /// How implementations are chosen, of what network for what.
    void choosing(CLI::App &command, NetChoosingOptions &options) {
        meaning(command, options);
        passes(command, options);
        command.add_option("--target", options.target, "as `tune` takes it; also rocm, arm_cpu and mali")
            ->type_name("TARGET")
            ->capture_default_str();
        words(command.add_option("--rule", options.rule,
                                 "measured: times in logs, then levels; level: levels alone; compatible: as TVM 0.18 "
                                 "with Ansor chooses"),
              {"measured", "level", "compatible"})
            ->type_name("RULE")
            ->capture_default_str();
        accuracy(command, options);
    }
    void accuracy(CLI::App &command, NetPlanOptions &options) {
        std::vector<std::string> classes;
        for (const AccuracyClass accuracy : allAccuracyClasses()) classes.emplace_back(accuracyName(accuracy));
        words(command.add_option("--accuracy", options.accuracy, "the worst accuracy class allowed"), classes)
            ->type_name("CLASS")
            ->capture_default_str();
    }
    void records(CLI::App &command, NetPlanOptions &options) {
        file(command.add_option("--log", options.logs, "tuning log whose best records are applied; may be repeated"),
             ".json")
            ->take_all()
            ->allow_extra_args(false);
    }
    void threads(CLI::App &command, NetExecuteOptions &options) {
        command.add_option("--threads", options.threads, "of the kernels (0 = the target's cores)")
            ->type_name("N")
            ->capture_default_str()
            ->check(wholeNumber(0, 1024));
    }
    void seed(CLI::App &command, NetPlanOptions &options, const char *what) {
        command.add_option("--seed", options.seed, what)
            ->type_name("N")
            ->capture_default_str()
            ->check(anyWholeNumber());
    }
    /// What a plan is made of.
    void plan(CLI::App &command, NetPlanOptions &options) {
        meaning(command, options);
        passes(command, options);
        target(command, options);
        records(command, options);
        strategies(command, options);
        layouts(command, options);
    }
    void layouts(CLI::App &command, NetPlanOptions &options) {
        words(command.add_option("--layouts", options.layouts,
                                 "of data between operators: keep: channels first, as ONNX has it; nhwc: channels last "
                                 "wherever an operator takes it; choose: what costs least, by records and estimates; "
                                 "measure: the same, by kernels that are built and timed here"),
              {"keep", "choose", "measure", "nhwc"})
            ->type_name("WHICH")
            ->capture_default_str();
    }
    void strategies(CLI::App &command, NetPlanOptions &options,
                    const std::vector<std::string> &rules = {"measured", "level", "compatible"}) {
        words(command.add_option("--strategies", options.strategies,
                                 "write operators as `net strategies --rule RULE` chooses, pins before all; none: as "
                                 "they stand" +
                                     std::string(rules.size() > 3 ? "; try: search every form of every operator side "
                                                                    "by side, where one may still win"
                                                                  : "")),
              rules)
            ->type_name("RULE");
        accuracy(command, options);
    }

    CLI::App &m_net;
    NetOptions &m_options;
    std::map<const CLI::Option *, OptionValues> &m_values;
};

} // namespace

void addNetCommands(CLI::App &app, NetOptions &options, std::map<const CLI::Option *, OptionValues> &values) {
    CLI::App &net = *app.add_subcommand("net", "read, tune, build, run and check networks (.onnx, .net)");
    net.require_subcommand(0, 1); // at least one: checked after unknown words were named
    NetCommands commands(net, options, values);
    commands.addReading();
    commands.addStrategies();
    commands.addDispatch();
    commands.addWork();
}

} // namespace loopscope
