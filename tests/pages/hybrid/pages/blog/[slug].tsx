import type { GetServerSideProps } from "next"
import Link from "next/link"

export const getServerSideProps: GetServerSideProps = async ({ params, query }) => {
  if (params?.["slug"] === "away") return { redirect: { destination: "/shop/a/b", permanent: false } }
  if (params?.["slug"] === "broken") throw new Error("thrown for the props of a page")
  return { props: { slug: String(params?.["slug"]), part: String(query["part"] ?? "") } }
}

export default function Post({ slug, part }: { slug: string; part: string }) {
  return (
    <>
      <h1>{`blog ${slug} ${part}`}</h1>
      <Link href="/blog/2">blog 2</Link>
    </>
  )
}
