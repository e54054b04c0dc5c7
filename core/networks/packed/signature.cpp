#include "networks/packed/signature.h"

#include <fmt/format.h>

namespace loopscope {

std::string_view kindText(PackedCode kind) {
    switch (kind) {
    case PackedCode::Int:
        return "an integer";
    case PackedCode::Float:
        return "a float";
    case PackedCode::Pointer:
        return "a pointer";
    case PackedCode::Null:
        return "nothing";
    case PackedCode::DataType:
        return "a data type";
    case PackedCode::Device:
        return "a device";
    case PackedCode::Tensor:
        return "a tensor";
    case PackedCode::Object:
        return "an object";
    case PackedCode::Module:
        return "a module";
    case PackedCode::Function:
        return "a function";
    case PackedCode::String:
        return "a text";
    case PackedCode::Bytes:
        return "bytes";
    case PackedCode::Array:
        return "an array";
    case PackedCode::Bool:
        return "a bool";
    }
    return "of an unknown kind";
}

PackedCode codeOf(const PackedArgument &argument) {
    struct Visitor {
        PackedCode operator()(std::monostate) const { return PackedCode::Null; }
        PackedCode operator()(int64_t) const { return PackedCode::Int; }
        PackedCode operator()(double) const { return PackedCode::Float; }
        PackedCode operator()(bool) const { return PackedCode::Bool; }
        PackedCode operator()(const std::string &) const { return PackedCode::String; }
        PackedCode operator()(DlTensor *) const { return PackedCode::Tensor; }
        PackedCode operator()(void *) const { return PackedCode::Pointer; }
        PackedCode operator()(DlDataType) const { return PackedCode::DataType; }
        PackedCode operator()(DlDevice) const { return PackedCode::Device; }
    };
    return std::visit(Visitor{}, argument);
}

std::string argumentText(const PackedArgument &argument) {
    if (const auto *integer = std::get_if<int64_t>(&argument)) return fmt::format("integer {}", *integer);
    if (const auto *number = std::get_if<double>(&argument)) return fmt::format("float {}", *number);
    if (const auto *truth = std::get_if<bool>(&argument)) return fmt::format("bool {}", *truth);
    if (const auto *text = std::get_if<std::string>(&argument)) return fmt::format("text '{}'", text->substr(0, 40));
    if (auto *const *tensor = std::get_if<DlTensor *>(&argument))
        return *tensor == nullptr ? "a null tensor" : "a tensor " + tensorText(**tensor);
    return std::string(kindText(codeOf(argument)));
}

bool kindFits(PackedCode given, PackedCode wanted) {
    if (given == wanted) return true;
    if (wanted == PackedCode::Float) return given == PackedCode::Int || given == PackedCode::Bool;
    if (wanted == PackedCode::Int) return given == PackedCode::Bool;
    return wanted == PackedCode::Pointer && given == PackedCode::Null;
}

std::optional<Refusal> problemOfCall(std::string_view function, const PackedSignature &signature,
                                     std::span<const PackedArgument> arguments) {
    const size_t wanted = signature.arguments.size();
    if (arguments.size() != wanted)
        return Refusal{fmt::format("{}: {} argument{} given; it takes {}", function, arguments.size(),
                                   arguments.size() == 1 ? "" : "s", wanted)};
    for (size_t i = 0; i < wanted; ++i) {
        const ArgumentSpec &spec = signature.arguments[i];
        const std::string where =
            fmt::format("{}: argument {}{}", function, i + 1, spec.name.empty() ? "" : fmt::format(" ({})", spec.name));
        if (!kindFits(codeOf(arguments[i]), spec.kind))
            return Refusal{
                fmt::format("{} is {}; {} is wanted", where, argumentText(arguments[i]), kindText(spec.kind))};
        if (spec.kind != PackedCode::Tensor) continue;
        if (const auto problem = problemOfTensor(std::get<DlTensor *>(arguments[i]), spec.tensor))
            return Refusal{fmt::format("{} {}", where, problem->sentence)};
    }
    return std::nullopt;
}

Outcome<PackedArgument> unpack(PackedValue value, int code) {
    switch (static_cast<PackedCode>(code)) {
    case PackedCode::Int:
        return PackedArgument(value.integer);
    case PackedCode::Float:
        return PackedArgument(value.number);
    case PackedCode::Bool:
        return PackedArgument(value.integer != 0);
    case PackedCode::Pointer:
        return PackedArgument(value.pointer);
    case PackedCode::Null:
        return PackedArgument(std::monostate{});
    case PackedCode::DataType:
        return PackedArgument(value.dtype);
    case PackedCode::Device:
        return PackedArgument(value.device);
    case PackedCode::Tensor:
    case PackedCode::Array:
        return PackedArgument(static_cast<DlTensor *>(value.pointer));
    case PackedCode::String:
        if (value.text == nullptr) return Refusal{"is a text without an address"};
        return PackedArgument(std::string(value.text));
    case PackedCode::Object:
    case PackedCode::Module:
    case PackedCode::Function:
    case PackedCode::Bytes:
        return Refusal{
            fmt::format("is {} of another runtime (code {}); numbers, texts, pointers and tensors can be passed",
                        kindText(static_cast<PackedCode>(code)), code)};
    }
    return Refusal{fmt::format("has the code {}, which stands for nothing; codes are 0 to 15 without 1 and 14", code)};
}

PackedValue pack(const PackedArgument &argument, int &code) {
    PackedValue value;
    code = static_cast<int>(codeOf(argument));
    if (const auto *integer = std::get_if<int64_t>(&argument)) value.integer = *integer;
    if (const auto *number = std::get_if<double>(&argument)) value.number = *number;
    if (const auto *truth = std::get_if<bool>(&argument)) value.integer = *truth ? 1 : 0;
    if (const auto *text = std::get_if<std::string>(&argument)) value.text = text->c_str();
    if (auto *const *tensor = std::get_if<DlTensor *>(&argument)) value.pointer = *tensor;
    if (auto *const *pointer = std::get_if<void *>(&argument)) value.pointer = *pointer;
    if (const auto *dtype = std::get_if<DlDataType>(&argument)) value.dtype = *dtype;
    if (const auto *device = std::get_if<DlDevice>(&argument)) value.device = *device;
    return value;
}

} // namespace loopscope
