import { describe, expect, it, vi } from "vitest";
import * as here from "#ports/errors";

vi.resetModules();
const apart = await import("#ports/errors");

describe("an error of a port", () => {
  it("is recognized in a part that was built apart, with classes of its own", () => {
    const thrown = [
      new apart.TransientError("a throttle"),
      new apart.NewerRecordError("api: a newer Lookout wrote it"),
      new apart.PermanentError("denied"),
      new Error("unknown"),
      { name: "PermanentError" },
      undefined,
    ];
    const told = (one: unknown) =>
      [here.TransientError, here.NewerRecordError, here.PermanentError].map((kind) => one instanceof kind);

    expect(apart.TransientError).not.toBe(here.TransientError);
    expect(thrown.map(told)).toEqual([
      [true, false, false],
      [true, true, false],
      [false, false, true],
      [false, false, false],
      [false, false, false],
      [false, false, false],
    ]);
  });
});
