import type { Browser } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { buildForm, DEPLOYMENTS, deploymentVariables } from "#tests/apps/matrix/deployments.ts"
import { visitDeployed } from "#tests/apps/matrix/visit-deployed.ts"
import { launchChromium } from "#tests/support/chromium.ts"
import { RecordingSentry } from "#tests/support/recording-sentry.ts"
import { ForeignApp, NEXT_PACKAGES, SENTRY_PACKAGES } from "./foreign-app.ts"

/** The forms of a deployment, each with a build that other tests do not have. */

let browser: Browser
let sentry: RecordingSentry

beforeAll(async () => {
  browser = await launchChromium()
  sentry = await new RecordingSentry().listen()
})

afterAll(async () => {
  await browser?.close()
  await sentry?.close()
})

describe.each(["server", "standalone", "export", "export+tunnel"] as const)("the app built for the form %s", (form) => {
  let app: ForeignApp
  let environment: Readonly<Record<string, string>>

  beforeAll(async () => {
    app = await ForeignApp.create("deployed", [...NEXT_PACKAGES, ...SENTRY_PACKAGES])
    environment = await deploymentVariables(sentry)
    await buildForm(app, form, "turbopack", environment)
  })

  afterAll(() => app?.remove())

  test.for(DEPLOYMENTS.filter((each) => each.form === form))(
    "reports page, navigation, server and error, and adds nothing to the console: $name",
    async (deployment, context) => {
      const obstacle = deployment.obstacle?.()
      if (obstacle !== undefined) return context.skip(obstacle)
      const running = await deployment.start(app, environment)
      try {
        expect(await visitDeployed(browser, sentry, running)).toEqual([])
      } finally {
        await running.stop()
      }
    },
  )
})
