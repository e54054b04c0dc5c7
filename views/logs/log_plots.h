#pragma once
// One task of a log in pictures: its records in the order they were measured with the best so far and the failures,
// and how often which time was measured.

#include "views/logs/task_findings.h"
#include "views/plot/plot.h"
#include "views/plot/point_cloud.h"

#include <QWidget>

namespace loopscope {

/// Time by number of record; a click on a point goes to its record.
class CoursePlot : public Plot {
    Q_OBJECT

  public:
    explicit CoursePlot(Theme &theme, QWidget *parent = nullptr);

    void setFindings(const TaskFindingsPtr &findings);
    /// Also one that is not drawn because there are so many; SIZE_MAX: none. `seconds`: +inf: it failed.
    void mark(size_t record, double seconds);
    [[nodiscard]] int points() const { return m_valid->dataCount(); }
    [[nodiscard]] int marks() const { return m_mark->dataCount(); }

  signals:
    void recordClicked(uint32_t record);

  private:
    void recolor();
    [[nodiscard]] int recordAt(const QPointF &pixel) const;
    [[nodiscard]] QString table() const;

    Theme &m_colors;
    TaskFindingsPtr m_findings;
    PointCloud m_cloud;
    QCPGraph *m_valid = nullptr;
    QCPGraph *m_best = nullptr;
    QCPGraph *m_failed = nullptr;
    QCPGraph *m_mark = nullptr;
    size_t m_marked = SIZE_MAX;
    double m_markedSeconds = 0;
    double m_failedAt = 0; // where failed records stand
};

/// Records by time, on a logarithmic axis.
class TimesPlot : public Plot {
    Q_OBJECT

  public:
    explicit TimesPlot(Theme &theme, QWidget *parent = nullptr);

    void setFindings(const TaskFindingsPtr &findings);

  private:
    void recolor();

    Theme &m_colors;
    TaskFindingsPtr m_findings;
    QCPGraph *m_bins = nullptr;
};

} // namespace loopscope
