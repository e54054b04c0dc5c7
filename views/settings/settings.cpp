#include "views/settings/settings.h"

#include <QDir>
#include <QFileInfo>
#include <QStandardPaths>

namespace loopscope {

namespace {

constexpr int kRecentFiles = 20;

QString folderOf(const QString &path) {
    if (!path.isEmpty()) return QFileInfo(path).absolutePath();
    const QString chosen = qEnvironmentVariable("LOOPSCOPE_CONFIG");
    if (!chosen.isEmpty()) return QDir(chosen).absolutePath();
    return QStandardPaths::writableLocation(QStandardPaths::GenericConfigLocation) + QStringLiteral("/loopscope");
}

QString fileOf(const QString &path) {
    return path.isEmpty() ? folderOf(path) + QStringLiteral("/loopscope.ini") : path;
}

} // namespace

Settings::Settings(const QString &path, QObject *parent)
    : QObject(parent), m_folder(folderOf(path)), m_store(fileOf(path), QSettings::IniFormat) {}

ThemeChoice Settings::theme() const {
    const QString name = m_store.value(QStringLiteral("theme")).toString();
    if (name == QLatin1String("light")) return ThemeChoice::Light;
    if (name == QLatin1String("dark")) return ThemeChoice::Dark;
    return ThemeChoice::System;
}

void Settings::setTheme(ThemeChoice choice) {
    m_store.setValue(QStringLiteral("theme"), choice == ThemeChoice::Light  ? QStringLiteral("light")
                                              : choice == ThemeChoice::Dark ? QStringLiteral("dark")
                                                                            : QStringLiteral("system"));
}

int Settings::codePointSize() const { return m_store.value(QStringLiteral("code/point_size"), 0).toInt(); }
void Settings::setCodePointSize(int points) { m_store.setValue(QStringLiteral("code/point_size"), points); }

QStringList Settings::recentFiles() const { return m_store.value(QStringLiteral("recent_files")).toStringList(); }

void Settings::addRecentFile(const QString &path) {
    QStringList files = recentFiles();
    const QString absolute = QFileInfo(path).absoluteFilePath();
    files.removeAll(absolute);
    files.prepend(absolute);
    while (files.size() > kRecentFiles) files.removeLast();
    m_store.setValue(QStringLiteral("recent_files"), files);
    Q_EMIT recentFilesChanged();
}

void Settings::clearRecentFiles() {
    m_store.remove(QStringLiteral("recent_files"));
    Q_EMIT recentFilesChanged();
}

QVariant Settings::value(const QString &key, const QVariant &fallback) const { return m_store.value(key, fallback); }
void Settings::setValue(const QString &key, const QVariant &value) { m_store.setValue(key, value); }
void Settings::remove(const QString &key) { m_store.remove(key); }

QStringList Settings::names(const QString &group) {
    m_store.beginGroup(group);
    const QStringList names = m_store.childKeys() + m_store.childGroups();
    m_store.endGroup();
    return names;
}

void Settings::sync() { m_store.sync(); }

QString Settings::stateFolder() const {
    const bool usual = m_folder.startsWith(QStandardPaths::writableLocation(QStandardPaths::GenericConfigLocation));
    const QString folder =
        usual ? QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation) + QStringLiteral("/loopscope")
              : m_folder + QStringLiteral("/state");
    QDir().mkpath(folder);
    return folder;
}

} // namespace loopscope
