#include "views/sketch_tree/tree_content.h"

namespace loopscope {

namespace {
constexpr size_t kMaxNodes = 200; // shown at first; the rest is collapsed
constexpr size_t kRulesRead = 4000;   // rules tried, read between two frames
constexpr int kRefreshMs = 100;   // numbers of a running search
} // namespace

TreeContent::TreeContent(Session &session, TreeChoice choice) : m_session(session), m_choice(std::move(choice)) {
    m_refresh.setSingleShot(true);
    m_refresh.setInterval(kRefreshMs);
    connect(&m_refresh, &QTimer::timeout, this, &TreeContent::count);
    m_slice.setSingleShot(true);
    m_slice.setInterval(0);
    connect(&m_slice, &QTimer::timeout, this, &TreeContent::readSlice);
    connect(&session.documents(), &Documents::documentChanged, this, &TreeContent::readDocument);
    connect(&session.documents(), &Documents::sketchesChanged, this, &TreeContent::readDocument);
    connect(&session.trials(), &TaskTrials::trialsAdded, this, [this] { countSoon(false); });
    connect(&session.trials(), &TaskTrials::trialsChanged, this, [this] { countSoon(true); });
    connect(&session.trials(), &TaskTrials::trialsReset, this, [this] { countSoon(true); });
    connect(&session.trials(), &TaskTrials::roundsChanged, this, [this] { countSoon(false); });
    connect(&session.trials(), &TaskTrials::bestChanged, this, [this] { countSoon(false); });
}

TreeContent::~TreeContent() = default;

const DerivationNode &TreeContent::nodeAt(int index) const {
    return m_tree.nodes[static_cast<size_t>(shownAt(index).number)];
}

int TreeContent::indexOf(int number) const {
    return number >= 0 && static_cast<size_t>(number) < m_shown.placeOf.size()
               ? m_shown.placeOf[static_cast<size_t>(number)]
               : -1;
}

int TreeContent::nodeOf(const Selected &selected) const {
    const Document *document = m_session.document();
    const auto endOf = [this](int sketch) {
        return sketch >= 0 && static_cast<size_t>(sketch) < m_tree.endOf.size()
                   ? m_tree.endOf[static_cast<size_t>(sketch)]
                   : -1;
    };
    if (!document) return -1;
    const int number = selected.schedule.number;
    switch (selected.schedule.kind) {
    case ScheduleRef::Kind::Naive:
    case ScheduleRef::Kind::Edited: // may have left its sketch
        return -1;
    case ScheduleRef::Kind::Sketch:
        return endOf(number);
    case ScheduleRef::Kind::Trial:
        if (number < 0 || static_cast<size_t>(number) >= document->trials.size()) return -1;
        return endOf(document->trials[static_cast<size_t>(number)].sketch);
    }
    return -1;
}

void TreeContent::readDocument() {
    Q_EMIT aboutToRead();
    const Document *document = m_session.document();
    // Told twice of one change, or of a search that derived the same again: only the numbers may be others.
    const bool same = document && document->id == m_documentId && document->task == m_task &&
                      document->derivation.size() == m_steps && !m_tree.empty();
    if (same) {
        countSoon(true);
        Q_EMIT readAgain();
        return;
    }
    m_reader.reset();
    m_slice.stop();
    m_task = document ? document->task : nullptr;
    m_steps = document ? document->derivation.size() : 0;
    if (!m_task || m_steps == 0) {
        take({});
        return;
    }
    m_reader = std::make_unique<DerivationReader>(m_task->dag);
    if (m_steps > kRulesRead) take({}); // what was shown is of another task
    readSlice();
}

void TreeContent::readSlice() {
    const Document *document = m_session.document();
    if (!m_reader || !document || document->task != m_task) return; // told of it in a moment
    if (!m_reader->read(document->derivation, kRulesRead)) {
        m_slice.start();
        return;
    }
    DerivationTree tree = m_reader->finish(document->sketches);
    m_reader.reset();
    take(std::move(tree));
}

void TreeContent::take(DerivationTree tree) {
    const Document *document = m_session.document();
    m_tree = std::move(tree);
    m_shown = {};
    const int id = document ? document->id : -1;
    TreeChoice fresh;
    fresh.fold = m_choice.fold;
    fresh.refused = m_choice.refused;
    if (id == m_documentId) { // the filter stays while one edits, when it still names something
        if (m_tree.stages.contains(m_choice.stage)) fresh.stage = m_choice.stage;
        if (m_tree.rules.contains(m_choice.rule)) fresh.rule = m_choice.rule;
    }
    m_documentId = id;
    m_choice = fresh;
    m_choice.collapsed = collapseBeyond(m_tree, m_choice, kMaxNodes);
    Q_EMIT replacing();
    if (document) m_statistics.reset(*document);
    m_counted = document ? document->trials.size() : 0;
    choose(m_choice);
    Q_EMIT replaced();
}

void TreeContent::choose(TreeChoice choice) {
    m_choice = std::move(choice);
    m_shown = makeShownTree(m_tree, m_choice);
    Q_EMIT shownChanged();
}

void TreeContent::countSoon(bool all) {
    m_recount = m_recount || all;
    if (!m_refresh.isActive()) m_refresh.start();
}

void TreeContent::count() {
    if (const Document *document = m_session.document(); document && !m_shown.nodes.empty()) {
        if (m_recount || document->trials.size() < m_counted) {
            m_statistics.reset(*document);
        } else {
            m_statistics.countSampled(*document);
            m_statistics.add(*document, m_counted);
        }
        m_counted = document->trials.size();
        m_recount = false;
    }
    Q_EMIT recounted();
}

} // namespace loopscope
