// The grammar rules of declarations.
#pragma once
#include "lang/parser.h"

// A declaration, an import of units or an annotation.
void declaration_element(Parser *p, AstModel *m);

// Also used to recognise a declaration in a wrong place.
bool declaration_type(const char *name,
                      AstType *type);                 // Real, SI.Force ...; false: not a type
bool declaration_role(TokenKind kind, AstRole *role); // parameter, input ...; false: none of them
const char *declaration_word(const char *name); // the keyword that may be meant by name, or NULL
