#pragma once
// Above a comparison of logs: which logs, what comes of it over all tasks, and whether the logs have gone on since.

#include "views/session/view_context.h"

#include <QWidget>

class QComboBox;
class QLabel;
class QToolButton;

namespace loopscope {

class LogComparison;
struct DiffWeights;

class DiffHead : public QWidget {
    Q_OBJECT

  public:
    DiffHead(const ViewContext &context, LogComparison &comparison, QWidget *parent);

    void addButton(QAction *action);
    /// Where there is little room: buttons without words, and figures without the sentence that says them.
    void setLow(bool low);
    /// Which of the logs is told against the first: from 1.
    [[nodiscard]] size_t other() const;
    [[nodiscard]] QString sentence() const;
    [[nodiscard]] QString outdated() const;
    /// From a JSON file; one that is none becomes a message.
    void takeWeights(const QString &path);

  signals:
    void otherChosen();
    void againAsked();

  private:
    void build();
    void refresh();
    void refreshLogs();
    void refreshOutdated();
    void weighBy(int choice);
    void askForWeights();
    void keepWeights();

    ViewContext m_context;
    LogComparison &m_comparison;
    QLabel *m_base = nullptr;
    QLabel *m_with = nullptr;
    QComboBox *m_others = nullptr; // where there are several
    QComboBox *m_weights = nullptr;
    QString m_weightFile;
    QLabel *m_sentence = nullptr;
    QLabel *m_figures = nullptr;
    QWidget *m_outdatedLine = nullptr;
    QLabel *m_outdated = nullptr;
    QToolButton *m_again = nullptr;
    QWidget *m_bar = nullptr;
    bool m_low = false;
};

} // namespace loopscope
