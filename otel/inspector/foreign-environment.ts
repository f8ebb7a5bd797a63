/** Variables that configure Pagespan and the SDKs in its process. Some hold a token, a DSN or the headers of an exporter. */
const OWN = /^(?:PAGESPAN|SENTRY|OTEL|CLICKHOUSE)_/

/** The environment for a program that is not Pagespan, such as an editor or npm: this one, without Pagespan's configuration. */
export function foreignEnvironment(environment: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(environment).filter(([name]) => !OWN.test(name)),
  ) as unknown as NodeJS.ProcessEnv
}
