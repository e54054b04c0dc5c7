#pragma once
// One tensor looked at: as a picture in which every element is a pixel, and as its numbers.

#include "views/network_bytecode/register_model.h"
#include "views/pictures/stage_pane.h"
#include "views/session/view_context.h"

#include <QTabWidget>

class QTableView;

namespace loopscope {

class NumberGrid;
class StageStripModel;

class ValuePane : public QTabWidget {
    Q_OBJECT

  public:
    explicit ValuePane(const ViewContext &context, QWidget *parent = nullptr);
    ~ValuePane() override;

    /// Null, or one without a tensor: nothing to look at.
    void show(const HeldRegister *value);
    [[nodiscard]] StagePane &picture() { return *m_picture; }
    [[nodiscard]] QTableView &numbers() { return *m_numbers; }

  private:
    void take(PictureRunPtr run);
    void lookedAt();
    void fit();

    ViewContext m_context;
    Viewpoint m_viewpoint;
    StageStripModel *m_stages;
    StagePane *m_picture;
    NumberGrid *m_grid;
    QTableView *m_numbers;
    SharedTensor m_shown;
    QString m_name;
    int m_job = 0;
};

/// A tensor as what pictures are made of; one of a single axis is a row, one of none a pixel.
ShownStage stageOf(const WideTensor &tensor, const QString &name);

} // namespace loopscope
