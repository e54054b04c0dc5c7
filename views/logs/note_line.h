#pragma once
// What people note of a record: a pin, a text, tags. Kept in a file beside the log (records/logs/sidecar.h), never in
// it, and written as soon as something is changed.

#include "views/settings/theme.h"

#include <QWidget>

#include <string>

class QLineEdit;
class QToolButton;

namespace loopscope {

class NoteLine : public QWidget {
    Q_OBJECT

  public:
    NoteLine(Theme &theme, QWidget *parent);

    /// `name`: recordName; empty: no record. `line`: where it stands.
    void setRecord(const QString &log, const std::string &name, uint32_t line = 0);

  signals:
    void written();
    void failed(const QString &why); // the notes cannot be read or written

  private:
    void write();

    Theme &m_theme;
    QToolButton *m_pin;
    QLineEdit *m_note;
    QLineEdit *m_tags;
    std::string m_log;
    std::string m_name;
    uint32_t m_line = 0;
};

} // namespace loopscope
