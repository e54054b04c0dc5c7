// Kernels of grouped pipelines against those of Halide's own grouping scheduler: the same pipeline, the same machine
// parameters and threads, run in turn. Prints milliseconds and by how many times ours are faster.
//
// grouping_bench [--machine P,L,B] [--threads N] [--seconds S] [--fixed-only] [--schedules] [--processor-time] [--dump
// FOLDER] [--script FILE] [--param NAME=VALUE] [--no-peer] [NAME ...]
#include "../sample_times.h"
#include "base/random.h"
#include "codegen/code_generator.h"
#include "codegen/lower/lower.h"
#include "codegen/runtime/cpu_runner.h"
#include "codegen/runtime/loaded_kernel.h"
#include "halide_peer.h"
#include "language/dag/compute_dag.h"
#include "language/target/target.h"
#include "language/te/workload.h"
#include "schedule/grouping/group_dag.h"
#include "schedule/grouping/grouped_schedule.h"
#include "schedule/grouping/loop_plan.h"
#include "schedule/script/schedule_script.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <thread>

using namespace loopscope;

namespace {

struct Options {
    MachineParameters machine;
    int threads = 2;
    double seconds = 2; // of measuring, for each pipeline
    bool fixedOnly = false;
    bool schedules = false;
    bool processorTime = false; // of one thread: others at work on the machine do not count
    std::string dump;
    std::string script;    // of the kernel called fixed, in place of what grouping makes
    ParamOverrides params; // sizes of every pipeline named
    bool peer = true;      // without it the columns of Halide are empty
    std::vector<std::string> names;
};

struct Array {
    const Tensor *tensor = nullptr;
    std::vector<std::byte> bytes;
};

template <typename T> void fillWith(std::vector<std::byte> &bytes, Random &random, double most) {
    for (size_t at = 0; at + sizeof(T) <= bytes.size(); at += sizeof(T)) {
        const auto value = static_cast<T>(random.uniform() * most);
        std::memcpy(bytes.data() + at, &value, sizeof value);
    }
}

std::vector<std::byte> valuesOf(const Tensor &tensor, uint64_t stream) {
    int64_t count = 1;
    for (const int64_t extent : tensor.shape) count *= extent;
    std::vector<std::byte> bytes(static_cast<size_t>(count) * static_cast<size_t>(dtypeBytes(tensor.dtype)));
    Random random(7, stream);
    switch (tensor.dtype) {
    case DType::Float32:
        fillWith<float>(bytes, random, 1);
        break;
    case DType::UInt16:
        fillWith<uint16_t>(bytes, random, 1024);
        break;
    case DType::UInt8:
        fillWith<uint8_t>(bytes, random, 256);
        break;
    default:
        throw Error("an input has elements that this benchmark does not make");
    }
    return bytes;
}

/// The share of elements that are further apart than that; of floats relative where values are large.
template <typename T> double shareApart(const std::byte *a, const std::byte *b, size_t bytes, double allowed) {
    size_t apart = 0;
    for (size_t at = 0; at + sizeof(T) <= bytes; at += sizeof(T)) {
        T left;
        T right;
        std::memcpy(&left, a + at, sizeof left);
        std::memcpy(&right, b + at, sizeof right);
        const auto x = static_cast<double>(left);
        const auto y = static_cast<double>(right);
        const double scale = std::is_integral_v<T> ? 1 : std::max({1.0, std::fabs(x), std::fabs(y)});
        if (std::isnan(x) != std::isnan(y) || std::fabs(x - y) > allowed * scale) ++apart;
    }
    return static_cast<double>(apart) * sizeof(T) / static_cast<double>(bytes);
}

double shareApart(DType type, const std::byte *a, const std::byte *b, size_t bytes, double allowed) {
    switch (type) {
    case DType::Float32:
        return shareApart<float>(a, b, bytes, allowed);
    case DType::UInt16:
        return shareApart<uint16_t>(a, b, bytes, allowed);
    default:
        return shareApart<uint8_t>(a, b, bytes, allowed);
    }
}

struct Kernel {
    std::string name;
    std::unique_ptr<CpuRunner> runner;
    std::unique_ptr<KernelCall> call;
    std::vector<double> seconds;
    double schedulingSeconds = 0;
};

/// Below the middle: others at work on the machine make times longer, by whole slices of its scheduler, never shorter.
double typical(std::vector<double> samples) {
    std::sort(samples.begin(), samples.end());
    return samples[samples.size() / 5];
}

class InterleavedTiming {
  public:
    InterleavedTiming(std::string name, const Options &options, const Target &target, CodeGenerator &generator)
        : m_name(std::move(name)), m_options(options), m_target(target), m_generator(generator), m_dag(readSample()) {
        for (const Tensor *tensor : m_dag->args()) {
            const bool input = tensor->op->kind == OpKind::Placeholder;
            std::vector<Array> &to = input ? m_inputs : m_outputs;
            to.push_back({tensor, {}});
            to.back().bytes = valuesOf(*tensor, to.size());
        }
    }

