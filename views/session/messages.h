#pragma once
// Every warning and failure of the session with its cause: nothing is swallowed, nothing pops up. The Messages dock
// shows them; the status line shows the newest.

#include <QDateTime>
#include <QObject>
#include <QString>

#include <vector>

namespace loopscope {

struct Message {
    enum class Severity : uint8_t { Note, Warning, Failure };
    Severity severity = Severity::Note;
    QString text;   // one sentence
    QString detail; // cause, excerpt, what would be legal; may have several lines
    QString path;   // file it is about; empty none
    int line = 0;
    int column = 0;
    int trial = -1; // trial it is about
    QDateTime when = {};
};

class Messages : public QObject {
    Q_OBJECT

  public:
    using QObject::QObject;

    void add(Message message);
    void note(const QString &text) { add({Message::Severity::Note, text, {}, {}}); }
    void warn(const QString &text, const QString &detail = {}) { add({Message::Severity::Warning, text, detail, {}}); }
    void fail(const QString &text, const QString &detail = {}) { add({Message::Severity::Failure, text, detail, {}}); }
    [[nodiscard]] const std::vector<Message> &all() const { return m_all; }
    void clear();

  signals:
    void added(int index);
    void cleared();

  private:
    std::vector<Message> m_all;
};

} // namespace loopscope
