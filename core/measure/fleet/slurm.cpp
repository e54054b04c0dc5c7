#include "measure/fleet/slurm.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>

namespace loopscope {

namespace {

constexpr std::string_view kLegal = "nodes=N, partition=P, constraint=C, account=A, time=T, tolerance=PERCENT%, "
                                    "rounds=N and worker=sent|there are legal, with commas between";
constexpr int kMaxNodes = 10000;
constexpr int kMaxRounds = 1000;

template <typename Number> bool read(std::string_view text, Number &value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size();
}

/// What Slurm's own options are made of; it goes to a command line of several programs.
bool isWord(std::string_view text) {
    return !text.empty() && text.front() != '-' && std::ranges::all_of(text, [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
               std::string_view("_-.:&|!*[]()+").find(c) != std::string_view::npos;
    });
}

/// At commas outside of brackets.
std::vector<std::string_view> partsOf(std::string_view text) {
    std::vector<std::string_view> parts;
    int depth = 0;
    size_t begin = 0;
    for (size_t i = 0; i <= text.size(); ++i) {
        if (i < text.size() && text[i] == '[') ++depth;
        if (i < text.size() && text[i] == ']') --depth;
        if (i < text.size() && (text[i] != ',' || depth > 0)) continue;
        parts.push_back(text.substr(begin, i - begin));
        begin = i + 1;
    }
    return parts;
}

} // namespace

Outcome<SlurmChoice> slurmChoice(std::string_view text) {
    SlurmChoice choice;
    if (text.empty()) return choice;
    for (const std::string_view part : partsOf(text)) {
        const size_t sign = part.find('=');
        const std::string_view name = part.substr(0, sign);
        const std::string_view value = sign == std::string_view::npos ? std::string_view() : part.substr(sign + 1);
        const auto wrong = [&](std::string_view why) { return Refusal{fmt::format("'{}' {}; {}", part, why, kLegal)}; };
        if (name == "nodes") {
            if (!read(value, choice.nodes) || choice.nodes < 1 || choice.nodes > kMaxNodes)
                return wrong(fmt::format("is no number of nodes from 1 to {}", kMaxNodes));
        } else if (name == "tolerance") {
            double percent = 0;
            if (!value.ends_with('%') || !read(value.substr(0, value.size() - 1), percent) ||
                !(percent > 0 && percent <= 1000))
                return wrong("is no percentage");
            choice.tolerance = percent / 100;
        } else if (name == "rounds") {
            if (!read(value, choice.rounds) || choice.rounds < 1 || choice.rounds > kMaxRounds)
                return wrong(fmt::format("is no number of rounds from 1 to {}", kMaxRounds));
        } else if (name == "worker") {
            if (value != "sent" && value != "there") return wrong("says not where the worker is");
            choice.sendWorker = value == "sent";
        } else if (name == "partition" || name == "constraint" || name == "account" || name == "time") {
            if (!isWord(value)) return wrong("has no value that Slurm takes");
            (name == "partition"    ? choice.partition
             : name == "constraint" ? choice.constraint
             : name == "account"    ? choice.account
                                    : choice.time) = value;
        } else {
            return wrong("is not known");
        }
    }
    return choice;
}

Outcome<std::vector<std::string>> hostsOf(std::string_view list) {
    std::vector<std::string> hosts;
    const Refusal wrong{fmt::format("'{}' is no list of hosts", list)};
    for (const std::string_view part : partsOf(list)) {
        const size_t open = part.find('[');
        if (open == std::string_view::npos) {
            if (part.empty()) return wrong;
            hosts.emplace_back(part);
            continue;
        }
        if (part.back() != ']') return wrong; // of several dimensions: nobody has asked for it
        const std::string_view prefix = part.substr(0, open);
        std::string_view rest = part.substr(open + 1, part.size() - open - 2);
        while (!rest.empty()) {
            const size_t comma = std::min(rest.find(','), rest.size());
            const std::string_view range = rest.substr(0, comma);
            rest.remove_prefix(std::min(comma + 1, rest.size()));
            const size_t dash = std::min(range.find('-'), range.size());
            const std::string_view from = range.substr(0, dash);
            const std::string_view to = dash == range.size() ? from : range.substr(dash + 1);
            int first = 0, last = 0;
            if (!read(from, first) || !read(to, last) || last < first || last - first > kMaxNodes) return wrong;
            for (int i = first; i <= last; ++i) hosts.push_back(fmt::format("{}{:0{}}", prefix, i, from.size()));
        }
    }
    if (hosts.empty()) return wrong;
    return hosts;
}

Outcome<std::vector<int>> cpusOf(std::string_view list) {
    std::vector<int> cpus;
    for (std::string_view part : partsOf(list)) {
        int times = 1, count = 0;
        if (const size_t open = part.find("(x"); open != std::string_view::npos && part.ends_with(')')) {
            if (!read(part.substr(open + 2, part.size() - open - 3), times)) times = 0;
            part = part.substr(0, open);
        }
        if (!read(part, count) || count < 1 || times < 1 || times > kMaxNodes)
            return Refusal{fmt::format("'{}' is no list of numbers of processors", list)};
        cpus.insert(cpus.end(), static_cast<size_t>(times), count);
    }
    return cpus;
}

FleetNodeSpec slurmNode(const SlurmChoice &choice, const std::string &job, const std::string &node, int cpus,
                        const std::string &worker) {
    // Its only step, with all of its processors, and without a limit of memory of its own. A step that is lost takes
    // neither the others nor the job with it.
    std::vector<std::string> command{"srun",
                                     "--jobid=" + job,
                                     "--nodelist=" + node,
                                     "--nodes=1",
                                     "--ntasks=1",
                                     fmt::format("--cpus-per-task={}", cpus),
                                     "--mem=0",
                                     "--overlap",
                                     "--unbuffered",
                                     "--no-kill",
                                     "--kill-on-bad-exit=0",
                                     "--job-name=loopscope-" + node};
    if (!choice.sendWorker) {
        command.insert(command.end(), {worker, "serve"});
        return {node, std::move(command)};
    }
    const std::string there = fmt::format("/tmp/loopscope-worker-{}-{}", job, node);
    command.insert(command.end(), {"--bcast=" + there, "--export=ALL,LOOPSCOPE_SENT_WORKER=" + there, worker, "serve"});
    return {node, std::move(command)};
}

} // namespace loopscope
