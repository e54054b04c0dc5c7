#include "views/trials/table_text.h"

#include <QElapsedTimer>

namespace loopscope {

void TableText::make(const TrialTableModel &model, TextRequest request,
                     std::function<void(const QByteArray &, const QString &)> done) {
    (new TableText(model, std::move(request), std::move(done)))->slice();
}

TableText::TableText(const TrialTableModel &model, TextRequest request,
                     std::function<void(const QByteArray &, const QString &)> done)
    : m_model(model), m_request(std::move(request)), m_done(std::move(done)) {
    for (size_t i = 0; i < m_request.columns.size(); ++i) {
        if (i > 0) m_text += tableSeparator(m_request.format).toLatin1();
        const int column = m_request.columns[i];
        QString header = m_request.full ? model.cells().csvHeader(column)
                                        : model.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
        if (header.isEmpty()) header = model.cells().csvHeader(column); // one that is an icon on screen
        m_text += tableField(header, m_request.format).toUtf8();
    }
    m_text += '\n';
    connect(&m_timer, &QTimer::timeout, this, &TableText::slice);
    connect(&model, &TrialTableModel::documentExchanged, this,
            [this] { finish(tr("The trials were exchanged before all were written")); });
}

void TableText::slice() {
    QElapsedTimer clock;
    clock.start();
    while (m_next < m_request.trials.size()) {
        appendRow(m_request.trials[m_next++]);
        if (m_next % 64 == 0 && clock.elapsed() >= 8) {
            m_timer.start(0);
            return;
        }
    }
    finish({});
}

void TableText::finish(const QString &problem) {
    m_timer.stop();
    deleteLater();
    if (!m_done) return;
    const auto done = std::exchange(m_done, nullptr);
    done(problem.isEmpty() ? m_text : QByteArray(), problem);
}

void TableText::appendRow(int trial) {
    for (size_t i = 0; i < m_request.columns.size(); ++i) {
        if (i > 0) m_text += tableSeparator(m_request.format).toLatin1();
        const int column = m_request.columns[i];
        const QString text = m_request.full ? m_model.cells().csv(trial, column) : m_model.cells().text(trial, column);
        m_text += tableField(text, m_request.format).toUtf8();
    }
    m_text += '\n';
}

} // namespace loopscope
