#!/usr/bin/env node
import yargs from "yargs"
import { hideBin } from "yargs/helpers"
console.log(await yargs(hideBin(process.argv)).argv)
