// Prints "<passed> <failed>" of a vitest report. A skipped test counts as failed. A failed run
// without a failed test counts as one failure.
import { readFileSync } from "node:fs";

const [, , file, code] = process.argv;
const { numPassedTests, numFailedTests, numPendingTests, numTodoTests } = JSON.parse(readFileSync(file, "utf8"));
const failed = numFailedTests + numPendingTests + numTodoTests;
console.log(`${numPassedTests} ${failed === 0 && code !== "0" ? 1 : failed}`);
