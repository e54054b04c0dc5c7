#pragma once
// What the user chose and wants to find again: theme, window layouts, recent files, last options. Passed in, never a
// global. Stored by QSettings in one file, which tests put elsewhere.

#include "views/settings/theme.h"

#include <QByteArray>
#include <QSettings>
#include <QStringList>
#include <QVariant>

namespace loopscope {

class Settings : public QObject {
    Q_OBJECT

  public:
    /// Empty path: the user's usual place (or LOOPSCOPE_CONFIG, a folder, when set).
    explicit Settings(const QString &path = {}, QObject *parent = nullptr);

    [[nodiscard]] ThemeChoice theme() const;
    void setTheme(ThemeChoice choice);
    [[nodiscard]] int codePointSize() const;
    void setCodePointSize(int points);

    /// Absolute paths, newest first, at most 20; some may be gone by now.
    [[nodiscard]] QStringList recentFiles() const;
    void addRecentFile(const QString &path);
    void clearRecentFiles();

    /// Anything else a view keeps, by "view/name": column widths, visible columns, last options.
    [[nodiscard]] QVariant value(const QString &key, const QVariant &fallback = {}) const;
    void setValue(const QString &key, const QVariant &value);
    void remove(const QString &key);
    /// Names directly below "group/".
    [[nodiscard]] QStringList names(const QString &group);
    void sync();

    /// Folder for what may be thrown away (measured machine peaks, autosaved session).
    [[nodiscard]] QString stateFolder() const;

  signals:
    void recentFilesChanged();

  private:
    QString m_folder;
    mutable QSettings m_store;
};

} // namespace loopscope
