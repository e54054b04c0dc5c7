#include "views/sketch_tree/lineage.h"

#include "measure/compare/aligned_steps.h"
#include "views/session/text.h"

#include <algorithm>
#include <cmath>

namespace loopscope {

namespace {

constexpr size_t kMaxParts = 64; // measured parents followed back

QString spoken(std::string_view mutation) { return qt(mutation).replace(QLatin1Char('-'), QLatin1Char(' ')); }

/// Origin first.
std::vector<const Ancestor *> chainOf(const Ancestor *last) {
    std::vector<const Ancestor *> chain;
    for (; last; last = last->parent.get()) chain.push_back(last);
    std::reverse(chain.begin(), chain.end());
    return chain;
}

class LineageBuilder {
  public:
    explicit LineageBuilder(const LineageInput &input) : m_input(input) {}

    LineageChain build() {
        LineageChain lineage;
        lineage.trial = m_input.trial;
        auto &entries = lineage.entries;
        int sketch = m_input.sketch;
        for (auto part = m_input.parts.rbegin(); part != m_input.parts.rend(); ++part) {
            const auto chain = chainOf(part->ancestry.get());
            if (chain.empty()) continue;
            if (entries.empty() && chain.front()->sketch >= 0) sketch = chain.front()->sketch;
            const bool first = entries.empty();
            if (first && chain.front()->trial > 0) entries.push_back(measured(*chain.front(), {}));
            for (auto &entry : follow(chain, first && chain.front()->trial == 0)) entries.push_back(std::move(entry));
            // The measured parent that the next part begins with.
            if (part + 1 != m_input.parts.rend())
                entries.push_back(measuredAs(part->trial, part->seconds, part->untimed));
        }
        if (entries.empty())
            lineage.unknown =
                m_input.fromLog
                    ? QStringLiteral("Trial %1 was read from a log, and logs keep no lineage.").arg(m_input.trial + 1)
                    : QStringLiteral("Nothing was kept about where trial %1 comes from.").arg(m_input.trial + 1);
        LineageEntry top;
        top.kind = LineageEntry::Kind::Sketch;
        top.sketch = sketch;
        if (sketch < 0)
            top.title = QStringLiteral("None of the sketches has its structure");
        else
            top.title = lineage.unknown.isEmpty() ? QStringLiteral("Sketch %1").arg(sketch)
                                                  : QStringLiteral("Sketch %1, by its structure").arg(sketch);
        entries.insert(entries.begin(), std::move(top));
        LineageEntry trial = measuredAs(m_input.trial, m_input.seconds, m_input.untimed);
        trial.kind = LineageEntry::Kind::Trial;
        if (!m_input.failure.isEmpty()) trial.changes << m_input.failure;
        entries.push_back(std::move(trial));
        return lineage;
    }

  private:
    [[nodiscard]] QStringList changes(const Steps &before, const Steps &after) const {
        const auto pairs = alignSteps(m_input.dag, before, after);
        if (!pairs) return {qt(pairs.why())};
        QStringList lines;
        for (const std::string &line : differences(*pairs)) lines << qt(line);
        return lines;
    }
    static LineageEntry measuredAs(int trial, double seconds, bool untimed) {
        LineageEntry entry;
        entry.kind = LineageEntry::Kind::Measured;
        entry.trial = trial;
        entry.seconds = seconds;
        entry.untimed = untimed;
        entry.title = QStringLiteral("Trial %1").arg(trial + 1);
        return entry;
    }
    static LineageEntry measured(const Ancestor &origin, const QStringList &changes) {
        LineageEntry entry = measuredAs(origin.trial - 1, std::numeric_limits<double>::quiet_NaN(), false);
        entry.changes = changes;
        entry.score = origin.score;
        return entry;
    }

