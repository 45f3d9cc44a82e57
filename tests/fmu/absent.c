// The library that needy.c is linked with, and that is in no archive.
double absent_stiffness(void);

double absent_stiffness(void) {
  return 4;
}
