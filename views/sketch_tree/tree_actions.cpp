#include "views/sketch_tree/tree_actions.h"

namespace loopscope {

namespace {
QString actionId(const char *id) { return QStringLiteral("sketch_tree.") + QLatin1String(id); }
QString actionCategory() { return QStringLiteral("Sketch tree"); }
} // namespace

QAction *TreeActions::add(const char *id, const QString &text, const QKeySequence &keys, const QString &tip,
                          const char *icon, std::function<void()> run) const {
    QAction *action = context.actions.add({actionId(id), actionCategory(), text, keys, tip, QLatin1String(icon), false},
                                          owner, std::move(run));
    if (*icon) action->setIcon(context.theme.icon(QLatin1String(icon)));
    return action;
}

QAction *TreeActions::toggle(const char *id, const QString &text, const QKeySequence &keys, const QString &tip, bool on,
                             std::function<void(bool)> run) const {
    QAction *action = context.actions.add({actionId(id), actionCategory(), text, keys, tip, {}, true}, owner, [] {});
    action->setChecked(on);
    QObject::connect(action, &QAction::toggled, owner, std::move(run));
    return action;
}

} // namespace loopscope
