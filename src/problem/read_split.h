// Several experiments from one entry of 'experiments': files of a pattern, and windows of a file.
#pragma once
#include "problem/reader.h"

typedef struct SplitPiece {
  const Table *table; // rows of the file, as if they were all of it
  const char *
      label; // value of the column, b-2 where it comes back, or number of the window; NULL: the whole file
  bool validation;             // by 'validation' of 'split'
  int rows_before, rows_after; // of the same record around the table
} SplitPiece;

typedef ARRAY(SplitPiece) SplitPieces;

enum { PIECES_MOST = 10000 }; // of one file

// The windows of a file by 'split' of the entry, with 'only' those that it or 'validation' names, and without those of which
// 'window' leaves nothing; one piece without 'split'. `whole` has node, table, time and the times of 'window'. used: a flag for each item of
// 'only' and then of 'validation' that was found, see split_check. any: 'window' leaves something, maybe for 'only' to leave out.
bool read_split(ProblemReader *r, const ExperimentReader *whole, bool *used, SplitPieces *out,
                bool *any);
int split_item_count(const Yaml *entry); // flags that read_split needs
// After all files of the entry: everything that 'only' and 'validation' name must be there.
bool split_check(ProblemReader *r, const Yaml *entry, const bool *used, const SplitPieces *all);
bool split_times_go_back(const ExperimentReader *whole); // somewhere in the file
// 'every' and 'gaps' cut the time of a whole file, unless 'gaps' cuts where it goes back: times under 'window' hold before.
bool split_cuts_time(const ExperimentReader *whole);
