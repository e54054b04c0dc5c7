#include "schedule/locks/stage_constraint.h"

#include "schedule/locks/schedule_locks.h"

#include <charconv>

namespace loopscope {

void StageConstraint::take(const ScheduleLock &lock) {
    if (lock.kind == ScheduleLock::Kind::Length) {
        auto &of = lengths[lock.loop];
        const auto part = static_cast<size_t>(lock.part);
        if (of.size() <= part) of.resize(part + 1);
        of[part] = lock.length;
        return;
    }
    closed = closed || lock.kind == ScheduleLock::Kind::Stage;
    for (const std::string &line : lock.lines) takeLine(line);
}

void StageConstraint::takeLine(std::string_view line) {
    const auto words = lineWords(line);
    if (words.size() < 2) return;
    const std::string &primitive = words[0].text;
    if (primitive == "compute_at" || primitive == "compute_inline" || primitive == "compute_root")
        place = std::string(line); // of several the last
    if (words.size() < 3) return;
    if (primitive == "parallel") parallel = words[2].text;
    if (primitive == "vectorize") vector = words[2].text;
    unrolls = unrolls || primitive == "unroll";
    binds = binds || primitive == "bind";
    if (primitive == "pragma" && words.size() > 3) pragma = words[3].text;
    if (primitive != "split") return;
    size_t at = 3;
    while (at < words.size() && words[at].text != "into") ++at;
    ++at;
    if (at < words.size() && words[at].text == "outer") return; // the search makes none
    std::vector<int64_t> of = {0};                              // the outermost is what the others leave
    for (; at < words.size(); ++at) {
        int64_t length = 0;
        const std::string &text = words[at].text;
        std::from_chars(text.data(), text.data() + text.size(), length); // stays 0 where it is open
        of.push_back(length);
    }
    lengths[words[2].text] = std::move(of);
}

const std::vector<int64_t> *StageConstraint::lengthsOf(std::string_view loop) const {
    const auto found = lengths.find(loop);
    return found == lengths.end() ? nullptr : &found->second;
}

} // namespace loopscope
