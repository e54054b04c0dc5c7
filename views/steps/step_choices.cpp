#include "views/steps/step_choices.h"

#include "schedule/steps/suggestions.h"
#include "search/moves/offered_moves.h"
#include "views/session/step_names.h"
#include "views/session/text.h"
#include "views/steps/step_text.h"

#include <algorithm>
#include <set>

namespace loopscope {

namespace {

constexpr size_t kMaxGuarded = 10;       // offered for a length
constexpr int64_t kLongestGuarded = 128; // of these
constexpr auto kUnrollPragma = "auto_unroll_max_step$";
constexpr int kUnrollLimits[] = {0, 8, 16, 32, 64, 128, 256, 512, 1024};
constexpr int kAlignFactors[] = {4, 8, 16, 32, 64, 128};
constexpr int kAlignOffsets[] = {0, 1, 2, 4, 8, 16, 32};

std::vector<int64_t> divisorsOf(int64_t extent) {
    std::vector<int64_t> divisors;
    for (int64_t d = 1; d * d <= extent; ++d) {
        if (extent % d != 0) continue;
        divisors.push_back(d);
        if (d != extent / d) divisors.push_back(extent / d);
    }
    std::sort(divisors.begin(), divisors.end());
    return divisors;
}

class Choices {
  public:
    Choices(const EditedSteps &steps, size_t at, const Target &target)
        : m_steps(steps), m_at(at), m_before(steps.before(at)), m_now(steps.step(at)), m_target(target) {}

    std::vector<ChoiceGroup> make() {
        std::visit(StepVisitor{
                       [&](const AnnotateStep &s) { annotations(s); },
                       [&](const PragmaStep &s) { pragmas(s); },
                       [&](const SplitStep &s) { lengths(s); },
                       [&](const FollowSplitStep &s) { follows(s); },
                       [&](const FollowFusedSplitStep &s) { levels(s); },
                       [&](const StorageAlignStep &s) { alignments(s); },
                       [&](const ComputeAtStep &s) { places(s); },
                       [&](const RfactorStep &s) { positions(s); },
                       // Which loops are fused, and in which order they stand, is typed.
                       [](const auto &) {},
                   },
                   m_now);
        std::erase_if(m_groups,
                      [](const ChoiceGroup &group) { return group.choices.empty() && group.guarded.empty(); });
        return std::move(m_groups);
    }

  private:
    ChoiceGroup &group(const QString &title, const QString &tip = {}) {
        m_groups.push_back({title, tip, {}, {}});
        return m_groups.back();
    }
    void add(std::vector<StepChoice> &choices, const QString &label, const Step &step) const {
        const bool chosen = step == m_now;
        if (chosen || makeMove(m_before, asApplied(m_steps, step))) choices.push_back({label, step, chosen});
    }

    void lengths(const SplitStep &now) {
        const Stage &stage = m_before.stage(now.stage);
        const int64_t extent = now.extent;
        if (extent <= 0) return;
        const QString axis = qt(stage.iters[now.iter.index()].name);
        for (size_t part = 0; part < now.lengths.size(); ++part) {
            // Of the loops that come of it, the first has what the lengths leave; from inside it is the last.
            const size_t loop = now.innerToOuter ? part + 1 : part;
            ChoiceGroup &here = group(QStringLiteral("%1.%2").arg(axis).arg(loop),
                                      QStringLiteral("Iterations of loop %1 of the %2 that %3 (%4) is split into")
                                          .arg(loop)
                                          .arg(now.lengths.size() + 1)
                                          .arg(axis)
                                          .arg(extent));
            int64_t others = 1;
            for (size_t i = 0; i < now.lengths.size(); ++i)
                if (i != part && now.lengths[i] > 0) others = std::min(others * now.lengths[i], extent + 1);
            const auto with = [&](int64_t length) {
                SplitStep step = now;
                step.lengths[part] = length;
                return step;
            };
            const int64_t chosen = now.lengths[part];
            std::set<int64_t> offered;
            for (const int64_t length : divisorsOf(extent))
                if (extent % others == 0 && (extent / others) % length == 0) {
                    add(here.choices, QString::number(length), with(length));
                    offered.insert(length);
                }
            if (chosen == kUnfilled) add(here.choices, QStringLiteral("?"), now);
            // A quarter of the work at most may be wasted behind the guard.
            for (int64_t length = 2; length <= std::min(kLongestGuarded, extent / others); ++length) {
                const int64_t tile = length * others;
                const int64_t padded = (extent + tile - 1) / tile * tile;
                const bool asked = length == chosen;
                if (offered.contains(length) || (!asked && (padded - extent) * 4 > extent)) continue;
                if (asked || here.guarded.size() < kMaxGuarded) {
                    add(here.guarded, QString::number(length), with(length));
                    offered.insert(length);
                }
            }
            if (chosen != kUnfilled && !offered.contains(chosen)) add(here.guarded, QString::number(chosen), now);
        }
    }

