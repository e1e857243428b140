import { describe, expect, it } from "vitest";
import { person } from "#contracts/api/schema";
import { TokenRequest } from "#contracts/api/tokens";

const expected = "expected 1 to 200 printable characters, and not only spaces";

const messages = (answer: { readonly error?: { readonly issues: readonly { readonly message: string }[] } }) =>
  answer.error?.issues.map(({ message }) => message) ?? [];

describe("the name in a request", () => {
  it.each(["ana", "Ana Élise", "arn:aws:sts::123456789012:assumed-role/Admin/ana@example.com", "安"])(
    "may be %s",
    (name) => {
      expect(messages(person.safeParse(name))).toEqual([]);
    },
  );

  it.each(["", "  ", "\t", "a\u001b[31mna", "ana\n", "a\u202ena"])("is refused: %j", (name) => {
    expect(messages(person.safeParse(name))).toContain(expected);
  });

  it("is refused with 201 characters", () => {
    expect(messages(person.safeParse("a".repeat(200)))).toEqual([]);
    expect(messages(person.safeParse("a".repeat(201)))).toEqual([expected]);
  });
});

describe("the name of a token", () => {
  it.each(["lookout", "api"])("is not %s, which histories show for Lookout or for a request without a name", (name) => {
    expect(messages(TokenRequest.safeParse({ name, role: "viewer" }))).toContain(
      "expected the name of a person or a program, and not lookout or api",
    );
  });
});
