import { PrismaPg } from "@prisma/adapter-pg"
import { PrismaClient } from "../generated/client"

export const prisma = new PrismaClient({ adapter: new PrismaPg({ connectionString: process.env["DATABASE_URL"] }) })
