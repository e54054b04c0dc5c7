#include "records/resolve/key_table.h"

#include "base/input_file.h"
#include "base/json_text.h"
#include "base/outcome.h"

#include <nlohmann/json.hpp>

#include <fmt/format.h>

namespace loopscope {

namespace {
constexpr size_t kMaxTableBytes = size_t{64} << 20;
}

KeyTable parseKeyTable(std::string_view json, const std::string &path) {
    const nlohmann::json table = parseJson(json, path, "the key table");
    if (!table.is_object())
        throw Error(path, 0, 0, "a key table is an object of workload keys to .te texts: {\"KEY\": \"workload ...\"}");
    KeyTable keys;
    for (const auto &[key, text] : table.items()) {
        if (!text.is_string())
            throw Error(path, 0, 0,
                        fmt::format("what the key {} stands for is {}; it is a .te text", key,
                                    text.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)));
        keys.texts.emplace(key, text.get<std::string>());
    }
    return keys;
}

KeyTable loadKeyTable(const std::string &path) {
    return parseKeyTable(readInputFile(path, "the key table", kMaxTableBytes), path);
}

} // namespace loopscope
