# Writes a large reaction network as a flat model, always the same for the same sizes:
#   awk -v n=500 -v reactions=700 -v hill=200 -f network.awk > chem500.mo
# Each reaction is reversible mass action, A + B <-> C, with two rate constants; each Hill term is the production of one
# species, driven by another, less its decay, with three parameters: 2*reactions + 3*hill parameters in all.

function draw(count) { # minimal standard generator of Park and Miller; a whole number below count
  seed = (seed*16807) % 2147483647
  return int(seed/2147483647*count)
}

function constant(least, most) { return least + (most - least)*draw(1000000)/1000000 }

BEGIN {
  seed = 20240607
  print "model Network \"" n " species, " reactions " reversible reactions, " hill " Hill terms\""
  for (i = 1; i <= reactions; i++)
    printf "  parameter Real kf%d = %.6f, kb%d = %.6f;\n", i, constant(0.1, 2), i, constant(0.1, 2)
  for (i = 1; i <= hill; i++)
    printf "  parameter Real V%d = %.6f, K%d = %.6f, h%d = %.6f;\n", i, constant(0.1, 1), i, constant(0.5, 2), i, constant(1.5, 4)
  for (i = 1; i <= n; i++) printf "  Real x%d(start = %.6f, fixed = true);\n", i, constant(0.2, 2)
  for (i = 1; i <= reactions; i++) printf "  Real r%d;\n", i
  for (i = 1; i <= hill; i++) printf "  Real g%d;\n", i
  print "equation"
  for (i = 1; i <= reactions; i++) {
    a = 1 + draw(n); do b = 1 + draw(n); while (b == a)
    do c = 1 + draw(n); while (c == a || c == b)
    printf "  r%d = kf%d*x%d*x%d - kb%d*x%d;\n", i, i, a, b, i, c
    balance[a] = balance[a] " - r" i; balance[b] = balance[b] " - r" i; balance[c] = balance[c] " + r" i
  }
  for (i = 1; i <= hill; i++) {
    a = 1 + draw(n); b = 1 + draw(n)
    printf "  g%d = V%d*x%d^h%d/(K%d^h%d + x%d^h%d) - V%d*x%d;\n", i, i, a, i, i, i, a, i, i, b
    balance[b] = balance[b] " + g" i
  }
  for (i = 1; i <= n; i++) printf "  der(x%d) = 0%s;\n", i, balance[i]
  print "end Network;"
}
