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
    QString kind = {}; // of what was tried: "search", "save"; the next success of its kind makes it history
    int times = 1;     // said in a row
};

class Messages : public QObject {
    Q_OBJECT

  public:
    using QObject::QObject;

    void add(Message message);
    void note(const QString &text) { add({Message::Severity::Note, text, {}, {}}); }
    void warn(const QString &text, const QString &detail = {}, const QString &kind = {}) {
        add({Message::Severity::Warning, text, detail, {}, 0, 0, -1, {}, kind});
    }
    void fail(const QString &text, const QString &detail = {}, const QString &kind = {}) {
        add({Message::Severity::Failure, text, detail, {}, 0, 0, -1, {}, kind});
    }
    /// Something of this kind went well: what failed of it before stays in the list, and is no longer shown as news.
    void succeeded(const QString &kind) { Q_EMIT settled(kind); }
    [[nodiscard]] const std::vector<Message> &all() const { return m_all; }
    void clear();

  signals:
    void added(int index);
    void repeated(int index); // the newest came once more
    void cleared();
    void settled(const QString &kind);

  private:
    std::vector<Message> m_all;
};

} // namespace loopscope
