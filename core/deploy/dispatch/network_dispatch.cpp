#include "deploy/dispatch/network_dispatch.h"

#include "base/thread_pool.h"
#include "deploy/dispatch/check_table.h"
#include "deploy/dispatch/choose_variants.h"
#include "deploy/network/task_records.h"
#include "language/task/task.h"
#include "networks/partition/tasks.h"

#include <algorithm>
#include <fmt/format.h>

namespace loopscope {

namespace {

class FamilyDispatch {
  public:
    FamilyDispatch(const DispatchPoints &points, const DispatchOptions &options, ThreadPool &pool)
        : m_points(points), m_options(options), m_pool(pool) {}

    Outcome<KernelTable> table(const KernelFamily &family, std::vector<std::string> &notes) {
        auto schedules = schedulesOf(family, m_points.sizes, notes);
        if (!schedules) return schedules.refusal();
        auto variants = kernelVariants(family, *schedules, m_options.defaults, m_pool);
        if (!variants) return variants.refusal();
        for (std::string &note : variants->notes) notes.push_back(std::move(note));
        auto matrix = measureMatrix(family, *variants, m_options.matrix);
        if (!matrix) return matrix.refusal();
        addStaticVariants(family, m_points.named, *variants, *matrix);
        const auto chosen = coverOf(*matrix, variants->variants, m_points.weights, m_options.most);
        if (!chosen) return Refusal{fmt::format("{}: {}", family.name, chosen.why())};
        KernelTable table = tableOf(*matrix, *variants, *chosen, family.bound);
        const auto dag = family.dagAt(family.bound);
        if (!dag) return dag.refusal();
        table.name = family.name;
        table.key = (*dag)->key();
        if (auto timed = timeUnseen(family, *variants, *chosen, table, notes); !timed) return timed.refusal();
        return table;
    }

  private:
    /// The table against kernels made for sizes that it was not made for.
    Outcome<bool> timeUnseen(const KernelFamily &family, KernelVariants &variants, const std::vector<size_t> &chosen,
                             KernelTable &table, std::vector<std::string> &notes) {
        const std::vector<int64_t> sizes = unseenSizes(m_points);
        const auto schedules = schedulesOf(family, sizes, notes);
        if (!schedules) return schedules.refusal();
        auto fixed = fixedKernels(family, *schedules, m_pool);
        if (!fixed) return fixed.refusal();
        KernelVariants unseen;
        unseen.fixed = std::move(fixed).value();
        for (const size_t v : chosen) unseen.variants.push_back(std::move(variants.variants[v]));
        const auto matrix = measureMatrix(family, unseen, m_options.matrix);
        if (!matrix) return matrix.refusal();
        for (size_t i = 0; i < sizes.size(); ++i) {
            const auto &seconds = matrix->seconds[table.variantAt(sizes[i])][i];
            if (!seconds)
                return Refusal{fmt::format("{}: {} = {} is led to a variant that does not hold there", family.name,
                                           family.symbol, sizes[i])};
            table.unseenSeconds.push_back(*seconds);
            table.unseenFixed.push_back(matrix->fixed[i]);
        }
        table.answers += matrix->answers;
        table.identical += matrix->identical;
        return true;
    }

    /// By size: the best record of the task there, or the default.
    Outcome<std::vector<PointSchedule>> schedulesOf(const KernelFamily &family, const std::vector<int64_t> &sizes,
                                                    std::vector<std::string> &notes) {
        std::vector<NetworkTask> tasks;
        for (const int64_t size : sizes) {
            const auto dag = family.dagAt(size);
            if (!dag) return dag.refusal();
            NetworkTask task;
            task.dag = *dag;
            task.key = (*dag)->key();
            task.name = family.name;
            tasks.push_back(std::move(task));
        }
        const TaskRecords records = recordsOfTasks(tasks, family.target, m_options.logs);
        for (const std::string &note : records.notes)
            if (std::ranges::find(notes, note) == notes.end()) notes.push_back(note);
        std::vector<PointSchedule> points(tasks.size());
        std::vector<std::string> problems(tasks.size());
        m_pool.forEach(tasks.size(), [&](size_t i, int) {
            points[i].size = sizes[i];
            if (records.best[i]) {
                points[i].steps = records.best[i]->steps;
                points[i].source = "record " + records.best[i]->name;
                return;
            }
            auto schedules = defaultSchedules(makeTask(tasks[i].dag, family.target), m_options.defaults);
            if (!schedules) {
                problems[i] = schedules.why();
                return;
            }
            points[i].steps = std::move(schedules->front());
            points[i].source = "default";
        });
        for (const std::string &problem : problems)
            if (!problem.empty()) return Refusal{fmt::format("{}: {}", family.name, problem)};
        return points;
    }