    /// How many times faster than Halide's: in the mode fixed, and in compat.
    std::pair<double, double> run() {
        std::optional<HalidePeer> peer;
        if (m_options.peer) {
            peer.emplace(makePeer());
            peer->run();
        }
        std::vector<Kernel> kernels;
        kernels.push_back(makeKernel(GroupingMode::Fixed));
        if (!m_options.fixedOnly) kernels.push_back(makeKernel(GroupingMode::Compat));
        std::string differences;
        for (Kernel &kernel : kernels)
            if (peer) differences += compare(kernel);
        std::vector<double> peerSeconds;
        const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(m_options.seconds);
        while (peerSeconds.size() < 5 || std::chrono::steady_clock::now() < end) {
            peerSeconds.push_back(peer ? sample([&] { peer->run(); }) : std::nan(""));
            for (Kernel &kernel : kernels) kernel.seconds.push_back(sample([&] { kernel.call->time(1); }));
        }
        const double peerTime = typical(peerSeconds);
        const double fixedTime = typical(kernels.front().seconds);
        const double compatTime = m_options.fixedOnly ? std::nan("") : typical(kernels.back().seconds);
        fmt::print("{:<20} {:>10.3f} {:>10.3f} {:>10.3f} {:>8.2f} {:>8.2f} {:>9.1f} {:>9.1f} {:>5}  {}\n", m_name,
                   peerTime * 1e3, fixedTime * 1e3, compatTime * 1e3, peerTime / fixedTime, peerTime / compatTime,
                   peer ? peer->scheduleSeconds() * 1e3 : std::nan(""), kernels.front().schedulingSeconds * 1e3,
                   peerSeconds.size(), differences);
        std::fflush(stdout);
        if (m_options.schedules && peer) fmt::print("{}\n", peer->schedule());
        return {peerTime / fixedTime, peerTime / compatTime};
    }

  private:
    DagPtr readSample() {
        const std::string sample = m_name.substr(0, m_name.find(' '));
        const std::string path = LOOPSCOPE_SOURCE_DIR "/samples/pipelines/" + sample + ".te";
        std::ifstream file(path);
        std::ostringstream read;
        read << file.rdbuf();
        std::string text = read.str();
        // "blur uint16": the same with other elements.
        if (sample != m_name) {
            const std::string type = m_name.substr(sample.size() + 1);
            for (size_t at = 0; (at = text.find("float32", at)) != std::string::npos;) text.replace(at, 7, type);
        }
        const Workload workload = parseWorkload(text, path, m_options.params);
        for (const WorkloadParam &param : workload.params) m_sizes[param.name] = param.value;
        return ComputeDag::fromWorkload(workload);
    }

