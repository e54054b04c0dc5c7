#include "networks/graph/net_lexer.h"
#include "networks/graph/net_literals.h"
#include "networks/graph/net_text.h"

#include "base/check.h"
#include "base/whole_file.h"

#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <type_traits>
#include <utility>

namespace loopscope {

namespace {

constexpr size_t kWeightsAlignment = 64;

class NetPrinter {
  public:
    explicit NetPrinter(const NetPrintOptions &options) : m_options(options) {}

    std::string run(const Module &module) {
        m_out = "network " + netName(module.name) + "\n";
        for (const FunctionPtr &function : module.functions) print(*function);
        return std::move(m_out);
    }

  private:
    void print(const GraphFunction &function) {
        m_function = &function;
        m_printed.assign(function.valueCount(), false);
        m_nextConstant = 0;
        m_out += "\nfunc " + netName(function.name()) + "(";
        for (size_t i = 0; i < function.parameters().size(); ++i) {
            const Value &value = function.value(function.parameters()[i]);
            LOOPSCOPE_CHECK(value.type.has_value(), value.name);
            m_out += (i == 0 ? "" : ", ") + netName(value.name) + ": " + typeText(*value.type);
        }
        m_out += ") {\n";
        blocks();
        constantsBefore(function.valueCount(), "  ");
        m_out += "  return";
        const char *separator = " ";
        for (const ValueId result : function.results()) {
            m_out += separator + name(result);
            separator = ", ";
        }
        m_out += "\n}\n";
    }

    void blocks() {
        const std::vector<Block> &blocks = m_function->blocks();
        if (blocks.size() == 1 && !blocks[0].nodes.empty() && blocks[0].kind == BlockKind::Dataflow) {
            for (const Node &node : blocks[0].nodes) statement(node, "  ");
            return;
        }
        const std::vector<std::vector<ValueId>> yields = yielded();
        for (size_t i = 0; i < blocks.size(); ++i) {
            m_out += blocks[i].kind == BlockKind::Effect ? "  effect {\n" : "  dataflow {\n";
            for (const Node &node : blocks[i].nodes) statement(node, "    ");
            m_out += "  }";
            const char *separator = " yield ";
            for (const ValueId value : yields[i]) {
                m_out += separator + name(value);
                separator = ", ";
            }
            m_out += '\n';
        }
    }

    /// By block: its values that are read outside of it, in order.
    std::vector<std::vector<ValueId>> yielded() {
        std::vector<size_t> blockOf(m_function->valueCount(), SIZE_MAX);
        std::vector<bool> outside(m_function->valueCount(), false);
        const std::vector<Block> &blocks = m_function->blocks();
        for (size_t i = 0; i < blocks.size(); ++i)
            for (const Node &node : blocks[i].nodes) {
                for (const ValueId output : node.outputs) blockOf[output.index()] = i;
                for (const ValueId input : node.inputs)
                    if (input.value >= 0 && blockOf[input.index()] != i) outside[input.index()] = true;
            }
        for (const ValueId result : m_function->results()) outside[result.index()] = true;
        std::vector<std::vector<ValueId>> yields(blocks.size());
        for (size_t i = 0; i < outside.size(); ++i)
            if (outside[i] && blockOf[i] != SIZE_MAX) yields[blockOf[i]].push_back(ValueId(i));
        return yields;
    }

    [[nodiscard]] std::string name(ValueId value) const { return netName(m_function->value(value).name); }

    /// Constants stand where their ids do, so that reading gives values the same order.
    void constantsBefore(size_t end, const char *indent) {
        for (; m_nextConstant < end; ++m_nextConstant) constant(ValueId(m_nextConstant), indent);
    }
    void constant(ValueId id, const char *indent) {
        const HostTensor *held = m_function->constant(id);
        if (!held || m_printed[id.index()]) return;
        m_printed[id.index()] = true;
        m_out += indent + name(id) + " = constant ";
        tensor(*held);
        m_out += '\n';
    }

    void statement(const Node &node, const char *indent) {
        LOOPSCOPE_CHECK(!node.outputs.empty(), nodeText(node));
        constantsBefore(node.outputs[0].index(), indent);
        for (const ValueId input : node.inputs)
            if (input.value >= 0) constant(input, indent);
        m_out += indent;
        for (size_t i = 0; i < node.outputs.size(); ++i) {
            const Value &value = m_function->value(node.outputs[i]);
            m_out += (i == 0 ? "" : ", ") + netName(value.name);
            if (value.type) m_out += ": " + typeText(*value.type);
        }
        m_out += " = " + netName(node.op) + "(";
        const char *separator = "";
        for (const ValueId input : node.inputs) {
            m_out += separator + (input.value < 0 ? std::string("_") : name(input));
            separator = ", ";
        }
        for (const auto &[attributeName, held] : node.attributes) {
            m_out += separator + netName(attributeName) + " = ";
            attribute(held);
            separator = ", ";
        }
        m_out += ')';
        if (node.name != m_function->value(node.outputs[0]).name) m_out += " @ " + netQuoted(node.name);
        if (!node.sources.empty()) {
            m_out += " from ";
            list(node.sources, "");
        }
        m_out += '\n';
    }