    const DispatchPoints &m_points;
    const DispatchOptions &m_options;
    ThreadPool &m_pool;
};

} // namespace

DispatchPoints usualPoints(int64_t bound) {
    DispatchPoints points;
    for (int64_t size = 1; size < bound; size = size < 8 ? size + 1 : 2 * size) {
        points.sizes.push_back(size);
        const int64_t between = size + size / 2 - 1;
        if (size >= 8 && between < bound) points.sizes.push_back(between);
    }
    points.sizes.push_back(bound);
    points.weights.assign(points.sizes.size(), 1);
    return points;
}

std::vector<int64_t> unseenSizes(const DispatchPoints &points) {
    std::vector<int64_t> sizes;
    int64_t before = 0;
    for (const int64_t size : points.sizes) {
        if (size > before + 1) sizes.push_back(before + std::max<int64_t>(1, (size - before) / 3));
        before = size;
    }
    return sizes;
}

DispatchPoints pointsOfTraffic(const std::map<int64_t, double> &counts, size_t most) {
    double total = 0;
    for (const auto &[size, count] : counts) total += count;
    DispatchPoints points;
    double gathered = 0;
    double before = 0; // of all that points stand for by now
    for (auto each = counts.begin(); each != counts.end(); ++each) {
        const auto &[size, count] = *each;
        gathered += count;
        const double share = total * static_cast<double>(points.sizes.size() + 1) / static_cast<double>(most);
        const bool last = std::next(each) == counts.end();
        if (!last && counts.size() > most && before + gathered < share) continue;
        constexpr double kNamed = 0.05;
        if (count >= kNamed * total) points.named.push_back(size);
        points.sizes.push_back(size);
        points.weights.push_back(gathered);
        before += gathered;
        gathered = 0;
    }
    return points;
}

DispatchPoints withSizesBetween(const DispatchPoints &points) {
    DispatchPoints all;
    all.named = points.named.empty() ? points.sizes : points.named;
    for (size_t i = 0; i < points.sizes.size(); ++i) {
        if (i > 0 && points.sizes[i] > points.sizes[i - 1] + 2) {
            const int64_t half = (points.sizes[i - 1] + points.sizes[i]) / 2;
            all.sizes.push_back(half % 2 != 0 ? half : half + 1 < points.sizes[i] ? half + 1 : half - 1);
            all.weights.push_back(0.25 * std::min(points.weights[i - 1], points.weights[i]));
        }
        all.sizes.push_back(points.sizes[i]);
        all.weights.push_back(points.weights[i]);
    }
    return all;
}

Outcome<NetworkDispatch> dispatchNetwork(const std::string &name, const std::vector<NetworkFamily> &families,
                                         const GraphFunction &function, const Partition &partition,
                                         const DispatchPoints &points, const DispatchOptions &options) {
    ThreadPool pool(options.threads);
    NetworkDispatch result;
    result.table.network = name;
    result.table.target = families.front().family.target.text();
    result.table.symbol = families.front().family.symbol;
    result.table.bound = families.front().family.bound;
    result.table.points = points.sizes;
    result.table.weights = points.weights;
    result.table.unseen = unseenSizes(points);
    FamilyDispatch dispatch(points, options, pool);
    for (size_t i = 0; i < families.size(); ++i) {
        if (options.progress) options.progress(i, families.size(), families[i].family.name);
        auto table = dispatch.table(families[i].family, result.notes);
        if (!table) return table.refusal();
        table->node = nodeOf(families[i], function, partition);
        table->weight = families[i].weight;
        result.table.kernels.push_back(std::move(table).value());
    }
    return result;
}

} // namespace loopscope