    HalidePeer makePeer() {
        std::vector<PeerArray> inputs;
        std::vector<PeerArray> outputs;
        for (Array &input : m_inputs) inputs.push_back({input.bytes.data(), input.tensor->shape});
        for (Array &output : m_outputs) outputs.push_back({output.bytes.data(), output.tensor->shape});
        return {m_name,
                m_sizes,
                {m_options.machine.parallelism, m_options.machine.lastLevelCache, m_options.machine.balance},
                inputs,
                outputs};
    }

    Kernel makeKernel(GroupingMode mode) {
        Kernel kernel;
        kernel.name = mode == GroupingMode::Fixed ? "fixed" : "compat";
        const auto begin = std::chrono::steady_clock::now();
        const Grouping grouping = groupDag(m_dag, m_target, {mode, m_options.machine});
        const auto schedule = groupedSchedule(grouping, planLoops(grouping));
        if (!schedule) throw Error(m_name + ": " + schedule.why());
        kernel.schedulingSeconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        LoopState state = schedule->state;
        if (!m_options.script.empty() && mode == GroupingMode::Fixed) state = readScript();
        const Outcome<LoopProgram> program = lower(state, m_target);
        if (!program) throw Error(m_name + ": " + program.why());
        if (!m_options.dump.empty()) dump(kernel.name, state, *program);
        const Outcome<MachineCode> code = m_generator.compile(*program);
        if (!code) throw Error(m_name + ": " + code.why());
        kernel.runner = std::make_unique<CpuRunner>(code->kernel);
        ArgumentData data;
        size_t input = 0;
        for (const KernelArg &arg : code->kernel.launch.args)
            data.inputs.push_back(arg.output ? nullptr : m_inputs[input++].bytes.data());
        kernel.call = kernel.runner->bind(data);
        return kernel;
    }

    LoopState readScript() {
        std::ifstream file(m_options.script);
        std::ostringstream text;
        text << file.rdbuf();
        AppliedScript applied = applyScript(m_dag, text.str());
        if (applied.problem) throw Error(applied.problem->text(m_options.script));
        return std::move(applied.state);
    }

    void dump(const std::string &kernel, const LoopState &state, const LoopProgram &program) {
        std::filesystem::create_directories(m_options.dump);
        const std::string file = m_options.dump + "/" + m_name + "." + kernel;
        std::ofstream(file + ".loops") << printProgram(program);
        const auto script = scriptOf(m_dag, state.steps());
        std::ofstream(file + ".script") << (script ? script.value() : script.why());
        CodegenOptions texts;
        texts.wantAssembly = texts.wantIr = true;
        const Outcome<MachineCode> code = m_generator.compile(program, texts);
        if (!code) throw Error(m_name + ": " + code.why());
        std::ofstream(file + ".s") << code->assembly.text;
        std::ofstream(file + ".ll") << code->ir.text;
    }

    [[nodiscard]] bool hasFloats() const {
        for (size_t i = 0; i < m_dag->size(); ++i)
            for (const auto &tensor : m_dag->op(i).outputs)
                if (isFloat(tensor->dtype)) return true;
        return false;
    }

    /// Where the outputs differ from Halide's by more than roundings do. Integers are the same; made of floats they may
    /// differ by one, and floats by a thousandth. Where a rounding decides which entry of a table is read, few differ
    /// by more.
    std::string compare(Kernel &kernel) {
        kernel.call->run();
        const bool floats = hasFloats();
        std::string text;
        for (size_t i = 0; i < m_outputs.size(); ++i) {
            const Array &output = m_outputs[i];
            const double allowed = isFloat(output.tensor->dtype) ? 1e-3 : floats ? 1 : 0;
            const double share = shareApart(output.tensor->dtype, output.bytes.data(),
                                            kernel.call->data(m_inputs.size() + i), output.bytes.size(), allowed);
            if (share > (floats ? 1e-3 : 0))
                text += fmt::format("{}: {} of {} differ; ", kernel.name, share, output.tensor->name);
        }
        return text;
    }

