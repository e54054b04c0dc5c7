#pragma once
// What the user says a key is: workload key -> `.te` text. Kept in session files and in JSON files of its own
// (`--keys FILE`), an object of keys to texts: {"[\"d7b6...\", [1, 10], [1, 10]]": "workload softmax() ..."}.

#include <map>
#include <string>
#include <string_view>

namespace loopscope {

struct KeyTable {
    std::map<std::string, std::string, std::less<>> texts; // by key, as logged
};

/// Throws Error: no file, no JSON, no object of texts.
KeyTable loadKeyTable(const std::string &path);
KeyTable parseKeyTable(std::string_view json, const std::string &path);

} // namespace loopscope
