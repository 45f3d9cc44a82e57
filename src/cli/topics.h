// Pages of the help that belong to no command.
#pragma once

typedef struct Topic {
  const char *name;
  const char *meaning; // one line
  const char *text;    // as it stands, lines below 80 characters
} Topic;

extern const Topic TOPICS[];               // ends with a row without name
const Topic *topic_find(const char *name); // NULL when unknown
