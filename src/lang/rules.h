// The grammar rules of classes, which use each other.
#pragma once
#include "lang/class.h"
#include "lang/parser.h"

// One class, short or long, with its final semicolon left. flags of the prefix are read here, too.
AstClass *rule_class(Parser *p);
bool rule_starts_class(const Parser *p); // a class comes next

// Declarations, imports, extends and classes inside a class, each with its semicolon.
void rule_element(Parser *p, AstClass *c, bool hidden);
// redeclare and replaceable elements inside modifiers: without semicolon.
AstElement *rule_redeclared(Parser *p);
AstPrefix rule_prefix(Parser *p);
// "[" sizes "]", added to the list; nothing if none comes next.
void rule_sizes(Parser *p, AstList *sizes);
// "(" modifiers ")"; nothing if none comes next.
void rule_modifiers(Parser *p, AstModifierList *list);

// Equations or statements up to a word that ends them.
void rule_items(Parser *p, AstItemList *list, bool statements);
// The keyword of declarations that name may be a misspelling of; NULL: none is near enough.
const char *rule_word(const char *name);
// Fails when classes and clauses are nested too deeply; to be paired with p->classes--.
bool rule_enter(Parser *p);
