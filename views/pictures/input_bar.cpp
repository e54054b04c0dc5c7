#include "views/pictures/input_bar.h"

#include "views/actions/flow_layout.h"

#include <QComboBox>
#include <QFileInfo>
#include <QMenu>
#include <QPushButton>

namespace loopscope {

namespace {

constexpr int kBarSpace = 6;
constexpr size_t kMaxButtons = 4; // more inputs share one

QString choiceText(const InputChoice &choice) {
    if (choice.path.isEmpty()) return QObject::tr("random values");
    QString file = QFileInfo(choice.path).fileName();
    if (!choice.fit) return file;
    return *choice.fit == PictureFit::Crop ? QObject::tr("%1, cropped or scaled to fit").arg(file)
                                           : QObject::tr("%1, scaled to fit").arg(file);
}

} // namespace

InputBar::InputBar(QWidget *parent) : QWidget(parent) {
    m_line = new FlowLayout(this, kBarSpace, kBarSpace / 2);
    m_line->setContentsMargins(0, 0, 0, 0);
    m_sizes = new QComboBox(this);
    m_sizes->setAccessibleName(tr("Size"));
    m_sizes->setToolTip(tr("For which parameters the stages are computed; those of the document stay as they are"));
    m_sizes->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    m_line->addWidget(m_sizes);
    connect(m_sizes, &QComboBox::activated, this,
            [this](int row) { Q_EMIT sizeChosen(m_sizes->itemData(row).toInt()); });
}

void InputBar::setSizes(const std::vector<Size> &sizes, int chosen) {
    m_sizes->clear();
    for (const Size &size : sizes) m_sizes->addItem(size.text, size.id);
    m_sizes->setCurrentIndex(m_sizes->findData(chosen));
}

void InputBar::setInputs(const std::vector<Input> &inputs) {
    if (inputs == m_inputs) return;
    m_inputs = inputs;
    for (QPushButton *button : m_buttons) {
        m_line->removeWidget(button);
        button->deleteLater();
    }
    m_buttons.clear();
    const auto add = [&](const QString &text) {
        auto *button = new QPushButton(this);
        button->setText(text);
        button->setAccessibleName(text);
        auto *menu = new QMenu(button);
        button->setMenu(menu);
        m_line->addWidget(button);
        button->show();
        m_buttons.push_back(button);
        return menu;
    };
    if (inputs.size() <= kMaxButtons) {
        for (const Input &input : inputs)
            fill(*add(QStringLiteral("%1: %2").arg(input.name, choiceText(input.choice))), input);
    } else {
        QMenu *all = add(tr("%1 inputs").arg(inputs.size()));
        for (const Input &input : inputs)
            fill(*all->addMenu(QStringLiteral("%1: %2").arg(input.name, choiceText(input.choice))), input);
    }
    for (QPushButton *button : m_buttons) button->setToolTip(tr("Of which values the stages are computed"));
}

void InputBar::fill(QMenu &menu, const Input &input) {
    if (!input.shipped.isEmpty())
        connect(menu.addAction(tr("%1, which comes with the sample").arg(QFileInfo(input.shipped).fileName())),
                &QAction::triggered, this, [this, input] { Q_EMIT choiceMade(input.name, {input.shipped, {}}); });
    connect(menu.addAction(tr("Open a picture or an array \u2026")), &QAction::triggered, this,
            [this, input] { Q_EMIT fileWanted(input.name); });
    menu.addSeparator();
    connect(menu.addAction(tr("Random values")), &QAction::triggered, this,
            [this, input] { Q_EMIT choiceMade(input.name, {}); });
    if (input.choice.path.isEmpty())
        connect(menu.addAction(tr("Other random values")), &QAction::triggered, this, &InputBar::otherRandomWanted);
}

} // namespace loopscope
