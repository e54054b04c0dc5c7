#include "deploy/plan/chrome_trace.h"

#include "base/json_text.h"
#include "base/outcome.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <nlohmann/json.hpp>

namespace loopscope {

namespace {

using Json = nlohmann::ordered_json;

constexpr double kMicroseconds = 1e6;
constexpr const char *kOwnCategory = "loopscope";

/// [{"float": [1, 64, 112, 112]}, ...] of ONNX Runtime, [[1, 64, 112, 112], ...] of ours.
std::vector<std::vector<int64_t>> dimsOf(const nlohmann::json &list) {
    std::vector<std::vector<int64_t>> all;
    if (!list.is_array()) return all;
    for (const auto &each : list) {
        const nlohmann::json &dims = each.is_object() && !each.empty() ? *each.begin() : each;
        std::vector<int64_t> numbers;
        if (dims.is_array())
            for (const auto &dim : dims)
                if (dim.is_number_integer()) numbers.push_back(dim.get<int64_t>());
        all.push_back(std::move(numbers));
    }
    return all;
}

std::string textOr(const nlohmann::json &object, const char *member, const std::string &fallback) {
    const auto found = object.find(member);
    return found != object.end() && found->is_string() ? found->get<std::string>() : fallback;
}

/// Letters alone, small: "Conv" and "conv2d_1" begin alike.
std::string lettersOf(std::string_view name) {
    std::string letters;
    for (const char c : name)
        if (std::isalpha(static_cast<unsigned char>(c)) != 0)
            letters += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return letters;
}

bool namedAlike(const TracedKernel &a, const TracedKernel &b) {
    const std::string x = lettersOf(a.op);
    const std::string y = lettersOf(b.op);
    return !x.empty() && !y.empty() && (x.find(y) != std::string::npos || y.find(x) != std::string::npos);
}

/// One entry for each node, however often it ran.
class KernelEvents {
  public:
    void add(const nlohmann::json &event) {
        const std::string category = textOr(event, "cat", "");
        std::string name = textOr(event, "name", "");
        constexpr std::string_view kSuffix = "_kernel_time";
        const bool foreign = category == "Node" && name.ends_with(kSuffix);
        const auto duration = event.find("dur");
        if ((!foreign && category != kOwnCategory) || duration == event.end() || !duration->is_number()) return;
        if (foreign) name.resize(name.size() - kSuffix.size());
        const auto found = event.find("args");
        const nlohmann::json args = found != event.end() && found->is_object() ? *found : nlohmann::json::object();
        // Nodes of one name are told by their number.
        const std::string which = name + '\n' + (args.contains("node_index") ? args["node_index"].dump() : "");
        const auto [place, fresh] = m_places.try_emplace(which, m_kernels.size());
        if (fresh) {
            const char *outputs = foreign ? "output_type_shape" : "outputs";
            m_kernels.push_back(
                {name, textOr(args, "op_name", name), args.contains(outputs) ? dimsOf(args[outputs]) : dimsOf({}), {}});
            m_seconds.emplace_back();
        }
        m_seconds[place->second].push_back(duration->get<double>() / kMicroseconds);
    }

    std::vector<TracedKernel> take() {
        for (size_t i = 0; i < m_kernels.size(); ++i) m_kernels[i].time = summaryOf(std::move(m_seconds[i]));
        return std::move(m_kernels);
    }

