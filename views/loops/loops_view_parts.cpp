// How the loop view is put together: its widgets, header, actions, find line, copy and export.

#include "views/actions/elided_label.h"
#include "views/actions/page_stack.h"
#include "views/loops/loop_tree_delegate.h"
#include "views/loops/loop_tree_model.h"
#include "views/loops/loop_tree_view.h"
#include "views/loops/loops_view.h"
#include "views/loops/rule_words.h"
#include "views/loops/schedule_bar.h"
#include "views/loops/step_list_model.h"
#include "views/loops/storage_model.h"
#include "views/loops/table_text.h"
#include "views/session/text.h"

#include <QApplication>
#include <QClipboard>
#include <QFile>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QSaveFile>
#include <QScrollBar>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabWidget>
#include <QTableView>
#include <QToolButton>
#include <QTreeView>
#include <QVBoxLayout>

#include <algorithm>

namespace loopscope {

namespace {

constexpr int kMargin = 8;

/// Its rows follow the selection; its columns stay where the user has them.
class FollowingTable final : public QTableView {
  public:
    using QTableView::QTableView;
    void scrollTo(const QModelIndex &index, ScrollHint hint = EnsureVisible) override {
        const int across = horizontalScrollBar()->value();
        QTableView::scrollTo(index, hint);
        horizontalScrollBar()->setValue(across);
    }
};

QTableView *makeTable(QAbstractItemModel *model, const QString &name, QWidget *parent) {
    auto *table = new FollowingTable(parent);
    table->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    table->setModel(model);
    table->setAccessibleName(name);
    table->setSelectionBehavior(QAbstractItemView::SelectRows);
    table->setSelectionMode(QAbstractItemView::ExtendedSelection);
    table->setShowGrid(false);
    table->setWordWrap(false);
    table->setFrameShape(QFrame::NoFrame);
    table->verticalHeader()->hide();
    table->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    table->horizontalHeader()->setHighlightSections(false);
    table->horizontalHeader()->setStretchLastSection(true);
    return table;
}

QString chip(const Theme &theme, Role role, const QString &word) {
    return QStringLiteral("<span style='color:%1'>\u25a0</span>&nbsp;%2")
        .arg(theme.color(role).name(), QString(word).replace(u' ', QStringLiteral("&nbsp;")));
}

/// A reason may be as long as a compiler likes; the loops below it are what one came for.
QString cutShort(const QString &sentence) {
    constexpr qsizetype kLongest = 240;
    return sentence.size() <= kLongest ? sentence : sentence.left(kLongest - 1) + u'\u2026';
}

QModelIndexList sortedRows(const QTreeView &tree) {
    QModelIndexList rows = tree.selectionModel()->selectedRows();
    std::sort(rows.begin(), rows.end(),
              [](const QModelIndex &a, const QModelIndex &b) { return a.internalId() < b.internalId(); });
    return rows;
}

QModelIndexList sortedRows(const QTableView &table) {
    QModelIndexList rows = table.selectionModel()->selectedRows();
    std::sort(rows.begin(), rows.end());
    return rows;
}

} // namespace

void LoopsView::build() {
    auto *page = new QVBoxLayout(this);
    page->setContentsMargins(0, 0, 0, 0);
    page->setSpacing(0);

    auto *top = new QHBoxLayout;
    top->setContentsMargins(kMargin, kMargin / 2, kMargin, kMargin / 2);
    m_bar = new ScheduleBar(m_context.theme, this);
    top->addWidget(m_bar, 1);
    page->addLayout(top);

    m_pages = new PageStack(this);
    page->addWidget(m_pages, 1);
    m_empty = new QLabel(m_pages);
    m_empty->setAlignment(Qt::AlignCenter);
    m_empty->setWordWrap(true);
    m_empty->setMargin(4 * kMargin);
    m_pages->addWidget(m_empty);

    auto *full = new QWidget(m_pages);
    m_pages->addWidget(full);
    auto *column = new QVBoxLayout(full);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto *head = new QVBoxLayout;
    head->setContentsMargins(kMargin, 0, kMargin, kMargin / 2);
    head->setSpacing(1);
    m_title = new ElidedLabel(full);
    m_details = new QLabel(full);
    m_details->setWordWrap(true);
    m_notice = new QLabel(full);
    m_notice->setWordWrap(true);
    m_notice->setTextInteractionFlags(Qt::TextSelectableByMouse);
    QFont bold = m_title->font();
    bold.setBold(true);
    m_title->setFont(bold);
    m_of = new ElidedLabel(full);                                      // a long name is cut, the dock not widened
    m_of->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred); // and cut before the schedule is
    auto *titleRow = new QHBoxLayout;
    titleRow->setObjectName(QStringLiteral("loopsTools"));
    titleRow->setSpacing(0);
    titleRow->addWidget(m_title);
    titleRow->addSpacing(fontMetrics().averageCharWidth());
    titleRow->addWidget(m_of, 1);
    head->addLayout(titleRow);
    head->addWidget(m_details);
    head->addWidget(m_notice);
    column->addLayout(head);

