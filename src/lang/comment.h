// Grammar rules of descriptions and annotations, which may follow a declaration or an equation.
#pragma once
#include "lang/parser.h"

AstNotes notes_none(void);
const char *comment_text(Parser *p);                 // a string comes next
const char *comment_description(Parser *p);          // "" if none comes next
void comment_annotation(Parser *p, AstNotes *notes); // 'annotation' comes next; notes may be NULL
// An optional description, then an optional annotation.
const char *comment_read(Parser *p, AstNotes *notes);
