#include "record_mutations.h"

#include "base/random.h"

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <string_view>

namespace loopscope {

namespace {

using MutableJson = nlohmann::json;

const std::string &anyOf(const std::vector<std::string> &lines, Random &random) {
    return lines[random.index(lines.size())];
}

/// Mostly one: of a line changed in many places hardly anything is read.
uint64_t few(Random &random) { return random.below(3) != 0 ? 1 : 1 + random.below(5); }

void changeBytes(std::string &line, Random &random) {
    for (uint64_t i = 1 + random.below(4); i > 0 && !line.empty(); --i) {
        const size_t at = random.index(line.size());
        const char byte = static_cast<char>(random.below(256));
        switch (random.below(4)) {
        case 0:
            line[at] = byte;
            break;
        case 1:
            line.insert(line.begin() + static_cast<ptrdiff_t>(at), byte);
            break;
        case 2:
            line.erase(at, 1 + random.below(8));
            break;
        default:
            line[at] = "[]{}\",:0-9e.\\"[random.below(13)];
        }
    }
}

struct NumberPlace {
    size_t begin;
    size_t end;
};

std::vector<NumberPlace> numbersOf(const std::string &line) {
    std::vector<NumberPlace> places;
    for (size_t i = 0; i < line.size(); ++i) {
        if (std::isdigit(static_cast<unsigned char>(line[i])) == 0) continue;
        size_t end = i;
        while (end < line.size() && std::isalnum(static_cast<unsigned char>(line[end])) != 0) ++end;
        places.push_back({i, end});
        i = end;
    }
    return places;
}

void changeNumber(std::string &line, Random &random) {
    const auto places = numbersOf(line);
    if (places.empty()) return;
    const NumberPlace at = places[random.index(places.size())];
    static const char *const values[] = {"0",
                                         "-1",
                                         "1",
                                         "2",
                                         "3",
                                         "4",
                                         "5",
                                         "6",
                                         "7",
                                         "11",
                                         "12",
                                         "16",
                                         "64",
                                         "1024",
                                         "65536",
                                         "1e3",
                                         "1e999",
                                         "-1e999",
                                         "0.5",
                                         "null",
                                         "true",
                                         "\"3\"",
                                         "2147483647",
                                         "2147483648",
                                         "-2147483648",
                                         "4294967296",
                                         "9223372036854775807",
                                         "9223372036854775808",
                                         "-9223372036854775808",
                                         "18446744073709551616",
                                         "1000000007",
                                         "[]",
                                         "{}"};
    line.replace(at.begin, at.end - at.begin, values[random.below(std::size(values))]);
}

void wrap(std::string &line, Random &random) {
    const auto places = numbersOf(line);
    if (places.empty()) return;
    const NumberPlace at = places[random.index(places.size())];
    static constexpr size_t depths[] = {1, 3, 40, 100'000};
    const size_t depth = depths[random.below(std::size(depths))];
    line.insert(at.end, std::string(depth, ']'));
    line.insert(at.begin, std::string(depth, '['));
}

void splice(std::string &line, const std::string &other, Random &random) {
    if (line.empty() || other.empty()) return;
    line = line.substr(0, random.index(line.size())) + other.substr(random.index(other.size()));
}

/// Steps that are well-formed, in another order or number than anybody wrote them.
void changeSteps(std::string &line, const std::vector<std::string> &lines, Random &random) {
    if (std::count(line.begin(), line.end(), '[') > 5000) return; // the JSON library prints as deep as a document nests
    MutableJson record = MutableJson::parse(line, nullptr, false);
    const MutableJson donor = MutableJson::parse(anyOf(lines, random), nullptr, false);
    const auto place = MutableJson::json_pointer("/i/1/1");
    if (record.is_discarded() || donor.is_discarded() || !record.contains(place) || !donor.contains(place)) return;
    MutableJson &steps = record[place];
    const MutableJson &others = donor[place];
    for (uint64_t i = few(random); i > 0 && steps.is_array() && !steps.empty(); --i) {
        const size_t at = random.index(steps.size());
        const size_t second = random.index(steps.size());
        switch (random.below(8)) {
        case 0:
            steps.erase(at);
            break;
        case 1:
            steps.insert(steps.begin() + static_cast<ptrdiff_t>(at), MutableJson(steps[second]));
            break;
        case 2:
            std::swap(steps[at], steps[second]);
            break;
        case 3:
            if (!others.empty())
                steps.insert(steps.begin() + static_cast<ptrdiff_t>(at), others[random.index(others.size())]);
            break;
        case 4: { // many times over
            const MutableJson one = steps[at];
            for (uint64_t n = random.below(200); n > 0; --n) steps.push_back(one);
            break;
        }
        case 5: { // a pair many times over
            const MutableJson one = steps[at];
            const MutableJson two = steps[second];
            for (uint64_t n = random.below(100); n > 0; --n) {
                steps.push_back(one);
                steps.push_back(two);
            }
            break;
        }
        case 6: { // one of its numbers
            MutableJson &step = steps[at];
            const size_t element = step.is_array() && step.size() > 1 ? 1 + random.index(step.size() - 1) : 0;
            if (element > 0 && step[element].is_number_integer())
                step[element] = step[element].get<int64_t>() + static_cast<int64_t>(random.below(7)) - 3;
            else if (element > 0 && step[element].is_array() && !step[element].empty())
                step[element][random.index(step[element].size())] = random.below(9);
            break;
        }
        default: { // an annotation, wherever it may be
            const auto stage = static_cast<int>(random.below(8));
            const auto loop = static_cast<int>(random.below(6));
            steps.insert(steps.begin() + static_cast<ptrdiff_t>(at),
                         MutableJson::array({"AN", stage, loop, random.below(12)}));
        }
        }
    }
    line = record.dump(-1, ' ', false, MutableJson::error_handler_t::replace);
}

} // namespace

std::string mutatedLine(const std::vector<std::string> &lines, uint64_t seed, uint64_t number) {
    Random random(seed, number);
    std::string line = anyOf(lines, random);
    for (uint64_t i = few(random); i > 0; --i) {
        switch (random.below(8)) {
        case 0:
            changeBytes(line, random);
            break;
        case 1:
            changeNumber(line, random);
            break;
        case 2:
            if (random.below(4) == 0) wrap(line, random);
            break;
        case 3:
            if (random.below(4) == 0) splice(line, anyOf(lines, random), random);
            break;
        default: // what is read at all goes furthest
            changeSteps(line, lines, random);
        }
    }
    return line;
}

} // namespace loopscope
