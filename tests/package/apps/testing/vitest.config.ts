import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["unit/**/*.test.ts"],
    setupFiles: ["pagespan/testing/vitest-setup"],
    reporters: ["default", "pagespan/testing/vitest-reporter"],
  },
})
