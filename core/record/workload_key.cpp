#include "record/workload_key.h"

#include "record/json_depth.h"

#include <nlohmann/json.hpp>
#include <string_view>

namespace loopscope {

namespace {

using KeyJson = nlohmann::json;

constexpr int kDeepestKey = 64;

void flattenInto(const KeyJson &value, std::string &args) {
    if (value.is_array()) {
        for (const KeyJson &element : value) flattenInto(element, args);
        return;
    }
    if (!args.empty()) args += ',';
    args += value.dump(-1, ' ', false, KeyJson::error_handler_t::replace);
}

} // namespace

bool FlatKey::isHash() const {
    return name.size() == 32 && name.find_first_not_of("0123456789abcdef") == std::string::npos;
}

FlatKey flatKeyOf(const std::string &key) {
    if (nestsDeeperThan(key, kDeepestKey)) return {key, {}};
    const KeyJson json = KeyJson::parse(key, nullptr, /*allow_exceptions=*/false);
    if (!json.is_array() || json.empty() || !json[0].is_string()) return {key, {}};
    FlatKey flat{json[0].get<std::string>(), {}};
    for (size_t i = 1; i < json.size(); ++i) flattenInto(json[i], flat.args);
    return flat;
}

} // namespace loopscope