    /// One run of many, after one that brings its own data into the caches; threads of whoever ran before sleep by
    /// then.
    template <typename Run> double sample(Run &&run) const {
        std::this_thread::sleep_for(std::chrono::milliseconds(3));
        run();
        if (!m_options.processorTime) return microseconds(run) * 1e-6;
        const std::clock_t before = std::clock();
        run();
        return static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
    }

    std::string m_name;
    const Options &m_options;
    const Target &m_target;
    CodeGenerator &m_generator;
    std::map<std::string, int64_t> m_sizes;
    DagPtr m_dag;
    std::vector<Array> m_inputs;
    std::vector<Array> m_outputs; // what Halide writes
};

Options parse(int argc, char **argv) {
    Options options;
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        const auto value = [&] {
            if (i + 1 >= argc) throw Error(word + " needs a value");
            return std::string(argv[++i]);
        };
        if (word == "--machine") {
            const auto machine = parseMachineParameters(value());
            if (!machine) throw Error(machine.why());
            options.machine = machine.value();
        } else if (word == "--threads") {
            options.threads = std::stoi(value());
        } else if (word == "--seconds") {
            options.seconds = std::stod(value());
        } else if (word == "--fixed-only") {
            options.fixedOnly = true;
        } else if (word == "--schedules") {
            options.schedules = true;
        } else if (word == "--processor-time") {
            options.processorTime = true;
            options.threads = 1;
        } else if (word == "--script") {
            options.script = value();
        } else if (word == "--param") {
            const std::string param = value();
            const size_t equals = param.find('=');
            if (equals == std::string::npos) throw Error("--param needs NAME=VALUE");
            options.params.emplace_back(param.substr(0, equals), std::stoll(param.substr(equals + 1)));
        } else if (word == "--no-peer") {
            options.peer = false;
        } else if (word == "--dump") {
            options.dump = value();
        } else {
            options.names.push_back(word);
        }
    }
    if (options.names.empty()) options.names = HalidePeer::names();
    return options;
}

double geometricMean(const std::vector<double> &values) {
    double sum = 0;
    for (const double value : values) sum += std::log(value);
    return std::exp(sum / static_cast<double>(values.size()));
}

} // namespace

int main(int argc, char **argv) {
    try {
        const Options options = parse(argc, argv);
        setenv("HL_NUM_THREADS", std::to_string(options.threads).c_str(), 1);
        setKernelThreads(options.threads);
        const Target target = parseTarget("llvm -num-cores=" + std::to_string(options.threads));
        auto generator = makeCodeGenerator(target);
        if (!generator) throw Error(generator.why());
        fmt::print("machine {}, {} threads\n{:<20} {:>10} {:>10} {:>10} {:>8} {:>8} {:>9} {:>9} {:>5}\n",
                   machineParametersText(options.machine), options.threads, "", "Halide ms", "fixed ms", "compat ms",
                   "fixed", "compat", "their ms", "our ms", "runs");
        std::vector<double> fixed;
        std::vector<double> compat;
        for (const std::string &name : options.names) {
            try {
                const auto [first, second] = InterleavedTiming(name, options, target, *generator.value()).run();
                fixed.push_back(first);
                compat.push_back(second);
            } catch (const std::exception &error) {
                fmt::print("{:<20} {}\n", name, error.what());
            }
        }
        if (fixed.empty()) return 1;
        fmt::print("{} pipelines: geometric mean {:.2f} (fixed), {:.2f} (compat); least {:.2f} (fixed)\n", fixed.size(),
                   geometricMean(fixed), geometricMean(compat), *std::min_element(fixed.begin(), fixed.end()));
    } catch (const std::exception &error) {
        fmt::print(stderr, "{}\n", error.what());
        return 1;
    }
    return 0;
}
