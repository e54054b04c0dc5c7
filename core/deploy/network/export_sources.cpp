#include "deploy/network/export_sources.h"

#include "base/check.h"
#include "base/fnv_hash.h"
#include "base/foreign_text.h"
#include "codegen/c/c_expr.h"
#include "codegen/kernel_code.h"
#include "codegen/runtime/kernel_arguments.h"
#include "deploy/network/export_packed.h"
#include "deploy/network/export_packed_texts.h"
#include "deploy/network/export_python_text.h"
#include "deploy/network/export_texts.h"
#include "deploy/network/exported_name.h"
#include "deploy/plan/lifetimes.h"
#include "language/tensor/wide_tensor.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <fmt/format.h>
#include <map>
#include <utility>

namespace loopscope {

namespace {

using Words = std::vector<std::pair<std::string, std::string>>;

std::string withWords(std::string_view text, const Words &words) {
    std::string result;
    for (size_t at = 0; at < text.size();) {
        const auto found =
            text[at] != '@' ? words.end() : std::find_if(words.begin(), words.end(), [&](const auto &word) {
                return text.substr(at).starts_with(word.first);
            });
        if (found == words.end()) {
            result += text[at++];
        } else {
            result += found->second;
            at += found->first.size();
        }
    }
    return result;
}

std::string inUpperCase(std::string text) {
    for (char &c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return text;
}

void append(std::string &bytes, const void *data, size_t size) { bytes.append(static_cast<const char *>(data), size); }

class SourceWriter {
  public:
    explicit SourceWriter(const SourceExport &request)
        : m_request(request), m_plan(request.plan), m_name(exportedNetworkName(request.plan.network)) {
        for (const PackedConstant &packed : m_plan.packed) {
            m_weightOffsets.push_back(m_weightBytes);
            m_weightBytes += alignedBytes(packed.bytes);
        }
        ExportedArguments arguments = exportedArguments(m_plan);
        m_inputNames = std::move(arguments.inputs);
        m_outputNames = std::move(arguments.outputs);
    }

    Outcome<std::vector<SourceFile>> files() {
        std::string prototypes =
            "/* The kernels, in files of their own under kernels/. */\n#include <stdbool.h>\n#include "
            "<stdint.h>\n\n";
        for (size_t i = 0; i < m_plan.kernels.size(); ++i) {
            auto code = kernelCode(i);
            if (!code) return code.refusal();
            m_files.push_back({fmt::format("kernels/{}.c", kernelName(i)), std::move(code).value()});
            prototypes += kernelPrototype(i) + ";\n";
        }
        prototypes += fmt::format("\n/* Keeps the sentence for {0}_last_error; returns -1. */\n"
                                  "int {0}_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));\n",
                                  m_name);
        std::string data = weights();
        m_weightHash = fnvHash(data);
        const Words words = this->words();
        m_files.push_back({m_name + "_kernels.h", prototypes});
        m_files.push_back({m_name + ".h", withWords(kExportHeader, words)});
        m_files.push_back({m_name + ".c", withWords(kExportLoader, words)});
        m_files.push_back({m_name + "_packed.c", withWords(kExportPacked, words)});
        m_files.push_back({m_name + ".py", withWords(kExportPython, words)});
        m_files.push_back({"main.c", withWords(kExportMain, words)});
        m_files.push_back({"CMakeLists.txt", withWords(kExportCMake, words)});
        std::string file("loopscope-net-1\0", 16);
        append(file, &m_weightHash, sizeof m_weightHash);
        m_files.push_back({m_name + ".weights", file + data});
        m_files.push_back({m_name + ".check", check()});
        return std::move(m_files);
    }

  private:
    [[nodiscard]] std::string kernelName(size_t kernel) const {
        return exportedKernelName(m_name, kernel, m_plan.kernels[kernel].name);
    }

    [[nodiscard]] std::string kernelPrototype(size_t kernel) const {
        std::string arguments;
        for (const KernelArg &arg : m_plan.kernels[kernel].code.launch.args)
            arguments += fmt::format("{}{}{} *", arguments.empty() ? "" : ", ", arg.output ? "" : "const ",
                                     cStorageName(arg.dtype));
        return fmt::format("void {}({})", kernelName(kernel), arguments);
    }

    /// The text of the loops that the plan's code was made of.
    [[nodiscard]] Outcome<std::string> kernelCode(size_t kernel) const {
        const PlanKernel &of = m_plan.kernels[kernel];
        if (of.routine)
            return Refusal{
                fmt::format("the kernel {} is offloaded to the library {}, of which no source is exported; take "
                            "away its pin, and build without --library",
                            of.name, of.routine->library)};
        if (of.host)
            return Refusal{fmt::format("{} is computed on the host by operators of this program, of which no C source "
                                       "is exported; export the network as onnx or net, or its part before them",
                                       of.name)};
        LOOPSCOPE_CHECK(kernel < m_request.tasks.size() && m_request.tasks[kernel].task.key == of.key, of.name);
        const Task &task = m_request.tasks[kernel].task;
        auto program = loopsOf(of, task);
        if (!program) return program.refusal();
        program->name = kernelName(kernel);
        return fmt::format("// {} of {}; schedule: {}\n{}", commentText(of.name), commentText(m_plan.network),
                           commentText(of.schedule), emitC(*program, task.target).text);
    }

    [[nodiscard]] static std::string pointerText(const PlanTensor &tensor, const std::string &name, bool output) {
        return fmt::format("{}{} *{}", output ? "" : "const ", cStorageName(tensor.dtype), name);
    }

    [[nodiscard]] Words words() const {
        std::string signature;
        std::string prototype = fmt::format("void {0}_run(const {0}_weights *weights, void *workspace", m_name);
        std::string run = fmt::format("{}_run(weights, workspace", m_name);
        const auto add = [&](const PlanTensor &tensor, const std::string &name, bool output) {
            signature += fmt::format("   {}: {} {} [{}]\n", name, output ? "written," : "read,",
                                     dtypeName(tensor.dtype), fmt::join(tensor.dims, ", "));
            prototype += ", " + pointerText(tensor, name, output);
            run += ", " + name;
        };
        for (size_t i = 0; i < m_plan.inputs.size(); ++i) add(m_plan.inputs[i], m_inputNames[i], false);
        for (size_t i = 0; i < m_plan.outputs.size(); ++i) add(m_plan.outputs[i], m_outputNames[i], true);
        Words words = packedWords(m_plan, m_inputNames, m_outputNames,
                                  {m_request.tolerances.begin(), m_request.tolerances.end()});
        const Words own = {{"@INCLUDE@", "#include"},
                           {"@NAME@", m_name},
                           {"@NETWORK@", commentText(m_plan.network)},
                           {"@TARGET@", commentText(m_plan.target)},
                           {"@SIGNATURE@", signature},
                           {"@GUARD@", inUpperCase(m_name)},
                           {"@PROTOTYPE@", prototype + ")"},
                           {"@WEIGHTS@", std::to_string(std::max<size_t>(m_weightBytes, 1))},
                           {"@WEIGHTS_HASH@", fmt::format("{:#x}", m_weightHash)},
                           {"@WORKSPACE@", std::to_string(m_plan.arenaBytes)},
                           {"@CALLS@", calls()},
                           {"@BUFFERS@", buffers()},
                           {"@RUN@", run + ")"},
                           {"@COMPARES@", compares()}};
        words.insert(words.end(), own.begin(), own.end());
        words.emplace_back("@PACKED@", withWords(kExportPackedHeader, words));
        return words;
    }

    [[nodiscard]] std::string place(const PlanArgument &argument, const std::string &type) const {
        switch (argument.kind) {
        case StorageKind::Arena:
            return fmt::format("({}*)(arena + {})", type, argument.at);
        case StorageKind::Constant:
            return fmt::format("({}*)(w + {})", type, m_weightOffsets[argument.at]);
        case StorageKind::Input:
            return m_inputNames[argument.at];
        case StorageKind::Output:
            return m_outputNames[argument.at];
        }
        return {};
    }

    [[nodiscard]] std::string calls() const {
        std::string text;
        for (const PlanCall &call : m_plan.calls) {
            if (call.action == KernelAction::Nothing) continue;
            if (call.action == KernelAction::Copy) {
                text += fmt::format("    memcpy({}, {}, {}); /* {} */\n", place(call.arguments[1], "void "),
                                    place(call.arguments[0], "const void "), call.arguments[0].bytes,
                                    commentText(call.name));
                continue;
            }
            const auto &args = m_plan.kernels[call.kernel].code.launch.args;
            std::string arguments;
            for (size_t i = 0; i < args.size(); ++i) {
                const std::string type =
                    fmt::format("{}{} ", args[i].output ? "" : "const ", cStorageName(args[i].dtype));
                arguments += (i > 0 ? ", " : "") + place(call.arguments[i], type);
            }
            text += fmt::format("    {}({});\n", kernelName(call.kernel), arguments);
        }
        return text;
    }

    [[nodiscard]] std::string buffers() const {
        std::string text;
        for (size_t i = 0; i < m_plan.inputs.size(); ++i)
            text += fmt::format("    {0} *{1} = memory({2});\n    read_all(check, {1}, {2}, path);\n",
                                cStorageName(m_plan.inputs[i].dtype), m_inputNames[i], m_plan.inputs[i].bytes());
        for (size_t i = 0; i < m_plan.outputs.size(); ++i)
            text += fmt::format("    {} *{} = memory({});\n", cStorageName(m_plan.outputs[i].dtype), m_outputNames[i],
                                m_plan.outputs[i].bytes());
        return text;
    }

    [[nodiscard]] std::string compares() const {
        std::string text;
        for (size_t i = 0; i < m_plan.outputs.size(); ++i)
            text += fmt::format(
                "    {{\n        const size_t elements = {0};\n        double *got = memory(elements * sizeof "
                "*got), *wanted = memory(elements * sizeof *wanted);\n        read_all(check, wanted, "
                "elements * sizeof *wanted, path);\n        for (size_t i = 0; i < elements; ++i) got[i] = "
                "(double){1}[i];\n        right &= compare(\"{1}\", got, wanted, elements, {2:.9g});\n"
                "        free(got);\n        free(wanted);\n    }}\n",
                elementCount(m_plan.outputs[i].dims), m_outputNames[i], m_request.tolerances[i]);
        return text;
    }

    /// As the kernels read them, one behind the other.
    [[nodiscard]] std::string weights() const {
        std::string data(std::max<size_t>(m_weightBytes, 1), '\0');
        for (size_t i = 0; i < m_plan.packed.size(); ++i) {
            const PackedConstant &packed = m_plan.packed[i];
            if (packed.bytes == 0) continue;
            const HostTensor value = m_plan.constants[packed.constant].value.dense();
            auto *to = reinterpret_cast<std::byte *>(data.data() + m_weightOffsets[i]);
            if (packed.packing.empty()) {
                std::memcpy(to, value.bytes(), packed.bytes);
                continue;
            }
            KernelArg arg;
            arg.dtype = value.dtype();
            arg.shape = value.dims();
            arg.packing = packed.packing;
            arg.elements = static_cast<int64_t>(packed.bytes) / dtypeBytes(arg.dtype);
            packElements(arg, value.bytes(), to);
        }
        return data;
    }

    [[nodiscard]] std::string check() const {
        std::string file;
        for (const HostTensor &input : m_request.inputs) {
            const HostTensor dense = input.dense();
            append(file, dense.bytes(), dense.byteSize());
        }
        for (const HostTensor &output : m_request.expected) {
            const std::vector<double> numbers = output.numbers();
            append(file, numbers.data(), numbers.size() * sizeof(double));
        }
        return file;
    }

    const SourceExport &m_request;
    const ExecutionPlan &m_plan;
    std::string m_name;
    std::vector<size_t> m_weightOffsets;
    size_t m_weightBytes = 0;
    uint64_t m_weightHash = 0;
    std::vector<std::string> m_inputNames;
    std::vector<std::string> m_outputNames;
    std::vector<SourceFile> m_files;
};

} // namespace

Outcome<std::vector<SourceFile>> exportSources(const SourceExport &request) {
    LOOPSCOPE_CHECK(request.inputs.size() == request.plan.inputs.size() &&
                        request.expected.size() == request.plan.outputs.size() &&
                        request.tolerances.size() == request.plan.outputs.size(),
                    request.plan.network);
    for (const PlanTensor &output : request.plan.outputs)
        if (output.dtype == DType::Float16 || output.dtype == DType::BFloat16)
            return Refusal{fmt::format("{} is {}, which main.c cannot compare; a float32 output can be exported",
                                       output.name, dtypeName(output.dtype))};
    return SourceWriter(request).files();
}

} // namespace loopscope
