#include "deploy/dispatch/dispatch_table.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

namespace loopscope {

namespace {

std::string milliseconds(double seconds) { return fmt::format("{:.3g}", 1e3 * seconds); }

std::string rowsText(const KernelTable &kernel, const std::string &symbol) {
    std::string text;
    for (const DispatchRow &row : kernel.rows)
        text += fmt::format("    {:<44} -> v{}\n", row.guard.text(symbol), row.variant);
    return text + fmt::format("    {:<44} -> v{}\n", "otherwise", kernel.otherwise);
}

std::string matrixText(const DispatchTable &table, const KernelTable &kernel) {
    std::string text = fmt::format("    ms at {:<6}{:>10}", table.symbol + " =", "static");
    for (size_t v = 0; v < kernel.variants.size(); ++v) text += fmt::format("{:>10}", fmt::format("v{}", v));
    text += "   table/static\n";
    for (size_t p = 0; p < table.points.size(); ++p) {
        text += fmt::format("    {:>12}{:>10}", table.points[p], milliseconds(kernel.fixedSeconds[p]));
        for (const TableVariant &variant : kernel.variants)
            text += fmt::format("{:>10}", variant.seconds[p] ? milliseconds(*variant.seconds[p]) : "-");
        const auto penalty = kernel.penalty(p, table.points);
        text += fmt::format("{:>10}\n",
                            penalty ? fmt::format("v{} {:.2f}", kernel.variantAt(table.points[p]), *penalty) : "-");
    }
    for (size_t i = 0; i < kernel.unseenSeconds.size(); ++i)
        text += fmt::format("    {:>12}{:>10}   by the table {:<10}{:>10}\n", table.unseen[i],
                            milliseconds(kernel.unseenFixed[i]), milliseconds(kernel.unseenSeconds[i]),
                            fmt::format("v{} {:.2f}", kernel.variantAt(table.unseen[i]),
                                        kernel.unseenSeconds[i] / kernel.unseenFixed[i]));
    return text;
}

std::string variantText(const TableVariant &variant, const std::string &symbol) {
    if (variant.only != 0) return fmt::format("{}, for {} = {} alone", variant.origin, symbol, variant.only);
    if (variant.tile > 1) return fmt::format("{}, {} padded to multiples of {}", variant.origin, symbol, variant.tile);
    if (variant.multiple == 1) return variant.origin;
    return fmt::format("{}, {} mod {} = 0", variant.origin, symbol, variant.multiple);
}

} // namespace

size_t KernelTable::variantAt(int64_t size) const {
    const auto row = std::ranges::find_if(rows, [&](const DispatchRow &one) { return one.guard.holds(size); });
    return row == rows.end() ? otherwise : row->variant;
}

std::optional<double> KernelTable::penalty(size_t point, const std::vector<int64_t> &points) const {
    const auto &seconds = variants[variantAt(points[point])].seconds[point];
    if (!seconds || fixedSeconds[point] <= 0) return std::nullopt;
    return *seconds / fixedSeconds[point];
}

Penalty DispatchTable::penalty() const {
    Penalty result;
    double sum = 0;
    double count = 0;
    for (const KernelTable &kernel : kernels)
        for (size_t p = 0; p < points.size(); ++p) {
            const auto one = kernel.penalty(p, points);
            if (!one) continue;
            sum += kernel.weight * weights[p] * std::log(*one);
            count += kernel.weight * weights[p];
            if (result.where.empty() || *one > result.worst) {
                result.worst = *one;
                result.where = fmt::format("{} at {} = {}", kernel.name, symbol, points[p]);
            }
        }
    if (count > 0) result.geomean = std::exp(sum / count);
    return result;
}

Penalty DispatchTable::unseenPenalty() const {
    Penalty result;
    double sum = 0;
    double count = 0;
    for (const KernelTable &kernel : kernels)
        for (size_t i = 0; i < kernel.unseenSeconds.size(); ++i) {
            const double one = kernel.unseenSeconds[i] / kernel.unseenFixed[i];
            sum += kernel.weight * std::log(one);
            count += kernel.weight;
            if (!result.where.empty() && one <= result.worst) continue;
            result.worst = one;
            result.where = fmt::format("{} at {} = {}", kernel.name, symbol, unseen[i]);
        }
    if (count > 0) result.geomean = std::exp(sum / count);
    return result;
}

std::vector<std::pair<double, double>> DispatchTable::envelope() const {
    std::vector<std::pair<double, double>> all(points.size());
    for (const KernelTable &kernel : kernels)
        for (size_t p = 0; p < points.size(); ++p) {
            all[p].first +=
                kernel.weight * kernel.variants[kernel.variantAt(points[p])].seconds[p].value_or(std::nan(""));
            all[p].second += kernel.weight * kernel.fixedSeconds[p];
        }
    return all;
}

std::vector<std::pair<double, double>> DispatchTable::unseenEnvelope() const {
    std::vector<std::pair<double, double>> all(unseen.size());
    for (const KernelTable &kernel : kernels)
        for (size_t i = 0; i < kernel.unseenSeconds.size(); ++i) {
            all[i].first += kernel.weight * kernel.unseenSeconds[i];
            all[i].second += kernel.weight * kernel.unseenFixed[i];
        }
    return all;
}

namespace {

/// Lines of a table, then what they come to.
std::string wholeText(const std::vector<int64_t> &sizes, const std::vector<std::pair<double, double>> &all,
                      const std::string &what) {
    std::string text;
    double logs = 0;
    double worst = 0;
    for (size_t p = 0; p < sizes.size(); ++p) {
        const double ratio = all[p].first / all[p].second;
        text += fmt::format("    {:>6}{:>10}{:>10}{:>7.2f}\n", sizes[p], milliseconds(all[p].first),
                            milliseconds(all[p].second), ratio);
        logs += std::log(ratio);
        worst = std::max(worst, ratio);
    }
    return text + fmt::format("{}: geometric mean {:.3f}, worst {:.2f}\n", what,
                              std::exp(logs / static_cast<double>(std::max<size_t>(sizes.size(), 1))), worst);
}

} // namespace

std::string DispatchTable::text() const {
    std::string text = fmt::format("{} on `{}`, {} = 1 .. {}\n", network, target, symbol, bound);
    for (const KernelTable &kernel : kernels) {
        text += fmt::format(
            "\n{} x {} ({}): {} variants; {} answers compared, {} of them bit for bit the static ones\n", kernel.weight,
            kernel.name, kernel.node, kernel.variants.size(), kernel.answers, kernel.identical);
        for (size_t v = 0; v < kernel.variants.size(); ++v)
            text +=
                fmt::format("    v{}: {} ({})\n", v, variantText(kernel.variants[v], symbol), kernel.variants[v].hash);
        text += rowsText(kernel, symbol) + matrixText(*this, kernel);
    }
    text += fmt::format("\nAll kernels, ms at {} = (table, static, ratio):\n", symbol);
    text += wholeText(points, envelope(), "whole network against static kernels");
    const Penalty each = penalty();
    text += fmt::format("each kernel for itself: geometric mean {:.3f}, worst {:.2f} ({})\n", each.geomean, each.worst,
                        each.where);
    if (unseen.empty()) return text;
    text += fmt::format("\nThe same at sizes that no variant was made or chosen for:\n");
    text += wholeText(unseen, unseenEnvelope(), "whole network there");
    const Penalty never = unseenPenalty();
    return text + fmt::format("at sizes that no variant was made or chosen for: geometric mean {:.3f}, worst {:.2f} "
                              "({})\n",
                              never.geomean, never.worst, never.where);
}

std::vector<std::string> tableDifferences(const DispatchTable &before, const DispatchTable &after) {
    std::vector<std::string> all;
    const auto differs = [&](const char *what, const std::string &a, const std::string &b) {
        if (a != b) all.push_back(fmt::format("the {} was {}, it is {}", what, a, b));
    };
    differs("network", before.network, after.network);
    differs("target", before.target, after.target);
    differs("symbol", before.symbol, after.symbol);
    differs("bound", fmt::format("{}", before.bound), fmt::format("{}", after.bound));
    std::map<std::string, const KernelTable *> known;
    for (const KernelTable &kernel : before.kernels) known[kernel.node] = &kernel;
    for (const KernelTable &kernel : after.kernels) {
        const auto found = known.find(kernel.node);
        if (found == known.end()) {
            all.push_back(fmt::format("{} ({}) is new", kernel.name, kernel.node));
            continue;
        }
        const KernelTable &old = *found->second;
        known.erase(found);
        int64_t from = 0;
        for (int64_t size = 1; size <= std::min(before.bound, after.bound) + 1; ++size) {
            const bool inside = size <= std::min(before.bound, after.bound);
            const auto hash = [&](const KernelTable &of, int64_t at) { return of.variants[of.variantAt(at)].hash; };
            const bool other = inside && hash(old, size) != hash(kernel, size);
            const bool goesOn =
                other && from != 0 && hash(old, size) == hash(old, from) && hash(kernel, size) == hash(kernel, from);
            if (from != 0 && !goesOn) {
                all.push_back(fmt::format("{} ({}): {} runs {}, ran {}", kernel.name, kernel.node,
                                          SizeGuard{from, size - 1, 1, {0}}.text(after.symbol),
                                          kernel.variants[kernel.variantAt(from)].origin,
                                          old.variants[old.variantAt(from)].origin));
                from = 0;
            }
            if (other && from == 0) from = size;
        }
    }
    for (const auto &[node, kernel] : known) all.push_back(fmt::format("{} ({}) is no more", kernel->name, node));
    return all;
}

} // namespace loopscope
