// The grammar rules of what stands behind a declaration or an equation and means nothing to it.
#pragma once
#include "lang/parser.h"

const char *comment_text(Parser *p);        // a string comes next
const char *comment_description(Parser *p); // "" when none comes next
void comment_annotation(Parser *p);         // 'annotation' comes next
const char *comment_read(Parser *p); // a description, then an annotation, each if it is there
