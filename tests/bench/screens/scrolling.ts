import type { Locator, Page } from "playwright-core"

/** The frames of a page while a list in it scrolls. */

/** Pixels, and pixels per second: some twenty notches of a wheel in a second, for three seconds. */
const WHEEL = { distance: 24_000, speed: 8_000 }

export interface Frames {
  readonly fps: number
  readonly longest: number
}

/** Scrolls by wheel events of the browser's input, as a hand does, and counts the frames of the page meanwhile. */
export async function scrollByWheel(page: Page, scroller: Locator): Promise<Frames> {
  const box = await scroller.boundingBox()
  if (box === null) throw new Error("the list is not shown")
  const counted = scroller.evaluate(
    (grid) =>
      new Promise<Frames>((resolve) => {
        const begun = grid.scrollTop
        let [first, last, frames, longest, still] = [0, 0, 0, 0, 0]
        const step = (now: number) => {
          const top = grid.scrollTop
          if (first === 0 && top !== begun) first = last = now
          else if (first > 0) {
            frames++
            longest = Math.max(longest, now - last)
            last = now
          }
          // The gesture has ended: nothing has moved for ten frames.
          still = first > 0 && top === before ? still + 1 : 0
          before = top
          if (still < 10) requestAnimationFrame(step)
          else resolve({ fps: (frames / (last - first)) * 1_000, longest })
        }
        let before = begun
        requestAnimationFrame(step)
      }),
  )
  const session = await page.context().newCDPSession(page)
  await session.send("Input.synthesizeScrollGesture", {
    x: box.x + box.width / 2,
    y: box.y + box.height / 2,
    yDistance: -WHEEL.distance,
    speed: WHEEL.speed,
    gestureSourceType: "mouse",
  })
  await session.detach()
  return counted
}

/** Scrolls for three seconds by script, half a screen per frame, which is faster than a hand does. */
export function scrollByScript(scroller: Locator): Promise<Frames> {
  return scroller.evaluate(
    (grid) =>
      new Promise<Frames>((resolve) => {
        const start = performance.now()
        let last = start
        let frames = 0
        let longest = 0
        const step = (now: number) => {
          frames++
          longest = Math.max(longest, now - last)
          last = now
          grid.scrollTop += 400
          if (now - start < 3_000) requestAnimationFrame(step)
          else resolve({ fps: (frames / (now - start)) * 1_000, longest })
        }
        requestAnimationFrame(step)
      }),
  )
}
