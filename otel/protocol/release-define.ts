/** The constant that a build with `withPagespan` defines: its release, or an empty text for none. `next build` lists it in its output. */
export const RELEASE_DEFINE = "__PAGESPAN_RELEASE__"
