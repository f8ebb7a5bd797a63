import { joinExistingClient } from "./sdk/browser/errors/existing-client.ts"

/**
 * Joins a page's own Sentry client to the traces of Pagespan. The import does it, before `Sentry.init` runs; `withPagespan`
 * injects the import into apps that use Sentry's SDK in pages.
 */
joinExistingClient()
