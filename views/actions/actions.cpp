#include "views/actions/actions.h"

#include "base/check.h"

#include <QWidget>

namespace loopscope {

QAction *Actions::add(const ActionInfo &info, QObject *owner, std::function<void()> run) {
    LOOPSCOPE_CHECK(find(info.id) == nullptr, info.id.toStdString());
    auto *action = new QAction(info.text, owner);
    action->setObjectName(info.id);
    action->setCheckable(info.checkable);
    action->setShortcut(info.shortcut);
    action->setToolTip(tipWithShortcut(info.tip.isEmpty() ? info.text : info.tip, info.shortcut));
    if (auto *widget = qobject_cast<QWidget *>(owner)) {
        action->setShortcutContext(widget->isWindow() ? Qt::WindowShortcut : Qt::WidgetWithChildrenShortcut);
        widget->addAction(action);
    }
    connect(action, &QAction::triggered, action, [run = std::move(run)] { run(); });
    m_entries.push_back({info, action});
    connect(action, &QObject::destroyed, this, [this, action] {
        std::erase_if(m_entries, [action](const Entry &entry) { return entry.action == action; });
    });
    Q_EMIT added(action);
    return action;
}

QAction *Actions::find(const QString &id) const {
    for (const auto &entry : m_entries)
        if (entry.info.id == id) return entry.action;
    return nullptr;
}

QAction *Actions::find(Capability capability) const { return find(QLatin1String(actionId(capability))); }

void Actions::run(Capability capability, const QVariant &about) const {
    QAction *action = find(capability);
    if (action == nullptr) return;
    action->setData(about);
    action->trigger();
    action->setData({});
}

ActionInfo Actions::info(const QAction *action) const {
    for (const auto &entry : m_entries)
        if (entry.action == action) return entry.info;
    return {};
}

std::vector<QAction *> Actions::all() const {
    std::vector<QAction *> actions;
    for (const auto &entry : m_entries) actions.push_back(entry.action);
    return actions;
}

QString tipWithShortcut(const QString &tip, const QKeySequence &shortcut) {
    if (shortcut.isEmpty()) return tip;
    return QStringLiteral("%1 (%2)").arg(tip, shortcut.toString(QKeySequence::NativeText));
}

} // namespace loopscope
