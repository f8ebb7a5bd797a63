/** The title of a tab; Next replaces `%s` by the title of the page. */
export const TITLE_TEMPLATE = "%s · Pagespan"
