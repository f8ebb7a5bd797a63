/** What this page fetches makes it dynamic, which Next notices in the build by an error of its own. */
export default async function Dynamic() {
  const answer = await fetch("data:text/plain,fetched", { cache: "no-store" })
  return <h1>{await answer.text()}</h1>
}