    auto *splitter = new QSplitter(Qt::Vertical, full);
    splitter->setChildrenCollapsible(true);
    column->addWidget(splitter, 1);
    auto *upper = new QWidget(splitter);
    auto *treeColumn = new QVBoxLayout(upper);
    treeColumn->setContentsMargins(0, 0, 0, 0);
    treeColumn->setSpacing(0);
    m_tree = new LoopTreeView(m_context.theme, upper);
    m_tree->setIndentation(fontMetrics().averageCharWidth() * 2);
    m_tree->setModel(m_model);
    setFocusProxy(m_tree);
    m_delegate = new LoopTreeDelegate(m_context.theme, m_tree);
    m_tree->setItemDelegate(m_delegate);
    m_tree->setAccessibleName(QStringLiteral("Loops"));
    m_tree->setUniformRowHeights(true);
    m_tree->setAllColumnsShowFocus(true);
    m_tree->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_tree->setFrameShape(QFrame::NoFrame);
    m_tree->setMouseTracking(true);
    m_tree->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    m_tree->header()->setStretchLastSection(false);
    m_tree->header()->setSectionsMovable(false);
    m_tree->header()->setMinimumSectionSize(24);
    m_tree->viewport()->installEventFilter(this);
    m_tree->setContextMenuPolicy(Qt::ActionsContextMenu);
    connect(m_tree->header(), &QHeaderView::sectionResized, this, [this](int section, int, int width) {
        if (m_stretching) return;
        if (section == 0) m_firstDragged = true;
        m_wanted[static_cast<size_t>(section)] = width;
    });
    addColumnMenu();
    treeColumn->addWidget(m_tree, 1);
    m_findLine = new QWidget(upper);
    addFindLine(m_findLine);
    treeColumn->addWidget(m_findLine);
    m_legend = new QLabel(upper);
    m_legend->setWordWrap(true);
    m_legend->setContentsMargins(kMargin, kMargin / 2, kMargin, kMargin / 2);
    m_legend->setAccessibleName(QStringLiteral("Legend of the colours"));
    treeColumn->addWidget(m_legend);

    m_tabs = new QTabWidget(splitter);
    m_tabs->setDocumentMode(true);
    auto *stepPage = new QWidget(m_tabs);
    auto *stepColumn = new QVBoxLayout(stepPage);
    stepColumn->setContentsMargins(0, 0, 0, 0);
    m_stepTable = makeTable(m_steps, QStringLiteral("Steps of the schedule"), stepPage);
    m_noSteps =
        new QLabel(QStringLiteral("The naive schedule has no steps. Choose a sketch or a trial above."), stepPage);
    m_noSteps->setAlignment(Qt::AlignCenter);
    m_noSteps->setWordWrap(true);
    stepColumn->addWidget(m_stepTable);
    stepColumn->addWidget(m_noSteps);
    m_storageTable = makeTable(m_storage, QStringLiteral("Buffers of the schedule"), m_tabs);
    m_tabs->addTab(stepPage, QStringLiteral("Steps"));
    m_tabs->addTab(m_storageTable, QStringLiteral("Storage"));
    splitter->setStretchFactor(0, 3);
    splitter->setStretchFactor(1, 1);
    splitter->setSizes({600, 220});
}