    /// What was made of an origin; with the origin itself when it was drawn from a sketch.
    std::vector<LineageEntry> follow(const std::vector<const Ancestor *> &chain, bool withOrigin) {
        std::vector<LineageEntry> entries;
        auto before = chain.front()->steps();
        if (withOrigin) {
            LineageEntry entry;
            entry.kind = LineageEntry::Kind::Sampled;
            entry.title = QStringLiteral("sampled");
            if (chain.front()->round > 0) entry.when = QStringLiteral("round %1").arg(chain.front()->round);
            entry.score = chain.front()->score;
            entries.push_back(std::move(entry));
        }
        for (size_t i = 1; i < chain.size(); ++i) {
            const Ancestor &at = *chain[i];
            auto after = at.steps();
            LineageEntry entry;
            entry.kind = at.parent2 ? LineageEntry::Kind::Crossover : LineageEntry::Kind::Mutation;
            entry.title = spoken(at.mutation);
            entry.when = QStringLiteral("round %1, generation %2").arg(at.round).arg(at.generation);
            entry.changes = changes(before, after);
            entry.score = at.score;
            if (at.parent2) entry.side = side(*at.parent2);
            entries.push_back(std::move(entry));
            before = std::move(after);
        }
        return entries;
    }

    std::vector<LineageEntry> side(const Ancestor &parent) {
        const auto chain = chainOf(&parent);
        std::vector<LineageEntry> entries;
        if (chain.front()->trial > 0) entries.push_back(measured(*chain.front(), {}));
        for (auto &entry : follow(chain, chain.front()->trial == 0)) {
            entry.side.clear(); // a side branch's own branches would lead too far
            entries.push_back(std::move(entry));
        }
        return entries;
    }

    const LineageInput &m_input;
};

void addText(QString &text, const LineageEntry &entry, const QString &indent) {
    text += indent + entry.title;
    if (!entry.when.isEmpty()) text += QStringLiteral(", ") + entry.when;
    if (std::isfinite(entry.score))
        text += QStringLiteral(", predicted %1").arg(static_cast<double>(entry.score), 0, 'f', 3);
    if (entry.untimed)
        text += QStringLiteral(", checked, not timed");
    else if (!std::isnan(entry.seconds))
        text += std::isfinite(entry.seconds) ? QStringLiteral(", %1").arg(timeText(entry.seconds))
                                             : QStringLiteral(", failed");
    text += QLatin1Char('\n');
    for (const auto &change : entry.changes) text += indent + QStringLiteral("  ") + change + QLatin1Char('\n');
    if (entry.side.empty()) return;
    text += indent + QStringLiteral("  second parent:\n");
    for (const auto &other : entry.side) addText(text, other, indent + QStringLiteral("    "));
}

} // namespace

LineageInput lineageInput(const Document &document, int trial) {
    LineageInput input;
    if (trial < 0 || static_cast<size_t>(trial) >= document.trials.size() || !document.task) return input;
    const TrialEntry &entry = document.trials[static_cast<size_t>(trial)];
    input.trial = trial;
    input.fromLog = entry.fromLog;
    input.sketch = entry.sketch;
    input.seconds = entry.seconds();
    input.untimed = entry.untimed();
    if (!entry.valid()) input.failure = qt(entry.trial.reason);
    input.dag = document.task->dag;
    for (int at = trial; at >= 0 && input.parts.size() < kMaxParts;) {
        const TrialEntry &own = document.trials[static_cast<size_t>(at)];
        if (!own.ancestry) break;
        input.parts.push_back({at, own.seconds(), own.untimed(), own.ancestry});
        const Ancestor *origin = own.ancestry.get();
        while (origin->parent) origin = origin->parent.get();
        // Numbers of trials count from 1 and only lead back.
        at = origin->trial > 0 && origin->trial - 1 < at ? origin->trial - 1 : -1;
    }
    return input;
}

LineageChain makeLineage(const LineageInput &input) { return LineageBuilder(input).build(); }

QString lineageText(const LineageChain &lineage) {
    QString text;
    for (const auto &entry : lineage.entries) {
        addText(text, entry, {});
        if (entry.kind == LineageEntry::Kind::Sketch && !lineage.unknown.isEmpty())
            text += lineage.unknown + QLatin1Char('\n');
    }
    return text;
}

} // namespace loopscope
