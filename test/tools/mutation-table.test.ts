import { expect, it } from "vitest";
import { mutationTable } from "../../tools/mutation-table.ts";

const file = (...statuses: readonly string[]) => ({ mutants: statuses.map((status) => ({ status })) });

it("counts the changes of each folder, and the share that a test noticed", () => {
  const files = {
    "src/domain/version/scan.ts": file("Killed", "Timeout", "Survived", "Ignored"),
    "src/domain/version/range.ts": file("NoCoverage", "CompileError"),
    "src/domain/policy/policy.ts": file("Killed"),
  };

  expect(mutationTable({ files })).toBe(
    [
      "```text",
      "folder              changes  noticed",
      "src/domain/policy         1    100 %",
      "src/domain/version        4     50 %",
      "together                  5     60 %",
      "```",
    ].join("\n"),
  );
});
