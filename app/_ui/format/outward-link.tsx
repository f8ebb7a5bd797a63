import { OutwardIcon } from "./icons.tsx"
import { shownText } from "./text.ts"

/**
 * Text that may be a URL. It becomes a link only for http and https without hidden characters. The link opens in a new tab and
 * sends no referrer.
 */
export function OutwardLink({ text }: { text: string }) {
  const shown = shownText(text)
  if (!isAddress(text) || shown !== text) return shown
  return (
    <a href={text} target="_blank" rel="noopener noreferrer nofollow">
      {shown} <OutwardIcon />
      <span className="visually-hidden"> (external link)</span>
    </a>
  )
}

function isAddress(text: string): boolean {
  return /^https?:\/\/\S+$/.test(text) && URL.canParse(text)
}
