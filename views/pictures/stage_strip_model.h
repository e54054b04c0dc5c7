#pragma once
// All stages of a run in order of computation, each with a thumbnail: what the strip shows, and what the lists of the
// panes choose from.

#include "views/pictures/picture_run.h"

#include <QAbstractListModel>

namespace loopscope {

class StageStripModel : public QAbstractListModel {
    Q_OBJECT

  public:
    using QAbstractListModel::QAbstractListModel;

    void setRun(PictureRunPtr run); // null: none
    [[nodiscard]] const PictureRunPtr &run() const { return m_run; }
    /// Null for a row that is not there.
    [[nodiscard]] const ShownStage *stage(int row) const;
    /// By the name of the tensor or of its op; -1 where there is none.
    [[nodiscard]] int rowOf(const QString &name) const;

    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;

  private:
    PictureRunPtr m_run;
};

} // namespace loopscope
