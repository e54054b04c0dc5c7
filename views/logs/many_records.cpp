#include "views/logs/many_records.h"

#include "views/session/log_opening.h"
#include "views/session/open_logs.h"
#include "views/session/text.h"

#include <QMessageBox>
#include <QStringList>

namespace loopscope {

namespace {
constexpr uint64_t kMaxTrialBytes = uint64_t{512} << 20; // as loadRecordLog has it
} // namespace

QString tooLargeForTrials(const OpenLog &log) {
    if (!log.log || log.log->document.bytes() <= kMaxTrialBytes) return {};
    return QObject::tr("%1 has %2 of text, of which at most %3 become trials: make a smaller log of it first, with "
                       "`loopscope-cli log distil` or `log filter`")
        .arg(log.path, bytesText(static_cast<qint64>(log.log->document.bytes())),
             bytesText(static_cast<qint64>(kMaxTrialBytes)));
}

void askAboutMany(const std::vector<const OpenLog *> &logs, QWidget &parent, const std::function<void()> &go) {
    QStringList sentences;
    for (const OpenLog *log : logs)
        if (log->records() > LogOpening::kMaxUnasked)
            sentences << QObject::tr("%1 has %2.").arg(log->name(), countedText(log->records(), "record"));
    if (sentences.isEmpty()) return go();
    sentences << QObject::tr("Its records of this task become trials, which takes memory and time.");
    auto *question = new QMessageBox(QMessageBox::Question, QObject::tr("Many records"), sentences.join(u' '),
                                     QMessageBox::Ok | QMessageBox::Cancel, &parent);
    question->setAttribute(Qt::WA_DeleteOnClose);
    QObject::connect(question, &QMessageBox::accepted, &parent, go);
    question->open();
}

} // namespace loopscope
