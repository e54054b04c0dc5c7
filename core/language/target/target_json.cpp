#include "language/target/target_json.h"

#include "base/json_text.h"
#include "base/outcome.h"

#include <fmt/format.h>

namespace loopscope {

namespace {

using TargetJson = nlohmann::ordered_json; // in its own order, which the line then has

/// A string, a number, true or false, or a list of them, which the line joins by commas.
std::string attributeText(const std::string &name, const TargetJson &value) {
    if (value.is_array()) {
        std::string list;
        for (const TargetJson &each : value) {
            if (each.is_structured()) throw Error(fmt::format("target attribute \"{}\" is a list of lists", name));
            list += (list.empty() ? "" : ",") + attributeText(name, each);
        }
        return list;
    }
    if (value.is_boolean()) return value.get<bool>() ? "1" : "0";
    if (value.is_number()) return value.dump();
    if (!value.is_string())
        throw Error(fmt::format("target attribute \"{}\" is {}; a text, a number or a list of them is expected", name,
                                value.type_name()));
    auto text = value.get<std::string>();
    if (text.find_first_of(" \t\n") != std::string::npos)
        throw Error(fmt::format("target attribute \"{}\" has a blank in its value", name));
    return text;
}

} // namespace

std::string targetLine(std::string_view text) {
    const size_t begin = text.find_first_not_of(" \t\n");
    if (begin == std::string_view::npos || text[begin] != '{') return std::string(text);
    const auto json = parseJson<TargetJson>(text.substr(begin), "", "the target");
    const auto kind = json.find("kind");
    const auto tag = json.find("tag"); // names a GPU with all its figures
    std::string line;
    if (kind != json.end() && kind->is_string() && !kind->empty())
        line = attributeText("kind", *kind);
    else if (kind == json.end() && tag != json.end())
        line = attributeText("tag", *tag);
    else
        throw Error(R"(the target has no "kind": {"kind": "llvm", ...} or {"kind": "cuda", ...} is expected)");
    for (const auto &[name, value] : json.items()) {
        // A host is a target of its own, and kernels are not for it.
        if (name == "kind" || name == "tag" || name == "host" || value.is_null()) continue;
        // Kinds of devices and what TVM's compiler is told; nothing of ours depends on it.
        if (name == "target_device_type" || name == "features") continue;
        if (const std::string said = attributeText(name, value); !said.empty())
            line += fmt::format(" -{}={}", name, said);
    }
    return line;
}

} // namespace loopscope
