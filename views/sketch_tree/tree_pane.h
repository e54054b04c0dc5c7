#pragma once
// The tree in its graph view: the picture follows the content, marks follow the selection, what is looked at stays
// where it is while something around it opens or closes. Holds where the keys are; what a key or a click means is
// tree_input.h.

#include "views/graph/graph_view.h"
#include "views/session/view_context.h"
#include "views/sketch_tree/tree_content.h"
#include "views/sketch_tree/tree_picture.h"

#include <vector>

namespace loopscope {

/// A derivation node whose edge, card or refusals match what is looked for.
struct FoundNode {
    int number;
    bool refused;
};

class TreePane : public QObject {
    Q_OBJECT

  public:
    TreePane(const ViewContext &context, TreeContent &content, QWidget *parent);

    [[nodiscard]] GraphView *graph() const { return m_graph; }
    [[nodiscard]] TreePicture &picture() { return m_picture; }
    [[nodiscard]] int keysAt() const; // index of the node the keys are at, or else of what is selected; -1 none
    [[nodiscard]] int current() const { return m_content.indexOf(m_current); }

    /// The beginning, or everything where that is legible.
    void showStart();
    void zoomToFit();
    /// Draws anew: colours or fonts are others.
    void redraw();
    /// Selects the node and the schedule it stands for.
    void activate(int index);
    /// Where the keys are: brought into view.
    void setCurrent(int index);
    void leave(); // nothing is current, nor is a node selected
    void setFound(std::vector<FoundNode> found);
    [[nodiscard]] int foundCount() const { return static_cast<int>(m_found.size()); }
    void showFound(int now); // of foundCount()
    /// Shows another part of the tree while `kept` (a derivation node) stays in place; the keys go to `current`, if
    /// any.
    void change(TreeChoice choice, int kept, int current = -1);
    void keepInView(const QRectF &area); // its beginning where there is not room for all of it

    bool eventFilter(QObject *watched, QEvent *event) override;

  signals:
    void marked(); // what is selected, current or found may be other nodes

  private:
    void draw();
    void showNumbers();
    void follow(const Selected &now, const Selected &before);
    void mark();
    void markSelectedTime();

    const ViewContext m_context;
    TreeContent &m_content;
    GraphView *m_graph;
    TreePicture m_picture;
    int m_focus = -1;       // derivation node that the selection is about
    int m_current = -1;     // derivation node where the keys are
    bool m_atStart = false; // shown as showStart left it, whatever size the window has by then
    bool m_own = false;     // the selection is being set from here: nothing needs to be revealed
    std::vector<FoundNode> m_found;
    int m_foundNow = -1;
};

} // namespace loopscope
