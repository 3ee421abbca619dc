// SPDX-License-Identifier: Apache-2.0
// What to load for the best freight: a knapsack, solved by brute patience.
const CARGO = Array.from({ length: 60 }, (_, i) => ({ tons: 3 + ((i * 7) % 19), freight: 10 + ((i * 13) % 41) }));

function better(best, cargo, tons) {
  return cargo.tons <= tons ? Math.max(best[tons], best[tons - cargo.tons] + cargo.freight) : best[tons];
}

function consider(best, cargo) {
  return best.map((_, tons) => better(best, cargo, tons));
}

export function stowage(tons) {
  let best = new Array(tons + 1).fill(0);
  for (const cargo of CARGO) best = consider(best, cargo);
  return { tons, freight: best[tons] };
}