void LoopsView::addFindLine(QWidget *line) {
    auto *row = new QHBoxLayout(line);
    row->setContentsMargins(kMargin, kMargin / 2, kMargin, kMargin / 2);
    m_findEdit = new QLineEdit(line);
    m_findEdit->setPlaceholderText(QStringLiteral("Find a loop, statement, stage or memory"));
    m_findEdit->setAccessibleName(QStringLiteral("Find in the loops"));
    m_findEdit->setClearButtonEnabled(true);
    m_findCount = new QLabel(line);
    row->addWidget(m_findEdit, 1);
    row->addWidget(m_findCount);
    const auto button = [&](const QString &icon, const QString &tip, auto run) {
        auto *tool = new QToolButton(line);
        tool->setIcon(m_context.theme.icon(icon));
        tool->setToolTip(tip);
        tool->setAccessibleName(tip);
        tool->setAutoRaise(true);
        row->addWidget(tool);
        connect(tool, &QToolButton::clicked, this, run);
    };
    button(QStringLiteral("back"), QStringLiteral("Previous (Shift+Return)"), [this] { findAgain(-1); });
    button(QStringLiteral("forward"), QStringLiteral("Next (Return)"), [this] { findAgain(+1); });
    const auto close = [this] {
        m_findLine->hide();
        m_found = m_model->find({});
        m_tree->setFocus();
    };
    button(QStringLiteral("close"), QStringLiteral("Close (Esc)"), close);
    connect(m_findEdit, &QLineEdit::textChanged, this, [this](const QString &text) {
        m_found = m_model->find(text);
        m_foundAt = m_found.empty() ? 0 : m_found.size() - 1;
        if (m_found.empty())
            m_findCount->setText(text.isEmpty() ? QString() : QStringLiteral("not found"));
        else
            findAgain(+1, false); // typing is no choice yet
    });
    const auto key = [&](const QKeySequence &keys, auto run) {
        auto *action = new QAction(line);
        action->setShortcut(keys);
        action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
        line->addAction(action);
        connect(action, &QAction::triggered, this, run);
    };
    key(Qt::Key_Escape, close);
    key(Qt::Key_Return, [this] { findAgain(+1); });
    key(Qt::Key_Enter, [this] { findAgain(+1); });
    key(QKeySequence(Qt::SHIFT | Qt::Key_Return), [this] { findAgain(-1); });
    line->hide();
}

void LoopsView::startFind() {
    m_findLine->show();
    m_findEdit->setFocus();
    m_findEdit->selectAll();
    m_found = m_model->find(m_findEdit->text());
}

void LoopsView::findAgain(int direction, bool pick) {
    if (m_found.empty()) return;
    const size_t count = m_found.size();
    m_foundAt = (m_foundAt + (direction > 0 ? 1 : count - 1)) % count;
    m_findCount->setText(QStringLiteral("%1 of %2").arg(m_foundAt + 1).arg(count));
    const QModelIndex index = m_model->indexOf(m_found[m_foundAt]);
    m_tree->scrollTo(index);
    m_following = !pick;
    m_tree->setCurrentIndex(index);
    m_following = false;
    if (pick) pickRow(index);
}

