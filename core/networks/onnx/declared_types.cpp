#include "networks/onnx/declared_types.h"

#include "networks/onnx/tensor_data.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

namespace loopscope {

namespace {

/// A word that a symbol can be called.
std::string asWord(const std::string &text) {
    std::string word;
    for (const char c : text.substr(0, 64)) {
        const auto byte = static_cast<unsigned char>(c);
        word += byte < 0x80 && std::isalnum(byte) != 0 ? c : '_';
    }
    if (word.empty() || std::isdigit(static_cast<unsigned char>(word[0])) != 0) word.insert(0, "d");
    return word == "floordiv" ? word + "_" : word;
}

/// A dim that is a name alone, and not one of numbers only.
bool isWord(const std::string &text) { return !text.empty() && text.size() <= 64 && asWord(text) == text; }

/// "?", which some exporters write for every dim they do not know, is no name: two of them need not be equal.
bool isName(const std::string &text) {
    return std::any_of(text.begin(), text.end(), [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return byte >= 0x80 || std::isalnum(byte) != 0;
    });
}

} // namespace

DeclaredTypes::DeclaredTypes(const onnx::GraphProto &graph, const std::map<std::string, int64_t> &numbers)
    : m_numbers(numbers) {
    for (const auto &info : graph.value_info()) m_infos.emplace(info.name(), &info);
    for (const auto &info : graph.output()) m_infos[info.name()] = &info;
    // Words that the file uses as names are not made up for others.
    for (const auto *infos : {&graph.input(), &graph.output(), &graph.value_info()})
        for (const auto &info : *infos)
            for (const auto &dim : info.type().tensor_type().shape().dim())
                if (isWord(dim.dim_param())) m_taken.insert(dim.dim_param());
}

Dim DeclaredTypes::symbol(const std::string &ours) {
    m_symbols.insert(ours);
    if (const auto at = m_numbers.find(ours); at != m_numbers.end()) {
        m_used.insert(ours);
        return at->second;
    }
    return Dim::symbol(ours);
}

Dim DeclaredTypes::named(const std::string &text) {
    if (const auto at = m_named.find(text); at != m_named.end()) return at->second;
    Dim dim;
    const auto expression = text.size() <= 200 ? parseDim(text) : std::nullopt;
    if (const auto at = m_numbers.find(text); at != m_numbers.end()) {
        m_used.insert(text);
        dim = at->second;
    } else if (isWord(text)) {
        dim = symbol(text);
    } else if (expression && !expression->isConstant()) {
        dim = *expression;
        std::map<std::string, int64_t, std::less<>> known;
        for (const std::string &name : expression->symbols())
            if (const Dim part = symbol(name); part.isConstant()) known[name] = part.value();
        if (known.size() == expression->symbols().size())
            if (const auto value = expression->evaluate(known)) dim = *value;
    } else {
        std::string word = asWord(text);
        for (int number = 1; !m_taken.insert(word).second; ++number) word = fmt::format("{}_{}", asWord(text), number);
        dim = symbol(word);
    }
    m_named.emplace(text, dim);
    return dim;
}

Outcome<TensorType> DeclaredTypes::tensorType(const onnx::ValueInfoProto &info) {
    if (!info.type().has_tensor_type())
        return Refusal{"is no tensor; sequences, maps, sparse tensors and optional values are not supported"};
    const auto &tensor = info.type().tensor_type();
    const auto dtype = dtypeOfOnnx(tensor.elem_type());
    if (!dtype)
        return Refusal{fmt::format("has elements of {}; supported are floats of 16 to 64 bits, integers but uint64, "
                                   "and bool",
                                   onnxTypeName(tensor.elem_type()))};
    if (!tensor.has_shape()) return Refusal{"declares no shape; its number of dims must be known"};
    TensorType type = {*dtype, {}};
    for (int i = 0; i < tensor.shape().dim_size(); ++i) {
        const auto &dim = tensor.shape().dim(i);
        // Some exporters write -1 for a dim of any size, as NumPy does in a reshape.
        if (dim.has_dim_value() && dim.dim_value() != -1) {
            if (dim.dim_value() < 0) return Refusal{fmt::format("has the dim {}, which is negative", dim.dim_value())};
            type.dims.emplace_back(dim.dim_value());
        } else if (isName(dim.dim_param())) {
            type.dims.push_back(named(dim.dim_param()));
        } else {
            std::string word = asWord(fmt::format("{}_{}", info.name(), i));
            for (int number = 1; m_taken.contains(word); ++number)
                word = asWord(fmt::format("{}_{}_{}", info.name(), i, number));
            m_taken.insert(word);
            type.dims.push_back(symbol(word));
        }
    }
    return type;
}

Outcome<TensorType> DeclaredTypes::inputType(const onnx::ValueInfoProto &info) { return tensorType(info); }

std::optional<TensorType> DeclaredTypes::typeOf(const std::string &valueName) {
    const auto at = m_infos.find(valueName);
    if (at == m_infos.end()) return std::nullopt;
    const auto type = tensorType(*at->second);
    return type ? std::optional<TensorType>(*type) : std::nullopt;
}

std::optional<std::string> DeclaredTypes::contradiction(const std::string &valueName, const TensorType &inferred) {
    const auto at = m_infos.find(valueName);
    if (at == m_infos.end() || !at->second->has_type()) return std::nullopt;
    if (!at->second->type().has_tensor_type()) return "is declared as something that is no tensor";
    const auto &tensor = at->second->type().tensor_type();
    const auto dtype = dtypeOfOnnx(tensor.elem_type());
    bool differs = tensor.elem_type() != onnx::TensorProto_DataType_UNDEFINED && dtype != inferred.dtype;
    std::string declared = dtype ? std::string(dtypeName(*dtype)) : onnxTypeName(tensor.elem_type());
    if (tensor.has_shape()) {
        declared += "[";
        differs = differs || std::cmp_not_equal(tensor.shape().dim_size(), inferred.dims.size());
        for (int i = 0; i < tensor.shape().dim_size(); ++i) {
            const auto &dim = tensor.shape().dim(i);
            declared += fmt::format("{}{}", i > 0 ? ", " : "",
                                    dim.has_dim_value() ? std::to_string(dim.dim_value()) : dim.dim_param());
            if (differs || !dim.has_dim_value() || dim.dim_value() == -1) continue;
            const Dim &other = inferred.dims[static_cast<size_t>(i)];
            differs = other.isConstant() && other.value() != dim.dim_value();
        }
        declared += "]";
    }
    if (!differs) return std::nullopt;
    return fmt::format("is declared as {} and computed as {}", declared, typeText(inferred));
}

bool DeclaredTypes::contradictsElements(const std::string &valueName, const TensorType &inferred) const {
    const auto at = m_infos.find(valueName);
    if (at == m_infos.end() || !at->second->has_type()) return false;
    if (!at->second->type().has_tensor_type()) return true;
    const auto elements = at->second->type().tensor_type().elem_type();
    return elements != onnx::TensorProto_DataType_UNDEFINED && dtypeOfOnnx(elements) != inferred.dtype;
}

std::vector<std::string> DeclaredTypes::unused() const {
    std::vector<std::string> names;
    for (const auto &[name, number] : m_numbers)
        if (!m_used.contains(name)) names.push_back(name);
    return names;
}

} // namespace loopscope
