/** A node of Next's router tree: its segment, and the nodes below it by slot. Every layout has the slot `children`. */
export type RouterNode = readonly [
  segment: string | readonly [name: string, value: string, kind: string, ...rest: unknown[]],
  slots: { readonly children?: RouterNode; readonly [slot: string]: RouterNode | undefined },
]

/** What Next writes into each history entry: since version 16 an object with the tree, before it the tree. */
interface RouterState {
  readonly __PRIVATE_NEXTJS_INTERNALS_TREE?:
    | { readonly tree: RouterNode }
    | (RouterNode & { readonly tree?: undefined })
}

/** The page that the router shows, from the root of the app. */
export interface RouterTree {
  /** Its route in bracket form, with what the route does not have: an intercepting folder, the default of a slot. */
  readonly pattern: string
  /** The same with the values of its parameters, and with groups. Two pages with different values are different trees. */
  readonly values: string
}

/**
 * The root of the router's tree, from the history entry, where Next writes it as it shows a page. `undefined` before hydration,
 * and on a page of the `pages` folder.
 */
export function routerRoot(): RouterNode | undefined {
  const state = (window.history.state as RouterState | null)?.__PRIVATE_NEXTJS_INTERNALS_TREE
  return state?.tree ?? state
}

/** Reads the router's tree. The hooks of `next/navigation` know only what lies below the layout that calls them. */
export function routerTree(): RouterTree | undefined {
  let node = routerRoot()
  if (node === undefined) return undefined
  let pattern = ""
  let values = ""
  // The root has no segment, and a page no slot.
  while ((node = node[1].children)) {
    const [segment] = node
    const [name, value, kind] = typeof segment === "string" ? [segment, segment] : segment
    if (name.startsWith("__PAGE__")) break
    values += `/${value}`
    // A group is no part of the route.
    if (!name.endsWith(")")) pattern += `/${kind === undefined ? name : bracketed(name, kind)}`
  }
  return { pattern: pattern || "/", values }
}

/** @param kind as Next shortens it: `d` for dynamic, `c` for catch-all, `oc` for optional catch-all. */
function bracketed(name: string, kind: string): string {
  const brackets = `[${kind === "d" ? "" : "..."}${name}]`
  return kind === "oc" ? `[${brackets}]` : brackets
}
