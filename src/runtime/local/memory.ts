import { setFlagsFromString } from "node:v8";

/**
 * Makes Node free unused memory sooner. The additional processor time is too small to measure.
 *
 * Without this setting, the heap of a loaded process grows to several times its content.
 */
export function keepHeapSmall(): void {
  setFlagsFromString("--heap-growing-percent=50");
}
