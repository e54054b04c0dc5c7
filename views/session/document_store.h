#pragma once
// The documents that are open, and which of them is shown. The parts of the session change them through this, on the UI
// thread; views are given them to read only (Documents).

#include "views/session/document.h"

#include <memory>
#include <vector>

namespace loopscope {

class DocumentStore {
  public:
    /// The one shown; null when nothing is open.
    [[nodiscard]] Document *current() { return m_current; }
    [[nodiscard]] const Document *current() const { return m_current; }
    void setCurrent(Document *document) { m_current = document; }
    [[nodiscard]] bool isShown(const TaskState &state) const { return m_current && m_current->taskId == state.taskId; }

    [[nodiscard]] const std::vector<std::unique_ptr<Document>> &all() const { return m_documents; }
    /// Null when unknown, as the two below.
    [[nodiscard]] Document *find(int id);
    [[nodiscard]] Document *ofTask(int taskId);
    [[nodiscard]] TaskState *task(int taskId);
    [[nodiscard]] const TaskState *task(int taskId) const;

    /// A document with a task of its own, named after the file.
    Document &add(const QString &path, const QString &text);
    /// The caller keeps it until nobody looks at it any more.
    std::unique_ptr<Document> remove(int id);
    /// Documents and tasks are numbered together.
    [[nodiscard]] int freshId() { return m_nextId++; }

  private:
    std::vector<std::unique_ptr<Document>> m_documents;
    Document *m_current = nullptr;
    int m_nextId = 1;
};

} // namespace loopscope
