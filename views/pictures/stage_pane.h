#pragma once
// One side of the view: which stage, which of its axes are seen, what is black and white, the picture, and the value
// under the cursor.

#include "views/actions/elided_label.h"
#include "views/pictures/stage_image.h"
#include "views/pictures/viewpoint.h"
#include "views/settings/theme.h"

#include <QHash>
#include <QWidget>

#include <vector>

class QComboBox;
class QMenu;
class QPushButton;
class QSlider;
class QVBoxLayout;

namespace loopscope {

class PictureCanvas;
class StageLegend;
class StageStripModel;

class StagePane : public QWidget {
    Q_OBJECT

  public:
    StagePane(Theme &theme, Viewpoint &viewpoint, StageStripModel &stages, QWidget *parent = nullptr);

    /// A row of the model; -1: none.
    void show(int row);
    [[nodiscard]] int row() const { return m_row; }
    [[nodiscard]] const ShownStage *stage() const;
    [[nodiscard]] const StageLook &look() const { return m_look; }
    /// Coordinates are those of a stage of that size; smaller and larger ones are shown as levels of a pyramid.
    void setReference(QSize size) { m_reference = size; }
    /// The keys and clicks on the strip are for it.
    void setActive(bool active);
    /// Another run has come: the same stage, as far as it is there.
    void renew(const QString &fallback);

    [[nodiscard]] PictureCanvas &canvas() const { return *m_canvas; }
    [[nodiscard]] QComboBox &stageChoice() const { return *m_stage; }
    [[nodiscard]] QComboBox &mappingChoice() const { return *m_mapping; }
    [[nodiscard]] QPushButton &axesButton() const { return *m_axes; }
    [[nodiscard]] const std::vector<QSlider *> &sliders() const { return m_sliders; }
    [[nodiscard]] StageLegend &legend() const { return *m_legend; }
    [[nodiscard]] QString readout() const { return m_readout->text(); }

  signals:
    void entered();
    void shown();              // another stage or another part of it
    void stageChosen(int row); // by the user
    void stageStepped(int by);
    void menuRequested(QPoint globalPlace);

  private:
    void build();
    void fillSliders();
    void fillAxes();
    void chooseAxis(int PixelAxes::*which, int axis);
    void lookAgain();
    void lookedAt();
    void tell();

    Theme &m_theme;
    Viewpoint &m_viewpoint;
    StageStripModel &m_stages;
    QComboBox *m_stage = nullptr;
    QComboBox *m_mapping = nullptr;
    QPushButton *m_axes = nullptr;
    QMenu *m_axesMenu = nullptr;
    PictureCanvas *m_canvas = nullptr;
    QWidget *m_slices = nullptr;
    QVBoxLayout *m_sliceLines = nullptr;
    std::vector<QSlider *> m_sliders;
    StageLegend *m_legend = nullptr;
    ElidedLabel *m_readout = nullptr;

    int m_row = -1;
    QString m_name; // of the stage
    StageLook m_look;
    QHash<QString, StageLook> m_chosen; // by name of the stage, where the user chose
    QSize m_reference;
};

} // namespace loopscope
