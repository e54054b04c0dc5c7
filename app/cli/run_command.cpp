#include "run_command.h"

#include "language/dag/compute_dag.h"
#include "language/interpret/interpreter.h"
#include "language/picture/value_file.h"
#include "output.h"
#include "run_kernel.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <thread>

namespace loopscope {

namespace {

struct NamedFile {
    std::string name;
    std::string path;
};

std::vector<NamedFile> namedFiles(const std::vector<std::string> &texts, const char *option) {
    std::vector<NamedFile> files;
    for (const std::string &text : texts) {
        const size_t equals = text.find('=');
        if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
            throw UsageError(fmt::format("{} {}: NAME=FILE is wanted, as in in=photograph.png", option, text));
        files.push_back({text.substr(0, equals), text.substr(equals + 1)});
        checkValueFile(files.back().path);
        if (std::ranges::count(files, files.back().name, &NamedFile::name) > 1)
            throw UsageError(fmt::format("{} {}: it is given twice", option, files.back().name));
    }
    return files;
}

std::string quotedNames(const std::vector<std::string> &names) { return fmt::format("`{}`", fmt::join(names, "`, `")); }

/// Inputs in the order of the DAG's arguments.
std::vector<TensorValue> readInputs(const ComputeDag &dag, const std::vector<NamedFile> &files) {
    std::vector<std::string> names;
    for (const Tensor *arg : dag.args())
        if (arg->op->isPlaceholder()) names.push_back(arg->name);
    for (const NamedFile &file : files)
        if (std::ranges::find(names, file.name) == names.end())
            throw UsageError(fmt::format("--input {}: the workload has no such input; it has {}", file.name,
                                         names.empty() ? "none" : quotedNames(names)));
    std::vector<TensorValue> inputs;
    std::vector<std::string> missing;
    for (const Tensor *arg : dag.args()) {
        if (!arg->op->isPlaceholder()) continue;
        const auto file = std::ranges::find(files, arg->name, &NamedFile::name);
        if (file == files.end())
            missing.push_back(arg->name);
        else
            inputs.push_back(readValue(file->path, *arg));
    }
    if (!missing.empty()) throw UsageError(fmt::format("no --input is given for {}", quotedNames(missing)));
    return inputs;
}

/// The tensors to write, in the order of the options: outputs and any stage on the way.
std::vector<const Tensor *> wantedTensors(const ComputeDag &dag, const std::vector<NamedFile> &files) {
    std::vector<const Tensor *> wanted;
    for (const NamedFile &file : files) {
        std::vector<std::string> names;
        const Tensor *found = nullptr;
        for (const OpPtr &op : dag.ops())
            for (const auto &tensor : op->outputs) {
                if (op->isPlaceholder()) continue;
                names.push_back(tensorText(*tensor));
                if (names.back() == file.name) found = tensor.get();
            }
        if (found == nullptr)
            throw UsageError(fmt::format("--output {}: the workload computes no such stage; it computes {}", file.name,
                                         quotedNames(names)));
        wanted.push_back(found);
    }
    return wanted;
}

struct ValueFacts {
    double least = INFINITY;
    double greatest = -INFINITY;
    double sum = 0;
    int64_t noNumbers = 0;

