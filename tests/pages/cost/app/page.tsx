import Link from "next/link"
import { Catalogue } from "./catalogue"

/** Rendered at build time, like the entry page of most apps. */
export default function Home() {
  return (
    <main>
      <h1>All items</h1>
      <p>
        The largest paragraph of this page. The browser paints it with the HTML, before any script has run, so that the
        largest contentful paint is that of a page rendered on the server.
      </p>
      <nav>
        {[1, 2, 3, 4, 5].map((id) => (
          <Link key={id} href={`/items/${id}`}>
            Open {id}
          </Link>
        ))}
      </nav>
      <Catalogue />
    </main>
  )
}
