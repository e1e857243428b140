import { resolve } from "node:path";
import { bundleFunctions } from "../lib/functions/bundle.ts";

await bundleFunctions(resolve(import.meta.dirname, "..", "dist", "functions"));
