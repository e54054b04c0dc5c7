#include "views/loops/loop_moves.h"

#include "schedule/script/schedule_script.h"
#include "search/moves/offered_moves.h"
#include "views/loops/loop_drag.h"
#include "views/loops/loop_tree_model.h"
#include "views/loops/move_menu.h"
#include "views/loops/move_request.h"
#include "views/palette/command_palette.h"
#include "views/session/text.h"

#include <QEvent>
#include <QTreeView>

#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

namespace loopscope {

LoopMoves::LoopMoves(const ViewContext &context, QTreeView &tree, LoopTreeModel &model)
    : QObject(&tree), m_context(context), m_tree(tree), m_model(model) {
    Session &session = context.session;
    connect(&session.selection(), &Selection::changed, this, &LoopMoves::follow);
    for (const auto changed : {&Documents::taskShown, &Documents::documentChanged, &Documents::sketchesChanged})
        connect(&session.documents(), changed, this, &LoopMoves::follow);
    connect(&session.trials(), &TaskTrials::trialsReset, this, &LoopMoves::follow);
    connect(&session.moves(), &MovePredictions::movesReady, this, &LoopMoves::ready);
    m_tree.setContextMenuPolicy(Qt::CustomContextMenu);
    connect(&m_tree, &QWidget::customContextMenuRequested, this, &LoopMoves::popupMenu);
    m_drag = new LoopDrag(m_tree, m_model, context.theme, this);
    m_drag->setSchedule([this] { return onScreen() ? m_offered : nullptr; });
    connect(m_drag, &LoopDrag::dropped, this, &LoopMoves::make);
    connect(m_drag, &LoopDrag::refused, this, [this](const QString &sentence) {
        m_context.session.messages().warn(QStringLiteral("Nothing was done"), sentence);
    });
    m_tree.installEventFilter(this);
    connect(&m_model, &QAbstractItemModel::modelReset, this, [this] {
        if (onScreen() && m_paletteWaits == shown()) popupPalette({}, currentTarget());
    });
    addActions();
}

LoopMoves::~LoopMoves() = default;

void LoopMoves::addActions() {
    const QString category = QStringLiteral("Loops");
    Actions &actions = m_context.actions;
    QAction *change = actions.add(
        {QStringLiteral("loops.change"), category, QStringLiteral("Change this loop \u2026"), QKeySequence(Qt::Key_M),
         QStringLiteral("Type what to do to the loop: split 8, par, vec, unroll 64, at C j.0"), QStringLiteral("edit")},
        m_tree.parentWidget(), [this] { popupPalette({}, currentTarget()); });
    m_tree.addAction(change);
    // Wherever one is in the window: its owner is no widget.
    actions.add({QStringLiteral("loops.measure"), QStringLiteral("Search"), QStringLiteral("Measure this schedule"),
                 QKeySequence(Qt::Key_F9),
                 QStringLiteral("Build the schedule shown, check its answer and time it, in the background"),
                 QStringLiteral("measure")},
                this, [this] { measure(); });
}

bool LoopMoves::onScreen() const { return m_model.tree() != nullptr && m_model.tree()->ref == shown(); }

OfferedMovesPtr LoopMoves::offered() const { return m_offered; }

/// Nothing is found for a tree that nobody sees.
void LoopMoves::follow() { m_offered = m_tree.isVisible() ? m_context.session.moves().of(shown()) : nullptr; }

bool LoopMoves::eventFilter(QObject *watched, QEvent *event) {
    if (watched == &m_tree && event->type() == QEvent::Show) follow();
    return false;
}

void LoopMoves::ready(const ScheduleRef &ref) {
    if (!(ref == shown())) return;
    follow();
    if (!m_offered) return;
    if (m_menu) m_menu->predict(m_offered);
    if (m_palette && m_palette->isVisible() && m_paletteAbout)
        m_palette->refill(paletteItems(*m_offered, *m_paletteAbout));
}

std::optional<MoveTarget> LoopMoves::targetOf(const LoopRow &row) {
    if (row.stageId.value < 0) return std::nullopt;
    return MoveTarget{row.stageId, row.kind == RowKind::Loop ? row.iterId : IterId()};
}

std::optional<MoveTarget> LoopMoves::currentTarget() const {
    if (!onScreen()) return std::nullopt;
    std::vector<int> rows;
    if (m_tree.currentIndex().isValid()) rows.push_back(m_tree.currentIndex().data(LoopTreeModel::RowRole).toInt());
    rows.insert(rows.end(), m_model.marks().begin(), m_model.marks().end());
    const LoopTree &tree = *m_model.tree();
    for (const int row : rows)
        if (const auto target = targetOf(tree.row(row))) return target;
    // A loop that was split or fused is gone: the next thing to do is to one of its stage.
    const QString stage = m_context.session.selection().now().stage;
    for (const bool any : {false, true})
        for (const LoopRow &row : tree.rows)
            if (const auto target = targetOf(row); target && row.kind == RowKind::Loop && (any || row.stage == stage))
                return target;
    return std::nullopt;
}

void LoopMoves::make(const Step &step) {
    const QString why = m_context.session.edits().apply(shown(), step);
    if (!why.isEmpty()) m_context.session.messages().warn(QStringLiteral("Nothing was done"), asSentence(why));
}

void LoopMoves::makeAll(const std::vector<Step> &steps) {
    for (const Step &step : steps) make(step);
}

void LoopMoves::measure() { (void)m_context.session.search().measure(shown()); }

// --- Menu
// ---------------------------------------------------------------------------------------------------------------

void LoopMoves::popupMenu(const QPoint &place) {
    const LoopRow *row = m_model.rowAt(m_tree.indexAt(place));
    const auto target = row != nullptr && onScreen() ? targetOf(*row) : std::nullopt;
    const Document *document = m_context.session.document();
    QMenu plain(&m_tree);
    QMenu *menu = &plain;
    std::unique_ptr<MoveMenu> moves;
    if (target && document != nullptr && document->task) {
        OfferedMovesPtr offered = m_offered;
        // Those of the stage alone are found at once, where they are not known yet; what they are worth is not.
        if (!offered || std::none_of(offered->moves.begin(), offered->moves.end(),
                                     [&](const Step &step) { return stageOf(step) == target->stage; })) {
            if (const auto steps = m_context.session.edits().stepsOf(shown())) {
                OfferedMoves found{
                    steps->state(), offeredMoves(steps->state(), document->task->target, target->stage), {}, {}};
                offered = std::make_shared<const OfferedMoves>(std::move(found));
            }
        }
        if (offered) {
            moves = std::make_unique<MoveMenu>(
                offered, *target, document->task->target.isGpu(),
                MoveMenu::Does{[this](const Step &step) { make(step); },
                               // Once the menu is gone, and with it its hold on the keys.
                               [this, about = *target](const QString &text) {
                                   QMetaObject::invokeMethod(
                                       this, [this, text, about] { popupPalette(text, about); }, Qt::QueuedConnection);
                               }},
                &m_tree);
            menu = moves.get();
            m_menu = offered == m_offered ? moves.get() : nullptr;
            menu->addSeparator();
        }
    }
    if (QAction *measuring = m_context.actions.find(QStringLiteral("loops.measure"))) menu->addAction(measuring);
    menu->addSeparator();
    menu->addActions(m_tree.actions());
    menu->exec(m_tree.viewport()->mapToGlobal(place));
}

// --- Palette
// ------------------------------------------------------------------------------------------------------------

/// The moves of the loop, those of its stage, all others; of each the most promising first.
std::vector<PaletteItem> LoopMoves::paletteItems(const OfferedMoves &moves, const MoveTarget &about) {
    std::vector<size_t> order(moves.moves.size());
    std::iota(order.begin(), order.end(), size_t{0});
    const auto nearness = [&](size_t i) {
        if (concerns(moves.moves[i], about)) return std::holds_alternative<PragmaStep>(moves.moves[i]) ? 1 : 0;
        return stageOf(moves.moves[i]) == about.stage ? 2 : 3;
    };
    const auto worth = [&](size_t i) {
        return i < moves.changes.size() && moves.changes[i] ? *moves.changes[i]
                                                            : std::numeric_limits<double>::infinity();
    };
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
        const int nearA = nearness(a);
        const int nearB = nearness(b);
        return nearA != nearB ? nearA < nearB : worth(a) < worth(b);
    });
    std::vector<PaletteItem> items;
    items.reserve(order.size());
    for (const size_t i : order) {
        PaletteItem item;
        item.text = qt(scriptLine(moves.state, moves.moves[i]));
        if (i < moves.changes.size() && moves.changes[i]) item.detail = changeText(*moves.changes[i]);
        item.run = [this, step = moves.moves[i]] { make(step); };
        items.push_back(std::move(item));
    }
    return items;
}

