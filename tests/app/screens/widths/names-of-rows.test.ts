import { afterAll, beforeAll, expect, test } from "vitest"
import { ScreenSession } from "../session/screen-session.ts"

/** The lists on windows of common widths: the name in each row can be read, and no list is wider than its window. */
const session = ScreenSession.ofFile()

/** Of a laptop, a split window and a tablet; and each side of the widths at which columns are left out. */
const WIDTHS = [1440, 1421, 1420, 1366, 1361, 1360, 1281, 1280, 1241, 1240, 1231, 1230, 1201, 1200, 1131, 1130] as const
const NARROW = [1081, 1080, 1024, 1011, 1010, 1001, 1000, 900, 821, 820, 768, 721] as const
/** In pixels, of the cell. */
const READABLE = 120

beforeAll(() => session.sendSamples())
afterAll(() => session.page.setViewportSize({ width: 1440, height: 900 }))

test.each(["/", "/traces", "/routes", "/errors", "/services"])(
  "the names of the rows of %s can be read at each width",
  async (path) => {
    await session.open(path)
    for (const width of [...WIDTHS, ...NARROW]) {
      await session.page.setViewportSize({ width, height: 900 })
      const shown = await session.page.evaluate(() => ({
        overflow: document.documentElement.scrollWidth - window.innerWidth,
        names: [...document.querySelectorAll("main table")].flatMap((table) => {
          const cell = table.querySelector<HTMLElement>("tbody th[scope=row]")
          return cell === null || cell.closest(".visually-hidden") !== null ? [] : [cell.offsetWidth]
        }),
      }))
      expect([width, shown.names.length > 0]).toEqual([width, true])
      const unreadable = shown.names.filter((each) => each < READABLE)
      expect([width, Math.max(shown.overflow, 0), unreadable]).toEqual([width, 0, []])
    }
  },
)
