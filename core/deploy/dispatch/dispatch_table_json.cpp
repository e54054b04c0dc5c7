#include "deploy/dispatch/dispatch_table_json.h"

#include "base/input_file.h"
#include "base/json_text.h"
#include "base/outcome.h"
#include "base/whole_file.h"
#include "schedule/steps_json.h"

#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace loopscope {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char *kTableFormat = "loopscope dispatch table";
constexpr size_t kMaxTableBytes = size_t{256} << 20;

Json timesJson(const std::vector<std::optional<double>> &times) {
    Json all = Json::array();
    for (const auto &one : times) all.push_back(one ? Json(*one) : Json(nullptr));
    return all;
}

Json kernelJson(const KernelTable &kernel, const std::string &symbol, const std::vector<int64_t> &points) {
    Json variants = Json::array();
    for (const TableVariant &one : kernel.variants)
        variants.push_back({{"hash", one.hash},
                            {"origin", one.origin},
                            {"multiple", one.multiple},
                            {"tile", one.tile},
                            {"only", one.only},
                            {"steps", Json::parse(stepsText(one.steps))},
                            {"seconds", timesJson(one.seconds)}});
    Json rows = Json::array();
    for (const DispatchRow &row : kernel.rows)
        rows.push_back({{"guard", row.guard.text(symbol)},
                        {"least", row.guard.least},
                        {"most", row.guard.most},
                        {"modulus", row.guard.modulus},
                        {"rests", row.guard.rests},
                        {"variant", row.variant}});
    Json penalties = Json::array();
    for (size_t p = 0; p < points.size(); ++p) {
        const auto penalty = kernel.penalty(p, points);
        penalties.push_back(penalty ? Json(*penalty) : Json(nullptr));
    }
    return {{"kernel", kernel.name},
            {"node", kernel.node},
            {"key", kernel.key},
            {"weight", kernel.weight},
            {"variants", std::move(variants)},
            {"rows", std::move(rows)},
            {"otherwise", kernel.otherwise},
            {"static_seconds", kernel.fixedSeconds},
            {"static_source", kernel.fixedSource},
            {"penalty", std::move(penalties)},
            {"unseen_seconds", kernel.unseenSeconds},
            {"unseen_static_seconds", kernel.unseenFixed},
            {"answers", kernel.answers},
            {"identical", kernel.identical}};
}

TableVariant variantOf(const JsonPart &json) {
    TableVariant variant;
    json.at("hash").get_to(variant.hash);
    json.at("origin").get_to(variant.origin);
    json.at("multiple").get_to(variant.multiple);
    variant.tile = json.valueOr("tile", int64_t{1}); // older tables pad nothing
    if (variant.tile < 1 || variant.tile > 65536) throw Error("a variant pads sizes to multiples of what is no size");
    json.at("only").get_to(variant.only);
    variant.steps = stepsFromJson(json.at("steps").json());
    for (const JsonPart &one : json.at("seconds").items())
        variant.seconds.push_back(one.isNull() ? std::nullopt : std::optional(one.get<double>()));
    return variant;
}

