#pragma once
// A hand on the tree of loops: its menus, its palette, dragging in it, by clicks and keys.

#include "views/loops/loop_drag.h"
#include "views/loops/loop_moves.h"
#include "views/loops/loop_tree_model.h"
#include "views/loops/loops_view.h"
#include "views/loops/move_menu.h"
#include "views/palette/command_palette.h"
#include "views/session/session.h"

#include <QApplication>
#include <QContextMenuEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMouseEvent>
#include <QTimer>
#include <QTreeView>
#include <QtTest>

#include <functional>

namespace loopscope {

struct LoopHand {
    Session &session;
    LoopsView &view;

    /// The tree is of the schedule selected, and its moves are predicted.
    [[nodiscard]] bool settled() {
        return QTest::qWaitFor(
            [this] {
                const auto &tree = view.model()->tree();
                const OfferedMovesPtr offered = view.moves().offered();
                return tree && tree->ref == session.selection().now().schedule && offered &&
                       offered->changes.size() == offered->moves.size() && !offered->predictedBy.isEmpty();
            },
            30000);
    }
    [[nodiscard]] int row(const QString &stage, const QString &loop) const {
        const auto &rows = view.model()->tree()->rows;
        for (size_t r = 0; r < rows.size(); ++r)
            if (rows[r].stage == stage && (loop.isEmpty() ? rows[r].kind == RowKind::Statement && !rows[r].identity
                                                          : rows[r].kind == RowKind::Loop && rows[r].iterator == loop))
                return static_cast<int>(r);
        qFatal("no such row: %s %s", qPrintable(stage), qPrintable(loop));
    }
    [[nodiscard]] QRect rectOf(const QString &stage, const QString &loop) const {
        const QModelIndex index = view.model()->indexOf(row(stage, loop));
        view.tree()->scrollTo(index);
        return view.tree()->visualRect(index);
    }
    void click(const QString &stage, const QString &loop) const {
        QTest::mouseClick(view.tree()->viewport(), Qt::LeftButton, {}, rectOf(stage, loop).center());
    }
    /// The menu of a row, open; `look` is called with it, and it is closed afterwards.
    void menu(const QString &stage, const QString &loop, const std::function<void(MoveMenu &)> &look) const {
        const QPoint place = rectOf(stage, loop).center();
        bool seen = false;
        QTimer::singleShot(0, &view, [&] {
            auto *menu = qobject_cast<MoveMenu *>(QApplication::activePopupWidget());
            if (menu == nullptr) return;
            seen = true;
            look(*menu);
            if (menu->isVisible()) menu->close();
        });
        QContextMenuEvent event(QContextMenuEvent::Mouse, place, view.tree()->viewport()->mapToGlobal(place));
        QApplication::sendEvent(view.tree()->viewport(), &event);
        QVERIFY(seen);
        // Off screen nobody makes the window active again once a popup is gone.
        view.window()->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(view.window()));
    }
    /// The palette over the current loop, with that typed.
    CommandPalette *palette(const QString &typed) const {
        QTest::keyClick(view.tree(), Qt::Key_M);
        auto *palette = view.window()->findChild<CommandPalette *>(QStringLiteral("MovePalette"));
        if (palette == nullptr || !palette->isVisible())
            qFatal("no palette over %s; the focus has %s", qPrintable(session.selection().now().iterator),
                   QApplication::focusWidget() ? QApplication::focusWidget()->metaObject()->className() : "nobody");
        QTest::keyClicks(line(*palette), typed);
        return palette;
    }
    static QLineEdit *line(CommandPalette &palette) {
        return palette.findChild<QLineEdit *>(QStringLiteral("palette_line"));
    }
    static QString answer(CommandPalette &palette) {
        const auto *label = palette.findChild<QLabel *>(QStringLiteral("palette_answer"));
        return label->isVisible() ? label->text() : QString();
    }
    [[nodiscard]] Steps steps() const {
        const auto steps = session.edits().stepsOf(session.selection().now().schedule);
        return steps ? steps->state().steps() : Steps{};
    }
    /// Presses on a row, goes over another one, and hands over what is said there; lets go after that.
    QString drag(const QPoint &from, const QPoint &to) const {
        QWidget *where = view.tree()->viewport();
        QTest::mousePress(where, Qt::LeftButton, {}, from);
        QTest::mouseMove(where, from + QPoint(0, 3));
        moveTo(where, (from + to) / 2);
        moveTo(where, to);
        const QString said = view.findChild<LoopDrag *>()->hint();
        QTest::mouseRelease(where, Qt::LeftButton, {}, to);
        return said;
    }
    /// QTest's own knows no pressed button off screen.
    static void moveTo(QWidget *where, const QPoint &place) {
        QMouseEvent event(QEvent::MouseMove, QPointF(place), QPointF(where->mapToGlobal(place)), Qt::NoButton,
                          Qt::LeftButton, {});
        QApplication::sendEvent(where, &event);
    }

    [[nodiscard]] static QAction *entry(QMenu &menu, const QString &text) {
        for (QAction *action : menu.actions())
            if (action->text().section(u'\t', 0, 0) == text) return action;
        return nullptr;
    }
    [[nodiscard]] static QMenu *under(QMenu &menu, const QString &heading) {
        for (QAction *action : menu.actions())
            if (action->menu() != nullptr && action->menu()->title().startsWith(heading)) return action->menu();
        return nullptr;
    }
};

} // namespace loopscope
