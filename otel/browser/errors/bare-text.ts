const SCHEME = /(?:bearer|basic|digest|negotiate|dsn)$/i
const SECRET = /=|%3D|eyJ/i

/**
 * An error's text without what may be a secret, for the moment before `scrubText` has been loaded, in a tenth of its
 * bytes: addresses lose query, fragment and user, and a word that assigns something, looks like a token, or follows the
 * name of an authentication scheme goes as a whole.
 */
export function bareText(text: string): string {
  const words = text.split(/(\s+)/)
  const bare = (word: string, index: number) => {
    const address = word.includes("/") ? word.replace(/[?#].*/, "").replace(/\/\/[^/]*@/, "//") : word
    return SECRET.test(address) || SCHEME.test(words[index - 2] ?? "") ? "[Filtered]" : address
  }
  return words.map(bare).join("")
}
