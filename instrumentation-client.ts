export { startLeaving as onRouterTransitionStart } from "#app/_live/leaving.ts"
