#include "views/logs/note_line.h"

#include "records/logs/sidecar.h"
#include "views/session/text.h"

#include <QHBoxLayout>
#include <QLineEdit>
#include <QToolButton>

#include <exception>
#include <utility>

namespace loopscope {

NoteLine::NoteLine(Theme &theme, QWidget *parent)
    : QWidget(parent), m_theme(theme), m_pin(new QToolButton(this)), m_note(new QLineEdit(this)),
      m_tags(new QLineEdit(this)) {
    m_pin->setObjectName(QStringLiteral("record_pin"));
    m_pin->setCheckable(true);
    m_pin->setAutoRaise(true);
    m_pin->setToolTip(tr("Pin the record: kept in a file beside the log"));
    m_pin->setAccessibleName(tr("Pin the record"));
    m_note->setObjectName(QStringLiteral("record_note"));
    m_note->setPlaceholderText(tr("Note"));
    m_note->setAccessibleName(tr("Note on the record"));
    m_tags->setObjectName(QStringLiteral("record_tags"));
    m_tags->setPlaceholderText(tr("Tags"));
    m_tags->setAccessibleName(tr("Tags of the record, separated by blanks"));
    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(4, 2, 4, 2);
    row->setSpacing(4);
    row->addWidget(m_pin);
    row->addWidget(m_note, 3);
    row->addWidget(m_tags, 1);
    const auto restyle = [this] { m_pin->setIcon(m_theme.icon(QStringLiteral("pin"))); };
    restyle();
    connect(&theme, &Theme::changed, this, restyle);
    connect(m_pin, &QToolButton::clicked, this, &NoteLine::write);
    connect(m_note, &QLineEdit::editingFinished, this, &NoteLine::write);
    connect(m_tags, &QLineEdit::editingFinished, this, &NoteLine::write);
    hide();
}

void NoteLine::setRecord(const QString &log, const std::string &name, uint32_t line) {
    const std::string path = std8(log);
    if (m_log == path && m_name == name) return; // somebody may be writing
    if (!m_name.empty()) write();                // what was typed is of the record before
    m_log = path;
    m_name = name;
    m_line = line;
    setVisible(!name.empty());
    RecordNote note;
    try {
        if (!name.empty()) note = loadLogNotes(path).of(name);
    } catch (const std::exception &error) {
        m_name.clear(); // nothing is written over what cannot be read
        hide();
        Q_EMIT failed(qt(error.what()));
    }
    QStringList tags;
    for (const std::string &tag : note.tags) tags << qt(tag);
    m_pin->setChecked(note.pinned);
    m_note->setText(qt(note.text));
    m_tags->setText(tags.join(u' '));
}

void NoteLine::write() {
    if (m_name.empty()) return;
    RecordNote note;
    note.pinned = m_pin->isChecked();
    note.text = std8(m_note->text().trimmed());
    for (const QString &tag : m_tags->text().split(u' ', Qt::SkipEmptyParts)) note.tags.push_back(std8(tag));
    try {
        LogNotes notes = loadLogNotes(m_log); // others may have noted something meanwhile
        if (notes.of(m_name) == note) return;
        note.line = m_line;
        notes.set(m_name, std::move(note));
        saveLogNotes(m_log, notes);
        Q_EMIT written();
    } catch (const std::exception &error) {
        Q_EMIT failed(qt(error.what()));
    }
}

} // namespace loopscope
