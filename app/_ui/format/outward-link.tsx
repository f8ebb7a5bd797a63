import { OutwardIcon } from "./icons.tsx"
import { shownText } from "./text.ts"

/**
 * Text that may be an address. It becomes a link only when it is http or https and nothing in it is hidden; the link is
 * marked, opens apart, and tells the other side nothing of us.
 */
export function OutwardLink({ text }: { text: string }) {
  const shown = shownText(text)
  if (!isAddress(text) || shown !== text) return shown
  return (
    <a href={text} target="_blank" rel="noopener noreferrer nofollow">
      {shown} <OutwardIcon />
      <span className="visually-hidden"> (leaves Pagespan)</span>
    </a>
  )
}

function isAddress(text: string): boolean {
  return /^https?:\/\/\S+$/.test(text) && URL.canParse(text)
}
