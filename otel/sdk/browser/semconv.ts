/**
 * The semantic conventions that a page uses. The index of the package would bring every name of the conventions into the page.
 *
 * @see https://opentelemetry.io/docs/specs/semconv/registry/attributes/
 */
/** The page that a span belongs to. A resource cannot hold it: it changes with each navigation. */
export const ATTR_DOCUMENT_URL = "browser.document.url.full"
export const ATTR_ERROR_TYPE = "error.type"
export const ATTR_HTTP_METHOD = "http.request.method"
export const ATTR_HTTP_ROUTE = "http.route"
export const ATTR_HTTP_STATUS = "http.response.status_code"
/** Ours: the request polls, so no root waits for it. */
export const ATTR_POLLING = "pagespan.polling"
/** Sentry's: OpenTelemetry defines no such attribute. */
export const ATTR_PREFETCH = "http.request.prefetch"
export const ATTR_SERVER_ADDRESS = "server.address"
export const ATTR_SERVER_PORT = "server.port"
export const ATTR_SESSION_ID = "session.id"
export const ATTR_URL_FULL = "url.full"
export const ATTR_URL_PATH = "url.path"
export const ATTR_URL_QUERY = "url.query"
export const ATTR_URL_TEMPLATE = "url.template"
