// `net dispatch`: kernels for a size that only the run knows, and which of them runs when.

#include "base/input_file.h"
#include "choice.h"
#include "codegen/loop_ir/program.h"
#include "deploy/dispatch/check_table.h"
#include "deploy/dispatch/dispatch_table_json.h"
#include "deploy/dispatch/network_dispatch.h"
#include "net_parts.h"
#include "output.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <map>
#include <sstream>
#include <unistd.h>

namespace loopscope {

namespace {

using Json = nlohmann::ordered_json;

template <typename Number> bool wholeText(const std::string &text, Number &value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size();
}

/// A file of lines like "n=77". Throws Error.
DispatchPoints trafficPoints(const NetDispatchOptions &options, const std::string &symbol) {
    std::istringstream lines(readInputFile(options.traffic, "the traffic", size_t{1} << 28));
    std::map<int64_t, double> counts;
    std::string line;
    for (int number = 1; std::getline(lines, line); ++number) {
        if (line.empty()) continue;
        const size_t sign = line.find('=');
        int64_t size = 0;
        if (sign == std::string::npos || line.substr(0, sign) != symbol || !wholeText(line.substr(sign + 1), size) ||
            size < 1 || size > 65536)
            throw Error(options.traffic, number, 1,
                        fmt::format("'{}' is not of the form {}=N with a size from 1 to 65536", line, symbol));
        ++counts[size];
    }
    if (counts.empty()) throw Error(options.traffic, 0, 0, "no size came yet");
    return withSizesBetween(pointsOfTraffic(counts));
}

/// "n=1,16*3,64". Throws UsageError.
DispatchPoints dispatchPoints(const NetDispatchOptions &options, const std::string &symbol) {
    if (!options.traffic.empty()) {
        if (!options.sizes.empty()) throw UsageError("--sizes and --traffic both say which sizes come; give one");
        return trafficPoints(options, symbol);
    }
    if (options.sizes.empty()) return usualPoints(options.bound);
    const size_t sign = options.sizes.find('=');
    if (sign == std::string::npos || options.sizes.substr(0, sign) != symbol)
        throw UsageError(fmt::format("--sizes {}: it takes {}=N,N*WEIGHT,..., for the network's symbol {}",
                                     options.sizes, symbol, symbol));
    std::map<int64_t, double> weights;
    std::string rest = options.sizes.substr(sign + 1) + ",";
    for (size_t comma = rest.find(','); comma != std::string::npos; comma = rest.find(',')) {
        const std::string one = rest.substr(0, comma);
        rest.erase(0, comma + 1);
        const size_t times = one.find('*');
        int64_t size = 0;
        double weight = 1;
        if (!wholeText(one.substr(0, times), size) || size < 1 || size > 65536 ||
            (times != std::string::npos &&
             (!wholeText(one.substr(times + 1), weight) || !(weight > 0 && weight < 1e12))))
            throw UsageError(
                fmt::format("--sizes {}: '{}' is no size from 1 to 65536, and no size*weight", options.sizes, one));
        weights[size] += weight;
    }
    DispatchPoints points;
    for (const auto &[size, weight] : weights) {
        points.sizes.push_back(size);
        points.weights.push_back(weight);
    }
    return withSizesBetween(points);
}

std::vector<NetworkFamily> familiesOf(const NetDispatchOptions &options, const SizedNetwork &network, int64_t bound) {
    auto families = kernelFamilies(network, bound, networkTarget(options));
    if (!families) throw Error(options.file, 0, 0, families.why());
    return std::move(families).value();
}

/// The loops of variants, as what they are for was found.
std::string programsText(const DispatchTable &table, const std::vector<NetworkFamily> &families,
                         const SizedNetwork &network) {
    std::string text;
    for (const KernelTable &kernel : table.kernels) {
        const auto family = std::ranges::find_if(families, [&](const NetworkFamily &one) {
            return nodeOf(one, *network.function(), network.partition()) == kernel.node;
        });
        if (family == families.end()) continue;
        for (size_t v = 0; v < kernel.variants.size(); ++v) {
            const TableVariant &variant = kernel.variants[v];
            text += fmt::format("\n{} ({}), v{}, {}:\n", kernel.name, kernel.node, v, variant.origin);
            if (variant.only != 0) {
                const auto program = loweredAt(family->family, variant.steps, variant.only);
                text += program ? printProgram(*program) : program.why() + "\n";
                continue;
            }
            const auto made = generalise(family->family, variant.steps);
            if (!made) {
                text += made.why() + "\n";
                continue;
            }
            for (const GeneralKernel &general : *made) {
                if (general.hash != variant.hash) continue;
                for (const std::string &why : {general.whyMultiple, general.exception})
                    if (!why.empty()) text += fmt::format("not for all sizes: {}\n", why);
                text += general.program->text();
            }
        }
    }
    return text;
}

int checkTable(const NetDispatchOptions &options, const SizedNetwork &network) {
    const DispatchTable table = readDispatchTable(options.check);
    const auto families = familiesOf(options, network, table.bound);
    const auto problems = problemsOf(table, families, *network.function(), network.partition());
    std::string text;
    for (const std::string &problem : problems) text += problem + "\n";
    if (problems.empty())
        text = fmt::format("{} is a table of {} on `{}`\n", options.check, options.file, table.target);
    if (options.programs) text += programsText(table, families, network);
    Json json = {{"table", options.check}, {"problems", problems}};
    const std::string error =
        problems.empty() ? "" : fmt::format("{}: the table is not to be used with {}", options.check, options.file);
    if (!error.empty()) json["error"] = error;
    writeResult(options, json, text);
    if (!error.empty()) throw ReportedError(error);
    return 0;
}

} // namespace

int netDispatch(const NetDispatchOptions &options) {
    const PreparedNetwork prepared = prepareNetwork(networkChoice(options));
    sayNotes(prepared.notes);
    const auto sized =
        SizedNetwork::of(prepared.optimised.find(prepared.optimised.main().name()), prepared.partition.mode);
    if (!sized) throw Error(options.file, 0, 0, sized.why());
    const SizedNetwork &network = *sized;
    if (!options.check.empty()) return checkTable(options, network);
    const DispatchPoints points = dispatchPoints(options, network.symbol());
    const auto families = familiesOf(options, network, points.sizes.back());
    if (options.tune > 0) tuneSizes(options, families, points);
    DispatchOptions dispatch;
    dispatch.logs = options.logs;
    dispatch.most = static_cast<size_t>(options.most);
    dispatch.defaults.seed = options.seed;
    dispatch.matrix.seed = options.seed;
    const bool live = isatty(STDERR_FILENO) != 0;
    dispatch.progress = [live](size_t done, size_t of, const std::string &kernel) {
        const std::string text = fmt::format("kernel {} of {}, {}", done + 1, of, kernel);
        live ? sayLive(text) : sayLine(text);
    };
    auto made =
        dispatchNetwork(prepared.imported.name, families, *network.function(), network.partition(), points, dispatch);
    sayLive({});
    if (!made) throw Error(options.file, 0, 0, made.why());
    sayNotes(made->notes);
    Json json = tableJson(made->table);
    std::string text = made->table.text();
    if (!options.against.empty()) {
        const auto differences = tableDifferences(readDispatchTable(options.against), made->table);
        json["differences"] = differences;
        text += fmt::format("\nagainst {}: {}\n", options.against, differences.empty() ? "the same" : "");
        for (const std::string &one : differences) text += "    " + one + "\n";
    }
    if (options.programs) text += programsText(made->table, families, network);
    if (!options.out.empty()) writeDispatchTable(made->table, options.out);
    writeResult(options, json, text);
    return 0;
}

} // namespace loopscope
