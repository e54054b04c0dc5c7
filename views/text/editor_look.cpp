#include "views/text/editor_look.h"

#include "views/text/editor_numbers.h"
#include "views/text/line_marks.h"
#include "views/text/line_styles.h"
#include "views/text/scintilla_calls.h"

#include <QFontMetrics>

#include <algorithm>

namespace loopscope {

void EditorLook::setUp() {
    setUpDocument(CodeLanguage::Plain, false);
    m_editor.setFrameShape(QFrame::NoFrame);
    m_editor.viewport()->setMouseTracking(true);
    send(m_editor, Sci::SCI_SETWRAPMODE, Sci::SC_WRAP_NONE);
    send(m_editor, Sci::SCI_SETSCROLLWIDTHTRACKING, 1);
    send(m_editor, Sci::SCI_SETSCROLLWIDTH, 1);
    send(m_editor, Sci::SCI_SETLAYOUTCACHE, Sci::SC_CACHE_PAGE);
    send(m_editor, Sci::SCI_SETIDLESTYLING, Sci::SC_IDLESTYLING_NONE);
    send(m_editor, Sci::SCI_SETMULTIPLESELECTION, 0);
    send(m_editor, Sci::SCI_SETYCARETPOLICY, Sci::CARET_SLOP | Sci::CARET_STRICT | Sci::CARET_EVEN, 3);
    send(m_editor, Sci::SCI_SETXCARETPOLICY, Sci::CARET_SLOP | Sci::CARET_EVEN, 40);
    send(m_editor, Sci::SCI_SETMARGINTYPEN, number(Margin::Numbers), Sci::SC_MARGIN_NUMBER);
    send(m_editor, Sci::SCI_SETMARGINTYPEN, number(Margin::Bars), Sci::SC_MARGIN_SYMBOL);
    send(m_editor, Sci::SCI_SETMARGINTYPEN, number(Margin::Folds), Sci::SC_MARGIN_SYMBOL);
    send(m_editor, Sci::SCI_SETMARGINMASKN, number(Margin::Numbers), 0);
    send(m_editor, Sci::SCI_SETMARGINMASKN, number(Margin::Folds), static_cast<long>(Sci::SC_MASK_FOLDERS));
    send(m_editor, Sci::SCI_SETMARGINSENSITIVEN, number(Margin::Folds), 1);
    send(m_editor, Sci::SCI_SETAUTOMATICFOLD,
         Sci::SC_AUTOMATICFOLD_SHOW | Sci::SC_AUTOMATICFOLD_CLICK | Sci::SC_AUTOMATICFOLD_CHANGE);
    send(m_editor, Sci::SCI_SETFOLDFLAGS, 0);
    // Backgrounds are no symbols of the bar margin; bars are.
    long bars = 0;
    const auto define = [&](LineMark mark, int symbol) {
        const int marker = kFirstMarker + static_cast<int>(mark);
        send(m_editor, Sci::SCI_MARKERDEFINE, marker, symbol);
        if (symbol != Sci::SC_MARK_BACKGROUND) bars |= 1L << marker;
    };
    send(m_editor, Sci::SCI_MARKERDEFINE, kCaretMarker, Sci::SC_MARK_BACKGROUND);
    define(LineMark::Hovered, Sci::SC_MARK_BACKGROUND);
    define(LineMark::Inside, Sci::SC_MARK_BACKGROUND);
    define(LineMark::Selected, Sci::SC_MARK_BACKGROUND);
    define(LineMark::Added, Sci::SC_MARK_FULLRECT);
    define(LineMark::Changed, Sci::SC_MARK_FULLRECT);
    define(LineMark::RemovedBelow, Sci::SC_MARK_ARROW);
    define(LineMark::Loop, Sci::SC_MARK_FULLRECT);
    define(LineMark::LoopOther, Sci::SC_MARK_FULLRECT);
    send(m_editor, Sci::SCI_SETMARGINMASKN, number(Margin::Bars), bars);
    const int folders[][2] = {
        {Sci::SC_MARKNUM_FOLDEROPEN, Sci::SC_MARK_ARROWDOWN}, {Sci::SC_MARKNUM_FOLDER, Sci::SC_MARK_ARROW},
        {Sci::SC_MARKNUM_FOLDERSUB, Sci::SC_MARK_EMPTY},      {Sci::SC_MARKNUM_FOLDERTAIL, Sci::SC_MARK_EMPTY},
        {Sci::SC_MARKNUM_FOLDEREND, Sci::SC_MARK_ARROW},      {Sci::SC_MARKNUM_FOLDEROPENMID, Sci::SC_MARK_ARROWDOWN},
        {Sci::SC_MARKNUM_FOLDERMIDTAIL, Sci::SC_MARK_EMPTY}};
    for (const auto &folder : folders) send(m_editor, Sci::SCI_MARKERDEFINE, folder[0], folder[1]);
    send(m_editor, Sci::SCI_INDICSETSTYLE, number(Indicator::Problem), Sci::INDIC_SQUIGGLE);
    send(m_editor, Sci::SCI_INDICSETSTYLE, number(Indicator::Warning), Sci::INDIC_SQUIGGLE);
    for (const long match : {number(Indicator::Match), number(Indicator::CurrentMatch)}) {
        send(m_editor, Sci::SCI_INDICSETSTYLE, match, Sci::INDIC_STRAIGHTBOX);
        send(m_editor, Sci::SCI_INDICSETUNDER, match, 1);
    }
    send(m_editor, Sci::SCI_ANNOTATIONSETVISIBLE, Sci::ANNOTATION_INDENTED);
    send(m_editor, Sci::SCI_AUTOCSETIGNORECASE, 1);
}

void EditorLook::setUpDocument(CodeLanguage language, bool locked) {
    m_editor.setUtf8(true);
    send(m_editor, Sci::SCI_SETLEXER, Sci::SCLEX_CONTAINER);
    send(m_editor, Sci::SCI_SETEOLMODE, Sci::SC_EOL_LF);
    const bool tabs =
        language == CodeLanguage::Assembly || language == CodeLanguage::Ptx || language == CodeLanguage::Sass;
    send(m_editor, Sci::SCI_SETTABWIDTH, tabs ? 8 : 4);
    m_editor.setIndentationsUseTabs(tabs);
    m_editor.setReadOnly(locked);
}

void EditorLook::apply() {
    const QFont font = m_theme.codeFont();
    const QByteArray family = font.family().toUtf8();
    const auto color = [this](Role role) { return m_theme.color(role); };
    m_editor.SendScintilla(Sci::SCI_STYLESETFONT, static_cast<uintptr_t>(Sci::STYLE_DEFAULT), family.constData());
    send(m_editor, Sci::SCI_STYLESETSIZEFRACTIONAL, Sci::STYLE_DEFAULT,
         static_cast<long>(font.pointSizeF() * double{Sci::SC_FONT_SIZE_MULTIPLIER}));
    m_editor.SendScintilla(Sci::SCI_STYLESETFORE, static_cast<unsigned long>(Sci::STYLE_DEFAULT), color(Role::Text));
    m_editor.SendScintilla(Sci::SCI_STYLESETBACK, static_cast<unsigned long>(Sci::STYLE_DEFAULT), color(Role::Base));
    send(m_editor, Sci::SCI_STYLECLEARALL);
    static constexpr Role roles[kCodeStyles] = {
        Role::Text,        Role::CodeKeyword,  Role::CodeNumber,   Role::CodeString,
        Role::CodeComment, Role::CodeFunction, Role::CodeType,     Role::CodeRegister,
        Role::CodeLabel,   Role::CodeComment,  Role::Parallel,     Role::Vector,
        Role::Unroll,      Role::BlockBound,   Role::VThreadBound, Role::ThreadBound};
    for (int style = 0; style < kCodeStyles; ++style)
        m_editor.SendScintilla(Sci::SCI_STYLESETFORE, static_cast<unsigned long>(style), color(roles[style]));
    for (const CodeStyle bold : {CodeStyle::Parallel, CodeStyle::Vector, CodeStyle::Unroll, CodeStyle::BlockBound,
                                 CodeStyle::VThreadBound, CodeStyle::ThreadBound})
        send(m_editor, Sci::SCI_STYLESETBOLD, static_cast<long>(bold), 1);
    m_editor.SendScintilla(Sci::SCI_STYLESETFORE, static_cast<unsigned long>(Sci::STYLE_LINENUMBER),
                           color(Role::LineNumber));
    m_editor.SendScintilla(Sci::SCI_STYLESETBACK, static_cast<unsigned long>(Sci::STYLE_LINENUMBER), color(Role::Base));
    m_editor.SendScintilla(Sci::SCI_STYLESETFORE, static_cast<unsigned long>(Sci::STYLE_BRACELIGHT),
                           color(Role::Accent));
    m_editor.SendScintilla(Sci::SCI_STYLESETBACK, static_cast<unsigned long>(Sci::STYLE_BRACELIGHT),
                           m_theme.tint(Role::Accent));
    send(m_editor, Sci::SCI_STYLESETBOLD, Sci::STYLE_BRACELIGHT, 1);
    m_editor.SendScintilla(Sci::SCI_STYLESETFORE, static_cast<unsigned long>(Sci::STYLE_BRACEBAD), color(Role::Bad));
    for (const auto &[style, role] : {std::pair{number(AnnotationStyle::Problem), Role::Bad},
                                      std::pair{number(AnnotationStyle::Warning), Role::Warning}}) {
        m_editor.SendScintilla(Sci::SCI_STYLESETFORE, static_cast<unsigned long>(style), color(role));
        m_editor.SendScintilla(Sci::SCI_STYLESETBACK, static_cast<unsigned long>(style), m_theme.tint(role));
    }
    m_editor.SendScintilla(Sci::SCI_SETSELBACK, 1UL, [this] {
        const QColor base = m_theme.color(Role::Base);
        const QColor accent = m_theme.color(Role::Accent);
        const auto mix = [](float a, float b) { return a * 0.68F + b * 0.32F; };
        return QColor::fromRgbF(mix(base.redF(), accent.redF()), mix(base.greenF(), accent.greenF()),
                                mix(base.blueF(), accent.blueF()));
    }());
    send(m_editor, Sci::SCI_SETSELFORE, 0, 0);
    m_editor.SendScintilla(Sci::SCI_SETCARETFORE, color(Role::Text));
    send(m_editor, Sci::SCI_SETCARETWIDTH, 2);
    m_editor.SendScintilla(Sci::SCI_SETFOLDMARGINCOLOUR, 1UL, color(Role::Base));
    m_editor.SendScintilla(Sci::SCI_SETFOLDMARGINHICOLOUR, 1UL, color(Role::Base));
    m_editor.SendScintilla(Sci::SCI_MARKERSETBACK, static_cast<unsigned long>(kCaretMarker), color(Role::CurrentLine));
    const auto mark = [&](LineMark kind, const QColor &back) {
        const auto marker = static_cast<unsigned long>(kFirstMarker + static_cast<int>(kind));
        m_editor.SendScintilla(Sci::SCI_MARKERSETBACK, marker, back);
        m_editor.SendScintilla(Sci::SCI_MARKERSETFORE, marker, back);
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
    for (unsigned long folder = Sci::SC_MARKNUM_FOLDEREND; folder <= Sci::SC_MARKNUM_FOLDEROPEN; ++folder) {
        m_editor.SendScintilla(Sci::SCI_MARKERSETFORE, folder, color(Role::LineNumber));
        m_editor.SendScintilla(Sci::SCI_MARKERSETBACK, folder, color(Role::LineNumber));
    }
    m_editor.SendScintilla(Sci::SCI_INDICSETFORE, static_cast<unsigned long>(number(Indicator::Problem)),
                           color(Role::Bad));
    m_editor.SendScintilla(Sci::SCI_INDICSETFORE, static_cast<unsigned long>(number(Indicator::Warning)),
                           color(Role::Warning));
    m_editor.SendScintilla(Sci::SCI_INDICSETFORE, static_cast<unsigned long>(number(Indicator::Match)),
                           color(Role::Warning));
    m_editor.SendScintilla(Sci::SCI_INDICSETFORE, static_cast<unsigned long>(number(Indicator::CurrentMatch)),
                           color(Role::Accent));
    send(m_editor, Sci::SCI_INDICSETALPHA, number(Indicator::Match), 70);
    send(m_editor, Sci::SCI_INDICSETOUTLINEALPHA, number(Indicator::Match), 120);
    send(m_editor, Sci::SCI_INDICSETALPHA, number(Indicator::CurrentMatch), 110);
    send(m_editor, Sci::SCI_INDICSETOUTLINEALPHA, number(Indicator::CurrentMatch), 255);
    m_marginDigits = 0;
    sizeMargins();
}

void EditorLook::sizeMargins() {
    const int digits = std::max(3, static_cast<int>(QString::number(m_editor.lines()).size()));
    if (digits == m_marginDigits) return;
    m_marginDigits = digits;
    const QFontMetrics metrics(m_theme.codeFont());
    send(m_editor, Sci::SCI_SETMARGINWIDTHN, number(Margin::Numbers),
         metrics.horizontalAdvance(QLatin1Char('9')) * (digits + 1) + 4);
    send(m_editor, Sci::SCI_SETMARGINWIDTHN, number(Margin::Bars), std::max(6, metrics.height() / 3));
    send(m_editor, Sci::SCI_SETMARGINWIDTHN, number(Margin::Folds), metrics.height());
    send(m_editor, Sci::SCI_SETMARGINLEFT, 0, 4);
}

} // namespace loopscope
