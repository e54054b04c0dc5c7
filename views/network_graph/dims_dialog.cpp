#include "views/network_graph/dims_dialog.h"

#include "views/session/open_networks.h"

#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QScrollArea>
#include <QSpinBox>
#include <QVBoxLayout>

#include <algorithm>
#include <limits>

namespace loopscope {

namespace {

/// How many images or sentences run at once: one, where nobody says otherwise.
bool isBatch(const QString &symbol) {
    const QString name = symbol.toLower();
    return name.contains(QLatin1String("batch")) || name == QLatin1String("n") || name.endsWith(QLatin1String("_0"));
}

} // namespace

DimsDialog::DimsDialog(const OpenNetwork &network, QWidget *parent) : QDialog(parent) {
    setObjectName(QStringLiteral("DimsDialog"));
    setWindowTitle(tr("Sizes of %1").arg(network.name()));
    std::map<std::string, int64_t> known(network.dims.begin(), network.dims.end());
    if (network.contents)
        for (const std::string &symbol : network.contents->symbols) known.emplace(symbol, 0);

    auto *column = new QVBoxLayout(this);
    auto *why = new QLabel(tr("The file leaves these dims open. Kernels are made for known sizes; with \u201cany\u201d "
                              "the graph is shown, but not tuned or run."),
                           this);
    why->setWordWrap(true);
    column->addWidget(why);
    auto *rows = new QWidget(this);
    auto *form = new QFormLayout(rows);
    form->setContentsMargins(0, 0, 0, 0);
    for (const auto &[symbol, number] : known) {
        const QString name = QString::fromStdString(symbol);
        auto *field = new QSpinBox(rows);
        field->setObjectName(QStringLiteral("dim_%1").arg(name));
        field->setRange(0, std::numeric_limits<int>::max());
        field->setSpecialValueText(tr("any"));
        field->setAccessibleName(tr("Number for the dim %1").arg(name));
        field->setValue(number > 0 ? static_cast<int>(std::min<int64_t>(number, field->maximum()))
                        : network.dims.empty() && isBatch(name) ? 1
                                                                : 0);
        form->addRow(name, field);
        m_fields.emplace_back(symbol, field);
    }
    auto *scroll = new QScrollArea(this);
    scroll->setWidget(rows);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    column->addWidget(scroll, 1);
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel, this);
    column->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    if (!m_fields.empty()) {
        m_fields.front().second->setFocus();
        m_fields.front().second->selectAll();
    }
    const int em = fontMetrics().averageCharWidth();
    resize(em * 60, sizeHint().height());
}

NetworkDims DimsDialog::dims() const {
    NetworkDims dims;
    for (const auto &[symbol, field] : m_fields)
        if (field->value() > 0) dims[symbol] = field->value();
    return dims;
}

bool hasSymbols(const OpenNetwork *network) {
    return network != nullptr && (!network->dims.empty() || (network->contents && !network->contents->symbols.empty()));
}

} // namespace loopscope
