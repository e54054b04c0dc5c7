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
        auto &show = add("show", "print a network: its graph, or the kernels it becomes and why they are cut there");
        words(show.add_option("--as", m_options.as,
                              "text: operators counted, parameters, passes; net: the text that reads back; dot: for "
                              "Graphviz; kernels: what is computed together; cuts: every edge between kernels with "
                              "its reason; passes: what each pass did; memory: where tensors lie; layouts: what "
                              "--layouts decides, with costs and reasons"),
              {"text", "net", "dot", "kernels", "cuts", "passes", "memory", "layouts"})
            ->type_name("FORM")
            ->capture_default_str();
        words(show.add_option("--stage", m_options.stage,
                              "of net and dot: as it was read, or after the passes and --layouts"),
              {"imported", "optimised"})
            ->type_name("STAGE");
        meaning(show);
        passes(show);
        records(show);
        target(show);
        layouts(show);

        auto &check = add("check", "say everything that is wrong with a network's file, or that is not supported");
        json(check);
        dims(check);

        auto &tasks = add("tasks", "list the kernels' tasks: how often each runs, its key, the record that it has");
        meaning(tasks);
        passes(tasks);
        records(tasks);
        target(tasks);
        strategies(tasks);
        layouts(tasks);
    }

    void addStrategies() {
        auto &strategies = *m_net.add_subcommand(
            "strategies", "say which implementation each operator gets, and why; or which ones an operator has");
        file(strategies.add_option("file", m_options.file, "network: .onnx or .net; without one, --operator"), "");
        strategies.add_option("--operator", m_options.op, "nodes of this operator alone, by its name in the catalogue")
            ->type_name("NAME");
        choosing(strategies);
        libraries(strategies, "also offer what this library computes; may be repeated");
        records(strategies);

        auto &pin = add("pin", "keep a choice of your own in NETWORK.pins.json; without a node, list what is kept");
        pin.add_option("node", m_options.node, "its name in the optimised network")->type_name("NODE");
        pin.add_option("implementation", m_options.implementation, "as `net strategies` names it")
            ->type_name("IMPLEMENTATION");
        pin.add_flag("--remove", m_options.remove, "the choice is Loopscope's again");
        choosing(pin);
    }

    void addDispatch() {
        auto &dispatch = add("dispatch", "make kernels for a size that only the run knows, and say which runs when");
        meaning(dispatch);
        passes(dispatch);
        target(dispatch);
        records(dispatch);
        dispatch
            .add_option("--sizes", m_options.sizes,
                        "SYMBOL=N,N*WEIGHT,...: the sizes that schedules are taken from and timed at, and how often "
                        "each comes, with odd sizes between them; without it powers of two up to --bound and odd "
                        "numbers between them")
            ->type_name("NAME=LIST");
        file(dispatch.add_option("--traffic", m_options.traffic,
                                 "the same from the file that `net run --dispatch TABLE --traffic FILE` added to"),
             ".txt");
        dispatch.add_option("--bound", m_options.bound, "the largest size, where --sizes says none")
            ->type_name("N")
            ->capture_default_str()
            ->check(wholeNumber(1, 65536));
        dispatch.add_option("--most", m_options.most, "variants of a kernel at most")
            ->type_name("K")
            ->capture_default_str()
            ->check(wholeNumber(1, 64));
        dispatch
            .add_option("--tune", m_options.tune,
                        "first search each kernel at the sizes that come often (--traffic), at those of --sizes, or at "
                        "powers of two, up to so many candidates each, those of the --log included; they are added to "
                        "it (0 = none)")
            ->type_name("N")
            ->capture_default_str()
            ->check(wholeNumber(0, 1000000));
        file(dispatch.add_option("--out", m_options.out, "keep the table in this file"), ".json");
        file(dispatch.add_option("--check", m_options.check,
                                 "make nothing: say what is wrong with this table for the network"),
             ".json");
        file(dispatch.add_option("--against", m_options.against, "say in what the table differs from this one"),
             ".json");
        dispatch.add_flag("--programs", m_options.programs,
                          "also print the loops of every variant, with what the numbers in them are of the size; of a "
                          "table that is checked, too");
        seed(dispatch, "of schedules that nobody tuned, and of inputs");
    }

    void addWork() {
        auto &tune =
            add("tune", "search schedules for all tasks of a network, more trials where the network gains more");
        meaning(tune);
        passes(tune);
        target(tune);
        strategies(tune, {"measured", "level", "compatible", "try"});
        layouts(tune);
        file(tune.add_option("--log", m_options.log, "append every trial to this file, in Ansor's log format"), ".json")
            ->required();
        m_values[tune.add_option(
                         "--runner", m_options.runner,
                         "what candidates run on: this machine, or 'slurm[:nodes=N,...]', nodes of a cluster, as "
                         "`tune` takes it")
                     ->type_name("RUNNER")]
            .words = {"slurm", "slurm:nodes="};
        tune.add_flag("--resume", m_options.resume, "continue from the trials already in the log");
        tune.add_option("--trials", m_options.trials, "candidates to measure, of each task at most")
            ->type_name("N")
            ->capture_default_str()
            ->check(wholeNumber(1, 1000000));
        tune.add_option("--total-trials", m_options.totalTrials, "of all tasks together (0 = as many as each may have)")
            ->type_name("N")
            ->capture_default_str()
            ->check(wholeNumber(0, 100000000));
        tune.add_option("--time-limit", m_options.timeLimitSeconds, "end after so many seconds (0 = no limit)")
            ->type_name("SECONDS")
            ->capture_default_str()
            ->check(numberOfSeconds());
        words(tune.add_option("--task-order", m_options.taskOrder,
                              "which task has the next round: each in turn, by Ansor's gradient, or where a second of "
                              "search is expected to gain most"),
              {"round-robin", "gradient", "gain"})
            ->type_name("ORDER")
            ->capture_default_str();
        words(tune.add_option("--weights", m_options.weights,
                              "what kernels are timed with: network: their weights are as far away as in the network, "
                              "which reads all others between two calls; cached: they lie in caches. Where nothing is "
                              "said, as the log that is resumed has it, or network"),
              {"network", "cached"})
            ->type_name("WHERE");
        tune.add_option("--task", m_options.tasks, "search this task alone, by its name; may be repeated")
            ->type_name("NAME")
            ->take_all()
            ->allow_extra_args(false);
        seed(tune, "same seed, same candidates");

        auto &build = add("build", "compile a network: a kernel for each task, memory planned, weights packed");
        plan(build);
        file(build.add_option("--out", m_options.out,
                              "the plan that `run` reads: NAME.plan, and NAME.plan.bin beside it"),
             ".plan")
            ->required();

        libraries(build);
        alternatives(build);

        auto &run = add("run", "run a network, or a plan that was built of one");
        plan(run);
        libraries(run);
        alternatives(run);
        threads(run);
        protection(run);
        words(run.add_option(
                  "--kernels", m_options.kernels,
                  "of a network with control flow or operators of the host: reference: in double precision, the "
                  "default with control flow; compiled: what stands between branches, loops and such "
                  "operators, for each size when it first comes"),
              {"reference", "compiled"})
            ->type_name("WHICH");
        dispatch(run);
        modules(run);
        file(run.add_option("--traffic", m_options.traffic,
                            "add the size to this file, of which `net dispatch` makes tables for what comes often"),
             ".txt");
        inputs(run);
        run.add_option("--output", m_options.outputs, "NAME=FILE.npy")
            ->type_name("NAME=FILE")
            ->take_all()
            ->allow_extra_args(false);
        seed(run, "of the inputs that are not given");

        auto &bytecode = add("bytecode", "print what the virtual machine runs of a network with control flow");
        meaning(bytecode);

        auto &inspected = add("modules", "list what a network, a .plan or a shared library consists of: functions with "
                                         "signatures and sizes, constants, imports");
        plan(inspected);
        libraries(inspected);
        inspected.add_option("--function", m_options.function, "print this function instead")->type_name("NAME");
        words(inspected.add_option("--as", m_options.as,
                                   "with --function: the form; of a .plan and a library there is the disassembly alone "
                                   "(default: loops, or that)"),
              {"loops", "c", "ir", "assembly", "disassembly"})
            ->type_name("FORM");
        seed(inspected, "of schedules that nobody tuned");

        auto &step = add("step", "go through a network's run an instruction at a time, by commands on standard input");
        dims(step);
        randomWeights(step);
        threads(step);
        modules(step);
        inputs(step);
        seed(step, "of the inputs that are not given");

        auto &verify = add("verify", "compare what every kernel computes with the reference, in double precision");
        plan(verify);
        libraries(verify);
        alternatives(verify);
        threads(verify);
        protection(verify, false);
        dispatch(verify);
        words(verify.add_option("--draw", m_options.draws,
                                "inputs of this kind alone; may be repeated. In [-1, 1), with a mean of 100 or 1000 "
                                "times their spread, large ones of float16, many that are equal; and not unless it is "
                                "named: with NaN and infinities (special)"),
              {"uniform", "mean100", "mean1000", "large", "ties", "special"})
            ->type_name("KIND")
            ->take_all()
            ->allow_extra_args(false);
        seed(verify, "of the inputs");

        auto &profile = add("profile", "time a network and each of its kernels");
        plan(profile);
        libraries(profile);
        alternatives(profile);
        threads(profile);
        protection(profile);
        dispatch(profile);
        profile.add_option("--runs", m_options.runs, "how often it is run")
            ->type_name("N")
            ->capture_default_str()
            ->check(wholeNumber(1, 1000000));
        seed(profile, "of the inputs");
        file(profile.add_option("--trace", m_options.trace, "also write the last run as a Chrome trace"), ".json");
        file(profile.add_option("--against", m_options.against, "a profile of ONNX Runtime, to set beside it"),
             ".json");

        auto &exported = add("export", "write a network as a folder of sources, as ONNX, or as .net text");
        plan(exported);
        alternatives(exported);
        words(exported.add_option("--format", m_options.format,
                                  "c: C sources with packed weights, header, CMake file, a main that checks and "
                                  "times it, and a module for Python; library: the same, built as a shared library, "
                                  "which is called and checked; onnx; net"),
              {"c", "library", "onnx", "net"})
            ->type_name("FORM")
            ->capture_default_str();
        file(exported.add_option("--out", m_options.out, "the folder, or the file, that is written"), "")->required();
        seed(exported, "of the inputs that the main checks it with");
    }

  private:
    CLI::App &add(const char *name, const char *what) {
        CLI::App &command = *m_net.add_subcommand(name, what);
        file(command.add_option("file", m_options.file, "network: .onnx or .net; of `run` also a .plan"), "")
            ->required();
        return command;
    }
    void json(CLI::App &command) {
        command.add_flag("--json", m_options.json,
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
    void dims(CLI::App &command) {
        command
            .add_option("--dim", m_options.dims, "a number for a symbol among the dims, NAME=VALUE; may be repeated")
            ->type_name("NAME=VALUE")
            ->take_all()
            ->allow_extra_args(false);
    }
    /// What the file is taken to mean.
    void meaning(CLI::App &command) {
        json(command);
        dims(command);
        randomWeights(command);
    }
    void inputs(CLI::App &command) {
        command.add_option("--input", m_options.inputs, "NAME=FILE.npy; what is not given is drawn by --seed")
            ->type_name("NAME=FILE")
            ->take_all()
            ->allow_extra_args(false);
    }
    void libraries(CLI::App &command,
                   const char *what = "also try this library where it has a routine for a kernel, and leave the kernel "
                                      "to it where that is faster here; may be repeated") {
        words(command.add_option("--library", m_options.libraries, what), {"onednn", "openblas", "blis"})
            ->type_name("LIBRARY")
            ->take_all()
            ->allow_extra_args(false);
    }
    void alternatives(CLI::App &command) {
        command
            .add_option("--alternatives", m_options.alternatives,
                        "of each kernel so many schedules are timed where they run, inside the network, and the "
                        "fastest there is taken: those of the log or, where it has none, those estimated best; 1: the "
                        "best of them")
            ->type_name("N")
            ->capture_default_str()
            ->check(wholeNumber(1, 64));
    }
    void modules(CLI::App &command) {
        file(command.add_option("--module", m_options.modules,
                                "shared library with functions that the network names (`packed`): code of whoever made "
                                "it, which runs already when it is opened; may be repeated"),
             ".so")
            ->take_all()
            ->allow_extra_args(false);
    }
    /// `foreign`: it runs code that others made.
    void protection(CLI::App &command, bool foreign = true) {
        command
            .add_option("--time-limit", m_options.timeLimitSeconds,
                        "end the network when a kernel takes more seconds (0 = a minute, or more where it has much to "
                        "do)")
            ->type_name("SECONDS")
            ->capture_default_str()
            ->check(numberOfSeconds());
        if (foreign)
            command.add_flag("--trust", m_options.trust,
                             "the code of a .plan or --module runs with all your rights; otherwise it may compute (a "
                             "module also read files), and nothing else");
    }
    void dispatch(CLI::App &command) {
        file(command.add_option("--dispatch", m_options.dispatch,
                                "kernels by this table of `net dispatch`, which nothing is compiled anew for; the size "
                                "is what --dim says of the table's symbol, or an input that is given"),
             ".json");
    }
    void randomWeights(CLI::App &command) {
        command
            .add_option("--random-weights", m_options.randomWeights,
                        "seeded random numbers for the file's weights, which in exported test models are all alike")
            ->type_name("SEED")
            ->check(anyWholeNumber());
    }
    void passes(CLI::App &command) {
        command
            .add_option("--level", m_options.level,
                        "passes up to this level run; of compatible fusion 2 where nothing is said, of better 3")
            ->type_name("N")
            ->check(wholeNumber(0, 4));
        for (auto &[name, list, what] :
             {std::tuple{"--require", &m_options.require, "a pass that runs whatever its level; may be repeated"},
              std::tuple{"--disable", &m_options.disable, "a pass that does not run; may be repeated"}})
            command.add_option(name, *list, what)->type_name("PASS")->take_all()->allow_extra_args(false);
        words(command.add_option("--fusion", m_options.fusion,
                                 "what becomes one kernel: as TVM has it, so that old logs apply; more; or more where "
                                 "that is faster, timed here"),
              {"compatible", "better", "measured"})
            ->type_name("MODE")
            ->capture_default_str();
    }
    void target(CLI::App &command) {
        command.add_option("--target", m_options.target, "as `tune` takes it; networks run on processors")
            ->type_name("TARGET")
            ->capture_default_str();
    }
    /// How implementations are chosen, of what network for what.
    void choosing(CLI::App &command) {
        meaning(command);
        passes(command);
        command.add_option("--target", m_options.target, "as `tune` takes it; also rocm, arm_cpu and mali")
            ->type_name("TARGET")
            ->capture_default_str();
        words(command.add_option("--rule", m_options.rule,
                                 "measured: times in logs, then levels; level: levels alone; compatible: as TVM 0.18 "
                                 "with Ansor chooses"),
              {"measured", "level", "compatible"})
            ->type_name("RULE")
            ->capture_default_str();
        accuracy(command);
    }
    void accuracy(CLI::App &command) {
        std::vector<std::string> classes;
        for (const AccuracyClass accuracy : allAccuracyClasses()) classes.emplace_back(accuracyName(accuracy));
        words(command.add_option("--accuracy", m_options.accuracy, "the worst accuracy class allowed"), classes)
            ->type_name("CLASS")
            ->capture_default_str();
    }
    void records(CLI::App &command) {
        file(command.add_option("--log", m_options.logs, "tuning log whose best records are applied; may be repeated"),
             ".json")
            ->take_all()
            ->allow_extra_args(false);
    }
    void threads(CLI::App &command) {
        command.add_option("--threads", m_options.threads, "of the kernels (0 = the target's cores)")
            ->type_name("N")
            ->capture_default_str()
            ->check(wholeNumber(0, 1024));
    }
    void seed(CLI::App &command, const char *what) {
        command.add_option("--seed", m_options.seed, what)
            ->type_name("N")
            ->capture_default_str()
            ->check(anyWholeNumber());
    }
    /// What a plan is made of.
    void plan(CLI::App &command) {
        meaning(command);
        passes(command);
        target(command);
        records(command);
        strategies(command);
        layouts(command);
    }
    void layouts(CLI::App &command) {
        words(command.add_option("--layouts", m_options.layouts,
                                 "of data between operators: keep: channels first, as ONNX has it; nhwc: channels last "
                                 "wherever an operator takes it; choose: what costs least, by records and estimates; "
                                 "measure: the same, by kernels that are built and timed here"),
              {"keep", "choose", "measure", "nhwc"})
            ->type_name("WHICH")
            ->capture_default_str();
    }
    void strategies(CLI::App &command, const std::vector<std::string> &rules = {"measured", "level", "compatible"}) {
        words(command.add_option("--strategies", m_options.strategies,
                                 "write operators as `net strategies --rule RULE` chooses, pins before all; none: as "
                                 "they stand" +
                                     std::string(rules.size() > 3 ? "; try: search every form of every operator side "
                                                                    "by side, where one may still win"
                                                                  : "")),
              rules)
            ->type_name("RULE");
        accuracy(command);
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
