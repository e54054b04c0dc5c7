#include "views/grouping/stage_find.h"

#include <QKeyEvent>

namespace loopscope {

StageFind::StageFind(GraphView &graph, GroupingScene &scene, QWidget *parent)
    : QLineEdit(parent), m_graph(graph), m_scene(scene) {
    setPlaceholderText(tr("Find a stage by its name; Enter goes on, Esc closes"));
    setAccessibleName(tr("Find a stage"));
    setClearButtonEnabled(true);
    hide();
    connect(this, &QLineEdit::textChanged, this, &StageFind::look);
    connect(this, &QLineEdit::returnPressed, this, &StageFind::goOn);
}

void StageFind::open() {
    show();
    selectAll();
    setFocus();
    look();
}

void StageFind::look() {
    m_found.clear();
    m_at = 0;
    for (const StageItem *item : m_scene.boxes())
        if (!text().isEmpty() && item->box().name.contains(text(), Qt::CaseInsensitive))
            m_found.push_back(item->box().name);
    m_scene.setMatches({m_found.begin(), m_found.end()}, !text().isEmpty());
    if (!m_found.empty()) m_graph.reveal(m_scene.rectOf(m_found.front()));
}

void StageFind::goOn() {
    if (m_found.empty()) return;
    const QString stage = m_found[m_at];
    m_at = (m_at + 1) % m_found.size();
    Q_EMIT chosen(stage);
    m_graph.reveal(m_scene.rectOf(stage));
}

void StageFind::keyPressEvent(QKeyEvent *event) {
    if (event->key() != Qt::Key_Escape) return QLineEdit::keyPressEvent(event);
    m_found.clear();
    m_scene.setMatches({}, false);
    hide();
    m_graph.setFocus();
}

} // namespace loopscope