void LoopsView::addColumnMenu() {
    QHeaderView *header = m_tree->header();
    header->setContextMenuPolicy(Qt::ActionsContextMenu);
    const QString key = QStringLiteral("loops/hiddenColumns");
    const QStringList hidden = m_context.settings.value(key).toStringList();
    for (int column = 1; column < LoopTreeModel::ColumnCount; ++column) {
        const QString name = loopColumnNames().at(column);
        auto *action = new QAction(name, header);
        action->setCheckable(true);
        action->setChecked(!hidden.contains(name));
        m_tree->setColumnHidden(column, hidden.contains(name));
        header->addAction(action);
        connect(action, &QAction::toggled, this, [this, column, key](bool on) {
            m_tree->setColumnHidden(column, !on);
            QStringList names;
            for (int c = 1; c < LoopTreeModel::ColumnCount; ++c)
                if (m_tree->isColumnHidden(c)) names << loopColumnNames().at(c);
            m_context.settings.setValue(key, names);
            stretchFirst();
        });
    }
}

void LoopsView::addActions() {
    Actions &actions = m_context.actions;
    const QString category = QStringLiteral("Loops");
    const auto add = [&](const char *id, const QString &text, const QKeySequence &keys, const QString &tip,
                         const QString &icon, bool checkable, std::function<void()> run) {
        QAction *action =
            actions.add({QLatin1String(id), category, text, keys, tip, icon, checkable}, this, std::move(run));
        if (!icon.isEmpty()) action->setIcon(m_context.theme.icon(icon));
        return action;
    };
    QAction *naive = add("loops.naive", QStringLiteral("Loops of the naive schedule"), QKeySequence(Qt::Key_1), {}, {},
                         false, [this] { m_bar->chooseNaive(); });
    QAction *sketch = add("loops.sketch", QStringLiteral("Loops of the sketch"), QKeySequence(Qt::Key_2), {}, {}, false,
                          [this] { m_bar->chooseSketch(); });
    QAction *candidate = add("loops.candidate", QStringLiteral("Loops of the trial"), QKeySequence(Qt::Key_3), {}, {},
                             false, [this] { m_bar->chooseCandidate(); });
    const std::pair<QToolButton *, QAction *> segments[] = {
        {m_bar->naiveButton(), naive}, {m_bar->sketchButton(), sketch}, {m_bar->candidateButton(), candidate}};
    for (const auto &[button, action] : segments) m_bar->setShortcut(button, action->shortcut());

    QAction *deeper =
        add("loops.expandLevel", QStringLiteral("Open one level more"), QKeySequence(Qt::Key_BracketRight), {},
            QStringLiteral("expand"), false, [this] { expandTo(m_depth + 1); });
    QAction *shallower =
        add("loops.collapseLevel", QStringLiteral("Close one level"), QKeySequence(Qt::Key_BracketLeft), {},
            QStringLiteral("collapse"), false, [this] { expandTo(m_depth - 1); });
    add("loops.expandAll", QStringLiteral("Open all loops"), QKeySequence(Qt::SHIFT | Qt::Key_BracketRight), {}, {},
        false, [this] { m_tree->expandAll(); });
    add("loops.collapseAll", QStringLiteral("Close all loops"), QKeySequence(Qt::SHIFT | Qt::Key_BracketLeft), {}, {},
        false, [this] { expandTo(0); });
    QAction *only =
        add("loops.onlyStage", QStringLiteral("Only the selected stage"), QKeySequence(Qt::Key_O),
            QStringLiteral("Show only the loops of the selected stage"), QStringLiteral("filter"), true, [] {});
    connect(only, &QAction::toggled, this, [this](bool on) {
        m_onlyStage = on;
        rebuild();
    });
    QAction *legend = add("loops.legend", QStringLiteral("Legend"), QKeySequence(Qt::Key_L),
                          QStringLiteral("What the colours mean"), QStringLiteral("help"), true, [] {});
    connect(legend, &QAction::toggled, this, [this](bool on) {
        m_legend->setVisible(on);
        m_context.settings.setValue(QStringLiteral("loops/legend"), on);
    });
    legend->setChecked(m_context.settings.value(QStringLiteral("loops/legend"), true).toBool());
    m_legend->setVisible(legend->isChecked());
    QAction *find = add("loops.find", QStringLiteral("Find in the loops"), {}, {}, QStringLiteral("find"), false,
                        [this] { startFind(); });
    QAction *copyRows = add("loops.copy", QStringLiteral("Copy rows"), QKeySequence(QKeySequence::Copy),
                            QStringLiteral("Copy the selected rows as a table"), QStringLiteral("copy"), false,
                            [this] { copy(false); });
    QAction *copyText =
        add("loops.copyText", QStringLiteral("Copy as text"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_C),
            QStringLiteral("Copy the selected loops, or all, as indented text"), {}, false, [this] { copy(true); });
    for (QAction *action : {copyRows, copyText, deeper, shallower, only}) m_tree->addAction(action);

    auto *top = findChild<QHBoxLayout *>(QStringLiteral("loopsTools"));
    for (QAction *action : {deeper, shallower, only, find, legend}) {
        auto *button = new QToolButton(this);
        button->setDefaultAction(action);
        button->setAutoRaise(true);
        button->setAccessibleName(action->text());
        top->addWidget(button);
    }
}

