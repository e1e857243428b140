import { describe, expect, it } from "vitest";
import { parseSettings } from "#domain/settings/settings";
import { annotated } from "../builders.ts";

const app = { list: "containers", name: "app", image: "nginx:1.27" } as const;
const targetOf = (value: string) => {
  const { rollbackTo, problems } = parseSettings(annotated({ "rollback-to": value }), [app]);
  return { rollbackTo, problems: problems.map(({ message, closes }) => ({ message, closes })) };
};

describe("the target of a rollback", () => {
  it("is the previous image without the setting", () => {
    expect(parseSettings(annotated({}), [app])).toMatchObject({ rollbackTo: undefined, problems: [] });
  });

  it("may be the previous image by name", () => {
    expect(targetOf("previous")).toEqual({ rollbackTo: undefined, problems: [] });
  });

  it.each(["1.4.2", " 1.4.2 "])("may be the tag in %j", (value) => {
    expect(targetOf(value)).toEqual({ rollbackTo: "1.4.2", problems: [] });
  });

  it("closes updates when it is no tag", () => {
    const problems = [{ message: "expected previous or a tag, such as 1.4.2", closes: true }];

    expect(targetOf("a b")).toEqual({ rollbackTo: undefined, problems });
  });
});
