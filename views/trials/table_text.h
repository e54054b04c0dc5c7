#pragma once
// The table as text for other programs: tab-separated as shown, comma-separated in full precision. Made in slices of a
// few milliseconds between events, as a hundred thousand rows take longer than a blink.

#include "views/session/table_field.h"
#include "views/trials/trial_table_model.h"

#include <QTimer>

#include <functional>

namespace loopscope {

struct TextRequest {
    std::vector<int> trials;
    std::vector<int> columns;
    TableFormat format = TableFormat::Tsv;
    bool full = false; // numbers with full precision in base units, else as shown
};

class TableText : public QObject {
    Q_OBJECT

  public:
    /// `done` gets the whole text, or a sentence when other trials took the place of these before all were written.
    /// Small tables are done before this returns.
    static void make(const TrialTableModel &model, TextRequest request,
                     std::function<void(const QByteArray &text, const QString &problem)> done);

  private:
    TableText(const TrialTableModel &model, TextRequest request,
              std::function<void(const QByteArray &, const QString &)> done);
    void slice();
    void finish(const QString &problem);
    void appendRow(int trial);

    const TrialTableModel &m_model;
    TextRequest m_request;
    std::function<void(const QByteArray &, const QString &)> m_done;
    QByteArray m_text;
    size_t m_next = 0;
    QTimer m_timer;
};

} // namespace loopscope
