#include "views/main_window/shortcut_list.h"

#include <QDialogButtonBox>
#include <QHeaderView>
#include <QLineEdit>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <array>

namespace loopscope {

namespace {

struct Gesture {
    const char *where;
    const char *what;
    const char *keys;
};
constexpr std::array kGestures{Gesture{"Graphs", "Pan", "W A S D, or drag"},
                               Gesture{"Graphs", "Zoom about the cursor", "Ctrl+Wheel, + and -"},
                               Gesture{"Graphs", "Fit the selection, then everything", "F"},
                               Gesture{"Graphs", "Fit everything", "Home"},
                               Gesture{"Graphs", "Next and previous node", ". and ,"},
                               Gesture{"Graphs", "Clear the selection", "Esc"},
                               Gesture{"Plots", "Zoom at the cursor", "Wheel"},
                               Gesture{"Plots", "Zoom one axis only", "Ctrl+Wheel (x), Shift+Wheel (y)"},
                               Gesture{"Plots", "Select a range", "Shift+Drag"},
                               Gesture{"Plots", "Fit", "Double click"},
                               Gesture{"Tables", "Copy the selection as tab separated lines", "Ctrl+C"}};

} // namespace

ShortcutList::ShortcutList(const ViewContext &context, QWidget *parent)
    : QDialog(parent), m_find(new QLineEdit(this)), m_tree(new QTreeWidget(this)) {
    setObjectName(QStringLiteral("ShortcutList"));
    setWindowTitle(tr("Keyboard shortcuts"));
    m_find->setObjectName(QStringLiteral("shortcut_find"));
    m_find->setPlaceholderText(tr("Find a command or a key"));
    m_find->setClearButtonEnabled(true);
    m_tree->setObjectName(QStringLiteral("shortcuts"));
    m_tree->setAccessibleName(tr("Keyboard shortcuts"));
    m_tree->setHeaderLabels({tr("Command"), tr("Keys")});
    m_tree->setRootIsDecorated(false);
    m_tree->setSelectionMode(QAbstractItemView::SingleSelection);
    m_tree->header()->setStretchLastSection(false);
    m_tree->header()->setSectionResizeMode(0, QHeaderView::Stretch);
    m_tree->header()->setSectionResizeMode(1, QHeaderView::ResizeToContents);

    QMap<QString, QTreeWidgetItem *> groups;
    const auto add = [&](const QString &category, const QString &text, const QString &keys) {
        QTreeWidgetItem *&group = groups[category];
        if (!group) {
            group = new QTreeWidgetItem(m_tree, {category});
            QFont bold = font();
            bold.setWeight(QFont::DemiBold);
            group->setFont(0, bold);
            group->setFirstColumnSpanned(true);
            group->setFlags(Qt::ItemIsEnabled);
        }
        new QTreeWidgetItem(group, {text, keys});
    };
    for (const QAction *action : context.actions.all()) {
        QStringList keys;
        for (const QKeySequence &key : action->shortcuts()) keys << key.toString(QKeySequence::NativeText);
        if (keys.isEmpty() || !action->isVisible()) continue;
        add(context.actions.info(action).category, action->text().remove(u'&'), keys.join(QStringLiteral(", ")));
    }
    for (const Gesture &gesture : kGestures)
        add(QLatin1String(gesture.where), QLatin1String(gesture.what), QLatin1String(gesture.keys));
    m_tree->expandAll();

    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    auto *layout = new QVBoxLayout(this);
    layout->addWidget(m_find);
    layout->addWidget(m_tree, 1);
    layout->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(m_find, &QLineEdit::textChanged, this, &ShortcutList::filter);
    const int unit = fontMetrics().averageCharWidth();
    resize(unit * 84, unit * 92);
    m_find->setFocus();
}

void ShortcutList::filter(const QString &text) {
    for (int g = 0; g < m_tree->topLevelItemCount(); ++g) {
        QTreeWidgetItem *group = m_tree->topLevelItem(g);
        bool any = false;
        for (int i = 0; i < group->childCount(); ++i) {
            QTreeWidgetItem *item = group->child(i);
            const bool fits = text.isEmpty() || item->text(0).contains(text, Qt::CaseInsensitive) ||
                              item->text(1).contains(text, Qt::CaseInsensitive) ||
                              group->text(0).contains(text, Qt::CaseInsensitive);
            item->setHidden(!fits);
            any = any || fits;
        }
        group->setHidden(!any);
    }
}

} // namespace loopscope
