#include "records/record/workload_key.h"

#include "base/json_text.h"

#include <nlohmann/json.hpp>
#include <string_view>

namespace loopscope {

namespace {

using KeyJson = nlohmann::json;

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
    const auto read = jsonIn(key);
    if (!read || !read->is_array() || read->empty() || !(*read)[0].is_string()) return {key, {}};
    const KeyJson &json = *read;
    FlatKey flat{json[0].get<std::string>(), {}};
    for (size_t i = 1; i < json.size(); ++i) flattenInto(json[i], flat.args);
    return flat;
}

} // namespace loopscope
