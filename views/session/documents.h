#pragma once
// The documents that are open, for views: which there are, which is shown, and what becomes of text, parameters and
// target as they are edited. A change of these makes another task; what was searched before stays with the document.

#include "views/session/document_store.h"
#include "views/session/selection.h"
#include "views/session/workload_reader.h"
#include "views/settings/settings.h"

namespace loopscope {

class Documents : public QObject {
    Q_OBJECT

  public:
    Documents(DocumentStore &store, WorkloadReader &reader, Selection &selection, Settings &settings,
              Messages &messages);

    /// The one shown; null when nothing is open.
    [[nodiscard]] const Document *current() const { return std::as_const(m_store).current(); }
    [[nodiscard]] std::vector<const Document *> all() const;
    void setCurrent(int id);
    /// Another task of an open document, which is shown with it; unknown ones are ignored.
    void showTask(int taskId);
    void close(int id);
    /// A workload that has no file yet.
    void openText(const QString &name, const QString &text);
    /// A workload's file, read already. One that is open is shown, and read anew where the file has changed since.
    void openWorkload(const QString &path, const QByteArray &bytes);
    /// Empty on success, else a sentence.
    QString saveText(const QString &path);
    /// Analysed shortly after the last change. Another task may come of it, as of parameters and target: the one before
    /// stays with the document, trials, search and all.
    void setText(const QString &text);
    void setParams(const ParamOverrides &params);
    void setTarget(const QString &text);

    /// For whoever has added a document to the store.
    void show(Document *document);
    void selectBest();
    void tellProblem(const Document &document);

  signals:
    void documentsChanged(); // opened, closed, renamed, modified
    void documentChanged();  // another one is shown, or its task is another: read everything anew
    void problemChanged();   // Document::problem, analysing
    void sketchesChanged();  // sketches, derivation
    void workloadOpened(const QString &path);
    // The document shown goes from one task to another: what is kept by number means something else. The signals above
    // come between the two.
    void taskLeft();
    void taskShown();
    void taskForgotten(int taskId); // left for good: what is being made for it has nobody to go to
    void taskRemade(int taskId);    // what was made of it is out of date
    void understood(int taskId);    // its task is known
    void settled();                 // one text less to wait for

  private:
    void take(int id, const TaskSource &source, const std::shared_ptr<Analysis> &analysis);
    void tellTaskShown();
    void forgetTask(int taskId);

    DocumentStore &m_store;
    WorkloadReader &m_reader;
    Selection &m_selection;
    Settings &m_settings;
    Messages &m_messages;
};

} // namespace loopscope
