#include "views/session/document_store.h"

#include "views/session/tasks.h"

#include <QFileInfo>

#include <algorithm>
#include <utility>

namespace loopscope {

Document *DocumentStore::find(int id) {
    for (const auto &document : m_documents)
        if (document->id == id) return document.get();
    return nullptr;
}

Document *DocumentStore::ofTask(int taskId) {
    for (const auto &document : m_documents)
        if (taskOf(*document, taskId)) return document.get();
    return nullptr;
}

const TaskState *DocumentStore::task(int taskId) const {
    for (const auto &document : m_documents)
        if (const TaskState *state = taskOf(std::as_const(*document), taskId)) return state;
    return nullptr;
}

TaskState *DocumentStore::task(int taskId) {
    Document *document = ofTask(taskId);
    return document ? taskOf(*document, taskId) : nullptr;
}

Document &DocumentStore::add(const QString &path, const QString &text) {
    auto document = std::make_unique<Document>();
    document->id = freshId();
    document->taskId = freshId();
    document->path = path;
    document->name = QFileInfo(path).completeBaseName();
    document->text = text;
    m_documents.push_back(std::move(document));
    return *m_documents.back();
}

std::unique_ptr<Document> DocumentStore::remove(int id) {
    const auto found =
        std::find_if(m_documents.begin(), m_documents.end(), [id](const auto &document) { return document->id == id; });
    if (found == m_documents.end()) return nullptr;
    std::unique_ptr<Document> removed = std::move(*found);
    m_documents.erase(found);
    return removed;
}

} // namespace loopscope
