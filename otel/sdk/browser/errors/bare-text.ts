/**
 * An error's text without what may be a secret, for the moment before `redactText` has been loaded, in a tenth of its
 * bytes: addresses lose query, fragment and user, and a word that assigns something, looks like a token, or follows the
 * name of an authentication scheme goes as a whole.
 */
export function bareText(text: string): string {
  return text.replace(/\S*(bearer|basic|digest|negotiate|dsn)\s+\S+|\S+/gi, (word, scheme?: string) => {
    const address = word.includes("/") ? word.replace(/[?#].*/, "").replace(/\/\/[^/]*@/, "//") : word
    return scheme || /=|%3D|eyJ/i.test(address) ? "[Filtered]" : address
  })
}