    void annotations(const AnnotateStep &now) {
        std::vector<Annotation> offered{Annotation::Parallel, Annotation::Vectorize, Annotation::Unroll,
                                        Annotation::None};
        if (m_target.isGpu())
            offered = {Annotation::BlockX, Annotation::ThreadX, Annotation::BlockY,  Annotation::ThreadY,
                       Annotation::BlockZ, Annotation::ThreadZ, Annotation::VThread, Annotation::Vectorize,
                       Annotation::Unroll, Annotation::None};
        if (std::find(offered.begin(), offered.end(), now.annotation) == offered.end())
            offered.push_back(now.annotation);
        ChoiceGroup &here = group(QStringLiteral("%1 is").arg(StepNames(&m_before).loop(now.stage, now.iter)));
        for (const Annotation annotation : offered) {
            AnnotateStep step = now;
            step.annotation = annotation;
            add(here.choices,
                annotation == Annotation::None        ? QStringLiteral("serial")
                : annotation == Annotation::Vectorize ? QStringLiteral("vectorized")
                : annotation == Annotation::Unroll    ? QStringLiteral("unrolled")
                                                      : qt(annotationText(annotation)),
                step);
        }
    }

    void pragmas(const PragmaStep &now) {
        if (!qt(now.text).startsWith(QLatin1String(kUnrollPragma))) return;
        ChoiceGroup &here =
            group(QStringLiteral("unroll up to"),
                  QStringLiteral("Loops are unrolled by themselves while they make no more statements"));
        bool there = false;
        for (const int limit : kUnrollLimits) {
            PragmaStep step = now;
            step.text = kUnrollPragma + std::to_string(limit);
            there = there || step == now;
            add(here.choices, QString::number(limit), step);
        }
        if (!there) add(here.choices, qt(now.text).section(u'$', 1), now);
    }

    void follows(const FollowSplitStep &now) {
        ChoiceGroup &sources =
            group(QStringLiteral("as step"), QStringLiteral("The split whose lengths it takes over"));
        for (size_t i = 0; i < m_at; ++i) {
            if (m_steps.refused(i) || !std::holds_alternative<SplitStep>(m_steps.step(i))) continue;
            FollowSplitStep step = now;
            step.source = StepId(i);
            add(sources.choices, QString::number(i), step);
        }
        ChoiceGroup &parts = group(QStringLiteral("lengths taken over"));
        const auto *source = std::get_if<SplitStep>(&m_steps.step(now.source.index()));
        for (int n = 1; source != nullptr && n <= static_cast<int>(source->lengths.size()); ++n) {
            FollowSplitStep step = now;
            step.parts = n;
            add(parts.choices, QString::number(n), step);
        }
    }

    void levels(const FollowFusedSplitStep &now) {
        ChoiceGroup &here = group(QStringLiteral("level"), QStringLiteral("Whose lengths, multiplied, it is split by"));
        for (int level = 0; level < 8; ++level) {
            FollowFusedSplitStep step = now;
            step.level = level;
            add(here.choices, QString::number(level), step);
        }
    }

    void alignments(const StorageAlignStep &now) {
        ChoiceGroup &factors = group(QStringLiteral("rows to a multiple of"), QStringLiteral("Elements"));
        for (const int factor : kAlignFactors) {
            StorageAlignStep step = now;
            step.factor = factor;
            add(factors.choices, QString::number(factor), step);
        }
        ChoiceGroup &offsets = group(QStringLiteral("plus"), QStringLiteral("Elements"));
        for (const int offset : kAlignOffsets) {
            StorageAlignStep step = now;
            step.offset = offset;
            add(offsets.choices, QString::number(offset), step);
        }
    }

    void places(const ComputeAtStep &now) {
        const StepNames names(&m_before);
        StageId last;
        for (const AttachPoint &point : attachPoints(m_before, now.stage).points) { // loops of a stage in a row
            if (last != point.stage) group(QStringLiteral("inside a loop of %1").arg(names.stage(point.stage)));
            last = point.stage;
            add(m_groups.back().choices, names.loop(point.stage, point.iter),
                ComputeAtStep{now.stage, point.stage, point.iter});
        }
        ChoiceGroup &elsewhere = group(QStringLiteral("or"));
        add(elsewhere.choices, QStringLiteral("inlined"), ComputeInlineStep{now.stage});
        add(elsewhere.choices, QStringLiteral("on its own"), ComputeRootStep{now.stage});
    }

    void positions(const RfactorStep &now) {
        ChoiceGroup &here = group(QStringLiteral("new axis at"), QStringLiteral("Among those of the partial results"));
        const int last = static_cast<int>(m_before.stage(now.stage).op->axes.size());
        for (int position = 0; position <= last; ++position) {
            RfactorStep step = now;
            step.factorIter = position;
            add(here.choices, QString::number(position), step);
        }
    }

    const EditedSteps &m_steps;
    size_t m_at;
    const LoopState m_before;
    const Step &m_now;
    const Target &m_target;
    std::vector<ChoiceGroup> m_groups;
};

} // namespace

std::vector<ChoiceGroup> stepChoices(const EditedSteps &steps, size_t at, const Target &target) {
    if (at >= steps.size() || steps.refused(at)) return {};
    return Choices(steps, at, target).make();
}

} // namespace loopscope