    void attribute(const Attribute &attribute) {
        std::visit(
            [this](const auto &held) {
                using Held = std::decay_t<decltype(held)>;
                if constexpr (std::is_same_v<Held, HostTensor>) {
                    m_out += "tensor ";
                    tensor(held);
                } else if constexpr (std::is_same_v<Held, std::vector<int64_t>>) {
                    list(held, "ints ");
                } else if constexpr (std::is_same_v<Held, std::vector<double>>) {
                    list(held, "numbers ");
                } else if constexpr (std::is_same_v<Held, std::vector<std::string>>) {
                    list(held, "texts ");
                } else {
                    m_out += element(held);
                }
            },
            attribute);
    }

    static std::string element(int64_t value) { return std::to_string(value); }
    static std::string element(double value) { return netNumber(value); }
    static std::string element(const std::string &value) { return netQuoted(value); }

    template <typename T> void list(const std::vector<T> &elements, const char *kindWhenEmpty) {
        if (elements.empty()) m_out += kindWhenEmpty;
        m_out += '[';
        for (size_t i = 0; i < elements.size(); ++i) m_out += (i == 0 ? "" : ", ") + element(elements[i]);
        m_out += ']';
    }

    void tensor(const HostTensor &held) {
        m_out += typeText({held.dtype(), asDims(held.dims())}) + " ";
        if (const FillRecipe *made = held.recipe()) {
            recipe(*made);
        } else if (held.isSplat()) {
            m_out += splatElement(held);
        } else if (!listed(held)) {
            if (!m_options.weightsName.empty() && held.byteSize() > m_options.maxInline)
                toFile(held);
            else
                m_out += "bytes \"" + base64Of({held.bytes(), held.byteSize()}) + '"';
        }
    }

    static std::string splatElement(const HostTensor &held) {
        // An empty splat has an element, too.
        const HostTensor one = held.elements() == 0 ? HostTensor::zeros(held.dtype(), {}) : held.elementAt(0);
        const std::optional<std::string> text = netElement(one, 0);
        LOOPSCOPE_CHECK(text.has_value(), "a bool that is neither");
        return *text;
    }

    bool listed(const HostTensor &held) {
        if (held.elements() > static_cast<int64_t>(m_options.maxListed)) return false;
        const size_t before = m_out.size();
        m_out += '[';
        for (int64_t i = 0; i < held.elements(); ++i) {
            const std::optional<std::string> text = netElement(held, i);
            if (!text) {
                m_out.resize(before);
                return false;
            }
            m_out += (i == 0 ? "" : ", ") + *text;
        }
        m_out += ']';
        return true;
    }

    void recipe(const FillRecipe &made) {
        const std::string seed = made.seed <= INT64_MAX ? fmt::format("seed = {}", made.seed)
                                                        : fmt::format("seed = bits(0x{:x})", made.seed);
        switch (made.kind) {
        case FillKind::Ramp:
            m_out += "ramp";
            return;
        case FillKind::Uniform:
            m_out += fmt::format("random uniform(low = {}, high = {}, {}", netNumber(made.first),
                                 netNumber(made.second), seed);
            break;
        case FillKind::Normal:
            m_out += fmt::format("random normal(mean = {}, deviation = {}, {}", netNumber(made.first),
                                 netNumber(made.second), seed);
            break;
        case FillKind::Integers:
            m_out += fmt::format("random integers(least = {}, most = {}, {}", made.least, made.most, seed);
            break;
        }
        if (made.stream != 0) m_out += fmt::format(", stream = bits(0x{:x})", made.stream);
        m_out += ')';
    }

    void toFile(const HostTensor &held) {
        static constexpr std::byte zeros[kWeightsAlignment] = {};
        const size_t padding = (kWeightsAlignment - m_offset % kWeightsAlignment) % kWeightsAlignment;
        m_options.write({zeros, padding});
        m_offset += padding;
        m_out += fmt::format("file({}, {})", netQuoted(m_options.weightsName), m_offset);
        m_options.write({held.bytes(), held.byteSize()});
        m_offset += held.byteSize();
    }

    const NetPrintOptions &m_options;
    const GraphFunction *m_function = nullptr;
    std::vector<bool> m_printed; // constants
    size_t m_nextConstant = 0;
    size_t m_offset = 0; // in the file of weights
    std::string m_out;
};

} // namespace

std::string netText(const Module &module, const NetPrintOptions &options) { return NetPrinter(options).run(module); }

void writeNet(const Module &module, const std::string &path) {
    std::unique_ptr<WholeFile> weights;
    NetPrintOptions options;
    options.weightsName = std::filesystem::path(path).filename().string() + ".weights";
    options.write = [&](std::span<const std::byte> bytes) {
        if (!weights) weights = std::make_unique<WholeFile>(path + ".weights");
        weights->write(bytes);
    };
    const std::string text = netText(module, options);
    WholeFile file(path);
    file.write(text);
    if (weights) weights->finish();
    file.finish();
}

} // namespace loopscope
