interface Tree { kind: string; age?: number }
type Orchard = Record<string, Tree[]>;
export namespace Fruit {
  export function count<T extends Tree>(trees: T[]): number { return trees.length; }
}
export enum Kind { Apple = "apple", Pear = "pear" }
