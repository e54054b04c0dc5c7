#pragma once
// The layouts of a study as a table: what they are, what each level of the memory makes of them, what they cost.

#include "views/memory_layout/layout_study.h"
#include "views/settings/theme.h"

#include <QAbstractTableModel>

namespace loopscope {

class CandidateModel : public QAbstractTableModel {
    Q_OBJECT

  public:
    explicit CandidateModel(Theme &theme, QObject *parent = nullptr) : QAbstractTableModel(parent), m_theme(theme) {}

    void setStudy(LayoutStudy study);
    [[nodiscard]] const LayoutStudy &study() const { return m_study; }
    [[nodiscard]] QString text() const; // with tabs

    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role = Qt::DisplayRole) const override;

  private:
    [[nodiscard]] QString cell(const LayoutCandidate &candidate, int column) const;

    Theme &m_theme;
    LayoutStudy m_study;
};

} // namespace loopscope