    explicit ValueFacts(const TensorValue &value) {
        for (size_t i = 0; i < value.size(); ++i) {
            const double x = isFloat(value.dtype) ? value.floats[i] : static_cast<double>(value.integers[i]);
            if (std::isnan(x)) {
                ++noNumbers;
                continue;
            }
            least = std::min(least, x);
            greatest = std::max(greatest, x);
            sum += x;
        }
    }
};

/// Of the kernel's outputs those that are wanted. Stages on the way are in its registers and buffers, if anywhere.
std::vector<TensorValue> wantedOf(const ComputeDag &dag, std::vector<TensorValue> outputs,
                                  const std::vector<const Tensor *> &wanted) {
    std::vector<TensorValue> values;
    for (const Tensor *tensor : wanted) {
        size_t next = 0;
        for (const Tensor *arg : dag.args()) {
            if (arg->op->isPlaceholder()) continue;
            if (arg == tensor) values.push_back(outputs[next]);
            ++next;
        }
    }
    return values;
}

/// Before anything is built.
void refuseStagesOnTheWay(const ComputeDag &dag, const std::vector<const Tensor *> &wanted) {
    std::vector<std::string> names;
    for (const Tensor *arg : dag.args())
        if (!arg->op->isPlaceholder()) names.push_back(tensorText(*arg));
    for (const Tensor *tensor : wanted)
        if (std::ranges::find(dag.args(), tensor) == dag.args().end())
            throw UsageError(fmt::format("--output {}: a kernel stores outputs alone, {}; without --by, --log and "
                                         "--script the interpreter computes every stage",
                                         tensorText(*tensor), quotedNames(names)));
}

void checkSchedulers(const RunOptions &options) {
    if (!options.byKernel() && options.check)
        throw UsageError("--check compares a kernel with the interpreter; give --by, --log or --script");
    if (options.by != "grouping" && options.grouping.given())
        throw UsageError(fmt::format("{} belongs to --by grouping", options.grouping.machine ? "--machine" : "--mode"));
}

} // namespace

int runWorkload(const RunOptions &options) {
    const std::vector<NamedFile> inputFiles = namedFiles(options.inputs, "--input");
    const std::vector<NamedFile> outputFiles = namedFiles(options.outputs, "--output");
    if (outputFiles.empty()) throw UsageError("no --output is given; name one, as in --output out=sharpened.png");
    checkSchedulers(options);
    LoadedTask loaded = loadTask(options.workload);
    (void)groupingOptionsOf(options.grouping,
                            loaded.task.target); // what is wrong with it is told before pictures are read
    const std::vector<const Tensor *> wanted = wantedTensors(*loaded.task.dag, outputFiles);
    if (options.byKernel()) refuseStagesOnTheWay(*loaded.task.dag, wanted);
    const std::vector<TensorValue> inputs = readInputs(*loaded.task.dag, inputFiles);
    const int threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    std::string text;
    nlohmann::ordered_json json = {{"outputs", nlohmann::ordered_json::array()}};
    std::vector<TensorValue> values;
    if (options.byKernel()) {
        RanKernel ran = runKernelOf(options, loaded, inputs, threads);
        values = wantedOf(*loaded.task.dag, std::move(ran.outputs), wanted);
        text = std::move(ran.text);
        json["kernel"] = std::move(ran.json);
    } else {
        values = interpretStages(*loaded.task.dag, inputs, wanted, threads);
    }
    for (size_t i = 0; i < wanted.size(); ++i) {
        const TensorValue &value = values[i];
        const ValueFacts facts(value);
        const WrittenValue written = writeValue(outputFiles[i].path, value, outputFiles[i].name, options.stretch);
        const auto count = static_cast<double>(value.size() - static_cast<size_t>(facts.noNumbers));
        const double mean = count > 0 ? facts.sum / count : 0;
        text += fmt::format("{}: [{}] {}, {:.6g} to {:.6g}, {:.6g} in the mean, written to {}\n", outputFiles[i].name,
                            fmt::join(value.shape, ", "), dtypeName(value.dtype), facts.least, facts.greatest, mean,
                            outputFiles[i].path);
        if (facts.noNumbers > 0) text += fmt::format("  {} of them are no numbers\n", facts.noNumbers);
        if (written.beyond > 0)
            text += fmt::format("  {} of its {} elements lie beyond 0 to 1 and are painted black or white; --stretch "
                                "paints the least black and the greatest white\n",
                                written.beyond, value.size());
        const auto number = [](double x) { return std::isfinite(x) ? nlohmann::ordered_json(x) : nullptr; };
        json["outputs"].push_back({{"name", outputFiles[i].name},
                                   {"file", outputFiles[i].path},
                                   {"shape", value.shape},
                                   {"dtype", dtypeName(value.dtype)},
                                   {"least", number(facts.least)},
                                   {"greatest", number(facts.greatest)},
                                   {"mean", number(mean)},
                                   {"no_numbers", facts.noNumbers},
                                   {"beyond_black_and_white", written.beyond}});
    }
    writeOutput(options.workload.json ? json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n"
                                      : text);
    return 0;
}

} // namespace loopscope
