#pragma once
// Of what the stages are computed: the size, and for each input a picture, an array or random values.

#include "views/pictures/picture_run.h"

#include <QWidget>

#include <vector>

class QComboBox;
class QMenu;
class QPushButton;

namespace loopscope {

class FlowLayout;

class InputBar : public QWidget {
    Q_OBJECT

  public:
    struct Size {
        QString text; // "Sample picture, W = 192, H = 144"
        int id = 0;
    };
    struct Input {
        QString name;
        InputChoice choice;
        QString shipped; // path of the one that comes with the sample; empty: none does
        bool operator==(const Input &) const = default;
    };

    explicit InputBar(QWidget *parent = nullptr);
    void setSizes(const std::vector<Size> &sizes, int chosen);
    void setInputs(const std::vector<Input> &inputs);

    [[nodiscard]] QComboBox &sizes() const { return *m_sizes; }
    [[nodiscard]] const std::vector<QPushButton *> &buttons() const { return m_buttons; }

  signals:
    void sizeChosen(int id);
    void choiceMade(const QString &input, const loopscope::InputChoice &choice);
    void fileWanted(const QString &input);
    void otherRandomWanted();

  private:
    void fill(QMenu &menu, const Input &input);

    FlowLayout *m_line = nullptr;
    QComboBox *m_sizes = nullptr;
    std::vector<QPushButton *> m_buttons;
    std::vector<Input> m_inputs;
};

} // namespace loopscope
