#pragma once
// Every buffer of the schedule shown: memory, shape, size, the cache that holds it.

#include "views/actions/table_model.h"
#include "views/loops/storage_facts.h"
#include "views/settings/theme.h"

namespace loopscope {

class StorageModel : public TableModel {
    Q_OBJECT

  public:
    enum Column { BufferColumn, MemoryColumn, ShapeColumn, BytesColumn, FitsColumn, WithinColumn, ColumnCount };

    explicit StorageModel(Theme &theme, QObject *parent = nullptr);
    void setFacts(std::vector<StorageFact> facts);
    [[nodiscard]] const std::vector<StorageFact> &facts() const { return m_facts; }
    void setMarkedStage(const QString &stage);

    [[nodiscard]] QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;

  private:
    [[nodiscard]] int rowsShown() const override;
    Theme &m_theme;
    std::vector<StorageFact> m_facts;
    QString m_stage;
};

} // namespace loopscope
