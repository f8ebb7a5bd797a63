/** The app's own end-to-end tests, which `tests/package/unchanged-by-pagespan.test.ts` runs in both copies. */
const address = process.env.PLAYWRIGHT_TEST_BASE_URL
const expected = { "/": 200, "/team": 200, "/items/7": 200, "/no-such-page": 404 }
const answers = await Promise.all(Object.keys(expected).map((path) => fetch(`${address}${path}`)))
const wrong = answers.filter(({ status }, index) => status !== Object.values(expected)[index])
console.log(`${answers.length - wrong.length} passed, ${wrong.length} failed`)
