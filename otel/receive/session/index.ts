export { signIn, type SignIn } from "./sign-in-door.ts"