PaletteAnswer LoopMoves::answer(const QString &typed, const MoveTarget &about) {
    PaletteAnswer answer;
    if (!m_offered) return answer;
    if (typed.trimmed().isEmpty()) {
        answer.text = QStringLiteral("To %1: split 8, split 4 16, par, vec, unroll 64, fuse, at C j.0, cache write")
                          .arg(targetText(m_offered->state, about));
        if (!m_offered->predictedBy.isEmpty())
            answer.text += QStringLiteral(". Changes of time as %1 has them").arg(m_offered->predictedBy);
        return answer;
    }
    const MoveRequest request = understandRequest(m_offered->state, typed, about);
    const auto itemOf = [&](const QString &line, const std::vector<Step> &steps) {
        PaletteItem item;
        item.text = line;
        for (size_t i = 0; steps.size() == 1 && i < m_offered->changes.size(); ++i)
            if (m_offered->moves[i] == withKnownExtent(m_offered->state, steps.front()) && m_offered->changes[i])
                item.detail = changeText(*m_offered->changes[i]);
        item.run = [this, steps] { makeAll(steps); };
        return item;
    };
    if (!request.steps.empty()) {
        answer.items.push_back(
            itemOf(request.steps.size() == 1
                       ? qt(scriptLine(m_offered->state, withKnownExtent(m_offered->state, request.steps.front())))
                       : request.line,
                   request.steps));
        return answer;
    }
    for (size_t i = 0; i < request.legalSteps.size(); ++i)
        answer.items.push_back(itemOf(request.legal[static_cast<qsizetype>(i)], request.legalSteps[i]));
    if (request.refused || !request.legalSteps.empty()) {
        answer.text = asSentence(request.problem);
        answer.refused = true;
        answer.alone = request.refused; // what merely looks alike was not meant
    } else if (!request.line.isEmpty()) {
        answer.text = request.line + QStringLiteral(" \u2026 ") + request.problem;
    }
    return answer;
}

void LoopMoves::popupPalette(const QString &text, const std::optional<MoveTarget> &about) {
    m_paletteWaits.reset();
    if (!about) {
        m_paletteWaits = shown(); // the tree is being made
        return;
    }
    QWidget *window = m_tree.window();
    if (!m_palette || m_palette->parentWidget() != window) {
        delete m_palette;
        m_palette = new CommandPalette(m_context.theme, window);
        m_palette->setObjectName(QStringLiteral("MovePalette"));
    }
    m_paletteAbout = about;
    if (!m_offered) follow();
    m_palette->popup(QStringLiteral("What to do to the loop"),
                     m_offered ? QStringLiteral("Nothing that can be done here reads like this.")
                               : QStringLiteral("What can be done is being found \u2026"),
                     m_offered ? paletteItems(*m_offered, *about) : std::vector<PaletteItem>{},
                     [this, about = *about](const QString &typed) { return answer(typed, about); });
    if (!text.isEmpty()) m_palette->type(text);
}

} // namespace loopscope
