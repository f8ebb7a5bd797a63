export { default, generateStaticParams } from "./isr"
export const revalidate = 1
