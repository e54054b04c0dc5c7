#include "views/loops/move_menu.h"

#include "schedule/script/schedule_script.h"
#include "views/loops/move_request.h"
#include "views/session/text.h"

#include <algorithm>
#include <limits>
#include <map>

namespace loopscope {

namespace {

constexpr MoveGroup kGroups[] = {
    MoveGroup::Split,     MoveGroup::FollowSplit, MoveGroup::Fuse,         MoveGroup::Reorder,   MoveGroup::Annotate,
    MoveGroup::Bind,      MoveGroup::UnrollUpTo,  MoveGroup::Place,        MoveGroup::ComputeAt, MoveGroup::CacheWrite,
    MoveGroup::CacheRead, MoveGroup::Rfactor,     MoveGroup::StorageAlign, MoveGroup::Other};
constexpr qsizetype kLongestReason = 90; // letters in a menu; the tooltip has all of it

QString escaped(QString text) { return text.replace(u'&', QStringLiteral("&&")); }

} // namespace

MoveMenu::MoveMenu(OfferedMovesPtr moves, MoveTarget target, bool gpu, Does does, QWidget *parent)
    : QMenu(parent), m_moves(std::move(moves)), m_target(target), m_does(std::move(does)) {
    setObjectName(QStringLiteral("MoveMenu"));
    setToolTipsVisible(true);
    fill(gpu);
    tell();
}

void MoveMenu::predict(const OfferedMovesPtr &moves) {
    if (!moves || moves->moves.size() != m_moves->moves.size()) return;
    m_moves = moves;
    tell();
}

void MoveMenu::fill(bool gpu) {
    addSection(asSentence(targetText(m_moves->state, m_target)));
    for (const MoveGroup group : kGroups) addMoves(group);
    addForbidden(gpu);
}

void MoveMenu::addMoves(MoveGroup group) {
    std::vector<size_t> moves;
    for (size_t i = 0; i < m_moves->moves.size(); ++i)
        if (groupOf(m_moves->moves[i]) == group && concerns(m_moves->moves[i], m_target)) moves.push_back(i);
    const bool typed = group == MoveGroup::Split && m_target.isLoop();
    if (moves.empty() && !typed) return;
    const QString heading = groupText(group);
    if (heading.isEmpty()) { // each says itself what it does
        for (const size_t move : moves) addMove(*this, move);
        return;
    }
    QMenu *menu = addMenu(heading);
    menu->setToolTipsVisible(true);
    m_groups.emplace_back(menu, moves);
    for (const size_t move : moves) addMove(*menu, move);
    if (typed) {
        QAction *other = menu->addAction(tr("Other lengths \u2026"));
        other->setToolTip(tr("Several lengths, or one that does not divide the loop: typed"));
        const QString line = qt(scriptLine(m_moves->state, SplitStep{m_target.stage, m_target.loop, 0, {2}, true}));
        // Up to the lengths; the extent is the loop's own.
        const QString head = line.section(QStringLiteral(" of "), 0, 0).section(QStringLiteral(" into "), 0, 0);
        connect(other, &QAction::triggered, this, [this, head] { m_does.type(head + QStringLiteral(" into ")); });
    }
}

QAction *MoveMenu::addMove(QMenu &menu, size_t move) {
    QAction *action = menu.addAction(QString());
    m_entries.emplace_back(action, move);
    connect(action, &QAction::triggered, this, [this, move] {
        const Step step = m_moves->moves[move]; // what it does may end the menu
        m_does.make(step);
    });
    return action;
}

/// Each with its rule; chosen, it is typed into the palette, which says what would be legal.
void MoveMenu::addForbidden(bool gpu) {
    QMenu *menu = nullptr;
    for (const QString &line : requestsOf(m_moves->state, m_target, gpu)) {
        const MoveRequest request = understandRequest(m_moves->state, line, m_target);
        if (!request.refused) continue;
        if (menu == nullptr) {
            addSeparator();
            menu = addMenu(tr("Not here"));
            menu->setToolTipsVisible(true);
        }
        const QString reason = request.problem.size() > kLongestReason
                                   ? request.problem.left(kLongestReason - 1) + QChar(0x2026)
                                   : request.problem;
        QAction *action = menu->addAction(escaped(line.section(u' ', 0, 0) + QStringLiteral(": ") + reason));
        action->setToolTip(line + u'\n' + request.problem);
        connect(action, &QAction::triggered, this, [this, line] { m_does.type(line); });
    }
}

void MoveMenu::tell() {
    const OfferedMoves &moves = *m_moves;
    const auto changeOf = [&](size_t move) {
        return move < moves.changes.size() ? moves.changes[move] : std::optional<double>();
    };
    for (const auto &[action, move] : m_entries) {
        const Step &step = moves.moves[move];
        QString text = escaped(moveText(moves.state, step, m_target));
        QString tip = qt(scriptLine(moves.state, step));
        if (const auto change = changeOf(move)) {
            text += u'\t' + changeText(*change); // at the right, as a shortcut would be
            tip += QStringLiteral("\nChange of time: %1, by %2").arg(changeText(*change), moves.predictedBy);
        }
        action->setText(text);
        action->setToolTip(tip);
    }
    for (const auto &[menu, list] : m_groups) {
        double best = std::numeric_limits<double>::infinity();
        for (const size_t move : list) best = std::min(best, changeOf(move).value_or(best));
        const QString heading = groupText(groupOf(moves.moves[list.empty() ? 0 : list.front()]));
        if (!list.empty())
            menu->setTitle(best <= -0.0005 ? QStringLiteral("%1  (%2)").arg(heading, changeText(best)) : heading);
    }
}

} // namespace loopscope
