/** Lets the browser prerender a page, and navigates to it by script. */
const RULES = JSON.stringify({ prerender: [{ urls: ["/items/1"], eagerness: "immediate" }] })
const GO = "setTimeout(() => location.assign('/items/1'), 2500)"

export default function Speculating() {
  return (
    <>
      <h1>speculating</h1>
      <script type="speculationrules" dangerouslySetInnerHTML={{ __html: RULES }} />
      <script dangerouslySetInnerHTML={{ __html: GO }} />
    </>
  )
}
