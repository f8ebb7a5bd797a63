export const THEMES = ["system", "light", "dark"] as const
export type Theme = (typeof THEMES)[number]

export const THEME_COOKIE = "pagespan-theme"
const YEAR_SECONDS = 31_536_000

/** The theme that the cookie names; `system` for anything else. */
export function themeOf(text: string | undefined): Theme {
  return THEMES.find((theme) => theme === text) ?? "system"
}

/** Applies a theme to this tab and stores it in a cookie, so that the server renders the next page in it. */
export function chooseTheme(theme: Theme): void {
  document.documentElement.dataset["theme"] = theme
  // Not every supported browser has the Cookie Store API.
  // oxlint-disable-next-line unicorn/no-document-cookie
  document.cookie = `${THEME_COOKIE}=${theme}; Path=/; Max-Age=${YEAR_SECONDS}; SameSite=Strict`
}
