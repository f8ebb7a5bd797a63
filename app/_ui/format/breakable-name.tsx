import { Fragment } from "react"

/** After which characters of a name a line may break. */
const BREAK = /(?<=[._:/-])(?=[^._:/-])/

/** A name such as `http.response.header.content_type`, which breaks between its parts before it breaks within one. */
export function BreakableName({ name }: { readonly name: string }) {
  return (
    <bdi>
      {name.split(BREAK).map((part, index) => (
        // The parts of a name have no other identity.
        // oxlint-disable-next-line react/no-array-index-key
        <Fragment key={index}>
          {index > 0 && <wbr />}
          {part}
        </Fragment>
      ))}
    </bdi>
  )
}
