/** A segment's name, or `[parameter, value, type]`; then the slots below it. */
type Tree = readonly [
  string | readonly [string, string, string, ...unknown[]],
  Readonly<Record<string, Tree>>,
  ...unknown[],
]

const CLOSINGS: Readonly<Record<string, (name: string) => string>> = {
  d: (name) => `[${name}]`,
  c: (name) => `[...${name}]`,
  oc: (name) => `[[...${name}]]`,
}

/**
 * The route that Next's router shows, from the tree that it writes into the history's state.
 *
 * @returns `undefined` for a state that is not of the App Router.
 */
export function routeOfTree(state: Readonly<Record<string, unknown>> | null): string | undefined {
  const internals = state?.["__PRIVATE_NEXTJS_INTERNALS_TREE"] as { tree?: Tree } | Tree | undefined
  if (internals === undefined) return
  let tree: Tree | undefined = "tree" in internals ? internals.tree : (internals as Tree)
  const names: string[] = []
  while (tree !== undefined) {
    const [segment, slots]: Tree = tree
    if (typeof segment !== "string") names.push(CLOSINGS[segment[2]]?.(segment[0]) ?? `?${segment[2]}`)
    else if (segment !== "" && !segment.startsWith("(") && !segment.startsWith("__PAGE__"))
      names.push(segment.replace(/^\//, ""))
    tree = shownSlot(slots)
  }
  return `/${names.join("/")}`
}

/** The slot of the page. Where `children` shows its default, a parallel slot has the page of the address. */
function shownSlot(slots: Readonly<Record<string, Tree>>): Tree | undefined {
  const { children, ...parallel } = slots
  const isDefault = (slot: Tree | undefined) => slot?.[0] === "__DEFAULT__"
  return isDefault(children) ? Object.values(parallel).find((slot) => !isDefault(slot)) : children
}
