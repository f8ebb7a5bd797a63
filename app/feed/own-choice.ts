/** Where the choice about Pagespan's own activity is kept: in the URL, and for the next screen in a cookie. */
export const OWN_CHOICE = { parameter: "own", cookie: "pagespan_own" } as const
