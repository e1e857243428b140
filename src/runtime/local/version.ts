import { createRequire } from "node:module";
import * as z from "zod";

const manifest = z.object({ version: z.string() });

/** The version of this Lookout, as its package says. */
export const lookoutVersion: string = manifest.parse(createRequire(import.meta.url)("../../../package.json")).version;