void LoopsView::refreshHeader() {
    const Document *document = m_context.session.document();
    if (document == nullptr) return;
    const ScheduleRef &ref = m_asked;
    QString title = scheduleName(ref);
    title[0] = title[0].toUpper();
    QStringList facts;
    QString notice;
    QString tip;
    bool bad = false;
    switch (ref.kind) {
    case ScheduleRef::Kind::Naive:
        facts << QStringLiteral("every stage as one nest of serial loops");
        if (document->naiveSeconds > 0) facts << timeText(document->naiveSeconds);
        break;
    case ScheduleRef::Kind::Sketch:
        if (static_cast<size_t>(ref.number) < document->sketches.size()) {
            const std::vector<std::string> &rules = document->sketches[static_cast<size_t>(ref.number)].rules;
            facts << rulesInShort(rules);
            tip = rulesInFull(rules);
        }
        break;
    case ScheduleRef::Kind::Edited:
        if (static_cast<size_t>(ref.number) < document->edited.size()) {
            const EditedSteps &edited = document->edited[static_cast<size_t>(ref.number)];
            facts << QStringLiteral("%1 of %2 steps apply").arg(edited.state().steps().size()).arg(edited.size());
        }
        break;
    case ScheduleRef::Kind::Trial:
        if (static_cast<size_t>(ref.number) < document->trials.size()) {
            const TrialEntry &entry = document->trials[static_cast<size_t>(ref.number)];
            if (entry.valid()) {
                facts << timeText(entry.seconds());
                if (entry.gflops > 0) facts << gflopsText(entry.gflops);
            } else {
                notice = QStringLiteral("It failed: %1").arg(qt(entry.trial.reason));
                bad = true;
            }
            if (ref.number == document->best) facts << QStringLiteral("the best so far");
            if (entry.sketch >= 0) facts << QStringLiteral("of sketch %1").arg(entry.sketch);
        }
        break;
    }
    const bool late = !m_whole || !(m_whole->ref == ref);
    if (late)
        facts << QStringLiteral("lowering \u2026");
    else if (!m_whole->refusal.isEmpty()) {
        const bool sketch = ref.kind == ScheduleRef::Kind::Sketch;
        if (sketch)
            notice = QStringLiteral("Its tile lengths are open (shown as ?): the search fills them in.");
        else
            notice = QStringLiteral("There is no program: %1").arg(m_whole->refusal);
        bad |= !sketch;
    }
    facts.removeAll(QString());
    m_title->setText(title);
    m_of->setText(QStringLiteral("of %1").arg(document->name));
    m_details->setText(m_note.isEmpty() ? facts.join(QStringLiteral("  \u00b7  "))
                                        : facts.join(QStringLiteral("  \u00b7  ")) + QStringLiteral("\n") + m_note);
    m_details->setToolTip(tip);
    m_notice->setVisible(!notice.isEmpty());
    m_notice->setText(cutShort(notice));
    m_notice->setToolTip(notice);
    const Role role = bad ? Role::Bad : Role::Accent;
    m_notice->setStyleSheet(
        QStringLiteral("QLabel { background: %1; color: %2; padding: 4px 8px; border-radius: 4px; }")
            .arg(m_context.theme.tint(role).name(), m_context.theme.color(bad ? Role::Bad : Role::Text).name()));
}

