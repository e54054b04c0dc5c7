// How the editor looks: what its margins, markers and indicators are, and the colours of the theme on them.

#include "views/text/code_editor.h"

#include "views/text/editor_numbers.h"

#include <algorithm>

namespace loopscope {

void CodeEditor::setUp() {
    setUpDocument(false);
    setFrameShape(QFrame::NoFrame);
    viewport()->setMouseTracking(true);
    send(SCI_SETWRAPMODE, SC_WRAP_NONE);
    send(SCI_SETSCROLLWIDTHTRACKING, 1);
    send(SCI_SETSCROLLWIDTH, 1);
    send(SCI_SETLAYOUTCACHE, SC_CACHE_PAGE);
    send(SCI_SETIDLESTYLING, SC_IDLESTYLING_NONE);
    send(SCI_SETMULTIPLESELECTION, 0);
    send(SCI_SETYCARETPOLICY, CARET_SLOP | CARET_STRICT | CARET_EVEN, 3);
    send(SCI_SETXCARETPOLICY, CARET_SLOP | CARET_EVEN, 40);
    send(SCI_SETMARGINTYPEN, number(Margin::Numbers), SC_MARGIN_NUMBER);
    send(SCI_SETMARGINTYPEN, number(Margin::Bars), SC_MARGIN_SYMBOL);
    send(SCI_SETMARGINTYPEN, number(Margin::Folds), SC_MARGIN_SYMBOL);
    send(SCI_SETMARGINMASKN, number(Margin::Numbers), 0);
    send(SCI_SETMARGINMASKN, number(Margin::Folds), static_cast<long>(SC_MASK_FOLDERS));
    send(SCI_SETMARGINSENSITIVEN, number(Margin::Folds), 1);
    send(SCI_SETAUTOMATICFOLD, SC_AUTOMATICFOLD_SHOW | SC_AUTOMATICFOLD_CLICK | SC_AUTOMATICFOLD_CHANGE);
    send(SCI_SETFOLDFLAGS, 0);
    // Backgrounds are no symbols of the bar margin; bars are.
    long bars = 0;
    const auto define = [&](LineMark mark, int symbol) {
        const int marker = kFirstMarker + static_cast<int>(mark);
        send(SCI_MARKERDEFINE, marker, symbol);
        if (symbol != SC_MARK_BACKGROUND) bars |= 1L << marker;
    };
    send(SCI_MARKERDEFINE, kCaretMarker, SC_MARK_BACKGROUND);
    define(LineMark::Hovered, SC_MARK_BACKGROUND);
    define(LineMark::Inside, SC_MARK_BACKGROUND);
    define(LineMark::Selected, SC_MARK_BACKGROUND);
    define(LineMark::Added, SC_MARK_FULLRECT);
    define(LineMark::Changed, SC_MARK_FULLRECT);
    define(LineMark::RemovedBelow, SC_MARK_ARROW);
    define(LineMark::Loop, SC_MARK_FULLRECT);
    define(LineMark::LoopOther, SC_MARK_FULLRECT);
    send(SCI_SETMARGINMASKN, number(Margin::Bars), bars);
    const int folders[][2] = {{SC_MARKNUM_FOLDEROPEN, SC_MARK_ARROWDOWN}, {SC_MARKNUM_FOLDER, SC_MARK_ARROW},
                              {SC_MARKNUM_FOLDERSUB, SC_MARK_EMPTY},      {SC_MARKNUM_FOLDERTAIL, SC_MARK_EMPTY},
                              {SC_MARKNUM_FOLDEREND, SC_MARK_ARROW},      {SC_MARKNUM_FOLDEROPENMID, SC_MARK_ARROWDOWN},
                              {SC_MARKNUM_FOLDERMIDTAIL, SC_MARK_EMPTY}};
    for (const auto &folder : folders) send(SCI_MARKERDEFINE, folder[0], folder[1]);
    send(SCI_INDICSETSTYLE, number(Indicator::Problem), INDIC_SQUIGGLE);
    send(SCI_INDICSETSTYLE, number(Indicator::Warning), INDIC_SQUIGGLE);
    for (const long match : {number(Indicator::Match), number(Indicator::CurrentMatch)}) {
        send(SCI_INDICSETSTYLE, match, INDIC_STRAIGHTBOX);
        send(SCI_INDICSETUNDER, match, 1);
    }
    send(SCI_ANNOTATIONSETVISIBLE, ANNOTATION_INDENTED);
    send(SCI_AUTOCSETIGNORECASE, 1);
}

void CodeEditor::setUpDocument(bool locked) {
    setUtf8(true);
    send(SCI_SETLEXER, SCLEX_CONTAINER);
    send(SCI_SETEOLMODE, SC_EOL_LF);
    send(SCI_SETTABWIDTH, m_language == CodeLanguage::Assembly ? 8 : 4);
    setIndentationsUseTabs(m_language == CodeLanguage::Assembly);
    setReadOnly(locked);
}

void CodeEditor::applyTheme() {
    const QFont font = m_theme.codeFont();
    const QByteArray family = font.family().toUtf8();
    const auto color = [this](Role role) { return m_theme.color(role); };
    SendScintilla(SCI_STYLESETFONT, static_cast<uintptr_t>(STYLE_DEFAULT), family.constData());
    send(SCI_STYLESETSIZEFRACTIONAL, STYLE_DEFAULT,
         static_cast<long>(font.pointSizeF() * double{SC_FONT_SIZE_MULTIPLIER}));
    SendScintilla(SCI_STYLESETFORE, static_cast<unsigned long>(STYLE_DEFAULT), color(Role::Text));
    SendScintilla(SCI_STYLESETBACK, static_cast<unsigned long>(STYLE_DEFAULT), color(Role::Base));
    send(SCI_STYLECLEARALL);
    static constexpr Role roles[kCodeStyles] = {
        Role::Text,         Role::CodeKeyword, Role::CodeNumber,   Role::CodeString, Role::CodeComment,
        Role::CodeFunction, Role::CodeType,    Role::CodeRegister, Role::CodeLabel,  Role::CodeComment,
        Role::Parallel,     Role::Vector,      Role::Unroll,       Role::ThreadBound};
    for (int style = 0; style < kCodeStyles; ++style)
        SendScintilla(SCI_STYLESETFORE, static_cast<unsigned long>(style), color(roles[style]));
    for (const CodeStyle bold : {CodeStyle::Parallel, CodeStyle::Vector, CodeStyle::Unroll, CodeStyle::ThreadBound})
        send(SCI_STYLESETBOLD, static_cast<long>(bold), 1);
    SendScintilla(SCI_STYLESETFORE, static_cast<unsigned long>(STYLE_LINENUMBER), color(Role::LineNumber));
    SendScintilla(SCI_STYLESETBACK, static_cast<unsigned long>(STYLE_LINENUMBER), color(Role::Base));
    SendScintilla(SCI_STYLESETFORE, static_cast<unsigned long>(STYLE_BRACELIGHT), color(Role::Accent));
    SendScintilla(SCI_STYLESETBACK, static_cast<unsigned long>(STYLE_BRACELIGHT), m_theme.tint(Role::Accent));
    send(SCI_STYLESETBOLD, STYLE_BRACELIGHT, 1);
    SendScintilla(SCI_STYLESETFORE, static_cast<unsigned long>(STYLE_BRACEBAD), color(Role::Bad));
    for (const auto &[style, role] : {std::pair{number(AnnotationStyle::Problem), Role::Bad},
                                      std::pair{number(AnnotationStyle::Warning), Role::Warning}}) {
        SendScintilla(SCI_STYLESETFORE, static_cast<unsigned long>(style), color(role));
        SendScintilla(SCI_STYLESETBACK, static_cast<unsigned long>(style), m_theme.tint(role));
    }
    SendScintilla(SCI_SETSELBACK, 1UL, [this] {
        const QColor base = m_theme.color(Role::Base);
        const QColor accent = m_theme.color(Role::Accent);
        const auto mix = [](float a, float b) { return a * 0.68F + b * 0.32F; };
        return QColor::fromRgbF(mix(base.redF(), accent.redF()), mix(base.greenF(), accent.greenF()),
                                mix(base.blueF(), accent.blueF()));
    }());
    send(SCI_SETSELFORE, 0, 0);
    SendScintilla(SCI_SETCARETFORE, color(Role::Text));
    send(SCI_SETCARETWIDTH, 2);
    SendScintilla(SCI_SETFOLDMARGINCOLOUR, 1UL, color(Role::Base));
    SendScintilla(SCI_SETFOLDMARGINHICOLOUR, 1UL, color(Role::Base));
    SendScintilla(SCI_MARKERSETBACK, static_cast<unsigned long>(kCaretMarker), color(Role::CurrentLine));
    const auto mark = [&](LineMark kind, const QColor &back) {
        const auto marker = static_cast<unsigned long>(kFirstMarker + static_cast<int>(kind));
        SendScintilla(SCI_MARKERSETBACK, marker, back);
        SendScintilla(SCI_MARKERSETFORE, marker, back);
    };
    mark(LineMark::Hovered, color(Role::Hover));
    mark(LineMark::Selected, color(Role::Highlight));
    const QColor base = color(Role::Base);
    const QColor full = color(Role::Highlight);
    mark(LineMark::Inside, QColor((base.red() * 3 + full.red() * 2) / 5, (base.green() * 3 + full.green() * 2) / 5,
                                  (base.blue() * 3 + full.blue() * 2) / 5));
    mark(LineMark::Added, color(Role::Good));
    mark(LineMark::Changed, color(Role::Warning));
    mark(LineMark::RemovedBelow, color(Role::Bad));
    mark(LineMark::Loop, color(Role::Series0));
    mark(LineMark::LoopOther, color(Role::Series1));
    for (unsigned long folder = SC_MARKNUM_FOLDEREND; folder <= SC_MARKNUM_FOLDEROPEN; ++folder) {
        SendScintilla(SCI_MARKERSETFORE, folder, color(Role::LineNumber));
        SendScintilla(SCI_MARKERSETBACK, folder, color(Role::LineNumber));
    }
    SendScintilla(SCI_INDICSETFORE, static_cast<unsigned long>(number(Indicator::Problem)), color(Role::Bad));
    SendScintilla(SCI_INDICSETFORE, static_cast<unsigned long>(number(Indicator::Warning)), color(Role::Warning));
    SendScintilla(SCI_INDICSETFORE, static_cast<unsigned long>(number(Indicator::Match)), color(Role::Warning));
    SendScintilla(SCI_INDICSETFORE, static_cast<unsigned long>(number(Indicator::CurrentMatch)), color(Role::Accent));
    send(SCI_INDICSETALPHA, number(Indicator::Match), 70);
    send(SCI_INDICSETOUTLINEALPHA, number(Indicator::Match), 120);
    send(SCI_INDICSETALPHA, number(Indicator::CurrentMatch), 110);
    send(SCI_INDICSETOUTLINEALPHA, number(Indicator::CurrentMatch), 255);
    m_marginDigits = 0;
    sizeMargins();
    m_styled.assign(m_styled.size(), false); // tab stops are in pixels
    viewport()->update();
}

void CodeEditor::sizeMargins() {
    const int digits = std::max(3, static_cast<int>(QString::number(lines()).size()));
    if (digits == m_marginDigits) return;
    m_marginDigits = digits;
    const QFontMetrics metrics(m_theme.codeFont());
    send(SCI_SETMARGINWIDTHN, number(Margin::Numbers), metrics.horizontalAdvance(QLatin1Char('9')) * (digits + 1) + 4);
    send(SCI_SETMARGINWIDTHN, number(Margin::Bars), std::max(6, metrics.height() / 3));
    send(SCI_SETMARGINWIDTHN, number(Margin::Folds), metrics.height());
    send(SCI_SETMARGINLEFT, 0, 4);
}

} // namespace loopscope
