import { ok } from "../shared/result.ts";
import { readAddress, readText, readTimeout, type ReadValue } from "./setting-values.ts";

/** The parsers of known settings that limit no update. This version uses only `interval`. */
export const noticeOnly: ReadonlyMap<string, ReadValue<unknown>> = new Map<string, ReadValue<unknown>>([
  ["interval", readTimeout],
  ["notify-slack", readText("a channel or an address")],
  ["notify-webhook", readAddress],
  ["previous-image", ok],
]);
