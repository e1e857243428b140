import { resolve } from "node:path";
import { bundleFunctions } from "../lib/bundle.ts";

await bundleFunctions(resolve(import.meta.dirname, "..", "dist", "functions"));
