#include "views/main_window/window_layouts.h"

#include <algorithm>

namespace loopscope {

namespace {
// States of an older version name other docks and are not taken over.
constexpr int kStateVersion = 1;
} // namespace

WindowLayouts::WindowLayouts(DockHost &host, Settings &settings, QObject *parent)
    : QObject(parent), m_host(host), m_settings(settings), m_current(shippedLayouts().front().name) {
    connect(&host, &DockHost::firstShown, this, [this] { apply(m_current); });
}

bool WindowLayouts::isShipped(const QString &name) const {
    return std::any_of(shippedLayouts().begin(), shippedLayouts().end(),
                       [&](const Arrangement &shipped) { return shipped.name == name; });
}

QStringList WindowLayouts::names() const {
    QStringList names;
    for (const Arrangement &shipped : shippedLayouts()) names << shipped.name;
    QStringList own = m_settings.value(QStringLiteral("window/own_layouts")).toStringList();
    own.sort(Qt::CaseInsensitive);
    return names + own;
}

QString WindowLayouts::keyOf(const QString &name) const {
    return QStringLiteral("layouts/") + QString::fromLatin1(name.toUtf8().toPercentEncoding());
}

QByteArray WindowLayouts::state() const { return m_host.saveState(kStateVersion); }

void WindowLayouts::keep() {
    if (!m_host.wasShown()) return;
    m_settings.setValue(keyOf(m_current), state());
    m_settings.setValue(QStringLiteral("window/layout"), m_current);
}

void WindowLayouts::apply(const QString &name) {
    m_current = name;
    if (!m_host.wasShown()) return; // done when it is
    const QByteArray kept = m_settings.value(keyOf(name)).toByteArray();
    if (kept.isEmpty() || !m_host.restoreState(kept, kStateVersion)) {
        const auto shipped = std::find_if(shippedLayouts().begin(), shippedLayouts().end(),
                                          [&](const Arrangement &arrangement) { return arrangement.name == name; });
        m_host.arrange(shipped == shippedLayouts().end() ? shippedLayouts().front() : *shipped);
    } else {
        m_host.keepSizes();
        Q_EMIT m_host.arrangementChanged();
    }
    Q_EMIT changed();
}

void WindowLayouts::switchTo(const QString &name) {
    if (!names().contains(name)) return;
    keep();
    apply(name);
    m_settings.setValue(QStringLiteral("window/layout"), m_current);
}

void WindowLayouts::step(int direction) {
    const QStringList all = names();
    const auto count = all.size();
    const auto at = std::max<qsizetype>(0, all.indexOf(m_current));
    switchTo(all[(at + direction + count) % count]);
}

QString WindowLayouts::saveAs(const QString &name) {
    const QString wanted = name.trimmed();
    if (wanted.isEmpty()) return tr("A layout needs a name.");
    if (isShipped(wanted)) return tr("%1 comes with Loopscope; choose another name.").arg(wanted);
    QStringList own = m_settings.value(QStringLiteral("window/own_layouts")).toStringList();
    if (!own.contains(wanted)) own << wanted;
    m_settings.setValue(QStringLiteral("window/own_layouts"), own);
    m_current = wanted;
    keep();
    Q_EMIT changed();
    return {};
}

void WindowLayouts::remove(const QString &name) {
    if (isShipped(name)) return;
    QStringList own = m_settings.value(QStringLiteral("window/own_layouts")).toStringList();
    own.removeAll(name);
    m_settings.setValue(QStringLiteral("window/own_layouts"), own);
    m_settings.remove(keyOf(name));
    if (m_current == name) apply(shippedLayouts().front().name);
    Q_EMIT changed();
}

void WindowLayouts::restoreDefault() {
    const QString name = isShipped(m_current) ? m_current : shippedLayouts().front().name;
    m_settings.remove(keyOf(name));
    if (m_current != name) keep();
    apply(name);
}

void WindowLayouts::restoreLast() {
    const QString last = m_settings.value(QStringLiteral("window/layout")).toString();
    apply(names().contains(last) ? last : shippedLayouts().front().name);
}

void WindowLayouts::setState(const QString &name, const QByteArray &state) {
    if (names().contains(name)) m_current = name;
    m_host.keepSizes();
    if (!m_host.restoreState(state, kStateVersion)) apply(m_current);
    Q_EMIT changed();
}

} // namespace loopscope