void LoopsView::restyle() {
    const Theme &theme = m_context.theme;
    const auto quiet = QStringLiteral("color: %1").arg(theme.color(Role::QuietText).name());
    for (QLabel *label : {m_empty, m_details, m_noSteps, m_findCount}) label->setStyleSheet(quiet);
    const QString gap = QStringLiteral("&nbsp;&nbsp; ");
    m_legend->setText(QStringList{
        chip(theme, Role::Parallel, QStringLiteral("parallel")),
        chip(theme, Role::Vector, QStringLiteral("vectorized")), chip(theme, Role::Unroll, QStringLiteral("unrolled")),
        chip(theme, Role::Serial, QStringLiteral("serial")), chip(theme, Role::Reduction, QStringLiteral("reduction")),
        chip(theme, Role::TileLevel0, QStringLiteral("tile level 0 (outermost)")),
        chip(theme, Role::TileLevel1, QStringLiteral("1")), chip(theme, Role::TileLevel2, QStringLiteral("2")),
        chip(theme, Role::TileLevel3, QStringLiteral("3"))}
                          .join(gap));
    const int height = QFontMetrics(theme.codeFont()).height() + 6;
    for (QTableView *table : {m_stepTable, m_storageTable}) table->verticalHeader()->setDefaultSectionSize(height);
    m_tree->doItemsLayout();
    fitColumns();
    refreshHeader();
}

void LoopsView::copy(bool asText) {
    QString text;
    if (m_storageTable->hasFocus()) {
        text = tableText(*m_storage, sortedRows(*m_storageTable), TableFormat::Tsv);
    } else if (m_stepTable->hasFocus()) {
        text = tableText(*m_steps, sortedRows(*m_stepTable), TableFormat::Tsv);
    } else if (m_model->tree()) {
        const QModelIndexList rows = sortedRows(*m_tree);
        std::vector<int> numbers;
        for (const QModelIndex &row : rows) numbers.push_back(static_cast<int>(row.internalId()));
        text = asText ? loopTreeText(*m_model->tree(), numbers) : tableText(*m_model, rows, TableFormat::Tsv);
    }
    if (!text.isEmpty()) QApplication::clipboard()->setText(text);
}

QStringList LoopsView::exportSuffixes() const {
    return {QStringLiteral("txt"), QStringLiteral("csv"), QStringLiteral("tsv")};
}

QString LoopsView::exportTo(const QString &path) {
    if (!m_model->tree()) return QStringLiteral("%1: there are no loops to export").arg(path);
    const LoopTree &tree = *m_model->tree();
    QString text;
    if (path.endsWith(QLatin1String(".txt"), Qt::CaseInsensitive)) {
        text = loopTreeText(tree);
    } else {
        QModelIndexList rows;
        for (size_t r = 0; r < tree.rows.size(); ++r) rows << m_model->indexOf(static_cast<int>(r));
        text =
            tableText(*m_model, rows,
                      path.endsWith(QLatin1String(".csv"), Qt::CaseInsensitive) ? TableFormat::Csv : TableFormat::Tsv);
    }
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(text.toUtf8()) < 0 || !file.commit())
        return QStringLiteral("%1: %2").arg(path, file.errorString());
    return {};
}

} // namespace loopscope
