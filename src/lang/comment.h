// Grammar rules of descriptions and annotations, which may follow a declaration or an equation.
#pragma once
#include "lang/parser.h"

const char *comment_text(Parser *p);        // a string comes next
const char *comment_description(Parser *p); // "" if none comes next
void comment_annotation(Parser *p);         // 'annotation' comes next
const char *comment_read(Parser *p);        // an optional description, then an optional annotation
