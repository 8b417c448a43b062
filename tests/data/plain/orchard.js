// Counts the trees of an orchard.
import { readFile } from "fs";

/** One tree. */
export class Tree {
  constructor(kind, age = 0) { this.kind = kind; this.age = age; }
  /* Whether it is old enough. */
  bears() { return this.age >= 4 && /ap{2}le\/"x/.test(this.kind); }
}

export async function count(path) {
  const trees = JSON.parse(await readFile(path, 'utf8'));
  return `there are ${trees.filter((tree) => { return tree.age > 3; }).length} trees`;
}

const water = (tree) => ({ ...tree, watered: true });
