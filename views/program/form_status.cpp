#include "views/program/form_status.h"

#include "views/session/text.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>

namespace loopscope {

FormStatus::FormStatus(QWidget *parent) : QWidget(parent) {
    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(8, 4, 8, 4);
    m_text = new QLabel(this);
    m_text->setWordWrap(true);
    m_button = new QToolButton(this);
    row->addWidget(m_text, 1);
    row->addWidget(m_button);
    hide();
    connect(m_button, &QToolButton::clicked, this, [this] {
        if (m_compiling)
            Q_EMIT cancelAsked();
        else
            Q_EMIT retryAsked();
    });
}

void FormStatus::say(const ScheduleTexts &texts, FormKind form) {
    const bool disassembly = needsDisassembly(form) && texts.absent.isEmpty() && !texts.refused();
    m_compiling = disassembly && texts.disassemblyPending;
    const bool unassembled = form == FormKind::Machine && texts.gpuCode && !texts.gpuCode->sassProblem.isEmpty();
    const bool failed = disassembly && (!texts.disassemblyProblem.isEmpty() || unassembled);
    const bool lowering = texts.formsPending && texts.absent.isEmpty();
    const bool strange = disassembly && texts.disassembly && texts.representations &&
                         !texts.representations->passes.empty() &&
                         qt(texts.disassembly->loops) != texts.representations->passes.back().text;
    setVisible(m_compiling || failed || lowering || strange);
    m_button->setVisible(m_compiling || failed);
    m_button->setText(m_compiling ? tr("Cancel") : tr("Try again"));
    const QString name =
        texts.ref.kind == ScheduleRef::Kind::Naive ? tr("the naive schedule") : scheduleName(texts.ref);
    m_text->setText(m_compiling ? tr("Compiling %1 \u2026").arg(name)
                    : failed    ? tr("There is no machine code of %1.").arg(name)
                    : lowering  ? tr("Lowering %1 \u2026").arg(name)
                                : tr("This code was made from another version of the loop program: links are off."));
}

} // namespace loopscope
