/** The tunnel responds with the page's settings as JSON to a `POST` with an empty body of this type. */
export const SETTINGS_MEDIA_TYPE = "application/vnd.pagespan.settings+json"
