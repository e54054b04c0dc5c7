#include "views/search_progress/measuring_choice.h"

#include <QComboBox>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QStandardItemModel>
#include <QToolButton>

#include <algorithm>

namespace loopscope {

MeasuringChoice::MeasuringChoice(QObject *parent)
    : QObject(parent), m_ways(new QComboBox), m_folder(new QWidget), m_path(new QLineEdit), m_nodes(new QLineEdit) {
    m_ways->setObjectName(QStringLiteral("measureOn"));
    m_ways->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    m_ways->setMinimumWidth(m_ways->fontMetrics().averageCharWidth() * 20); // panels may be narrow
    connect(m_ways, &QComboBox::activated, this, [this] {
        m_on = static_cast<MeasureOn>(m_ways->currentData().toInt());
        Q_EMIT changed();
    });
    auto *row = new QHBoxLayout(m_folder);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(2);
    m_path->setMinimumWidth(m_path->fontMetrics().averageCharWidth() * 26);
    m_path->setClearButtonEnabled(true);
    m_path->setObjectName(QStringLiteral("bundleFolder"));
    connect(m_path, &QLineEdit::editingFinished, this, &MeasuringChoice::changed);
    m_nodes->setObjectName(QStringLiteral("clusterNodes"));
    m_nodes->setMinimumWidth(m_nodes->fontMetrics().averageCharWidth() * 26);
    m_nodes->setClearButtonEnabled(true);
    m_nodes->setPlaceholderText(QStringLiteral("nodes=1"));
    connect(m_nodes, &QLineEdit::editingFinished, this, &MeasuringChoice::changed);
    auto *choose = new QToolButton;
    choose->setText(QStringLiteral("\u2026"));
    choose->setAccessibleName(tr("Choose the folder of bundles"));
    connect(choose, &QToolButton::clicked, this, &MeasuringChoice::chooseFolder);
    row->addWidget(m_path);
    row->addWidget(choose);
    m_folder->setFocusProxy(m_path);
}

bool MeasuringChoice::several() const { return m_shown.size() > 1; }
bool MeasuringChoice::bundled() const {
    return m_ways->currentIndex() >= 0 && m_ways->currentData().toInt() == static_cast<int>(MeasureOn::Bundle);
}

bool MeasuringChoice::onNodes() const {
    return m_ways->currentIndex() >= 0 && m_ways->currentData().toInt() == static_cast<int>(MeasureOn::Fleet);
}

void MeasuringChoice::show(const SearchSetup &setup, const Target *target, const QString &defaultFolder) {
    auto ways = target != nullptr ? measuringWays(*target) : std::vector<MeasuringWay>();
    const auto same = [](const MeasuringWay &a, const MeasuringWay &b) {
        return a.on == b.on && a.name == b.name && a.whyNot == b.whyNot;
    };
    if (!std::ranges::equal(ways, m_shown, same)) {
        m_shown = std::move(ways);
        m_ways->clear();
        for (const MeasuringWay &way : m_shown) {
            m_ways->addItem(way.name, static_cast<int>(way.on));
            const int row = m_ways->count() - 1;
            if (!way.whyNot.isEmpty()) m_ways->setItemData(row, tr("Not here: %1").arg(way.whyNot), Qt::ToolTipRole);
            auto *model = qobject_cast<QStandardItemModel *>(m_ways->model());
            if (model != nullptr && !way.whyNot.isEmpty()) model->item(row)->setEnabled(false);
        }
    }
    m_on = setup.on;
    if (target != nullptr) m_ways->setCurrentIndex(m_ways->findData(static_cast<int>(measuredOn(setup, *target))));
    if (!m_path->hasFocus()) m_path->setText(setup.bundleFolder);
    if (!m_nodes->hasFocus()) {
        m_nodes->setText(setup.nodes);
        m_nodes->setCursorPosition(0); // of a long one the beginning is seen
    }
    m_path->setPlaceholderText(defaultFolder.isEmpty() ? tr("beside the log") : defaultFolder);
}

void MeasuringChoice::put(SearchSetup &setup) const {
    setup.on = m_on;
    setup.bundleFolder = m_path->text().trimmed();
    setup.nodes = m_nodes->text().trimmed();
}

void MeasuringChoice::chooseFolder() {
    const QString path = QFileDialog::getExistingDirectory(
        m_folder, tr("Folder of bundles"), m_path->text().isEmpty() ? m_path->placeholderText() : m_path->text());
    if (path.isEmpty()) return;
    m_path->setText(path);
    Q_EMIT changed();
}

} // namespace loopscope
