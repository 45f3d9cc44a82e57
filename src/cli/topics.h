// Help pages that belong to no command.
#pragma once

typedef struct Topic {
  const char *name;
  const char *meaning; // one line
  const char *text;    // printed as is; lines shorter than 80 characters
} Topic;

extern const Topic TOPICS[];               // the last row has no name
const Topic *topic_find(const char *name); // NULL when unknown
