// Prints "<passed> <failed>" of a vitest report. A skipped test counts as failed, and so does a run that failed without a failing test.
import { readFileSync } from "node:fs";

const [, , file, code] = process.argv;
const { numPassedTests, numFailedTests, numPendingTests, numTodoTests } = JSON.parse(readFileSync(file, "utf8"));
const failed = numFailedTests + numPendingTests + numTodoTests;
console.log(`${numPassedTests} ${failed === 0 && code !== "0" ? 1 : failed}`);