  private:
    std::vector<TracedKernel> m_kernels;
    std::vector<std::vector<double>> m_seconds;
    std::map<std::string, size_t> m_places;
};

std::string joined(const std::vector<std::string> &names) {
    std::string text;
    for (const std::string &name : names) text += (text.empty() ? "" : ", ") + name;
    return text;
}

} // namespace

std::string chromeTrace(const PlanProfile &profile) {
    Json events = Json::array();
    double at = 0;
    for (size_t i = 0; i < profile.calls.size(); ++i) {
        const CallProfile &call = profile.calls[i];
        events.push_back({{"name", call.nodes.empty() ? call.name : call.nodes.back()},
                          {"cat", kOwnCategory},
                          {"ph", "X"},
                          {"pid", 1},
                          {"tid", 1},
                          {"ts", at * kMicroseconds},
                          {"dur", call.time.median * kMicroseconds},
                          {"args",
                           {{"op_name", call.name},
                            {"node_index", i},
                            {"nodes", joined(call.nodes)},
                            {"sources", joined(call.sources)},
                            {"task", call.key},
                            {"schedule", call.schedule},
                            {"outputs", call.outputs},
                            {"least_us", call.time.least * kMicroseconds},
                            {"lower_us", call.time.lower * kMicroseconds},
                            {"upper_us", call.time.upper * kMicroseconds},
                            {"runs", call.time.samples},
                            {"flops", call.flops},
                            {"bytes_in", call.bytesIn},
                            {"bytes_out", call.bytesOut},
                            {"weight_bytes", call.weightBytes},
                            {"threads", call.threads}}}});
        at += call.time.median;
    }
    const Json trace = {{"displayTimeUnit", "ms"},
                        {"otherData",
                         {{"network", profile.network},
                          {"target", profile.target},
                          {"threads", profile.threads},
                          {"whole_us", profile.whole.median * kMicroseconds},
                          {"overhead_us", profile.overhead() * kMicroseconds}}},
                        {"traceEvents", std::move(events)}};
    return trace.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::vector<TracedKernel> readTrace(std::string_view text, const std::string &path) {
    const nlohmann::json json = parseJson(text, path, "the profile");
    const nlohmann::json none = nlohmann::json::array();
    const nlohmann::json *events = json.is_array() ? &json : &none;
    if (json.is_object() && json.contains("traceEvents")) events = &json["traceEvents"];
    if (!events->is_array() || events == &none)
        throw Error(path, 0, 0, "this is no trace: neither a list of events nor an object with \"traceEvents\"");
    KernelEvents kernels;
    for (const nlohmann::json &event : *events)
        if (event.is_object()) kernels.add(event);
    auto found = kernels.take();
    if (found.empty())
        throw Error(path, 0, 0,
                    "this trace times no kernels: it has no events of category \"Node\" named ..._kernel_time, as ONNX "
                    "Runtime writes them, and none of ours");
    return found;
}

std::vector<TracedKernel> tracedKernels(const PlanProfile &profile) {
    std::vector<TracedKernel> kernels;
    for (const CallProfile &call : profile.calls)
        kernels.push_back({call.nodes.empty() ? call.name : call.nodes.back(), call.name, call.outputs, call.time});
    return kernels;
}

std::vector<std::pair<std::optional<size_t>, std::optional<size_t>>>
alignTraces(const std::vector<TracedKernel> &ours, const std::vector<TracedKernel> &theirs) {
    constexpr int kSameDims = 4; // outweighs any likeness of names
    const size_t rows = ours.size();
    const size_t columns = theirs.size();
    const auto worth = [&](size_t i, size_t j) {
        return ours[i].outputs == theirs[j].outputs ? kSameDims + (namedAlike(ours[i], theirs[j]) ? 1 : 0) : 0;
    };
    // best[i][j]: of what begins at i and j.
    std::vector<std::vector<int>> best(rows + 1, std::vector<int>(columns + 1, 0));
    for (size_t i = rows; i-- > 0;)
        for (size_t j = columns; j-- > 0;) {
            best[i][j] = std::max(best[i + 1][j], best[i][j + 1]);
            if (const int here = worth(i, j); here > 0) best[i][j] = std::max(best[i][j], here + best[i + 1][j + 1]);
        }
    std::vector<std::pair<std::optional<size_t>, std::optional<size_t>>> pairs;
    for (size_t i = 0, j = 0; i < rows || j < columns;) {
        const int here = i < rows && j < columns ? worth(i, j) : 0;
        if (here > 0 && best[i][j] == here + best[i + 1][j + 1])
            pairs.emplace_back(i++, j++);
        else if (j == columns || (i < rows && best[i][j] == best[i + 1][j]))
            pairs.emplace_back(i++, std::nullopt);
        else
            pairs.emplace_back(std::nullopt, j++);
    }
    return pairs;
}

} // namespace loopscope
