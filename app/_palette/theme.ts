export const THEMES = ["system", "light", "dark"] as const
export type Theme = (typeof THEMES)[number]

export const THEME_COOKIE = "pagespan-theme"
const YEAR_SECONDS = 31_536_000

/** What a cookie says; anything else leaves it to the system. */
export function themeOf(text: string | undefined): Theme {
  return THEMES.find((theme) => theme === text) ?? "system"
}

/** In this tab at once, and in each page that is rendered from now on. A cookie, so that no page flashes in the other. */
export function chooseTheme(theme: Theme): void {
  document.documentElement.dataset["theme"] = theme
  // The Cookie Store API is missing in some browsers that are in use.
  // oxlint-disable-next-line unicorn/no-document-cookie
  document.cookie = `${THEME_COOKIE}=${theme}; Path=/; Max-Age=${YEAR_SECONDS}; SameSite=Strict`
}
