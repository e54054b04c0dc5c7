#pragma once
// The commands below `loopscope-cli log`: their options, defined once for parsing, help, completion and the manual.

#include <CLI/CLI.hpp>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace loopscope {

struct OptionValues;

/// What the commands of `log` were given. Each fills what it has options for.
struct LogOptions {
    std::vector<std::string> files;
    bool json = false;
    std::vector<std::string> te; // workload files, or folders of them
    std::string keys;            // a key table (core/records/resolve)
    int task = -1;               // as `info` numbers them; -1: all
    std::string sort = "line";
    bool descending = false;
    std::string filter;
    int limit = 0; // 0: all
    size_t record = 0;
    std::vector<size_t> records;
    bool best = false;
    int keep = 1; // best records of each task
    std::string as;
    std::string out;
    std::string by;
    bool keepAll = false;
    std::string html;
    std::string csv;
    std::string weights;
    double tolerance = 5; // per cent
    int rounds = 15;
    int until = 0;                   // records; 0: no end
    double seconds = 0;              // 0: no end
    std::optional<std::string> text; // of a note
    std::vector<std::string> tags;
    std::vector<std::string> untag;
    bool pin = false;
    bool unpin = false;
};

/// `values`: what may stand for the options, as far as a shell can offer it.
void addLogCommands(CLI::App &app, LogOptions &options, std::map<const CLI::Option *, OptionValues> &values);

} // namespace loopscope
