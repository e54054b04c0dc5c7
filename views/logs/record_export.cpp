#include "views/logs/record_export.h"

#include "views/logs/log_names.h"
#include "views/session/jobs.h"
#include "views/session/messages.h"
#include "views/session/table_field.h"
#include "views/session/text.h"

#include <QCoreApplication>
#include <QSaveFile>
#include <QStringList>

#include <memory>
#include <shared_mutex>
#include <utility>

namespace loopscope {

namespace {

constexpr size_t kRowsBetweenLooks = 4096;
constexpr qsizetype kPiece = 1 << 20; // bytes written at once

QStringList columnNames() {
    QStringList names;
    for (const char *name : {"line", "task key", "seconds", "of best", "spread", "repeats", "result", "timestamp",
                             "steps", "structure", "pinned", "tags", "note"})
        names << QString::fromLatin1(name);
    return names;
}

QStringList cellsOf(const LogRow &row, const std::vector<LogTask> &tasks, double best, const RecordNote *note) {
    const bool timed = !row.failed() && !row.untimed();
    QStringList tags;
    if (note != nullptr)
        for (const std::string &tag : note->tags) tags << qt(tag);
    return {QString::number(row.line),
            qt(tasks[row.task].key),
            timed ? QString::number(row.seconds, 'g', 17) : QString(),
            timed && best > 0 ? QString::number(row.seconds / best, 'g', 9) : QString(),
            timed ? QString::number(static_cast<double>(row.spread), 'g', 9) : QString(),
            QString::number(row.repeats),
            resultWord(row.error),
            QString::number(row.timestamp),
            QString::number(row.stepCount),
            QString::number(row.structure),
            note != nullptr && note->pinned ? QStringLiteral("pinned") : QString(),
            tags.join(u' '),
            note != nullptr ? qt(note->text) : QString()};
}

} // namespace

QString writeRecords(const RecordsToWrite &records, const QString &path, JobControl *control) {
    const TableFormat format =
        path.endsWith(QLatin1String(".tsv"), Qt::CaseInsensitive) ? TableFormat::Tsv : TableFormat::Csv;
    QSaveFile file(path);
    const auto problem = [&] {
        return QCoreApplication::translate("writeRecords", "%1: cannot be written: %2").arg(path, file.errorString());
    };
    if (!file.open(QIODevice::WriteOnly)) return problem();
    std::shared_lock<std::shared_mutex> reading;
    if (records.log) reading = std::shared_lock(records.log->reading);
    const LogDocument *document = records.log ? &records.log->document : nullptr;
    const std::vector<LogTask> &tasks = document != nullptr ? document->tasks() : records.glance.tasks;
    const auto rowOf = [&](size_t record) -> const LogRow & {
        return document != nullptr ? document->row(record) : records.glance.rows[record];
    };
    const size_t known = document != nullptr ? document->size() : records.glance.rows.size();
    std::vector<double> best;
    for (const LogTask &task : tasks) best.push_back(task.best < known ? rowOf(task.best).seconds : 0);

    QByteArray piece;
    const auto add = [&](const QStringList &cells) {
        QStringList fields;
        for (const QString &cell : cells) fields << tableField(cell, format);
        piece += (fields.join(tableSeparator(format)) + u'\n').toUtf8();
    };
    add(columnNames());
    for (size_t i = 0; i < records.count; ++i) {
        if (control != nullptr && i % kRowsBetweenLooks == 0) {
            if (control->cancelled()) return {};
            control->progress(static_cast<double>(i) / static_cast<double>(records.count));
        }
        const size_t record = records.order ? (*records.order)[i] : i;
        const LogRow &row = rowOf(record);
        add(cellsOf(row, tasks, best[row.task], records.notes->of(static_cast<uint32_t>(record))));
        if (piece.size() < kPiece) continue;
        if (file.write(piece) != piece.size()) return problem();
        piece.clear();
    }
    if (file.write(piece) != piece.size() || !file.commit()) return problem();
    return {};
}

RecordExport::RecordExport(Jobs &jobs, Messages &messages, QObject *parent)
    : QObject(parent), m_jobs(jobs), m_messages(messages) {
    connect(&jobs, &Jobs::cancelled, this, [this](int job) {
        if (const auto path = m_running.extract(job))
            m_messages.note(tr("Exporting records to %1 was cancelled; nothing was written").arg(path.mapped()));
    });
}

void RecordExport::start(RecordsToWrite records, const QString &path,
                         std::function<void(const QString &problem)> done) {
    const auto job = std::make_shared<int>(0);
    const auto ended = [this, job, done = std::move(done)](const QString &problem) {
        m_running.erase(*job);
        done(problem);
    };
    *job = m_jobs.start(
        tr("Exporting records to %1").arg(path), this,
        [records = std::move(records), path](JobControl &control) { return writeRecords(records, path, &control); },
        ended, ended);
    m_running[*job] = path;
}

} // namespace loopscope
