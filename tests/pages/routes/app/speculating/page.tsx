/** Lets the browser prerender a page whose address is rewritten, and navigates to it by script. */
const RULES = JSON.stringify({ prerender: [{ urls: ["/t/1"], eagerness: "immediate" }] })
const GO = "setTimeout(() => location.assign('/t/1'), 2500)"

export default function Speculating() {
  return (
    <>
      <h1>speculating</h1>
      <script type="speculationrules" dangerouslySetInnerHTML={{ __html: RULES }} />
      <script dangerouslySetInnerHTML={{ __html: GO }} />
    </>
  )
}
