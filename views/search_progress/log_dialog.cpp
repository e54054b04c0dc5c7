#include "views/search_progress/log_dialog.h"

#include "views/session/log_question.h"
#include "views/session/session.h"

#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QMessageBox>
#include <QPushButton>

#include <utility>

namespace loopscope {

namespace {

/// The answer: the search of the task shown writes to `path` from now on.
void writeTo(Session &session, int task, const LogQuestion &question, const QString &path,
             const std::function<void()> &go) {
    const Document *document = session.document();
    if (!document || document->taskId != task) return; // another one is shown by now
    SearchSetup setup = document->setup;
    const QString log = setup.logPath.isEmpty() ? document->logPath : setup.logPath;
    if (question.copy && path != log) {
        QFile::remove(path); // the dialog asked before it let an existing file be chosen
        if (!QFile::copy(log, path)) {
            session.messages().fail(QStringLiteral("%1 cannot be copied to %2").arg(log, path), {});
            return;
        }
    }
    setup.logPath = path;
    session.search().setSetup(setup);
    go();
}

} // namespace

void askForLog(QWidget *parent, Session &session, std::function<void()> go) {
    const Document *document = session.document();
    const auto question = document ? logQuestion(*document) : std::nullopt;
    if (!question) return go();
    const int task = document->taskId;
    const QString log = document->setup.logPath.isEmpty() ? document->logPath : document->setup.logPath;

    auto *box = new QMessageBox(QMessageBox::NoIcon, QStringLiteral("Where to write the trials"), question->why,
                                QMessageBox::Cancel, parent);
    box->setObjectName(QStringLiteral("logQuestion"));
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setInformativeText(question->copy ? QStringLiteral("The search can go on in a copy beside it: %1")
                                                 .arg(QFileInfo(question->suggestion).fileName())
                                           : QStringLiteral("New trials can go to a log beside it: %1")
                                                 .arg(QFileInfo(question->suggestion).fileName()));
    auto *beside =
        box->addButton(question->copy ? QStringLiteral("Continue in a copy") : QStringLiteral("Write beside it"),
                       QMessageBox::AcceptRole);
    beside->setObjectName(QStringLiteral("logBeside"));
    auto *elsewhere = box->addButton(QStringLiteral("Choose a file \u2026"), QMessageBox::ActionRole);
    elsewhere->setObjectName(QStringLiteral("logElsewhere"));
    QPushButton *here = nullptr;
    if (!question->copy) {
        here = box->addButton(QStringLiteral("Append to the opened log"), QMessageBox::DestructiveRole);
        here->setObjectName(QStringLiteral("logHere"));
    }
    box->setDefaultButton(beside);
    const auto chosen = [&session, task, question = *question, go = std::move(go)](const QString &path) {
        writeTo(session, task, question, path, go);
    };
    QObject::connect(box, &QMessageBox::buttonClicked, parent, [=](QAbstractButton *button) {
        if (button == beside) chosen(question->suggestion);
        if (here != nullptr && button == here) chosen(log);
        if (button != elsewhere) return;
        auto *dialog =
            new QFileDialog(parent, QStringLiteral("Write the trials to"),
                            QFileInfo(question->suggestion).absolutePath(), QStringLiteral("Tuning logs (*.json)"));
        dialog->setAttribute(Qt::WA_DeleteOnClose);
        dialog->setAcceptMode(QFileDialog::AcceptSave);
        dialog->selectFile(QFileInfo(question->suggestion).fileName());
        QObject::connect(dialog, &QFileDialog::fileSelected, parent, chosen);
        dialog->open();
    });
    box->open();
}

} // namespace loopscope
