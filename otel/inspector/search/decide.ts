import type { Denial, Group, Logic } from "./tree.ts"

interface Named {
  readonly is: string
}

/** The answer of a whole tree from the answers of its leaves. */
export function decide<Leaf extends Named>(tree: Logic<Leaf>, passes: (leaf: Leaf) => boolean): boolean {
  if (isDenial(tree)) return !decide(tree.node, passes)
  if (!isGroup(tree)) return passes(tree)
  return tree.is === "and"
    ? tree.nodes.every((node) => decide(node, passes))
    : tree.nodes.some((node) => decide(node, passes))
}

export function isGroup<Leaf extends Named>(tree: Logic<Leaf>): tree is Group<Leaf> {
  return tree.is === "and" || tree.is === "or"
}

export function isDenial<Leaf extends Named>(tree: Logic<Leaf>): tree is Denial<Leaf> {
  return tree.is === "not"
}