KernelTable kernelOf(const JsonPart &json, size_t points, size_t unseen) {
    KernelTable kernel;
    json.at("kernel").get_to(kernel.name);
    json.at("node").get_to(kernel.node);
    json.at("key").get_to(kernel.key);
    json.at("weight").get_to(kernel.weight);
    for (const JsonPart &one : json.at("variants").items()) kernel.variants.push_back(variantOf(one));
    for (const JsonPart &one : json.at("rows").items()) {
        DispatchRow row;
        one.at("least").get_to(row.guard.least);
        one.at("most").get_to(row.guard.most);
        one.at("modulus").get_to(row.guard.modulus);
        one.at("rests").get_to(row.guard.rests);
        one.at("variant").get_to(row.variant);
        if (row.guard.modulus < 1)
            throw Error(fmt::format("a guard of {} divides by {}", kernel.name, row.guard.modulus));
        kernel.rows.push_back(std::move(row));
    }
    json.at("otherwise").get_to(kernel.otherwise);
    json.at("static_seconds").get_to(kernel.fixedSeconds);
    json.at("static_source").get_to(kernel.fixedSource);
    kernel.unseenSeconds = json.valueOr("unseen_seconds", std::vector<double>());
    kernel.unseenFixed = json.valueOr("unseen_static_seconds", std::vector<double>());
    if (kernel.unseenSeconds.size() != unseen || kernel.unseenFixed.size() != unseen)
        throw Error(fmt::format("{} has another number of times than the table has unseen sizes", kernel.name));
    json.at("answers").get_to(kernel.answers);
    json.at("identical").get_to(kernel.identical);
    bool timed = kernel.fixedSeconds.size() == points && kernel.fixedSource.size() == points;
    for (const TableVariant &one : kernel.variants) timed = timed && one.seconds.size() == points;
    if (!timed) throw Error(fmt::format("{} has another number of times than the table has points", kernel.name));
    bool known = kernel.otherwise < kernel.variants.size();
    for (const DispatchRow &row : kernel.rows) known = known && row.variant < kernel.variants.size();
    if (!known) throw Error(fmt::format("a guard of {} leads to a variant that is not there", kernel.name));
    return kernel;
}

} // namespace

nlohmann::ordered_json tableJson(const DispatchTable &table) {
    Json all = Json::array();
    for (const KernelTable &kernel : table.kernels) all.push_back(kernelJson(kernel, table.symbol, table.points));
    Json whole = Json::array();
    for (const auto &[dispatched, fixed] : table.envelope())
        whole.push_back({{"table_seconds", std::isfinite(dispatched) ? Json(dispatched) : Json(nullptr)},
                         {"static_seconds", fixed}});
    Json unseen = Json::array();
    for (const auto &[dispatched, fixed] : table.unseenEnvelope())
        unseen.push_back({{"table_seconds", dispatched}, {"static_seconds", fixed}});
    const Penalty each = table.penalty();
    const Penalty never = table.unseenPenalty();
    return {{"format", kTableFormat},      {"version", DispatchTable::kVersion},
            {"network", table.network},    {"target", table.target},
            {"symbol", table.symbol},      {"bound", table.bound},
            {"points", table.points},      {"weights", table.weights},
            {"unseen", table.unseen},      {"unseen_geomean", never.geomean},
            {"unseen_worst", never.worst}, {"unseen_worst_at", never.where},
            {"unseen_envelope", unseen},   {"kernels", all},
            {"envelope", whole},           {"geomean", each.geomean},
            {"worst", each.worst},         {"worst_at", each.where}};
}

DispatchTable readDispatchTable(const std::string &path) {
    const nlohmann::json document =
        parseJson(readInputFile(path, "the dispatch table", kMaxTableBytes), path, "the dispatch table");
    if (!document.is_object() || document.value("format", nlohmann::json()) != kTableFormat)
        throw Error(path, 0, 0, fmt::format("is no dispatch table: {{\"format\": \"{}\", ...}}", kTableFormat));
    if (document.value("version", nlohmann::json()) != DispatchTable::kVersion)
        throw Error(
            path, 0, 0,
            fmt::format("is a dispatch table of a version other than {}, which is read here", DispatchTable::kVersion));
    try {
        const JsonPart json(document);
        DispatchTable table;
        json.at("network").get_to(table.network);
        json.at("target").get_to(table.target);
        json.at("symbol").get_to(table.symbol);
        json.at("bound").get_to(table.bound);
        json.at("points").get_to(table.points);
        json.at("weights").get_to(table.weights);
        if (table.weights.size() != table.points.size()) throw Error("there are not as many weights as points");
        table.unseen = json.valueOr("unseen", std::vector<int64_t>()); // older tables have none
        for (const JsonPart &one : json.at("kernels").items())
            table.kernels.push_back(kernelOf(one, table.points.size(), table.unseen.size()));
        return table;
    } catch (const Error &error) {
        throw Error(path, 0, 0, fmt::format("is a damaged dispatch table: {}", error.sentence()));
    }
}

void writeDispatchTable(const DispatchTable &table, const std::string &path) {
    writeWholeFile(path, tableJson(table).dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
}

} // namespace loopscope
